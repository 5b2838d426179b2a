// Vocabularies: the words or pieces of a model by their ids.
#ifndef LATIMER_CONVERTER_READERS_VOCABULARY_H_
#define LATIMER_CONVERTER_READERS_VOCABULARY_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

struct Vocabulary {
  std::string name;                 // The file, for messages.
  std::vector<std::string> pieces;  // By id; each once.

  std::optional<int32_t> Find(std::string_view piece) const;
};

// Reads a vocabulary by the ending of its name:
//   .json        {"word": id}, {"0": "word"} or ["word"]
//   .yml, .yaml  word: id, as Marian writes them, or a list of words
//   others       one word a line, whose number from 0 is its id; or, if every
//                line has a tab, the word, a tab and its id, or a count where
//                these numbers are not 0 to n-1
// Throws ConversionError when the file cannot be read, is of no such form, or
// its ids are not 0 to n-1, each once, or a word occurs twice.
Vocabulary ReadVocabulary(const std::filesystem::path& path);

// The same for the text of such a file; `name` is for messages.
Vocabulary ParseJsonVocabulary(const std::string& json,
                               const std::string& name);
Vocabulary ParseYamlVocabulary(const std::string& yaml,
                               const std::string& name);
Vocabulary ParseTextVocabulary(const std::string& text,
                               const std::string& name);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_VOCABULARY_H_
