#include "transcript.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "languages.h"
#include "subtitles/cue.h"

namespace latimer::server {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::pair<std::string_view, TranscriptFormat> kFormats[] = {
    {"", TranscriptFormat::kJson},
    {"json", TranscriptFormat::kJson},
    {"text", TranscriptFormat::kText},
    {"verbose_json", TranscriptFormat::kVerboseJson},
    {"srt", TranscriptFormat::kSubRip},
    {"vtt", TranscriptFormat::kWebVtt}};

std::string_view WithoutSpace(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string Subtitles(const Spoken& spoken, bool web) {
  std::string out = web ? "WEBVTT\n\n" : "";
  size_t number = 0;
  for (const SpokenSegment& one : spoken.segments) {
    out += Cue(one.start, one.end, std::string(WithoutSpace(one.text)),
               web ? 0 : ++number) +
           "\n";
  }
  return out;
}

// As OpenAI names it: "english".
std::string LanguageName(const std::string& code) {
  std::string name = NameOf(code.empty() ? "en" : code);
  std::ranges::transform(name, name.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<uint8_t>(c)));
  });
  return name;
}

OrderedJson Verbose(const Spoken& spoken, bool translates, bool words) {
  OrderedJson segments = OrderedJson::array();
  for (const SpokenSegment& one : spoken.segments) {
    segments.push_back({{"id", segments.size()},
                        {"seek", std::llround(one.window * 100)},
                        {"start", one.start},
                        {"end", one.end},
                        {"text", one.text},
                        {"tokens", one.tokens},
                        {"temperature", one.temperature},
                        {"avg_logprob", one.avg_logprob},
                        {"compression_ratio", one.compression_ratio},
                        {"no_speech_prob", one.no_speech_prob}});
  }
  OrderedJson json = {
      {"task", translates ? "translate" : "transcribe"},
      {"language", translates ? "english" : LanguageName(spoken.language)},
      {"duration", spoken.seconds},
      {"text", spoken.text},
      {"segments", std::move(segments)}};
  if (!words) return json;
  json["words"] = OrderedJson::array();
  for (const SpokenWord& one : spoken.words) {
    json["words"].push_back(
        {{"word", one.text}, {"start", one.start}, {"end", one.end}});
  }
  return json;
}

std::string DumpInOrder(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

std::optional<TranscriptFormat> TranscriptFormatOf(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string WriteTranscript(TranscriptFormat format, const Spoken& spoken,
                            bool translates, bool words) {
  switch (format) {
    case TranscriptFormat::kJson:
      return DumpInOrder({{"text", spoken.text}});
    case TranscriptFormat::kText:
      return spoken.text + "\n";
    case TranscriptFormat::kVerboseJson:
      return DumpInOrder(Verbose(spoken, translates, words));
    case TranscriptFormat::kSubRip:
      return Subtitles(spoken, /*web=*/false);
    case TranscriptFormat::kWebVtt:
      return Subtitles(spoken, /*web=*/true);
  }
  return "";
}

const char* MediaTypeOf(TranscriptFormat format) {
  switch (format) {
    case TranscriptFormat::kJson:
    case TranscriptFormat::kVerboseJson:
      return "application/json";
    case TranscriptFormat::kWebVtt:
      return "text/vtt; charset=utf-8";
    case TranscriptFormat::kText:
    case TranscriptFormat::kSubRip:
      break;
  }
  return "text/plain; charset=utf-8";
}

}  // namespace latimer::server
