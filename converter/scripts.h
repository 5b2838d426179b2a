// Scripts of characters, such as Latn and Cyrl.
#ifndef LATIMER_CONVERTER_SCRIPTS_H_
#define LATIMER_CONVERTER_SCRIPTS_H_

#include <bitset>
#include <string>
#include <string_view>

namespace latimer {

// A set of scripts.
class ScriptSet {
 public:
  // `codes` are those of ISO 15924, with commas between: "Latn,Cyrl". Jpan,
  // Kore, Hans, Hant and Hanb stand for the scripts that they are made of.
  // Throws ConversionError, with a list of all, where one is unknown.
  explicit ScriptSet(std::string_view codes);

  // Whether each character of `text`, UTF-8, is of one of the scripts, or of
  // none, as digits, spaces and combining marks are. Bytes that are no UTF-8
  // are of none.
  bool Covers(std::string_view text) const;

 private:
  bool Add(std::string_view code);

  std::bitset<256> scripts_;  // By index of kScriptCodes.
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SCRIPTS_H_
