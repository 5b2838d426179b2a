#include "converter/agreement.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "converter/all_cores.h"
#include "converter/error.h"
#include "converter/loaded_model.h"
#include "converter/readers/text_file.h"
#include "transformer/probe.h"

namespace latimer {

// Makes a model read f32's tokens, and counts those that it would not choose.
class Agreement::Forcer final : public Probe {
 public:
  explicit Forcer(const Part& part) : target_(part.target) {}

  void OnOutput(ProbePoint, uint32_t, std::span<const float>) override {}
  int32_t OnToken(size_t position, int32_t chosen) override {
    const int32_t expected = target_[position];
    if (chosen != expected) ++others_;
    return expected;
  }

  uint64_t others() const { return others_; }

 private:
  const std::vector<int32_t>& target_;
  uint64_t others_ = 0;
};

Agreement::Agreement(
    const ModelBytes& f32, const std::filesystem::path& text,
    const std::function<void(uint64_t done, uint64_t total)>& progress) {
  const std::vector<std::string> lines = ReadSourceLines(text);
  std::vector<std::vector<Part>> of_lines(lines.size());
  std::mutex mutex;
  uint64_t done = 0;
  RunOnAllCores(lines.size(), kMostLoadedModels, [&] {
    return [&, model = std::make_shared<LoadedModel>(f32.bytes(), "f32")](
               size_t i) {
      TextCursor cursor(lines[i], GreedySearch(/*scores=*/false));
      while (!lines[i].empty() && !cursor.done()) {
        const Result<Translation> part =
            model->translator().TranslateNext(cursor);
        if (!part.ok()) {
          FailWith(text, ", line ", i + 1, ": ", part.status().message());
        }
        if (part->source.empty()) continue;
        of_lines[i].push_back({i,
                               {part->source.begin(), part->source.end()},
                               {part->tokens.begin(), part->tokens.end()}});
      }
      const std::scoped_lock lock(mutex);
      if (progress) progress(++done, lines.size());
    };
  });
  for (std::vector<Part>& line : of_lines) {
    lines_ += line.empty() ? 0 : 1;
    std::ranges::move(line, std::back_inserter(parts_));
  }
  for (const Part& part : parts_) tokens_ += part.target.size();
  if (tokens_ < kLeastAgreementTokens) {
    FailIn(text, "has only ", tokens_,
           " tokens to compare, which is too few for --weights auto; give at "
           "least ",
           kLeastAgreementTokens, ", better some thousands");
  }
}

Loss Agreement::LossOf(const ModelBytes& packed) const {
  std::vector<uint64_t> others(parts_.size());
  RunOnAllCores(parts_.size(), kMostLoadedModels, [&] {
    return [&, model = std::make_shared<LoadedModel>(packed.bytes(), "packed")](
               size_t i) {
      Forcer forcer(parts_[i]);
      const ProbeScope scope(&forcer);
      const Result<Translation> translation = model->translator().TranslateIds(
          parts_[i].source, GreedySearch(/*scores=*/false));
      if (!translation.ok()) FailWith(translation.status().message());
      others[i] = forcer.others();
    };
  });
  std::set<size_t> lines;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (others[i] > 0) lines.insert(parts_[i].line);
  }
  return {
      .tokens = static_cast<double>(std::accumulate(
                    others.begin(), others.end(), uint64_t{0})) /
                static_cast<double>(tokens_),
      .lines = static_cast<double>(lines.size()) / static_cast<double>(lines_)};
}

}  // namespace latimer
