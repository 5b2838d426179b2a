// The model's generation rules with what a caller chose in TranslateOptions.
#ifndef LATIMER_TRANSLATE_RULES_H_
#define LATIMER_TRANSLATE_RULES_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "latimer/translator.h"
#include "text/tokenizer_view.h"
#include "transformer/greedy_search.h"

namespace latimer {

// Null for no name. kInvalidArgument for one that the model does not have.
Result<const Task*> FindTask(const GenerationConfig& rules,
                             std::string_view name);

// The token of a language. `side`, "source" or "target", is for the message;
// kInvalidArgument for a code that the model does not have.
Result<int32_t> FindLanguage(const GenerationConfig& rules, const char* side,
                             std::string_view code);

// kInvalidArgument where a language is missing that a text needs. Precondition:
// the model has languages.
Status NeedLanguages(const GenerationConfig& rules,
                     const TranslateOptions& options);

// Makes of a prefix what can be tokenized by itself. kInvalidArgument where the
// tokenizer would join it with the first word.
Status CheckPrefix(const TokenizerView& tokenizer, std::string_view* prefix);

// Adds the guards of a text; see latimer/stop.h.
void GuardText(std::span<const int32_t> source, SearchRules* rules);

// What greedy search obeys, without guards and a deadline; at most
// `most_tokens` come. Spans are those of the arguments. kInvalidArgument for
// what the model does not have.
Status ResolveRules(const ModelInfo& info, const TranslateOptions& options,
                    uint32_t most_tokens, SearchRules* out);

}  // namespace latimer

#endif  // LATIMER_TRANSLATE_RULES_H_
