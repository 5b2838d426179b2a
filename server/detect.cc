#include "detect.h"

#ifdef LATIMER_HAVE_CLD2
#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>
#endif

namespace latimer::server {

#ifdef LATIMER_HAVE_CLD2

bool CanDetect() { return true; }

std::vector<Detected> Detect(const std::string& text, bool is_html) {
  CLD2::CLDHints hints = {nullptr, nullptr, CLD2::UNKNOWN_ENCODING,
                          CLD2::UNKNOWN_LANGUAGE};
  CLD2::Language languages[3];
  int percents[3], text_bytes = 0, valid_bytes = 0;
  double scores[3];
  bool reliable = false;
  CLD2::ExtDetectLanguageSummaryCheckUTF8(
      text.data(), static_cast<int>(text.size()), /*is_plain_text=*/!is_html,
      &hints, CLD2::kCLDFlagBestEffort, languages, percents, scores, nullptr,
      &text_bytes, &reliable, &valid_bytes);
  std::vector<Detected> all;
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
