#include "detect.h"

#ifdef LATIMER_HAVE_CLD2
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include "text/utf8.h"
#endif

namespace latimer::server {

#ifdef LATIMER_HAVE_CLD2
namespace {

// CLD2 ends at the first byte that is no UTF-8, at control characters and at
// code points that are no characters.
bool IsForCld2(uint32_t code_point) {
  const bool is_control =
      code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
  const bool is_space =
      code_point == '\t' || code_point == '\n' || code_point == '\r';
  const bool is_none = (code_point >= 0xFDD0 && code_point < 0xFDF0) ||
                       (code_point & 0xFFFE) == 0xFFFE;
  return !is_none && (!is_control || is_space);
}

// The text with what CLD2 does not read replaced.
std::string ForCld2(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Char next = FirstChar(text);
    if (next.bytes == 0) {
      out += kReplacementCharacter;
    } else if (IsForCld2(next.code_point)) {
      out += text.substr(0, next.bytes);
    } else {
      out += ' ';
    }
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return out;
}

}  // namespace

bool CanDetect() { return true; }

std::vector<Detected> Detect(const std::string& given, bool is_html) {
  const std::string text = ForCld2(given);
  CLD2::CLDHints hints = {nullptr, nullptr, CLD2::UNKNOWN_ENCODING,
                          CLD2::UNKNOWN_LANGUAGE};
  // It writes none of these if it does not read all of the text.
  CLD2::Language languages[3] = {CLD2::UNKNOWN_LANGUAGE, CLD2::UNKNOWN_LANGUAGE,
                                 CLD2::UNKNOWN_LANGUAGE};
  int percents[3] = {}, text_bytes = 0, valid_bytes = 0;
  double scores[3] = {};
  bool reliable = false;
  CLD2::ExtDetectLanguageSummaryCheckUTF8(
      text.data(), static_cast<int>(text.size()), /*is_plain_text=*/!is_html,
      &hints, CLD2::kCLDFlagBestEffort, languages, percents, scores, nullptr,
      &text_bytes, &reliable, &valid_bytes);
  std::vector<Detected> all;
  if (valid_bytes != static_cast<int>(text.size())) return all;
  for (int i = 0; i < 3; ++i) {
    if (languages[i] == CLD2::UNKNOWN_LANGUAGE || percents[i] <= 0) continue;
    std::string code = CLD2::LanguageCode(languages[i]);
    if (code == "iw") code = "he";  // Its older codes.
    if (code == "jw") code = "jv";
    // Of an unreliable guess, half.
    all.push_back({code, percents[i] * (reliable ? 1.0 : 0.5)});
  }
  return all;
}

#else

bool CanDetect() { return false; }
std::vector<Detected> Detect(const std::string&, bool) { return {}; }

#endif

}  // namespace latimer::server
