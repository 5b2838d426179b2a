#include "cli/attention.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace latimer::cli {
namespace {

// U+2581, which SentencePiece has for a space.
constexpr std::string_view kSpace = "\xE2\x96\x81";

std::string IdText(int32_t id) { return std::to_string(id); }

// Which word each token belongs to; kNoWord for what the model added.
constexpr size_t kNoWord = static_cast<size_t>(-1);
std::vector<size_t> WordsOf(const std::vector<std::string>& pieces,
                            size_t begin, size_t end) {
  bool spaces = false;
  for (size_t i = begin; i < end; ++i) {
    spaces = spaces || pieces[i].starts_with(kSpace);
  }
  std::vector<size_t> words(pieces.size(), kNoWord);
  size_t count = 0;
  for (size_t i = begin; i < end; ++i) {
    if (i == begin || !spaces || pieces[i].starts_with(kSpace)) ++count;
    words[i] = count - 1;
  }
  return words;
}

size_t WordCount(const std::vector<size_t>& words) {
  size_t count = 0;
  for (const size_t word : words) {
    if (word != kNoWord && word + 1 > count) count = word + 1;
  }
  return count;
}

std::vector<size_t> SourceWords(const Translator& translator,
                                std::span<const int32_t> ids,
                                const std::vector<std::string>& pieces) {
  const GenerationConfig& rules = translator.model_info().generation;
  const auto matches = [&](std::span<const int32_t> added, size_t at) {
    if (ids.size() < at + added.size()) return false;
    for (size_t i = 0; i < added.size(); ++i) {
      if (ids[at + i] != added[i]) return false;
    }
    return true;
  };
  const size_t prefix = rules.source_prefix.size();
  const size_t suffix = rules.source_suffix.size();
  const size_t begin = matches(rules.source_prefix, 0) ? prefix : 0;
  const bool ends = ids.size() >= begin + suffix &&
                    matches(rules.source_suffix, ids.size() - suffix);
  return WordsOf(pieces, begin, ids.size() - (ends ? suffix : 0));
}

}  // namespace

float AttentionRecord::Mean(size_t layer, size_t row, size_t column) const {
  float sum = 0;
  for (size_t h = 0; h < heads; ++h) sum += At(layer, h, row, column);
  return sum / static_cast<float>(heads);
}

const char* NameOf(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::kNone:
      return "none";
    case AttentionKind::kCross:
      return "cross";
    case AttentionKind::kEncoder:
      return "encoder";
    case AttentionKind::kDecoder:
      return "decoder";
  }
  return "";
}

std::vector<std::string> SourcePieces(const Translator& translator,
                                      std::span<const int32_t> ids) {
  std::vector<std::string> pieces;
  std::vector<char> buffer(Translator::kMaxPieceBytes);
  for (const int32_t id : ids) {
    const std::string_view piece = translator.SourcePiece(id, buffer);
    pieces.push_back(piece.empty() ? IdText(id) : std::string(piece));
  }
  return pieces;
}

std::vector<std::string> TargetPieces(const Translator& translator,
                                      std::span<const int32_t> ids) {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) {
    const std::string_view piece = translator.TargetPiece(id);
    pieces.push_back(piece.empty() ? IdText(id) : std::string(piece));
  }
  return pieces;
}

AttentionRecord MakeRecord(const Translator& translator,
                           const Translation& translation) {
  const AttentionWeights& attention = translation.attention;
  AttentionRecord record;
  record.kind = attention.kind;
  record.layers = attention.layers;
  record.heads = attention.heads;
  const std::vector<std::string> source =
      SourcePieces(translator, translation.source);
  std::vector<std::string> target = TargetPieces(
      translator,
      translation.tokens.first(attention.kind == AttentionKind::kEncoder
                                   ? translation.tokens.size()
                                   : attention.rows));
  record.rows = attention.kind == AttentionKind::kEncoder ? source : target;
  record.columns = source;
  if (attention.kind == AttentionKind::kDecoder) {
    record.columns.assign(1, "<start>");
    record.columns.insert(record.columns.end(), target.begin(),
                          target.end() - 1);
  }
  for (uint32_t l = 0; l < attention.layers; ++l) {
    for (uint32_t h = 0; h < attention.heads; ++h) {
      for (size_t r = 0; r < attention.rows; ++r) {
        const std::span<const float> row = attention.Row(l, h, r);
        record.weights.insert(record.weights.end(), row.begin(), row.end());
        record.weights.resize(
            record.weights.size() + record.columns.size() - row.size(), 0.0f);
      }
    }
  }
  return record;
}

std::string Alignment(const Translator& translator,
                      const Translation& translation, WordCounts* words) {
  const AttentionRecord record = MakeRecord(translator, translation);
  const std::vector<size_t> source =
      SourceWords(translator, translation.source, record.columns);
  // EOS, the last token, is no word.
  const int32_t eos = translator.model_info().generation.eos;
  size_t targets = record.rows.size();
  if (targets > 0 && translation.tokens[targets - 1] == eos) --targets;
  const std::vector<size_t> target = WordsOf(record.rows, 0, targets);
  const size_t source_words = WordCount(source);
  const size_t target_words = WordCount(target);
  const size_t layer = record.layers - (record.layers > 3 ? 2 : 1);
  std::vector<float> weight(source_words * target_words, 0.0f);
  for (size_t r = 0; r < record.rows.size(); ++r) {
    for (size_t c = 0; c < record.columns.size(); ++c) {
      if (target[r] == kNoWord || source[c] == kNoWord) continue;
      weight[target[r] * source_words + source[c]] += record.Mean(layer, r, c);
    }
  }
  std::string links;
  for (size_t t = 0; t < target_words && source_words > 0; ++t) {
    size_t best = 0;
    for (size_t s = 1; s < source_words; ++s) {
      if (weight[t * source_words + s] > weight[t * source_words + best]) {
        best = s;
      }
    }
    if (!links.empty()) links += ' ';
    links += std::to_string(words->source + best) + "-" +
             std::to_string(words->target + t);
  }
  words->source += source_words;
  words->target += target_words;
  return links;
}

std::string ScoreLines(const Translator& translator,
                       const Translation& translation) {
  const std::vector<std::string> pieces =
      TargetPieces(translator, translation.tokens);
  std::string lines;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const TokenScore& score = translation.scores[i];
    char text[64];
    if (std::isfinite(score.margin)) {
      std::snprintf(text, sizeof(text), "\n\t%.4f\t%.4f\t",
                    static_cast<double>(score.log_probability),
                    static_cast<double>(score.margin));
    } else {
      std::snprintf(text, sizeof(text), "\n\t%.4f\t-\t",
                    static_cast<double>(score.log_probability));
    }
    lines += text + pieces[i];
  }
  return lines;
}

std::string AttentionJson(const std::vector<AttentionRecord>& records) {
  using Json = nlohmann::ordered_json;
  Json sentences = Json::array();
  for (const AttentionRecord& record : records) {
    Json layers = Json::array();
    for (size_t l = 0; l < record.layers; ++l) {
      Json heads = Json::array();
      for (size_t h = 0; h < record.heads; ++h) {
        Json rows = Json::array();
        for (size_t r = 0; r < record.rows.size(); ++r) {
          Json row = Json::array();
          for (size_t c = 0; c < record.columns.size(); ++c) {
            row.push_back(record.At(l, h, r, c));
          }
          rows.push_back(std::move(row));
        }
        heads.push_back(std::move(rows));
      }
      layers.push_back(std::move(heads));
    }
    sentences.push_back({{"rows", record.rows},
                         {"columns", record.columns},
                         {"layers", record.layers},
                         {"heads", record.heads},
                         {"weights", std::move(layers)}});
  }
  const Json file = {
      {"attention", records.empty() ? "none" : NameOf(records[0].kind)},
      {"sentences", std::move(sentences)}};
  // Pieces may be any bytes.
  return file.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string FormatAttention(const std::vector<AttentionRecord>& records,
                            AttentionFormat format) {
  switch (format) {
    case AttentionFormat::kHtml:
      return AttentionHtml(records);
    case AttentionFormat::kSvg:
      return AttentionSvg(records);
    case AttentionFormat::kJson:
      return AttentionJson(records);
  }
  return "";
}

}  // namespace latimer::cli
