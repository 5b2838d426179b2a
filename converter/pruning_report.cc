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
