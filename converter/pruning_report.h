// Reports what pruning the vocabulary kept and saved.
#ifndef LATIMER_CONVERTER_PRUNING_REPORT_H_
#define LATIMER_CONVERTER_PRUNING_REPORT_H_

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/model_writer.h"
#include "converter/token_choice.h"

namespace latimer {

// Prunes the vocabulary of `*model` to `keep` and says what that did:
//   {"source": {"kept", "of"}, "target": {"kept", "of"}, "lines_like_source",
//    "lines_like_target", "bytes_saved",
//    "unreachable": [{"text", "side", "lines", "changed_lines", "tokens",
//                     "lost", "different",
//                     "examples": [{"before", "now", "count"}]}]}
// with an entry of "unreachable" for each of `texts` and each side: "source",
// "target", or "both" if one tokenizer is for both. `options` tell how large a
// weight is. The lines, of `keep.texts`, are counted if either side has a
// tokenizer of its own; a warning says so if the texts seem to lack one of the
// two languages. Throws ConversionError as ChooseTokens does.
nlohmann::ordered_json PruneAndReport(
    const TokensToKeep& keep, const std::vector<std::filesystem::path>& texts,
    const WriteOptions& options, CanonicalModel* model);

// The same as lines of text.
std::string PruningText(const nlohmann::ordered_json& report);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_PRUNING_REPORT_H_
