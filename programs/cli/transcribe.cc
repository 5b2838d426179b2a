#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/session.h"
#include "cli/sound_input.h"
#include "latimer/transcriber.h"
#include "os/system.h"
#include "report/format.h"

namespace latimer::cli {
namespace {

// The models, and what is asked of them.
struct Work {
  const Arguments& arguments;
  Transcriber transcriber;
  Translator* then = nullptr;  // Translates what was said; null: nothing does.
  TranscribeOptions options;
};

int Complain(const char* file, const Status& status) {
  std::fflush(stdout);
  std::fprintf(stderr, "latimer: %s: %s\n", file, status.message());
  return kFailure;
}

std::string JsonLine(const SoundInput& input, size_t samples,
                     const Transcription& said, std::string_view text,
                     const Work& work) {
  const double begin = input.seconds();
  Json json = {
      {"start", begin},
      {"end", begin + static_cast<double>(samples) / Transcriber::kSampleRate},
      {"text", text}};
  if (work.then != nullptr) json["said"] = said.text;
  if (!said.language.empty()) {
    json["language"] = said.language;
    json["language_probability"] = said.language_probability;
  }
  json["no_speech"] = said.no_speech;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Transcribes standard input, which `file` names.
int TranscribeInput(Work& work, const char* file) {
  SoundInput input(work.transcriber.window_samples(), work.arguments.pcm_rate);
  while (!Interrupted()) {
    const auto window = input.Next();
    if (!window.ok()) return Complain(file, window.status());
    if (window->empty()) break;
    const Result<Transcription> said =
        work.transcriber.Transcribe(*window, work.options);
    if (!said.ok()) return Complain(file, said.status());
    if (said->stop_reason == StopReason::kLengthLimit) {
      std::fprintf(stderr,
                   "latimer: warning: %s: from %.1f s on, the text fills all "
                   "that the model writes for a window; it may repeat "
                   "itself.\n",
                   file, input.seconds());
    }
    std::string text(said->text);
    if (work.then != nullptr && !text.empty()) {
      const Result<Translation> translation = work.then->Translate(text);
      if (!translation.ok()) return Complain(file, translation.status());
      text = translation->text;
    }
    if (work.arguments.json) {
      WriteText(JsonLine(input, window->size(), *said, text, work));
    } else if (text.empty()) {
      continue;
    } else {
      WriteOnOneLine(text);
    }
    if (!EndLine()) return kFailure;
  }
  return kSuccess;
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
  Work work = {arguments, Transcriber(session.translator()), nullptr, options};
  if (work.transcriber.window_samples() == 0) {
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
  }
  if (const int code = OpenOutput(arguments); code != kSuccess) return code;
  PrepareOutput();
  CatchInterrupts();
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
