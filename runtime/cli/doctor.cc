#include "cli/doctor.h"

#include <vector>

#include "cli/commands.h"
#include "cli/cpu_features.h"
#include "cli/isas.h"
#include "cli/machine.h"
#include "latimer/board_config.h"
#include "latimer/memory.h"

namespace latimer::cli {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text.append(text.empty() ? "" : ", ").append(word);
  }
  return text.empty() ? "none" : text;
}

template <typename Wanted>
std::vector<std::string> Names(Wanted wanted) {
  std::vector<std::string> names;
  for (int i = 0; i < kCpuFeatureCount; ++i) {
    if (wanted(kCpuFeatures[i])) names.emplace_back(kCpuFeatures[i].name);
  }
  return names;
}

}  // namespace

void ReportProgram(Report& report) {
  report.Section("program");
  report.Add("version", LATIMER_VERSION, LATIMER_VERSION);
  report.Add("board", kBoard.name, kBoard.name);
  report.Add("profile", kProfile.name, kProfile.name);
  const std::vector<std::string> kernels = IsasInBuild();
  report.Add("kernels", kernels, Joined(kernels));
  const std::vector<std::string> flags =
      Names([](const CpuFeature& feature) { return feature.flags; });
  report.Add("compiler_flags", flags, Joined(flags));
}

void ReportCpu(const Arguments& arguments, Report& report) {
  report.Section("cpu");
  const std::string model = CpuModel();
  report.Add("model", model, model.empty() ? "unknown" : model);
  // What the program needs the CPU has, or the program would not run.
  const std::vector<std::string> features = Names(CpuHas);
  const std::vector<std::string> unused = NewerIsas();
  report.Add("features", features, Joined(features));
  if (!unused.empty()) {
    const Board* best = BoardFor(unused.back());
    report.Add("unused", unused, Joined(unused), Verdict::kWarning,
               "This build has no kernels for " + Joined(unused) +
                   "; the preset " + (best != nullptr ? best->name : "host") +
                   " would be faster here.");
  }
  const uint32_t cores = OnlineCores();
  const bool too_many = arguments.threads > cores;
  report.Add("cores", cores, std::to_string(cores) + " online",
             too_many ? Verdict::kWarning : Verdict::kOk,
             too_many ? "--threads " + std::to_string(arguments.threads) +
                            " is more than there are cores; give " +
                            std::to_string(cores) + " at most."
                      : "");
  report.Add("page_bytes", PageBytes(), std::to_string(PageBytes()));
  const std::string governor = CpuGovernor();
  if (governor == "powersave") {
    report.Add("governor", governor, governor, Verdict::kWarning,
               "The clock is kept low; as root: echo ondemand | tee "
               "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor");
  } else if (!governor.empty()) {
    report.Add("governor", governor, governor);
  }
}

void ReportMemory(Report& report) {
  report.Section("memory");
  const MemoryBytes memory = ReadMemory();
  const auto known = [](uint64_t bytes) {
    return bytes == 0 ? std::string("unknown") : BytesText(bytes);
  };
  report.Add("total_bytes", memory.total, known(memory.total));
  report.Add("available_bytes", memory.available, known(memory.available));
  if (memory.most() != memory.total) {
    report.Add("limit_bytes", memory.limit,
               known(memory.limit) + " for this control group");
  }
  if (kBoard.ram_bytes != kUnlimitedRam) {
    const bool less = memory.most() != 0 && memory.most() < kBoard.ram_bytes;
    report.Add("board_bytes", kBoard.ram_bytes, BytesText(kBoard.ram_bytes),
               less ? Verdict::kWarning : Verdict::kOk,
               less ? "The build counts on more memory than there is; build it "
                      "for a smaller board."
                    : "");
  }
  constexpr uint64_t kNeeded = RamBytes(kProfile);
  const bool tight = memory.available != 0 && memory.available < kNeeded;
  report.Add("workspace_bytes", sizeof(Workspace),
             BytesText(sizeof(Workspace)) + " reserved at a multiple of " +
                 std::to_string(alignof(Workspace)) + ", touched as used",
             tight ? Verdict::kWarning : Verdict::kOk,
             tight ? "That is more than is free; a build for exactly the model "
                     "(latimer-convert --profile) needs less."
                   : "");
}

int Doctor(int argc, char** argv) {
  Arguments arguments;
  if (const int code = ParseArguments(
          argc, argv, kThreads | kJson | kModelOptional, &arguments);
      code != kSuccess) {
    return code;
  }
  Report report(arguments.json);
  Session session;
  ReportProgram(report);
  ReportCpu(arguments, report);
  ReportMemory(report);
  bool loaded = false;
  if (arguments.model != nullptr) {
    loaded = ReportModel(arguments, session, report);
  }
  ReportSpeed(arguments, loaded ? &session : nullptr, report);
  return report.Finish();
}

}  // namespace latimer::cli
