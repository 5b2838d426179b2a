#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/timing.h"

namespace latimer::cli {
namespace {

using Json = nlohmann::ordered_json;

void Add(Json& json, const std::string& name, const Summary& summary) {
  json[name] = summary.minimum;
  json[name + "_median"] = summary.median;
}

// Of this program alone; getrusage's figure may be that of the parent, from
// before the program was started. 0 where the system does not say.
uint64_t PeakRssBytes() {
  std::FILE* file = std::fopen("/proc/self/status", "re");
  if (file == nullptr) return 0;
  unsigned long long kilobytes = 0;
  char line[128];
  while (std::fgets(line, sizeof(line), file) != nullptr &&
         std::sscanf(line, "VmHWM: %llu kB", &kilobytes) != 1) {
  }
  std::fclose(file);
  return kilobytes * 1024;
}

// Prints a sentence if it does.
bool Exceeds(const char* option, uint32_t value, uint32_t limit) {
  if (value <= limit) return false;
  std::fprintf(stderr,
               "latimer bench: %s %u exceeds the %u that this model and build "
               "allow.\n",
               option, static_cast<unsigned>(value),
               static_cast<unsigned>(limit));
  return true;
}

void PrintText(const Json& json) {
  for (const auto& [name, value] : json.items()) {
    std::printf("%-24s %s\n", name.c_str(), value.dump().c_str());
  }
}

}  // namespace

int Bench(int argc, char** argv) {
  Arguments arguments;
  if (const int code =
          ParseArguments(argc, argv, kThreads | kJson | kBench, &arguments);
      code != kSuccess) {
    return code;
  }
  Session session;
  std::vector<double> load;
  constexpr int kLoads = 5;
  for (int i = 0; i < kLoads; ++i) {
    // The first includes mapping; all include verification.
    const auto start = Clock::now();
    if (!session.Open(arguments)) return kFailure;
    load.push_back(MillisecondsSince(start));
  }
  Translator& translator = session.translator();
  if (Exceeds("--source-tokens", arguments.source_tokens,
              translator.max_source_tokens()) ||
      Exceeds("--target-tokens", arguments.target_tokens,
              translator.max_target_tokens())) {
    return kUsage;
  }
  Rounds rounds(translator, arguments.source_tokens, arguments.target_tokens);
  for (uint32_t i = 0; i < arguments.repeat; ++i) {
    if (const Status status = rounds.Run(); !status.ok()) {
      std::fprintf(stderr, "latimer bench: %s\n", status.message());
      return kFailure;
    }
  }
  const ModelInfo& info = translator.model_info();
  Json json;
  json["source_tokens"] = arguments.source_tokens;
  json["target_tokens"] = arguments.target_tokens;
  json["threads"] = translator.threads();
  json["repeat"] = arguments.repeat;
  Add(json, "load_ms", Summarize(load));
  Add(json, "encode_ms", rounds.encode());
  Add(json, "ms_per_token", rounds.per_token());
  Add(json, "total_ms", rounds.total());
  json["peak_rss_bytes"] = PeakRssBytes();
  json["workspace_bytes"] = sizeof(Workspace);
  json["model_bytes"] = info.sizes.file;
  json["weight_bytes_per_token"] = info.sizes.streamed_per_token;
  json["kernels"] = KernelNames(translator);
  if (arguments.json) {
    std::puts(json.dump(2).c_str());
  } else {
    PrintText(json);
  }
  return kSuccess;
}

}  // namespace latimer::cli
