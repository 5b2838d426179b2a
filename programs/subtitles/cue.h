// A cue of subtitles, as SubRip and WebVTT write it.
#ifndef LATIMER_SUBTITLES_CUE_H_
#define LATIMER_SUBTITLES_CUE_H_

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

namespace latimer {

// "01:02:03,004", with `point` before the milliseconds.
inline std::string CueTime(double seconds, char point) {
  const auto all =
      static_cast<unsigned long long>(std::max(0.0, seconds) * 1000 + 0.5);
  char text[40];
  std::snprintf(text, sizeof(text), "%02llu:%02llu:%02llu%c%03llu",
                all / 3600000, all / 60000 % 60, all / 1000 % 60, point,
                all % 1000);
  return text;
}

// The cue, with the end of its last line. `number` is SubRip's, from 1; 0: the
// cue is WebVTT's, which has none. Times are seconds. The text loses what would
// look like times or end the cue: arrows and line breaks.
inline std::string Cue(double start, double end, std::string text,
                       size_t number) {
  for (size_t at; (at = text.find("-->")) != text.npos;) text.erase(at, 1);
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, '\r', ' ');
  const char point = number > 0 ? ',' : '.';
  return (number > 0 ? std::to_string(number) + "\n" : "") +
         CueTime(start, point) + " --> " + CueTime(end, point) + "\n" + text +
         "\n";
}

}  // namespace latimer

#endif  // LATIMER_SUBTITLES_CUE_H_
