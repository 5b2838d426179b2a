// `latimer doctor`: program, CPU, memory and speed of this machine.

#include "cli/doctor.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "base/cpu_table.h"
#include "cli/bandwidth.h"
#include "cli/commands.h"
#include "cli/isas.h"
#include "cli/machine.h"
#include "cli/timing.h"
#include "internals.h"
#include "latimer/board_config.h"
#include "latimer/internal/memory_plan.h"
#include "latimer/version.h"
#include "os/system.h"
#include "report/prediction.h"

namespace latimer::cli {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text.append(text.empty() ? "" : ", ").append(word);
  }
  return text.empty() ? "none" : text;
}

// What the system does not say is 0 in cli/machine.h.
Json KnownBytes(uint64_t bytes) { return bytes == 0 ? Json() : Json(bytes); }
std::string KnownBytesText(uint64_t bytes) {
  return bytes == 0 ? "unknown" : BytesText(bytes);
}

template <typename Wanted>
std::vector<std::string> Names(Wanted wanted) {
  std::vector<std::string> names;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    if (wanted(kCpuFeatures[i])) names.emplace_back(kCpuFeatures[i].name);
  }
  return names;
}

void ReportProgram(Report& report) {
  report.Section("program");
  report.Add("version", LATIMER_VERSION, LATIMER_VERSION);
  report.Add("board", kBoard.name, kBoard.name);
  report.Add("profile", kProfile.name, kProfile.name);
  const std::vector<std::string> kernels = IsasInBuild();
  report.Add("kernels", kernels, Joined(kernels));
  const std::vector<std::string> flags =
      Names([](const CpuFeature& feature) { return feature.in_flags; });
  report.Add("compiler_flags", flags, Joined(flags));
}

void ReportCpu(const Arguments& arguments, Report& report) {
  report.Section("cpu");
  const std::string model = CpuModel();
  report.Add("model", model, model.empty() ? "unknown" : model);
  // The CPU has all that the program needs: cli/cpu_guard.cc checked that.
  const CpuWords words = ReadCpuWords();
  const std::vector<std::string> features = Names(
      [&](const CpuFeature& feature) { return HasFeature(words, feature); });
  const std::vector<std::string> unused = NewerIsas();
  report.Add("features", features, Joined(features));
  if (!unused.empty()) {
    const Board* best = BoardFor(unused.back());
    const bool is_of_board = kBoard.tile[0] != '\0';
    const std::string cure =
        best != nullptr || !is_of_board
            ? Format("the preset %s would be faster here.",
                     best != nullptr ? best->name : "host")
            : Format(
                  "if all your devices have them, name them in the ISAS of "
                  "a board file, with the TILE that they read, in place of "
                  "%s.",
                  kBoard.name);
    report.Add("unused", unused, Joined(unused), Verdict::kWarning,
               "This build has no kernels for " + Joined(unused) + "; " + cure);
  }
  const uint32_t cores = OnlineCores();
  const bool too_many = arguments.threads > cores;
  report.Add("cores", cores, std::to_string(cores) + " online",
             WarnIf(too_many),
             Format("--threads %u exceeds the number of cores; give %u at "
                    "most.",
                    arguments.threads, cores));
  report.Add("page_bytes", PageBytes(), std::to_string(PageBytes()));
  const std::string governor = CpuGovernor();
  if (governor == "powersave") {
    report.Add("governor", governor, governor, Verdict::kWarning,
               "The clock is kept low; to change that, run as root: echo "
               "ondemand | tee "
               "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
  } else if (!governor.empty()) {
    report.Add("governor", governor, governor);
  }
}

void ReportMemory(Report& report) {
  report.Section("memory");
  const MemoryBytes memory = ReadMemory();
  report.Add("total_bytes", KnownBytes(memory.total),
             KnownBytesText(memory.total));
  report.Add("available_bytes", KnownBytes(memory.available),
             KnownBytesText(memory.available));
  if (memory.most() != memory.total) {
    report.Add("limit_bytes", memory.limit,
               BytesText(memory.limit) + " for this control group");
  }
  if (kBoard.ram_bytes != kUnlimitedRam) {
    const bool less = memory.most() != 0 && memory.most() < kBoard.ram_bytes;
    report.Add("board_bytes", kBoard.ram_bytes, BytesText(kBoard.ram_bytes),
               WarnIf(less),
               "The build expects more memory than there is; build it for a "
               "smaller board.");
  }
  report.Add("workspace_bytes", sizeof(Workspace),
             Format("%s for the largest model of this build; each takes what "
                    "it needs",
                    BytesText(sizeof(Workspace)).c_str()));
}

void ReportDecoding(Session& session, Report& report) {
  constexpr uint32_t kTokens = 32;
  constexpr uint32_t kSpeechTokens = 100;  // They take as long as the encoder.
  constexpr uint32_t kMostRounds = 20;
  constexpr double kMilliseconds = 2500;
  Translator& translator = session.translator();
  const ModelDescription& info = Internals::Describe(translator);
  const uint32_t source =
      info.reads_speech ? translator.max_source_tokens()
                        : std::min(kTokens, translator.max_source_tokens());
  const uint32_t target = std::min(info.reads_speech ? kSpeechTokens : kTokens,
                                   translator.max_target_tokens());
  const Result<Timing> timing = MeasureLoad(
      translator, RandomLoad(info, source, target), kMostRounds, kMilliseconds);
  if (!timing.ok()) {
    report.Add("ms_per_token", nullptr, "not run", Verdict::kFail,
               timing.status().message());
    return;
  }
  report.Add("encode_ms", timing->encode.minimum,
             info.reads_speech
                 ? Format("%.2f ms for %.1f s of sound", timing->encode.minimum,
                          source / kPositionsPerSecond)
                 : Format("%.2f ms for %u source tokens",
                          timing->encode.minimum, source));
  // Tiny models are faster than the clock is exact.
  const double ms = std::max(timing->per_token.minimum, 1e-6);
  report.Add("ms_per_token", ms, Format("%.3f ms", ms));
  report.Add("tokens_per_second", 1000 / ms, Format("%.0f", 1000 / ms));
  const std::string published =
      Format(", from published figures of a %s", kBoard.name);
  if (const auto predicted =
          PredictSpeech(kBoard, info, translator.threads())) {
    report.Add("predicted_encode_ms",
               {predicted->window.low, predicted->window.high},
               BandText(predicted->window) + published);
  }
  if (const auto predicted = PredictToken(kBoard, info, translator.threads())) {
    report.Add("predicted_ms_per_token", {predicted->low, predicted->high},
               BandText(*predicted) + published);
  }

  // As many bytes as a token's weights, which may fit into a cache.
  const uint64_t streamed = info.sizes.streamed_per_token;
  const double bandwidth =
      ReadBandwidth(session.image().first(static_cast<size_t>(
                        std::min<uint64_t>(streamed, session.image().size()))),
                    translator.threads());
  const double rate = static_cast<double>(streamed) / (ms * 1e6);
  const std::string bytes = BytesText(streamed);
  report.Add(
      "weights_gb_per_s", rate,
      Format("%.2f GB/s: %s of weights for each token", rate, bytes.c_str()));
  report.Add("model_read_gb_per_s", bandwidth,
             Format("%.2f GB/s reading %s of the model alone", bandwidth,
                    bytes.c_str()));
  // The test was disturbed, or not all of these weights were read.
  const bool knows_share = bandwidth >= rate;
  report.Add("share_of_bandwidth",
             knows_share ? Json(rate / bandwidth) : Json(),
             knows_share ? Format("%.0f %%", 100 * rate / bandwidth)
                         : "unknown: decoding was faster than the reading");
}

// `session` holds a loaded model, or is null.
void ReportSpeed(const Arguments& arguments, Session* session, Report& report) {
  report.Section("speed");
  const uint32_t threads = std::min(arguments.threads, OnlineCores());
  report.Add("threads", arguments.threads, std::to_string(arguments.threads));
  {
    const FilledBuffer buffer(LargeBufferBytes());
    const double bandwidth = ReadBandwidth(buffer.bytes(), threads);
    report.Add("read_buffer_bytes", buffer.bytes().size(),
               BytesText(buffer.bytes().size()) + "; the largest cache: " +
                   KnownBytesText(LargestCacheBytes()));
    report.Add("read_gb_per_s", bandwidth,
               Format("%.2f GB/s reading that", bandwidth));
  }
  if (session != nullptr) ReportDecoding(*session, report);
}

}  // namespace

int Doctor(const Arguments& arguments) {
  std::FILE* file = nullptr;
  const auto cannot_write = [&arguments] {
    std::fprintf(stderr, "latimer doctor: %s: cannot write the report (%s).\n",
                 arguments.report, std::strerror(errno));
    return kFailure;
  };
  if (arguments.report != nullptr) {
    file = OpenStream(arguments.report, "wb");
    if (file == nullptr) return cannot_write();
  }
  Report report(arguments.json);
  Session session;
  ReportProgram(report);
  ReportCpu(arguments, report);
  ReportMemory(report);
  const bool loaded =
      arguments.model != nullptr && ReportModel(arguments, session, report);
  ReportSpeed(arguments, loaded ? &session : nullptr, report);
  const int code = report.Finish();
  if (file == nullptr) return code;
  const std::string text =
      report.TextWithoutFolders({arguments.model, arguments.require_signature});
  const bool written = std::fprintf(file, "%s\n", text.c_str()) > 0;
  return std::fclose(file) == 0 && written ? code : cannot_write();
}

}  // namespace latimer::cli
