#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/generation_options.h"
#include "cli/input.h"
#include "cli/insight.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/ordered_writer.h"
#include "cli/progress.h"
#include "cli/session.h"

namespace latimer::cli {
namespace {

std::unique_ptr<Input> OpenInput(const Arguments& arguments,
                                 const Translator& translator) {
  const char* text = arguments.text;
  const std::span<char* const> rest = FilesToCome(arguments);
  if (!arguments.paragraphs) {
    return text == nullptr ? std::make_unique<LineInput>(rest)
                           : std::make_unique<LineInput>(text);
  }
  return text == nullptr ? std::make_unique<SentenceInput>(translator, rest)
                         : std::make_unique<SentenceInput>(translator, text);
}

// Sentences that can be side by side in this input; at most arguments.lanes. A
// few lines need not reserve the memory of all lanes. What is recorded is that
// of one sentence.
uint32_t UsefulLanes(const Arguments& arguments) {
  if (arguments.attention != nullptr || arguments.alignment ||
      arguments.scores || arguments.json_lines || arguments.n_best > 0) {
    return 1;
  }
  // Fewer bytes are hardly a sentence of --paragraphs, or a part of a line.
  constexpr size_t kSentenceBytes = 16, kPartBytes = 512;
  const std::optional<std::string> input =
      arguments.text != nullptr ? arguments.text : SmallInputFile();
  if (!input.has_value() || arguments.files.size() > 1) return arguments.lanes;
  const size_t sentences =
      arguments.paragraphs
          ? input->size() / kSentenceBytes
          : static_cast<size_t>(std::ranges::count(*input, '\n')) +
                input->size() / kPartBytes;
  return static_cast<uint32_t>(
      std::min<size_t>(arguments.lanes, sentences + 1));
}

}  // namespace

int Translate(const Arguments& arguments) {
  if (arguments.ids && arguments.text != nullptr) {
    std::fputs("latimer translate: give --text or --ids, not both.\n", stderr);
    return kUsage;
  }
  if (arguments.paragraphs &&
      (arguments.ids || arguments.attention != nullptr ||
       arguments.n_best > 0)) {
    return UsageError(
        "translate",
        "--paragraphs goes without --ids, --attention and --n-best.");
  }
  if (arguments.beams > kProfile.beams) {
    return UsageError("translate",
                      "--beams %u exceeds the %u of profile \"%s\" of this "
                      "build.",
                      static_cast<unsigned>(arguments.beams),
                      static_cast<unsigned>(kProfile.beams), kProfile.name);
  }
  if (arguments.lanes > kProfile.lanes) {
    std::fprintf(stderr,
                 "latimer translate: --lanes %u exceeds the %u of profile "
                 "\"%s\" of this build.\n",
                 static_cast<unsigned>(arguments.lanes),
                 static_cast<unsigned>(kProfile.lanes), kProfile.name);
    return kUsage;
  }
  TranslateOptions options;
  Insight insight;
  if (const int code = insight.Prepare(arguments, &options); code != kSuccess) {
    return code;
  }
  if (const int code = OpenFiles(arguments); code != kSuccess) return code;
  Session session;
  const uint32_t lanes = UsefulLanes(arguments);
  if (!session.Open(arguments, lanes)) return kFailure;
  Translator& translator = session.translator();
  if (!arguments.ids && !translator.model_info().has_tokenizer) {
    std::fprintf(stderr,
                 "latimer: %s: the model has no tokenizer and translates ids "
                 "only; use --ids, or convert it without --no-tokenizer.\n",
                 arguments.model);
    return kFailure;
  }
  if (arguments.max_target_tokens > translator.max_target_tokens()) {
    std::fprintf(
        stderr,
        "latimer translate: --max-target-tokens %u exceeds the %u that "
        "this model and build allow.\n",
        static_cast<unsigned>(arguments.max_target_tokens),
        static_cast<unsigned>(translator.max_target_tokens()));
    return kUsage;
  }
  if (const int code = insight.CheckLayer(translator.model_info().architecture);
      code != kSuccess) {
    return code;
  }
  GenerationOptions generation;
  if (const int code =
          generation.Prepare(arguments, translator.model_info(), &options);
      code != kSuccess) {
    return code;
  }
  const uint32_t own_beams = translator.model_info().generation.search.beams;
  if (arguments.beams == 0 && own_beams > translator.max_beams() &&
      !arguments.quiet) {
    std::fprintf(stderr,
                 "latimer: warning: %s: the model asks for %u beams, but "
                 "profile \"%s\" of this build has %u.\n",
                 arguments.model, static_cast<unsigned>(own_beams),
                 kProfile.name, static_cast<unsigned>(translator.max_beams()));
  }
  if (arguments.n_best > translator.max_beams()) {
    return UsageError("translate",
                      "--n-best %u needs as many beams, but there are %u; give "
                      "--beams too.",
                      static_cast<unsigned>(arguments.n_best),
                      static_cast<unsigned>(translator.max_beams()));
  }
  options.max_target_tokens = arguments.max_target_tokens;
  options.min_target_tokens = arguments.min_target_tokens;
  options.guards = arguments.guards;
  options.budget_tokens = arguments.budget_tokens;
  options.budget_ms = arguments.budget_ms;
  const std::unique_ptr<Input> input = OpenInput(arguments, translator);
  const Unit unit = arguments.paragraphs ? Unit::kSentence
                    : arguments.ids      ? Unit::kIds
                                         : Unit::kLine;
  OrderedWriter writer(translator, *input, unit, options, lanes, insight);
  PrepareOutput();
  if (!arguments.quiet) {
    BeginProgress(BytesToRead(arguments),
                  arguments.paragraphs ? "sentences" : "lines");
  }
  CatchInterrupts();
  int code = writer.Run();
  if (code == kSuccess && arguments.paragraphs && arguments.text != nullptr &&
      !arguments.json_lines) {
    WriteText("\n");
    code = FinishLines(0);
  }
  const bool written = insight.WriteFile();
  EndIfInterrupted();
  return written ? code : kFailure;
}

}  // namespace latimer::cli
