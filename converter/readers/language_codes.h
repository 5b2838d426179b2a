// Language codes of multilingual models, in the order of their ids. If a folder
// does not list them, transformers 5.23 takes them from FAIRSEQ_LANGUAGE_CODES
// in the code of its tokenizers.
#ifndef LATIMER_CONVERTER_READERS_LANGUAGE_CODES_H_
#define LATIMER_CONVERTER_READERS_LANGUAGE_CODES_H_

#include <span>

namespace latimer {

std::span<const char* const> MBartLanguages();
std::span<const char* const> MBart50Languages();
std::span<const char* const> NllbLanguages();
// Without the underscores around them.
std::span<const char* const> M2m100Languages();
std::span<const char* const> Wmt21Languages();

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_LANGUAGE_CODES_H_
