#include "converter/pruning_report.h"

#include <sstream>

#include "converter/error.h"
#include "converter/lost_tokens.h"
#include "converter/text_tokenizer.h"
#include "converter/vocabulary_pruning.h"

namespace latimer {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr size_t kExamples = 10;

OrderedJson LostJson(const std::filesystem::path& path, const char* side,
                     const LostTokens& lost) {
  OrderedJson examples = OrderedJson::array();
  for (const LostTokens::Example& example : lost.examples) {
    examples.push_back({{"before", example.before},
                        {"now", example.now},
                        {"count", example.count}});
  }
  return {{"text", path.string()},       {"side", side},
          {"lines", lost.lines},         {"changed_lines", lost.changed_lines},
          {"tokens", lost.tokens},       {"lost", lost.lost},
          {"different", lost.different}, {"examples", examples}};
}

std::string TextOf(const OrderedJson& pieces) {
  return Joined(pieces.get<std::vector<std::string>>(), {}, " ");
}

// Lines that one tokenizer of a model cuts into fewer tokens than the other
// does, as each does with texts of its own language.
struct LinesBySide {
  size_t source = 0;
  size_t target = 0;

  size_t all() const { return source + target; }
};

LinesBySide CountLinesBySide(const std::vector<std::filesystem::path>& texts,
                             const TokenizerData& source_data,
                             const TokenizerData& target_data) {
  TextTokenizer source(source_data), target(target_data);
  LinesBySide lines;
  for (const std::filesystem::path& path : texts) {
    for (const std::string& line : ReadTextLines(path)) {
      const size_t as_source = source.Encode(line).size();
      const size_t as_target = target.Encode(line).size();
      lines.source += as_source < as_target ? 1 : 0;
      lines.target += as_target < as_source ? 1 : 0;
    }
  }
  return lines;
}

// Texts that lack one of the two languages have fewer lines of it: names and
// lines of a word or two, which may look like either.
constexpr double kLeastShareOfASide = 0.1;

void WarnOfAMissingSide(const LinesBySide& lines,
                        std::vector<std::string>* warnings) {
  const auto warn = [&](const char* side, const char* other, size_t count,
                        const char* effect) {
    if (static_cast<double>(count) >=
        kLeastShareOfASide * static_cast<double>(lines.all())) {
      return;
    }
    warnings->push_back(Concat(
        "only ", count, " of ", lines.all(), " lines of --keep-vocab are cut ",
        "into fewer tokens by the ", side, "'s tokenizer than by the ", other,
        "'s, so the texts seem to lack the ", side, " language, and the model ",
        effect, " without its tokens; give a text of it with another ",
        "--keep-vocab."));
  };
  warn("source", "target", lines.source, "would read it");
  warn("target", "source", lines.target, "would write it");
}

}  // namespace

OrderedJson PruneAndReport(const TokensToKeep& keep,
                           const std::vector<std::filesystem::path>& texts,
                           const WriteOptions& options, CanonicalModel* model) {
  const KeptTokens kept = ChooseTokens(*model, keep);
  // Read before pruning, so that errors are reported early.
  std::vector<std::vector<std::string>> lines;
  lines.reserve(texts.size());
  for (const auto& path : texts) lines.push_back(ReadTextLines(path));
  const uint64_t bytes = DataBytes(*model, options);
  const TokenizerData whole = *model->tokenizer;
  OrderedJson report;
  report["source"] = {{"kept", kept.source.size()},
                      {"of", model->architecture.source_vocabulary}};
  report["target"] = {{"kept", kept.target.size()},
                      {"of", model->architecture.target_vocabulary}};
  if (!keep.texts.empty() && whole.target_text) {
    const LinesBySide by_side =
        CountLinesBySide(keep.texts, whole, whole.target_text());
    report["lines_like_source"] = by_side.source;
    report["lines_like_target"] = by_side.target;
    // Scripts keep the tokens of either language.
    if (!keep.scripts) WarnOfAMissingSide(by_side, &model->warnings);
  }
  PruneVocabulary(kept, model);
  report["bytes_saved"] = bytes - DataBytes(*model, options);
  report["unreachable"] = OrderedJson::array();
  for (size_t i = 0; i < texts.size(); ++i) {
    const TokenizerData& pruned = *model->tokenizer;
    report["unreachable"].push_back(LostJson(
        texts[i], whole.target_text ? "source" : "both",
        FindLostTokens(lines[i], whole, pruned, kept.source, kExamples)));
    if (!whole.target_text) continue;
    report["unreachable"].push_back(
        LostJson(texts[i], "target",
                 FindLostTokens(lines[i], whole.target_text(),
                                pruned.target_text(), kept.target, kExamples)));
  }
  return report;
}

std::string PruningText(const OrderedJson& report) {
  std::ostringstream out;
  const auto kept = [&](const char* side) {
    out << report[side]["kept"] << " of " << report[side]["of"] << " " << side
        << " tokens kept";
  };
  out << "Vocabulary: ";
  kept("source");
  out << ", ";
  kept("target");
  out << "; " << report["bytes_saved"] << " bytes saved.\n";
  for (const OrderedJson& text : report["unreachable"]) {
    const std::string side = text["side"];
    out << text["text"].get<std::string>() << ", as "
        << (side == "both" ? "source or target" : side) << ": " << text["lost"]
        << " of " << text["tokens"] << " tokens are unreachable ("
        << text["different"] << " different), " << text["changed_lines"]
        << " of " << text["lines"] << " lines are tokenized differently"
        << (text["examples"].empty() ? ".\n" : ", most often\n");
    for (const OrderedJson& example : text["examples"]) {
      out << "  " << example["count"] << " times  " << TextOf(example["before"])
          << "  now  " << TextOf(example["now"]) << "\n";
    }
  }
  return out.str();
}

}  // namespace latimer
