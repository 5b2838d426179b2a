// A vocabulary: the words or pieces of a model by id.
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
  std::vector<std::string> pieces;  // By id, without duplicates.

  std::optional<int32_t> Find(std::string_view piece) const;
};

// Reads a vocabulary in the format of its file extension:
//   .json        {"word": id}, {"0": "word"} or ["word"]
//   .yml, .yaml  word: id, as Marian writes them, or a list of words
//   others       one word per line, whose number from 0 is its id; or, if every
//                line has a tab, the word, a tab and a number: its id if the
//                numbers are 0 to n-1, else a count, which is ignored
// Throws ConversionError if the file cannot be read or has another format, such
// as Python's pickle, if
// its ids are not 0 to n-1, or if a word occurs twice.
Vocabulary ReadVocabulary(const std::filesystem::path& path);

// The words, whose places are their ids. Throws ConversionError if there are
// none, or if a word occurs twice; `name` is for messages.
Vocabulary VocabularyInOrder(std::vector<std::string> words,
                             const std::string& name);

// The same for the text of such a file.
Vocabulary ParseJsonVocabulary(const std::string& json,
                               const std::string& name);
Vocabulary ParseYamlVocabulary(const std::string& yaml,
                               const std::string& name);
Vocabulary ParseTextVocabulary(const std::string& text,
                               const std::string& name);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_VOCABULARY_H_
