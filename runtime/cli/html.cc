#include "cli/html.h"

#include <cstdio>
#include <memory>

#include "cli/files.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/progress.h"
#include "latimer/html_stream.h"

namespace latimer::cli {
namespace {

void Write(void* /*context*/, std::string_view html) { WriteText(html); }

// Translates what comes until the input ends.
Status TranslateAll(Input& input, HtmlStream& stream) {
  InputText bytes;
  for (;;) {
    Input::Got got = input.Next(/*wait=*/false, &bytes);
    if (got == Input::Got::kNothingYet) {
      // It waits for input only while it owes no translation.
      LATIMER_RETURN_IF_ERROR(stream.Flush());
      if (!CheckText(/*flush=*/true)) return Status();
      got = input.Next(/*wait=*/true, &bytes);
    }
    if (got != Input::Got::kText) return stream.Finish();
    LATIMER_RETURN_IF_ERROR(stream.Push(bytes.text));
    if (!CheckText(/*flush=*/false)) return Status();
    ShowProgress(input.taken(), stream.sentences());
  }
}

}  // namespace

int CheckHtml(const Arguments& arguments) {
  if (arguments.ids || arguments.paragraphs || arguments.json_lines ||
      arguments.n_best > 0 || arguments.scores || arguments.alignment ||
      arguments.attention != nullptr) {
    return UsageError("translate",
                      "--html goes without --ids, --paragraphs, --json, "
                      "--n-best, --scores, --alignment and --attention.");
  }
  if (kProfile.alignment) return kSuccess;
  return UsageError("translate",
                    "profile \"%s\" of this build keeps no alignments, which "
                    "--html needs; write the profile with latimer-convert "
                    "--alignment.",
                    kProfile.name);
}

int TranslateHtml(const Arguments& arguments, Translator& translator,
                  const TranslateOptions& options) {
  const std::unique_ptr<ChunkInput> input =
      arguments.text == nullptr
          ? std::make_unique<ChunkInput>(FilesToCome(arguments))
          : std::make_unique<ChunkInput>(std::string_view(arguments.text));
  const auto stream =
      std::make_unique<HtmlStream>(translator, options, &Write, nullptr);
  const Status status = TranslateAll(*input, *stream);
  if (!status.ok()) {
    (void)FinishLines(0);
    HideProgress();
    std::fprintf(stderr, "latimer: %s\n", status.message());
    return kFailure;
  }
  if (stream->stop_reason() != StopReason::kEos) {
    HideProgress();
    std::fprintf(stderr, "latimer: warning: of some sentences: %s.\n",
                 WhyItStopped(stream->stop_reason()));
  }
  const int code = input->End();
  if (code == kSuccess) EndProgress(input->taken(), stream->sentences());
  return code;
}

}  // namespace latimer::cli
