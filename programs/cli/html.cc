#include "cli/html.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/files.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/progress.h"
#include "cli/workers.h"
#include "internals.h"
#include "latimer/streams.h"
#include "markup/html_text.h"

namespace latimer::cli {
namespace {

// A model, and what reads its HTML: the next model, or nobody but the output.
struct Stage {
  Stage(const HtmlModel& of, Stage* reader)
      : model(of),
        next(reader),
        stream(*of.translators.front(), of.options, &Receive, this) {}

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

// The sentences of a document, for all translators of one model.
class HtmlWork final : public SharedWork {
 public:
  HtmlWork(const HtmlModel& model, Input& input)
      : options_(model.options),
        input_(input),
        html_(model.translators.front()->model_info().sentence_rules, &Receive,
              nullptr) {
    options_.alignment = true;
  }

  Round Begin(Translator& translator, uint32_t most, bool wait) override {
    while (status_.ok() && Take(wait) && translator.CanBegin() &&
           translator.under_way() < most) {
      BeginIn(translator);
    }
    if (!CheckText(/*flush=*/false)) return Round::kFailed;
    if (under_way_ == 0) {
      // What came before a sentence that failed was written.
      if (!status_.ok()) return Round::kFailed;
      if (ended_ && !waits_) return Round::kEnded;
    }
    ShowProgress(input_.taken(), sentences_);
    return translator.under_way() == 0 ? Round::kNothingYet : Round::kWorked;
  }

  void Finish(Translator& /*translator*/,
              const FinishedTranslation& finished) override {
    --under_way_;
    if (!finished.status.ok()) return Fail(finished.ticket, finished.status);
    const Translation& translation = finished.translation;
    stop_reason_ = std::max(stop_reason_, translation.stop_reason);
    html_.Finish(finished.ticket, translation.text, translation.links);
  }

  const Status& status() const { return status_; }
  StopReason stop_reason() const { return stop_reason_; }
  uint64_t sentences() const { return sentences_; }

 private:
  static void Receive(void* /*context*/, std::string_view html) {
    WriteText(html);
  }

  // Whether a sentence waits, after reading as much as that takes.
  bool Take(bool wait) {
    while (!waits_) {
      switch (html_.Next(&next_)) {
        case HtmlText::Got::kSentence:
          waits_ = true;
          break;
        case HtmlText::Got::kBusy:
          return false;
        case HtmlText::Got::kNeedsMore:
          if (ended_ || !Read(wait)) return false;
      }
    }
    return true;
  }

  // Gives more bytes to html_, or says that there are none. Returns false if
  // none are there yet.
  bool Read(bool wait) {
    InputText bytes;
    if (unread_.empty()) {
      Input::Got got = input_.Next(/*wait=*/false, &bytes);
      if (got == Input::Got::kNothingYet) {
        // It waits for input only while it owes no translation.
        if (!wait || under_way_ > 0 || !CheckText(/*flush=*/true)) return false;
        got = input_.Next(/*wait=*/true, &bytes);
      }
      if (got != Input::Got::kText) {
        ended_ = true;
        html_.End();
        return true;
      }
      unread_ = bytes.text;
    }
    unread_.remove_prefix(html_.Push(unread_));
    return true;
  }

  // Begins the sentence that waits, or as much of it as fits the longest
  // source.
  void BeginIn(Translator& translator) {
    ++sentences_;
    const Status status =
        Internals::BeginHtml(translator, next_, &options_, &html_);
    if (!status.ok()) return Fail(next_.number, status);
    waits_ = false;
    ++under_way_;
  }

  // Notes the first sentence that fails, whichever fails first.
  void Fail(uint64_t number, const Status& status) {
    if (number > failed_) return;
    failed_ = number;
    status_ = status;
  }

  TranslateOptions options_;
  Input& input_;
  std::string_view unread_;
  bool ended_ = false;  // There are no more bytes.
  HtmlSentence next_;
  bool waits_ = false;  // next_ is to begin.
  size_t under_way_ = 0;
  uint64_t sentences_ = 0;
  StopReason stop_reason_ = StopReason::kEos;
  Status status_;  // Of the sentence failed_, if there is one.
  uint64_t failed_ = UINT64_MAX;
  HtmlText html_;
};

// `name`: the model's, with a colon; empty: there is only one.
int Complain(const std::string& name, const Status& status) {
  (void)FinishLines(0);
  HideProgress();
  std::fprintf(stderr, "latimer: %s%s\n", name.c_str(), status.message());
  return kFailure;
}

void WarnOf(const std::string& name, StopReason reason) {
  if (reason == StopReason::kEos) return;
  HideProgress();
  std::fprintf(stderr, "latimer: warning: %sof some sentences: %s.\n",
               name.c_str(), WhyItStopped(reason));
}

int End(Input& input, uint64_t sentences) {
  const int code = input.End();
  if (code == kSuccess) EndProgress(input.taken(), sentences);
  return code;
}

int TranslateByOne(Input& input, const HtmlModel& model, uint32_t lanes) {
  // Too large for a stack.
  const auto work = std::make_unique<HtmlWork>(model, input);
  const SharedWork::Round end = RunWorkers(model.translators, lanes, *work);
  if (!work->status().ok()) return Complain("", work->status());
  if (end == SharedWork::Round::kFailed) return kFailure;
  WarnOf("", work->stop_reason());
  return End(input, work->sentences());
}

int TranslateInTurn(Input& input, std::span<const HtmlModel> models) {
  std::vector<std::unique_ptr<Stage>> stages;  // The last one first.
  for (size_t i = models.size(); i-- > 0;) {
    Stage* const next = stages.empty() ? nullptr : stages.back().get();
    stages.push_back(std::make_unique<Stage>(models[i], next));
  }
  Stage& first = *stages.back();
  TranslateAll(input, first);
  const auto name = [](const Stage& stage) {
    return std::string(stage.model.file) + ": ";
  };
  if (const Stage* const failed = Failed(&first); failed != nullptr) {
    return Complain(name(*failed), failed->status);
  }
  for (const Stage* stage = &first; stage != nullptr; stage = stage->next) {
    WarnOf(name(*stage), stage->stream.stop_reason());
  }
  return End(input, first.stream.sentences());
}

}  // namespace

int CheckHtml(const Arguments& arguments) {
  if (arguments.ids || arguments.paragraphs || arguments.json_lines ||
      arguments.hypotheses() > 0 || arguments.scores || arguments.alignment ||
      arguments.draw_attention != nullptr || arguments.check_numbers) {
    return UsageError("translate",
                      "--html goes without --ids, --paragraphs, --json, "
                      "--n-best, --alternatives, --scores, --alignment, "
                      "--check-numbers and --draw-attention.");
  }
  if (kProfile.alignment) return kSuccess;
  return UsageError("translate",
                    "profile \"%s\" of this build keeps no alignments, which "
                    "--html needs; write the profile with latimer-convert "
                    "--room-for alignment.",
                    kProfile.name);
}

int TranslateHtml(const Arguments& arguments, std::span<const HtmlModel> models,
                  uint32_t lanes) {
  const std::unique_ptr<ChunkInput> input =
      arguments.text == nullptr
          ? std::make_unique<ChunkInput>(FilesToCome(arguments))
          : std::make_unique<ChunkInput>(std::string_view(arguments.text));
  return models.size() == 1 ? TranslateByOne(*input, models.front(), lanes)
                            : TranslateInTurn(*input, models);
}

}  // namespace latimer::cli
