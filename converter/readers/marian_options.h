// A YAML map of Marian's options: those a model was trained with, which its
// weights file holds, or decoder.yml.
#ifndef LATIMER_CONVERTER_READERS_MARIAN_OPTIONS_H_
#define LATIMER_CONVERTER_READERS_MARIAN_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converter/error.h"
#include "converter/readers/yaml_file.h"

namespace latimer {

// Errors name the file and the option. All readers throw ConversionError if a
// value has the wrong type or range.
class MarianOptions {
 public:
  // `name` is what errors call the file.
  MarianOptions(YamlNode root, std::string name);

  bool Has(std::string_view option) const;
  std::string Text(std::string_view option, const std::string& fallback) const;
  bool Bool(std::string_view option, bool fallback) const;
  // A whole number in [minimum, maximum].
  uint32_t Count(std::string_view option, uint32_t fallback,
                 uint32_t minimum = 0, uint32_t maximum = 0x7fffffff) const;
  // Empty if the option is absent; a single text counts as a list of one.
  std::vector<std::string> List(std::string_view option) const;
  std::vector<uint32_t> Counts(std::string_view option) const;

  // "FILE: OPTION is VALUE; WHY."
  template <typename... Parts>
  [[noreturn]] void Fail(std::string_view option, const Parts&... why) const {
    FailIn(name_, option, " is ", ValueText(option), "; ", why...);
  }

  const std::string& name() const { return name_; }
  const std::vector<std::string>& names() const { return root_.keys; }

 private:
  // The value as a message shows it.
  std::string ValueText(std::string_view option) const;

  YamlNode root_;
  std::string name_;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MARIAN_OPTIONS_H_
