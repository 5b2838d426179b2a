// vocab.json of a Marian tokenizer: {"piece": id, ...}.
#ifndef LATIMER_CONVERTER_READERS_MARIAN_VOCABULARY_H_
#define LATIMER_CONVERTER_READERS_MARIAN_VOCABULARY_H_

#include <filesystem>
#include <string>
#include <vector>

namespace latimer {

struct Vocabulary {
  std::string name;                 // The file, for messages.
  std::vector<std::string> pieces;  // By id.
};

// Throws ConversionError when the file cannot be read, is no such object, or
// its ids are not 0 to n-1, each once.
Vocabulary ReadVocabulary(const std::filesystem::path& path);

// The same for the text of such a file; `name` is for messages.
Vocabulary ParseVocabulary(const std::string& json, const std::string& name);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MARIAN_VOCABULARY_H_
