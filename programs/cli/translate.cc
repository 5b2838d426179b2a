#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/generation_options.h"
#include "cli/html.h"
#include "cli/input.h"
#include "cli/insight.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/ordered_writer.h"
#include "cli/pivot.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/workers.h"
#include "internals.h"
#include "latimer/board_config.h"

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

// Sentences that can be side by side in this input, at most UINT32_MAX: a few
// lines need not reserve the memory of all lanes. Attention is recorded of one
// sentence at a time.
uint32_t UsefulSentences(const Arguments& arguments) {
  if (arguments.draw_attention != nullptr) return 1;
  // Fewer bytes are hardly a sentence of --paragraphs, or a part of a line.
  constexpr size_t kSentenceBytes = 16, kPartBytes = 512;
  const std::optional<std::string> input =
      arguments.text != nullptr ? arguments.text : SmallInputFile();
  if (!input.has_value() || arguments.files.size() > 1) return UINT32_MAX;
  size_t sentences = input->size() / kSentenceBytes;
  if (!arguments.paragraphs && !arguments.html) {
    sentences = input->size() / kPartBytes;
    char before = '\0';
    for (const char c : *input) {
      const bool after_mark =
          std::string_view(".!?\"')").find(before) != std::string_view::npos;
      if (c == '\n' || (c == ' ' && after_mark)) ++sentences;
      before = c;
    }
  }
  return static_cast<uint32_t>(std::min<size_t>(sentences, UINT32_MAX - 1) + 1);
}

// Workers that suit the input: as many as were asked for. Otherwise one, but
// for files as many as the processors that the program may use, where no board
// limits the memory and the command line says nothing of lanes or threads.
uint32_t UsefulWorkers(const Arguments& arguments, uint32_t sentences) {
  if (arguments.workers != 0) return std::min(arguments.workers, sentences);
  constexpr uint32_t kMostByItself = std::min(kMostWorkers, 4u);
  constexpr uint32_t kSentencesOfEach = 2;
  if (kBoard.ram_bytes != kUnlimitedRam || BytesToRead(arguments) == 0) {
    return 1;
  }
  return std::clamp(std::min(std::thread::hardware_concurrency(),
                             sentences / kSentencesOfEach),
                    1u, kMostByItself);
}

// Loads the model once for each worker. Workers that nobody asked for are left
// out where there is no memory for them.
bool OpenWorkers(const Arguments& arguments, uint32_t workers, uint32_t lanes,
                 Session* session) {
  if (!session->Open(arguments, lanes)) return false;
  for (uint32_t i = 1; i < workers; ++i) {
    const Status status = session->AddWorker(arguments, lanes);
    if (status.ok()) continue;
    if (arguments.workers == 0) break;
    return Fail(arguments, status) == kSuccess;
  }
  return true;
}

// What contradicts itself, whatever the model.
int CheckArguments(const Arguments& arguments) {
  if (arguments.ids && arguments.text != nullptr) {
    return UsageError("translate", "give --text or --ids, not both.");
  }
  if (arguments.ids && arguments.check_numbers) {
    return UsageError("translate",
                      "--check-numbers compares texts; leave out --ids.");
  }
  if (arguments.paragraphs &&
      (arguments.ids || arguments.draw_attention != nullptr ||
       arguments.hypotheses() > 0)) {
    return UsageError(
        "translate",
        "--paragraphs goes without --ids, --draw-attention, --n-best and "
        "--alternatives.");
  }
  if (const int code =
          CheckProfile("translate", "beams",
                       arguments.options.beams.value_or(0), kProfile.beams);
      code != kSuccess) {
    return code;
  }
  if (const int code = CheckProfile("translate", "alternatives",
                                    arguments.options.alternatives.value_or(0),
                                    kProfile.beams);
      code != kSuccess) {
    return code;
  }
  if (const int code =
          CheckProfile("translate", "lanes", arguments.lanes, kProfile.lanes);
      code != kSuccess) {
    return code;
  }
  if (arguments.html) {
    if (const int code = CheckHtml(arguments); code != kSuccess) return code;
  }
  if (arguments.cache > 0 &&
      (arguments.html || arguments.alignment || arguments.scores ||
       arguments.json_lines || arguments.hypotheses() > 0 ||
       arguments.draw_attention != nullptr ||
       arguments.options.sampling.enabled)) {
    return UsageError("translate",
                      "--cache keeps translations of lines alone; leave out "
                      "--html, --alignment, --scores, --json, --n-best, "
                      "--alternatives, --draw-attention and --sample.");
  }
  if (arguments.workers > 1 && (arguments.draw_attention != nullptr ||
                                arguments.second_model != nullptr)) {
    return UsageError(
        "translate",
        "--workers goes without --draw-attention, and with one model only.");
  }
  if (arguments.second_model == nullptr) {
    return arguments.pivot_language == nullptr
               ? kSuccess
               : UsageError("translate",
                            "--pivot-lang is the language between two models; "
                            "give a second model.");
  }
  if (arguments.ids || arguments.draw_attention != nullptr ||
      arguments.alignment || arguments.scores || arguments.json_lines ||
      arguments.check_numbers) {
    return UsageError(
        "translate",
        "two models go without --ids, --draw-attention, --alignment, "
        "--scores, --check-numbers and --json.");
  }
  const TranslateOptions& options = arguments.options;
  if (!options.task.empty() || !options.prefix.empty() ||
      options.forced_first_token || arguments.suppress != nullptr ||
      !options.target_prefix.empty() || arguments.banned_words != nullptr ||
      arguments.terms != nullptr) {
    return UsageError("translate",
                      "two models go without --task, --prefix, "
                      "--forced-first-token, --suppress, --target-prefix, "
                      "--banned-words and --terms.");
  }
  return kSuccess;
}

// One of the models, and how it translates.
struct Model {
  Arguments arguments;
  Session session = {};
  GenerationOptions generation = {};
  TranslateOptions options = arguments.options;
  Insight insight = {};

  Translator& translator() { return session.translator(); }
};

// Sets the options for a model that is loaded. Prints a sentence and returns
// the exit code if it cannot do what the arguments ask for.
int PrepareModel(Model* model) {
  const Arguments& arguments = model->arguments;
  const Translator& translator = model->translator();
  const ModelDescription& info = Internals::Describe(translator);
  if (!arguments.ids && !info.has_tokenizer) {
    std::fprintf(stderr,
                 "latimer: %s: the model has no tokenizer and translates ids "
                 "only; use --ids, or convert it without --no-tokenizer.\n",
                 arguments.model);
    return kFailure;
  }
  TranslateOptions& options = model->options;
  const uint32_t tokens = options.max_target_tokens.value_or(0);
  if (tokens > translator.max_target_tokens()) {
    return UsageError("translate",
                      "--max-target-tokens %u exceeds the %u that this model "
                      "and build allow.",
                      static_cast<unsigned>(tokens),
                      static_cast<unsigned>(translator.max_target_tokens()));
  }
  if (const int code = model->insight.CheckLayer(info.architecture);
      code != kSuccess) {
    return code;
  }
  options.beams = BeamsFor(arguments, info);
  if (const int code = model->generation.Prepare(arguments, info, &options);
      code != kSuccess) {
    return code;
  }
  if (const int code =
          model->generation.CheckTerms(arguments, model->translator());
      code != kSuccess) {
    return code;
  }
  if (const int code = model->generation.ReadBannedWords(
          arguments, model->translator(), &options);
      code != kSuccess) {
    return code;
  }
  const uint32_t own_beams = info.generation.search.beams;
  if (!options.beams && own_beams > translator.max_beams() &&
      !arguments.quiet) {
    std::fprintf(stderr,
                 "latimer: warning: %s: the model asks for %u beams, but "
                 "profile \"%s\" of this build has %u.\n",
                 arguments.model, static_cast<unsigned>(own_beams),
                 kProfile.name, static_cast<unsigned>(translator.max_beams()));
  }
  if (arguments.n_best > translator.max_beams()) {
    return UsageError("translate",
                      "--n-best %u needs as many beams, but there are %u.",
                      static_cast<unsigned>(arguments.n_best),
                      static_cast<unsigned>(translator.max_beams()));
  }
  return kSuccess;
}

Unit UnitOf(const Arguments& arguments) {
  return arguments.paragraphs ? Unit::kSentence
         : arguments.ids      ? Unit::kIds
                              : Unit::kLine;
}

// Writes all translations, with what a person sees meanwhile.
int Run(OrderedWriter& writer, const Arguments& arguments,
        const Insight& insight) {
  if (const int code = OpenOutput(arguments); code != kSuccess) return code;
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

[[maybe_unused]] int RunHtml(const Arguments& arguments,
                             std::span<const HtmlModel> models,
                             uint32_t lanes) {
  if (const int code = OpenOutput(arguments); code != kSuccess) return code;
  PrepareOutput();
  if (!arguments.quiet) BeginProgress(BytesToRead(arguments), "sentences");
  CatchInterrupts();
  const int code = TranslateHtml(arguments, models, lanes);
  EndIfInterrupted();
  return code;
}

size_t CacheBytes(const Arguments& arguments) {
  return size_t{arguments.cache} << 20;
}

// Gives each model the languages on its side of the pivot, if it has several.
int ShareLanguages(const Arguments& arguments, Model* first, Model* second,
                   std::string* pivot) {
  const auto is_multilingual = [](Model* model) {
    return !Internals::Describe(model->translator())
                .generation.languages.empty();
  };
  first->arguments.target_option = second->arguments.source_option =
      "pivot-lang";
  first->options.target_language = {};
  second->options.source_language = {};
  if (arguments.pivot_language == nullptr) return kSuccess;
  if (!is_multilingual(first) && !is_multilingual(second)) {
    return UsageError("translate",
                      "--pivot-lang %s: the models have no languages to "
                      "choose from.",
                      arguments.pivot_language);
  }
  *pivot = arguments.pivot_language;
  const size_t comma = pivot->find(',');
  const char* next = pivot->c_str();
  if (comma != pivot->npos) {
    (*pivot)[comma] = '\0';
    next += comma + 1;
  }
  if (is_multilingual(first)) first->options.target_language = pivot->c_str();
  if (Internals::Describe(second->translator()).generation.source_language !=
      SourceLanguage::kNone) {
    second->options.source_language = next;
  }
  return kSuccess;
}

int TranslateByTwo(const Arguments& arguments) {
  Arguments of_first = arguments;
  of_first.n_best = 0;
  of_first.options.alternatives = {};
  Model first = {of_first}, second = {arguments};
  second.arguments.model = arguments.second_model;
  for (Model* model : {&first, &second}) {
    if (const int code =
            model->insight.Prepare(model->arguments, &model->options);
        code != kSuccess) {
      return code;
    }
  }
  if (const int code = OpenInputFiles(arguments); code != kSuccess) return code;
  const uint32_t lanes =
      std::min(std::max(first.session.LanesFor(first.arguments),
                        second.session.LanesFor(second.arguments)),
               UsefulSentences(arguments));
  if (!Session::OpenBoth(first.session, first.arguments, second.session,
                         second.arguments, lanes)) {
    return kFailure;
  }
  std::string pivot;
  if (const int code = ShareLanguages(arguments, &first, &second, &pivot);
      code != kSuccess) {
    return code;
  }
  for (Model* model : {&first, &second}) {
    if (const int code = PrepareModel(model); code != kSuccess) return code;
  }
  const std::vector<Translator*> one = first.session.translators();
  const std::vector<Translator*> other = second.session.translators();
  if constexpr (kProfile.alignment) {
    if (arguments.html) {
      const HtmlModel models[] = {
          {first.arguments.model, one, first.options},
          {second.arguments.model, other, second.options}};
      return RunHtml(arguments, models, lanes);
    }
  }
  const Unit unit = UnitOf(arguments);
  const std::unique_ptr<Input> input = OpenInput(arguments, first.translator());
  TextCollector between(one, *input, unit, first.options, lanes, first.insight,
                        first.arguments.model);
  PivotInput rest(between, *input);
  OrderedWriter writer(other, rest, unit, second.options, lanes, second.insight,
                       second.arguments.model);
  if (arguments.cache > 0) {
    between.KeepTranslations(CacheBytes(arguments) / 2);
    writer.KeepTranslations(CacheBytes(arguments) / 2);
  }
  return Run(writer, arguments, second.insight);
}

int TranslateByOne(const Arguments& arguments) {
  Model model = {arguments};
  if (const int code = model.insight.Prepare(arguments, &model.options);
      code != kSuccess) {
    return code;
  }
  if (const int code = OpenInputFiles(arguments); code != kSuccess) return code;
  const uint32_t sentences = UsefulSentences(arguments);
  const uint32_t workers = UsefulWorkers(arguments, sentences);
  const uint32_t lanes = std::min(model.session.LanesFor(arguments),
                                  (sentences - 1) / workers + 1);
  if (!OpenWorkers(arguments, workers, lanes, &model.session)) return kFailure;
  if (const int code = PrepareModel(&model); code != kSuccess) return code;
  const std::vector<Translator*> translators = model.session.translators();
  if constexpr (kProfile.alignment) {
    if (arguments.html) {
      const HtmlModel models[] = {
          {arguments.model, translators, model.options}};
      return RunHtml(arguments, models, lanes);
    }
  }
  const std::unique_ptr<Input> input = OpenInput(arguments, model.translator());
  OrderedWriter writer(translators, *input, UnitOf(arguments), model.options,
                       lanes, model.insight);
  if (arguments.cache > 0) writer.KeepTranslations(CacheBytes(arguments));
  return Run(writer, arguments, model.insight);
}

}  // namespace

int Translate(const Arguments& arguments) {
  const int code = CheckArguments(arguments);
  if (code != kSuccess) return code;
  return arguments.second_model == nullptr ? TranslateByOne(arguments)
                                           : TranslateByTwo(arguments);
}

}  // namespace latimer::cli
