// Reads YAML into a tree of texts.
#ifndef LATIMER_CONVERTER_READERS_YAML_FILE_H_
#define LATIMER_CONVERTER_READERS_YAML_FILE_H_

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

// One value of a YAML document. Scalars stay text: the reader of each format
// decides whether `no` is a word or false.
struct YamlNode {
  enum class Kind { kScalar, kSequence, kMap };

  Kind kind = Kind::kScalar;
  std::string text = {};               // kScalar
  bool quoted = false;                 // kScalar: was in quotes or a block.
  std::vector<std::string> keys = {};  // kMap, in the order of the file.
  std::vector<YamlNode> values = {};   // kMap: parallel to keys; kSequence.
  size_t line = 0;                     // Its first line, from 1.

  // The value of a key of a map, or null.
  const YamlNode* Find(std::string_view key) const;
};

// Lists and maps inside one another, at most; JSON has the same limit.
inline constexpr size_t kMaxYamlDepth = 100;

// Reads the file's only document; an empty file is an empty scalar. Throws
// ConversionError, with the line, if the file cannot be read, is not YAML, is
// nested too deep, or has something that is not supported: anchors and aliases,
// %TAG, keys that are not scalars, a key twice in a map, or several documents.
// It takes time in proportion to the text. As in yaml-cpp, a byte
// order mark is skipped, control characters are text, and only \n and \r\n
// break lines.
YamlNode ReadYamlFile(const std::filesystem::path& path);

// The same for the text of such a file; `name` is for messages.
YamlNode ParseYaml(std::string_view text, const std::string& name);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_YAML_FILE_H_
