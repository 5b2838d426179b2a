#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/session.h"

namespace latimer::cli {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

struct Summary {
  double minimum;
  double median;
};

Summary Summarize(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples.front(), samples[samples.size() / 2]};
}

void Add(Json& json, const std::string& name, const Summary& summary) {
  json[name] = summary.minimum;
  json[name + "_median"] = summary.median;
}

// Valid source ids, neither EOS nor padding, the same on every machine
// (Marsaglia's xorshift).
std::vector<int32_t> RandomSource(const ModelInfo& info, uint32_t count) {
  std::vector<int32_t> ids;
  uint32_t random = 2463534242u;
  while (ids.size() < count) {
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    const auto id =
        static_cast<int32_t>(random % info.architecture.source_vocabulary);
    const bool special = id == info.generation.eos || id == info.generation.pad;
    if (!special || info.architecture.source_vocabulary <= 2) ids.push_back(id);
  }
  return ids;
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

// Translates the same source over and over, with one token and with all. The
// difference is what each further token takes; the rest is the encoder.
class Rounds {
 public:
  Rounds(Translator& translator, const Arguments& arguments)
      : translator_(translator),
        target_tokens_(arguments.target_tokens),
        source_(
            RandomSource(translator.model_info(), arguments.source_tokens)) {}

  // False after printing why it cannot be run.
  bool Run() {
    return Time(1, &one_token_) && Time(target_tokens_, &all_tokens_);
  }

  void AddTo(Json& json) const {
    const Summary one = Summarize(one_token_);
    const Summary all = Summarize(all_tokens_);
    const double further = target_tokens_ > 1 ? target_tokens_ - 1 : 1;
    const Summary per_token = {(all.minimum - one.minimum) / further,
                               (all.median - one.median) / further};
    Add(json, "encode_ms",
        {one.minimum - per_token.minimum, one.median - per_token.median});
    Add(json, "ms_per_token", per_token);
    Add(json, "total_ms", all);
  }

 private:
  bool Time(uint32_t tokens, std::vector<double>* milliseconds) {
    const auto start = Clock::now();
    // EOS is not allowed before the end: exactly this many.
    const Result<Translation> result =
        translator_.TranslateIds(source_, {.max_target_tokens = tokens,
                                           .min_target_tokens = tokens,
                                           .language_code = {}});
    milliseconds->push_back(MillisecondsSince(start));
    if (!result.ok()) {
      std::fprintf(stderr, "latimer bench: %s\n", result.status().message());
      return false;
    }
    return true;
  }

  Translator& translator_;
  uint32_t target_tokens_;
  std::vector<int32_t> source_;
  std::vector<double> one_token_;
  std::vector<double> all_tokens_;
};

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
  Rounds rounds(translator, arguments);
  for (uint32_t i = 0; i < arguments.repeat; ++i) {
    if (!rounds.Run()) return kFailure;
  }
  const ModelInfo& info = translator.model_info();
  Json json;
  json["source_tokens"] = arguments.source_tokens;
  json["target_tokens"] = arguments.target_tokens;
  json["threads"] = translator.threads();
  json["repeat"] = arguments.repeat;
  Add(json, "load_ms", Summarize(load));
  rounds.AddTo(json);
  json["peak_rss_bytes"] = PeakRssBytes();
  json["workspace_bytes"] = sizeof(Workspace);
  json["model_bytes"] = info.sizes.file;
  json["weight_bytes_per_token"] = info.sizes.streamed_per_token;
  json["kernels"] = Json::array();
  for (int i = 0; const char* name = translator.kernel_name(i); ++i) {
    json["kernels"].push_back(name);
  }
  if (arguments.json) {
    std::puts(json.dump(2).c_str());
  } else {
    PrintText(json);
  }
  return kSuccess;
}

}  // namespace latimer::cli
