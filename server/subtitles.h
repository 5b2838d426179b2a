// SubRip and WebVTT: the texts of the cues, and the file with translations.
#ifndef LATIMER_SERVER_SUBTITLES_H_
#define LATIMER_SERVER_SUBTITLES_H_

#include <string>
#include <string_view>
#include <vector>

#include "job.h"

namespace latimer::server {

// The lines of a speaker in a cue are one text. It is HTML if it has marks,
// such as <i>, or references.
std::vector<FileText> TextsOfSubtitles(std::string_view file,
                                       const OnGrowth& on_growth = {});

// The file with a translation in place of each text. A cue keeps the number of
// its lines, if the translation has as many words.
std::string TranslatedSubtitles(std::string_view file,
                                const std::vector<std::string>& translations);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_SUBTITLES_H_
