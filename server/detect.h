// The language of a text, by CLD2 if the build has it.
#ifndef LATIMER_SERVER_DETECT_H_
#define LATIMER_SERVER_DETECT_H_

#include <string>
#include <vector>

namespace latimer::server {

struct Detected {
  std::string language;
  double confidence = 0;  // 0 to 100.
};

// Whether this build can.
bool CanDetect();

// The most likely languages, the likeliest first; none if it cannot tell. Of
// HTML only the text counts.
std::vector<Detected> Detect(const std::string& text, bool is_html);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_DETECT_H_
