#include "converter/model_pair.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "converter/error.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// Number of target tokens per sentence whose layers and logits are compared:
// keeping all logits would take much memory.
constexpr size_t kMeasuredTokens = 64;

Translation Get(const Result<Translation>& translation) {
  if (!translation.ok()) FailWith(translation.status().message());
  return *translation;
}

std::vector<int32_t> Copy(std::span<const int32_t> ids) {
  return {ids.begin(), ids.end()};
}

std::vector<int32_t> ParseIds(std::string_view text) {
  std::vector<int32_t> ids;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
    if (at == end) return ids;
    int32_t id = 0;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() ||
        (next != end && *next != ' ' && *next != '\t')) {
      FailWith(
          "The model has no tokenizer, so the text must consist of token ids, "
          "but '",
          std::string_view(at, std::min<size_t>(end - at, 20)),
          "' is not a token id.");
    }
    ids.push_back(id);
    at = next;
  }
}

}  // namespace

// Keeps the outputs of the f32 model.
class ModelPair::Recorder final : public Probe {
 public:
  void Begin() {
    values_.clear();
    ends_.clear();
    tokens_ = 0;
  }

  void OnOutput(ProbePoint, uint32_t, std::span<const float> values) override {
    if (tokens_ >= kMeasuredTokens) return;
    values_.insert(values_.end(), values.begin(), values.end());
    ends_.push_back(values_.size());
  }
  int32_t OnToken(size_t, int32_t chosen) override {
    ++tokens_;
    return chosen;
  }

  // The values of call number `i` of OnOutput; empty after the last call.
  std::span<const float> Output(size_t i) const {
    if (i >= ends_.size()) return {};
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::span(values_).subspan(begin, ends_[i] - begin);
  }

 private:
  std::vector<float> values_;
  std::vector<size_t> ends_;
  size_t tokens_ = 0;
};

// Makes the packed model read the f32 model's tokens, and compares its outputs
// with the recorded ones, which come in the same order.
class ModelPair::Comparer final : public Probe {
 public:
  Comparer(const Recorder& recorder, const Architecture& a,
           std::span<const int32_t> f32_tokens, ComparedLine* line)
      : recorder_(recorder),
        architecture_(a),
        f32_tokens_(f32_tokens),
        line_(line),
        tokens_before_(line->tokens) {
    line->outputs.resize(a.encoder_layers + a.decoder_layers + 1);
  }

  void OnOutput(ProbePoint point, uint32_t layer,
                std::span<const float> values) override {
    const std::span<const float> expected = recorder_.Output(calls_++);
    if (expected.empty()) return;
    LATIMER_CHECK(expected.size() == values.size());
    PowerSums sums;
    for (size_t i = 0; i < values.size(); ++i) {
      const double x = expected[i], y = values[i];
      if (x == y) {
        // Both are -inf if a shortlist excludes the token.
        if (std::isfinite(x)) sums.signal += x * x;
        continue;
      }
      sums.signal += x * x;
      sums.noise += (x - y) * (x - y);
    }
    line_->outputs[Place(point, layer)] += sums;
  }

  int32_t OnToken(size_t position, int32_t chosen) override {
    LATIMER_CHECK(position < f32_tokens_.size());
    const int32_t expected = f32_tokens_[position];
    ++line_->tokens;
    if (chosen == expected) {
      ++line_->agreeing;
    } else if (!line_->divergence) {
      line_->divergence = {
          .line = 0,
          .position = static_cast<uint32_t>(tokens_before_ + position),
          .f32_token = expected,
          .token = chosen};
    }
    return expected;
  }

 private:
  size_t Place(ProbePoint point, uint32_t layer) const {
    switch (point) {
      case ProbePoint::kEncoderLayer:
        return layer;
      case ProbePoint::kDecoderLayer:
        return architecture_.encoder_layers + layer;
      case ProbePoint::kLogits:
        return architecture_.encoder_layers + architecture_.decoder_layers;
    }
    return 0;
  }

  const Recorder& recorder_;
  const Architecture& architecture_;
  const std::span<const int32_t> f32_tokens_;
  ComparedLine* line_;
  const uint64_t tokens_before_;
  size_t calls_ = 0;
};

ModelPair::ModelPair(std::span<const std::byte> f32,
                     std::span<const std::byte> packed)
    : f32_model_(f32, "f32"),
      packed_model_(packed, "packed"),
      recorder_(std::make_unique<Recorder>()) {}

ModelPair::~ModelPair() = default;

ComparedLine ModelPair::Compare(std::string_view line) {
  ComparedLine result;
  if (info().has_tokenizer) {
    CompareText(line, &result);
  } else {
    CompareIds(line, &result);
  }
  return result;
}

void ModelPair::CompareText(std::string_view text, ComparedLine* line) {
  TextCursor cursor(text, GreedySearch(/*scores=*/true));
  while (!text.empty() && !cursor.done()) {
    recorder_->Begin();
    const Translation part = [&] {
      const ProbeScope scope(recorder_.get());
      return Get(f32_.TranslateNext(cursor));
    }();
    line->f32_translation += part.text;
    if (!part.source.empty()) {
      ComparePart(part.source, part.tokens, line);
    }
    if (!cursor.done()) {
      line->f32_translation += part.space;
      line->translation += part.space;
    }
  }
}

void ModelPair::CompareIds(std::string_view ids, ComparedLine* line) {
  const std::vector<int32_t> source = ParseIds(ids);
  if (source.empty()) return;
  recorder_->Begin();
  const Translation f32 = [&] {
    const ProbeScope scope(recorder_.get());
    return Get(f32_.TranslateIds(source, GreedySearch(/*scores=*/true)));
  }();
  ComparePart(source, f32.tokens, line);
}

// Runs the packed model twice: with forced f32 tokens, to compare outputs, and
// on its own, to compare translations.
void ModelPair::ComparePart(std::span<const int32_t> source,
                            std::span<const int32_t> f32_tokens,
                            ComparedLine* line) {
  {
    Comparer comparer(*recorder_, info().architecture, f32_tokens, line);
    const ProbeScope scope(&comparer);
    Get(packed_.TranslateIds(source, GreedySearch(/*scores=*/true)));
  }
  const Translation own =
      Get(packed_.TranslateIds(source, GreedySearch(/*scores=*/false)));
  line->equal = line->equal && std::ranges::equal(own.tokens, f32_tokens);
  if (info().has_tokenizer) {
    const std::vector<int32_t> tokens = Copy(own.tokens);
    const Result<std::string_view> text = packed_.Detokenize(tokens);
    if (!text.ok()) FailWith(text.status().message());
    line->translation += *text;
  }
}

}  // namespace latimer
