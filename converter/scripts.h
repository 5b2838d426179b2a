// The scripts that characters belong to, such as Latn and Cyrl.
#ifndef LATIMER_CONVERTER_SCRIPTS_H_
#define LATIMER_CONVERTER_SCRIPTS_H_

#include <bitset>
#include <string_view>

namespace latimer {

// A set of scripts.
class ScriptSet {
 public:
  // `codes` are ISO 15924 codes, separated by commas: "Latn,Cyrl". Jpan, Kore,
  // Hans, Hant and Hanb stand for the scripts that they combine. Throws
  // ConversionError, with a list of all codes, if one is unknown.
  explicit ScriptSet(std::string_view codes);

  // Whether every character of `text`, UTF-8, belongs to one of the scripts or
  // to none, as digits, spaces and combining marks do. Bytes that are not UTF-8
  // belong to none.
  bool Covers(std::string_view text) const;

 private:
  bool Add(std::string_view code);

  std::bitset<256> scripts_;  // By index of kScriptCodes.
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_SCRIPTS_H_
