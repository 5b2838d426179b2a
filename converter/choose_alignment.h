// Which cross-attention aligns the tokens of a translation with those of its
// source, measured with the model itself.
//
// Words that a text and its translation share, such as names and numbers, are
// translations of each other if both have them once. The best head of a layer,
// or mean of its heads, is the one whose largest weight is most often in such a
// word, either in the step that chooses a token or in the one that reads it
// ("Accurate Word Alignment Induction from Neural Machine Translation", Chen et
// al., 2020).
#ifndef LATIMER_CONVERTER_CHOOSE_ALIGNMENT_H_
#define LATIMER_CONVERTER_CHOOSE_ALIGNMENT_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>

#include "latimer/translation.h"

namespace latimer {

struct ChosenAlignment {
  AlignmentHead head;
  size_t tokens = 0;  // Of shared words.
  size_t right = 0;   // Those that it aligns with the same word.
};

// Translates the lines of `text`, UTF-8 in the source language, with the model
// file. Absent if the lines and their translations share fewer than
// kLeastSharedTokens tokens. Throws ConversionError if the file or the text
// cannot be read, or the model does not run.
inline constexpr size_t kLeastSharedTokens = 50;
std::optional<ChosenAlignment> ChooseAlignment(
    std::span<const std::byte> file, const std::filesystem::path& text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CHOOSE_ALIGNMENT_H_
