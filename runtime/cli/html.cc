#include "cli/html.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/files.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/progress.h"
#include "latimer/html_stream.h"

namespace latimer::cli {
namespace {

// A model, and what reads its HTML: the next model, or nobody but the output.
struct Stage {
  Stage(const HtmlModel& of, Stage* reader)
      : model(of),
        next(reader),
        stream(of.translator, of.options, &Receive, this) {}

  static void Receive(void* self, std::string_view html) {
    Stage* const next = static_cast<Stage*>(self)->next;
    if (next == nullptr) {
      WriteText(html);
    } else {
      next->Push(html);
    }
  }
  void Push(std::string_view html) {
    if (status.ok()) status = stream.Push(html);
  }

  const HtmlModel& model;
  Stage* const next;
  Status status;  // The stream can do no more if it is an error.
  HtmlStream stream;
};

// The first one that has failed, or null.
const Stage* Failed(const Stage* stage) {
  while (stage != nullptr && stage->status.ok()) stage = stage->next;
  return stage;
}

// Does something with each stage, unless one has failed.
template <typename Work>
bool ForEach(Stage& first, const Work& work) {
  for (Stage* stage = &first; stage != nullptr; stage = stage->next) {
    if (Failed(&first) == nullptr) stage->status = work(stage->stream);
  }
  return Failed(&first) == nullptr;
}

// Translates what comes until the input ends, or a stage or the output fails.
void TranslateAll(Input& input, Stage& first) {
  InputText bytes;
  for (;;) {
    Input::Got got = input.Next(/*wait=*/false, &bytes);
    if (got == Input::Got::kNothingYet) {
      // It waits for input only while it owes no translation.
      if (!ForEach(first, [](HtmlStream& s) { return s.Flush(); })) return;
      if (!CheckText(/*flush=*/true)) return;
      got = input.Next(/*wait=*/true, &bytes);
    }
    if (got != Input::Got::kText) {
      ForEach(first, [](HtmlStream& s) { return s.Finish(); });
      return;
    }
    first.Push(bytes.text);
    if (Failed(&first) != nullptr || !CheckText(/*flush=*/false)) return;
    ShowProgress(input.taken(), first.stream.sentences());
  }
}

}  // namespace

int CheckHtml(const Arguments& arguments) {
  if (arguments.ids || arguments.paragraphs || arguments.json_lines ||
      arguments.n_best > 0 || arguments.scores || arguments.alignment ||
      arguments.attention != nullptr || arguments.terms != nullptr ||
      arguments.options.protect || arguments.protect_also != nullptr) {
    return UsageError("translate",
                      "--html goes without --ids, --paragraphs, --json, "
                      "--n-best, --scores, --alignment, --attention, --terms, "
                      "--protect and --protect-also.");
  }
  if (kProfile.alignment) return kSuccess;
  return UsageError("translate",
                    "profile \"%s\" of this build keeps no alignments, which "
                    "--html needs; write the profile with latimer-convert "
                    "--alignment.",
                    kProfile.name);
}

int TranslateHtml(const Arguments& arguments,
                  std::span<const HtmlModel> models) {
  const std::unique_ptr<ChunkInput> input =
      arguments.text == nullptr
          ? std::make_unique<ChunkInput>(FilesToCome(arguments))
          : std::make_unique<ChunkInput>(std::string_view(arguments.text));
  std::vector<std::unique_ptr<Stage>> stages;  // The last one first.
  for (size_t i = models.size(); i-- > 0;) {
    Stage* const next = stages.empty() ? nullptr : stages.back().get();
    stages.push_back(std::make_unique<Stage>(models[i], next));
  }
  Stage& first = *stages.back();
  TranslateAll(*input, first);
  // With one model it is clear which one is meant.
  const auto name = [&](const Stage& stage) {
    return models.size() == 1 ? std::string()
                              : std::string(stage.model.file) + ": ";
  };
  if (const Stage* const failed = Failed(&first); failed != nullptr) {
    (void)FinishLines(0);
    HideProgress();
    std::fprintf(stderr, "latimer: %s%s\n", name(*failed).c_str(),
                 failed->status.message());
    return kFailure;
  }
  for (const Stage* stage = &first; stage != nullptr; stage = stage->next) {
    if (stage->stream.stop_reason() == StopReason::kEos) continue;
    HideProgress();
    std::fprintf(stderr, "latimer: warning: %sof some sentences: %s.\n",
                 name(*stage).c_str(),
                 WhyItStopped(stage->stream.stop_reason()));
  }
  const int code = input->End();
  if (code == kSuccess) EndProgress(input->taken(), first.stream.sentences());
  return code;
}

}  // namespace latimer::cli
