#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/session.h"
#include "latimer/speech_stream.h"
#include "latimer/transcriber.h"
#include "os/system.h"
#include "report/format.h"
#include "subtitles/cue.h"

namespace latimer::cli {
namespace {

// The models, and what is asked of them.
struct Work {
  const Arguments& arguments;
  Translator& translator;
  Translator* then = nullptr;  // Translates what was said; null: nothing does.
  TranscribeOptions options;
};

int Complain(const char* file, const Status& status) {
  std::fflush(stdout);
  std::fprintf(stderr, "latimer: %s: %s\n", file, status.message());
  return kFailure;
}

std::string_view Stripped(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  text.remove_prefix(std::min(first, text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

double Rounded(float number) { return std::round(double{number} * 1e6) / 1e6; }

std::string JsonLine(const Transcription& window,
                     const TranscriptionSegment& segment, size_t id,
                     std::string_view text, const Work& work) {
  Json json = {{"id", id},
               {"start", segment.start},
               {"end", segment.end},
               {"text", text}};
  if (work.then != nullptr) json["said"] = Stripped(segment.text);
  json["tokens"] = segment.tokens;
  const auto add = [&](const char* name, float number) {
    json[name] = Rounded(number);
  };
  add("temperature", segment.temperature);
  add("avg_logprob", segment.avg_logprob);
  add("compression_ratio", segment.compression_ratio);
  add("no_speech_prob", segment.no_speech_prob);
  if (work.options.word_timestamps) {
    Json& words = json["words"] = Json::array();
    for (const TranscriptionWord& word : segment.words) {
      words.push_back({{"word", word.text},
                       {"start", word.start},
                       {"end", word.end},
                       {"probability", Rounded(word.probability)}});
    }
  }
  if (!window.language.empty()) {
    json["language"] = window.language;
    add("language_probability", window.language_probability);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Without space at its ends; translated if there is a second model.
Result<std::string> TextOf(Work& work, std::string_view text) {
  text = Stripped(text);
  if (work.then == nullptr || text.empty()) return std::string(text);
  const Result<Translation> translation = work.then->Translate(text);
  if (!translation.ok()) return translation.status();
  return std::string(translation->text);
}

// Writes what is said in a window; `*count` segments came before. Returns false
// if output fails; the error has then been printed.
Result<bool> WriteWindow(Work& work, const Transcription& window,
                         size_t* count) {
  const Arguments& arguments = work.arguments;
  const bool subtitles = arguments.srt || arguments.vtt;
  if (work.then != nullptr && !arguments.json && !subtitles) {
    // A sentence may go on in the next segment.
    const Result<std::string> text = TextOf(work, window.text);
    if (!text.ok()) return text.status();
    if (text->empty()) return true;
    WriteOnOneLine(*text);
    return EndLine();
  }
  for (const TranscriptionSegment& segment : window.segments) {
    const size_t id = (*count)++;
    const Result<std::string> text = TextOf(work, segment.text);
    if (!text.ok()) return text.status();
    if (arguments.json) {
      WriteText(JsonLine(window, segment, id, *text, work));
    } else if (subtitles) {
      WriteText(
          Cue(segment.start, segment.end, *text, arguments.srt ? id + 1 : 0));
    } else {
      WriteOnOneLine(*text);
    }
    if (!EndLine()) return false;
  }
  return true;
}

// What standard input holds.
struct Recording {
  Work& work;
  const char* file;
  uint64_t used_samples = 0;
  size_t segment_count = 0;
  int code = kSuccess;
  std::atomic<bool> stop = Interrupted();  // Drops what follows.
};

// Receives a window of a Recording.
void Receive(void* context, const Transcription& said) {
  auto& recording = *static_cast<Recording*>(context);
  if (said.stop_reason == StopReason::kLengthLimit) {
    const auto begin = static_cast<double>(recording.used_samples);
    std::fprintf(stderr,
                 "latimer: warning: %s: from %.1f s on, the text fills all "
                 "that the model writes for a window; it may repeat "
                 "itself.\n",
                 recording.file, begin / Transcriber::kSampleRate);
  }
  const Result<bool> written =
      WriteWindow(recording.work, said, &recording.segment_count);
  if (!written.ok()) {
    recording.code = Complain(recording.file, written.status());
  } else if (!*written) {
    recording.code = kFailure;
  }
  recording.used_samples += said.used_samples;
  recording.stop = recording.code != kSuccess || Interrupted();
}

// Transcribes standard input, which `file` names.
int TranscribeInput(Work& work, const char* file) {
  Recording recording = {work, file};
  TranscribeOptions options = work.options;
  options.cancel = &recording.stop;
  const auto stream = std::make_unique<SpeechStream>(
      work.translator, options, &Receive, &recording, work.arguments.pcm_rate);
  std::vector<char> block(64 * 1024);
  for (ssize_t count = 1; count > 0 && !recording.stop;) {
    count = ReadInput(block.data(), block.size());
    if (count < 0) {
      return Complain(file, Status::Error(StatusCode::kResourceUnavailable,
                                          "cannot read standard input (%s).",
                                          std::strerror(errno)));
    }
    const auto bytes = std::span(block).first(static_cast<size_t>(count));
    const Status status =
        count > 0 ? stream->Push(std::as_bytes(bytes)) : stream->Finish();
    if (!status.ok()) return Complain(file, status);
  }
  return recording.code;
}

// Texts of options that are one of two words.
int ReadChoice(const char* option, const char* given, const char* usual,
               const char* other, bool* is_other) {
  *is_other = given != nullptr && std::strcmp(given, other) == 0;
  if (given == nullptr || *is_other || std::strcmp(given, usual) == 0) {
    return kSuccess;
  }
  return UsageError("transcribe", "--%s %s: it is %s or %s.", option, given,
                    usual, other);
}

int ReadOptions(const Arguments& arguments, TranscribeOptions* options) {
  if (arguments.language != nullptr) options->language = arguments.language;
  if (arguments.prompt != nullptr) options->prompt = arguments.prompt;
  options->timestamps = arguments.timestamps;
  options->condition_on_previous_text = arguments.previous_text;
  options->fallback = arguments.fallback;
  options->word_timestamps = arguments.words;
  const bool subtitles = arguments.srt || arguments.vtt;
  if (arguments.json + arguments.srt + arguments.vtt > 1) {
    return UsageError("transcribe", "give one of --json, --srt and --vtt.");
  }
  if (arguments.words && !arguments.json) {
    return UsageError("transcribe", "--words: give --json, too.");
  }
  if (subtitles && arguments.files.size() > 1) {
    return UsageError("transcribe",
                      "--srt and --vtt take one recording at a time.");
  }
  if (const int code = ReadChoice("task", arguments.speech_task, "transcribe",
                                  "translate", &options->translate);
      code != kSuccess) {
    return code;
  }
  return ReadChoice("window", arguments.window, "whole", "auto",
                    &options->short_window);
}

}  // namespace

int Transcribe(const Arguments& arguments) {
  TranscribeOptions options;
  if (const int code = ReadOptions(arguments, &options); code != kSuccess) {
    return code;
  }
  if (const int code = OpenInputFiles(arguments); code != kSuccess) return code;
  Session session;
  if (!session.Open(arguments)) return kFailure;
  Work work = {arguments, session.translator(), nullptr, options};
  if (Transcriber(work.translator).window_samples() == 0) {
    return Fail(arguments,
                Status::Error(StatusCode::kInvalidArgument,
                              "it reads text instead of speech; translate with "
                              "it."));
  }
  Session second;
  if (arguments.second_model != nullptr) {
    Arguments of_second = arguments;
    of_second.model = arguments.second_model;
    if (!second.Open(of_second)) return kFailure;
    work.then = &second.translator();
    if (Transcriber(*work.then).window_samples() != 0) {
      return Fail(of_second,
                  Status::Error(StatusCode::kInvalidArgument,
                                "it reads speech; --then takes a model that "
                                "translates text."));
    }
  }
  if (const int code = OpenOutput(arguments); code != kSuccess) return code;
  PrepareOutput();
  CatchInterrupts();
  if (arguments.vtt) WriteText("WEBVTT\n\n");
  const char* file =
      arguments.files.empty() ? "standard input" : arguments.files.front();
  if (const int code = TranscribeInput(work, file); code != kSuccess) {
    return code;
  }
  for (const char* next : FilesToCome(arguments)) {
    if (const int error = ReadInsteadOfStandardInput(next); error != 0) {
      return Complain(next, Status::Error(StatusCode::kResourceUnavailable,
                                          "cannot read the file (%s).",
                                          std::strerror(error)));
    }
    if (const int code = TranscribeInput(work, next); code != kSuccess) {
      return code;
    }
  }
  const int code = FinishLines(0);
  EndIfInterrupted();
  return code;
}

}  // namespace latimer::cli
