#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/operation_profile.h"
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

// A source of ids for each line of standard input that has any. False after a
// sentence about a line that has something else.
bool ReadSources(std::vector<std::vector<int32_t>>* sources) {
  char* line = nullptr;
  size_t capacity = 0;
  unsigned number = 0;
  bool good = true;
  while (good && getline(&line, &capacity, stdin) >= 0) {
    ++number;
    std::vector<int32_t> ids;
    const char* at = line;
    char* end = nullptr;
    for (long id = std::strtol(at, &end, 10); end != at;
         id = std::strtol(at, &end, 10)) {
      ids.push_back(static_cast<int32_t>(id));
      at = end;
    }
    good = at[std::strspn(at, " \t\r\n")] == '\0';
    if (!ids.empty()) sources->push_back(std::move(ids));
  }
  std::free(line);
  if (!good) {
    std::fprintf(stderr, "latimer bench: line %u is not made of token ids.\n",
                 number);
  } else if (sources->empty()) {
    std::fputs("latimer bench: standard input has no token ids.\n", stderr);
    good = false;
  }
  return good;
}

// The exit code; prints a sentence unless it is kSuccess.
int PrepareLoad(const Arguments& arguments, const Translator& translator,
                Load* load) {
  constexpr uint32_t kTokens = 32;
  if (Exceeds("--target-tokens", arguments.target_tokens,
              translator.max_target_tokens()) ||
      Exceeds("--source-tokens", arguments.source_tokens,
              translator.max_source_tokens())) {
    return kUsage;
  }
  load->target_tokens = arguments.target_tokens;
  if (arguments.ids) return ReadSources(&load->sources) ? kSuccess : kFailure;
  const auto given_or_default = [](uint32_t given, uint32_t most) {
    return given != 0 ? given : (kTokens < most ? kTokens : most);
  };
  load->target_tokens =
      given_or_default(arguments.target_tokens, translator.max_target_tokens());
  load->sources.push_back(
      RandomSource(translator.model_info(),
                   given_or_default(arguments.source_tokens,
                                    translator.max_source_tokens())));
  return kSuccess;
}

void PrintText(const Json& json) {
  for (const auto& [name, value] : json.items()) {
    std::printf("%-24s %s\n", name.c_str(), value.dump().c_str());
  }
}

}  // namespace

int Bench(int argc, char** argv) {
  Arguments arguments;
  if (const int code = ParseArguments(
          argc, argv, kThreads | kJson | kIds | kBench, &arguments);
      code != kSuccess) {
    return code;
  }
  if (arguments.ids && arguments.source_tokens != 0) {
    std::fputs("latimer bench: give --ids or --source-tokens, not both.\n",
               stderr);
    return kUsage;
  }
  Session session;
  std::vector<double> load_times;
  constexpr int kLoads = 5;
  for (int i = 0; i < kLoads; ++i) {
    // The first includes mapping; all include verification.
    const auto start = Clock::now();
    if (!session.Open(arguments)) return kFailure;
    load_times.push_back(MillisecondsSince(start));
  }
  Translator& translator = session.translator();
  Load load;
  if (const int code = PrepareLoad(arguments, translator, &load);
      code != kSuccess) {
    return code;
  }
  Rounds rounds(translator, load);
  for (uint32_t i = 0; i < arguments.repeat; ++i) {
    if (const Status status = rounds.Run(); !status.ok()) {
      std::fprintf(stderr, "latimer bench: %s\n", status.message());
      return kFailure;
    }
  }
  const ModelInfo& info = translator.model_info();
  Json json;
  uint64_t source_tokens = 0;
  for (const std::vector<int32_t>& source : load.sources) {
    source_tokens += source.size();
  }
  json["sentences"] = load.sources.size();
  json["source_tokens"] = source_tokens;
  json["target_tokens"] = rounds.tokens();
  json["threads"] = translator.threads();
  json["repeat"] = arguments.repeat;
  json["first_load_ms"] = load_times.front();
  Add(json, "load_ms", Summarize(load_times));
  Add(json, "encode_ms", rounds.encode());
  Add(json, "ms_per_token", rounds.per_token());
  Add(json, "ms_per_sentence", rounds.per_sentence());
  json["peak_rss_bytes"] = PeakRssBytes();
  json["workspace_bytes"] = sizeof(Workspace);
  json["model_bytes"] = info.sizes.file;
  json["weight_bytes_per_token"] = info.sizes.streamed_per_token;
  json["kernels"] = KernelNames(translator);
  Json profile;
  if (arguments.profile) {
    const Result<Json> measured =
        ProfileGroups(session, load, arguments.repeat);
    if (!measured.ok()) {
      std::fprintf(stderr, "latimer bench: %s\n", measured.status().message());
      return kFailure;
    }
    profile = *measured;
  }
  if (!arguments.json) {
    PrintText(json);
    if (arguments.profile) PrintProfile(profile);
    return kSuccess;
  }
  if (arguments.profile) json["profile"] = std::move(profile);
  std::puts(json.dump(2).c_str());
  return kSuccess;
}

}  // namespace latimer::cli
