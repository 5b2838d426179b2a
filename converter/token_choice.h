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
  // Files of UTF-8, a sentence a line: the tokens of these sentences on either
  // side, and the characters that these tokens consist of.
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

// Chooses what `keep` says and what no model can lack: the tokens that the
// generation config names, special tokens, language codes, the unknown token,
// bytes, user-defined pieces, and with BPE what kept pieces are merged from. If
// a source token and a target token share a row, both are kept or neither is.
// Throws ConversionError if the model has no tokenizer or one of an unknown
// kind, or if a text cannot be read.
KeptTokens ChooseTokens(const CanonicalModel& model, const TokensToKeep& keep);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_TOKEN_CHOICE_H_
