// `latimer doctor`: whether the model loads, fits and gives the known answer.

#include <algorithm>
#include <vector>

#include "cli/doctor.h"
#include "cli/isas.h"
#include "cli/machine.h"
#include "cli/timing.h"
#include "internals.h"
#include "report/test_sound.h"

namespace latimer::cli {
namespace {

// Milliseconds of another Load; the file is in memory by now.
double LoadAgain(Arguments arguments, bool verify_checksum, Session& session) {
  arguments.verify_checksum = verify_checksum;
  const auto start = Clock::now();
  const Status status = session.Load(arguments);
  return status.ok() ? MillisecondsSince(start) : 0;
}

void ReportLoading(const Arguments& arguments, double first_ms,
                   Session& session, Report& report) {
  const std::span<const std::byte> image = session.image();
  report.Add("file_bytes", image.size(), BytesText(image.size()));
  report.Add(
      "workspace_bytes", session.workspace_bytes(),
      BytesText(session.workspace_bytes()) + " reserved, touched as used");
  const auto address = reinterpret_cast<uintptr_t>(image.data());
  const uint64_t alignment =
      std::min<uint64_t>(address & (~address + 1), PageBytes());
  report.Add("alignment", alignment,
             "mapped at a multiple of " + std::to_string(alignment));
  report.Add("first_load_ms", first_ms,
             Format("%.1f ms, reading the file included", first_ms));
  const double load_ms = LoadAgain(arguments, false, session);
  report.Add("load_ms", load_ms, Format("%.2f ms", load_ms));
  if (arguments.verify_checksum) {
    const double checksum_ms =
        std::max(0.0, LoadAgain(arguments, true, session) - load_ms);
    report.Add("checksum_ms", checksum_ms,
               Format("%.2f ms more; it matches", checksum_ms));
  }
}

// The tile of the board that uses the newest instruction set of CPU and build;
// empty if there is no such board.
std::string BestTile() {
  const std::vector<std::string> isas = UsableIsas();
  const Board* board = isas.empty() ? nullptr : BoardFor(isas.back());
  return board == nullptr ? "" : board->tile;
}

void ReportKernels(Translator& translator, Report& report) {
  const ModelDescription& info = Internals::Describe(translator);
  report.Add("weights", info.weights, info.weights);
  const std::string best = BestTile();
  const bool slow =
      info.weights == std::string("int8") && !best.empty() && info.tile != best;
  report.Add("tile", info.tile, info.tile, WarnIf(slow),
             "This CPU has faster kernels for another tile; convert the model "
             "with --tile " +
                 best + ".");
  const std::vector<std::string> kernels = KernelNames(translator);
  report.Add(
      "kernels", kernels,
      std::to_string(kernels.size()) + ", for one row " + kernels.front());
}

// What the model answers now.
Result<std::vector<int32_t>> AnswerTo(Translator& translator,
                                      const KnownAnswer& known) {
  const auto count = static_cast<uint32_t>(known.target.size());
  if (Internals::Describe(translator).reads_speech) {
    std::vector<int32_t> tokens(count);
    const Status status = Internals::HearSound(
        translator, TestSound(known.source.size()), tokens);
    if (!status.ok()) return status;
    return tokens;
  }
  const Result<Translation> translation =
      translator.TranslateIds(known.source, {.max_target_tokens = count,
                                             .min_target_tokens = count,
                                             .language_code = {},
                                             .beams = 1});
  if (!translation.ok()) return translation.status();
  return std::vector<int32_t>(translation->tokens.begin(),
                              translation->tokens.end());
}

void ReportKnownAnswer(Translator& translator, Report& report) {
  const KnownAnswer& answer = Internals::Describe(translator).known_answer;
  const auto count = static_cast<uint32_t>(answer.target.size());
  const char* const kName = "known_answer";
  if (count == 0) {
    report.Add(kName, "none",
               "none in this file; int8 models without f16 have one");
    return;
  }
  if (answer.source.size() > translator.max_source_tokens() ||
      count > translator.max_target_tokens()) {
    report.Add(kName, "not run", "not run", Verdict::kWarning,
               Format("Profile \"%s\" of this build holds fewer tokens than "
                      "the model's known answer, so that nothing was checked.",
                      kProfile.name));
    return;
  }
  const Result<std::vector<int32_t>> now = AnswerTo(translator, answer);
  if (!now.ok()) {
    report.Add(kName, "not run", "not run", Verdict::kFail,
               now.status().message());
    return;
  }
  const std::span<const int32_t> tokens = *now;
  const size_t same = static_cast<size_t>(
      std::mismatch(tokens.begin(), tokens.end(), answer.target.begin(),
                    answer.target.end())
          .first -
      tokens.begin());
  const std::string text = Format("%zu of %u ids right", same, count);
  if (same == count && tokens.size() == count) {
    report.Add(kName, "right", text);
    return;
  }
  report.Add(kName, "wrong", text, Verdict::kFail,
             same >= tokens.size()
                 ? Format("It ended after %zu ids.", same)
                 : Format("Token %zu is %d, should be %d: the CPU, the memory "
                          "or the build computes wrongly; try another build, "
                          "then another device.",
                          same + 1, tokens[same], answer.target[same]));
}

// RAM of a build for exactly this model and for the longest sentences of this
// build.
uint64_t NeedOf(Translator& translator) {
  const ModelDescription& info = Internals::Describe(translator);
  const Result<Profile> profile = ExactProfile(
      info,
      {.source_tokens = translator.max_source_tokens(),
       .target_tokens = std::min(translator.max_target_tokens(),
                                 info.generation.max_target_tokens),
       .threads = translator.threads()},
      "");
  return RamBytes(*profile);
}

void ReportNeed(Session& session, Report& report) {
  const MemoryBytes memory = ReadMemory();
  const uint64_t ram = NeedOf(session.translator());
  const uint64_t file = session.image().size();
  Verdict verdict = Verdict::kOk;
  std::string advice;
  if (memory.most() != 0 && memory.most() < ram) {
    verdict = Verdict::kFail;
    advice =
        "That is more than there is; convert with a smaller "
        "--max-source-tokens and --max-target-tokens and build with its "
        "--profile.";
  } else if (memory.available != 0 &&
             std::min(memory.available, memory.most()) < ram + file) {
    verdict = Verdict::kWarning;
    advice =
        "That is more than is free, so that weights would be read from "
        "storage again and again; end other programs, or use a smaller model.";
  }
  report.Add("ram_bytes", ram,
             BytesText(ram) + " for the longest sentence, besides the file",
             verdict, advice);
}

}  // namespace

bool ReportModel(const Arguments& arguments, Session& session, Report& report) {
  report.Section("model");
  const auto start = Clock::now();
  const Status status = session.Load(arguments);
  if (!status.ok()) {
    report.Add("file", arguments.model, arguments.model, Verdict::kFail,
               status.message());
    return false;
  }
  const double first_ms = MillisecondsSince(start);
  report.Add("file", arguments.model, arguments.model);
  const std::string version(session.translator().model_info().model_version);
  report.Add("model_version", version,
             version.empty() ? "none" : Printable(version));
  ReportLoading(arguments, first_ms, session, report);
  ReportNeed(session, report);
  ReportKernels(session.translator(), report);
  ReportKnownAnswer(session.translator(), report);
  return true;
}

}  // namespace latimer::cli
