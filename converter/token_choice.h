// Chooses the tokens that a pruned model keeps.
#ifndef LATIMER_CONVERTER_TOKEN_CHOICE_H_
#define LATIMER_CONVERTER_TOKEN_CHOICE_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "converter/canonical_model.h"

namespace latimer {

// What to keep; a token that any of these needs is kept.
struct TokensToKeep {
  // Files of UTF-8, a sentence a line: the tokens that either side makes of
  // them, and the characters that these consist of.
  std::vector<std::filesystem::path> texts = {};
  // As ScriptSet reads them: the tokens that consist of these scripts alone.
  std::optional<std::string> scripts = std::nullopt;

  bool empty() const { return texts.empty() && !scripts; }
};

// Ids of the whole model, ascending.
struct KeptTokens {
  std::vector<uint32_t> source;
  std::vector<uint32_t> target;
};

// Chooses what `keep` says, and what cannot be missed: the tokens that the
// generation rules name, special tokens, language codes, the unknown token,
// bytes, user-defined pieces, and with BPE what kept pieces are merged from.
// Where a source token's row is a target token's too, both are kept or neither
// is. Throws ConversionError if the model has no tokenizer or one of an unknown
// kind, or if a text cannot be read.
KeptTokens ChooseTokens(const CanonicalModel& model, const TokensToKeep& keep);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TOKEN_CHOICE_H_
