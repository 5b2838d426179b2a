#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/input.h"
#include "cli/lines.h"
#include "cli/machine.h"
#include "cli/operation_profile.h"
#include "cli/session.h"
#include "cli/timing.h"
#include "internals.h"

namespace latimer::cli {
namespace {

// Tokens of a random source, and of its translation.
constexpr uint32_t kDefaultTokens = 32;

// Reads a source of token ids from each line of standard input that has any.
int ReadSources(std::vector<std::vector<int32_t>>* sources) {
  LineInput input;
  InputText line;
  while (input.Next(/*wait=*/true, &line) == Input::Got::kText) {
    std::vector<int32_t> ids;
    const Status parsed = ParseIds(line.text, &ids);
    if (!parsed.ok()) return ComplainOfLine(line.line, parsed);
    if (!ids.empty()) sources->push_back(std::move(ids));
  }
  if (!sources->empty()) return kSuccess;
  std::fputs("latimer bench: standard input has no token ids.\n", stderr);
  return kFailure;
}

// Prints a sentence unless it returns kSuccess.
int PrepareLoad(const Arguments& arguments, const Translator& translator,
                Load* load) {
  for (const auto& [option, value, limit] :
       {std::tuple("--target-tokens", arguments.target_tokens,
                   translator.max_target_tokens()),
        std::tuple("--source-tokens", arguments.source_tokens,
                   translator.max_source_tokens())}) {
    if (value <= limit) continue;
    return UsageError(
        "bench", "%s %u exceeds the %u that this model and build allow.",
        option, static_cast<unsigned>(value), static_cast<unsigned>(limit));
  }
  load->target_tokens = arguments.target_tokens;
  load->beams = std::max(arguments.beams, 1u);
  if (arguments.ids) return ReadSources(&load->sources);
  const ModelDescription& info = Internals::Describe(translator);
  const auto given_or_default = [](uint32_t given, uint32_t most,
                                   uint32_t usual) {
    return given != 0 ? given : std::min(usual, most);
  };
  const uint32_t source = translator.max_source_tokens();
  *load = RandomLoad(
      info,
      given_or_default(arguments.source_tokens, source,
                       info.reads_speech ? source : kDefaultTokens),
      given_or_default(arguments.target_tokens, translator.max_target_tokens(),
                       kDefaultTokens));
  load->beams = std::max(arguments.beams, 1u);
  return kSuccess;
}

Json BenchJson(const Timing& timing, const Load& load,
               const Translator& translator, size_t workspace_bytes,
               const std::vector<double>& load_times, uint32_t repeat) {
  uint64_t source_tokens = 0;
  for (const std::vector<int32_t>& source : load.sources) {
    source_tokens += source.size();
  }
  const ModelSizes& sizes = Internals::Describe(translator).sizes;
  Json json = {
      {"sentences", load.sources.size()},   {"source_tokens", source_tokens},
      {"target_tokens", timing.tokens},     {"beams", load.beams},
      {"threads", translator.threads()},    {"repeat", repeat},
      {"first_load_ms", load_times.front()}};
  for (const auto& [name, summary] :
       {std::pair("load_ms", Summarize(load_times)),
        std::pair("encode_ms", timing.encode),
        std::pair("ms_per_token", timing.per_token),
        std::pair("ms_per_sentence", timing.per_sentence)}) {
    json[name] = summary.minimum;
    json[std::string(name) + "_median"] = summary.median;
  }
  const uint64_t peak = PeakRssBytes();
  json["peak_rss_bytes"] = peak == 0 ? Json() : Json(peak);
  json["workspace_bytes"] = workspace_bytes;
  json["model_bytes"] = sizes.file;
  json["weight_bytes_per_token"] = sizes.streamed_per_token;
  json["kernels"] = KernelNames(translator);
  return json;
}

void PrintText(const Json& json) {
  for (const auto& [name, value] : json.items()) {
    std::printf("%-24s %s\n", name.c_str(),
                value.is_null() ? "unknown" : value.dump().c_str());
  }
}

}  // namespace

int Bench(const Arguments& arguments) {
  if (const int code =
          CheckProfile("bench", "beams", arguments.beams, kProfile.beams);
      code != kSuccess) {
    return code;
  }
  if (arguments.ids && arguments.source_tokens != 0) {
    return UsageError("bench", "give --ids or --source-tokens, not both.");
  }
  Session session;
  std::vector<double> load_times;
  constexpr int kLoads = 5;
  for (int i = 0; i < kLoads; ++i) {
    // The first includes mapping the file; all include verification.
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
  const auto fail = [](const Status& status) {
    std::fprintf(stderr, "latimer bench: %s\n", status.message());
    return kFailure;
  };
  const Result<Timing> timing =
      MeasureLoad(translator, load, arguments.repeat,
                  std::numeric_limits<double>::infinity());
  if (!timing.ok()) return fail(timing.status());
  Json json = BenchJson(*timing, load, translator, session.workspace_bytes(),
                        load_times, arguments.repeat);
  Json profile;
  if (arguments.profile) {
    const Result<Json> measured =
        ProfileOperations(session, load, arguments.repeat);
    if (!measured.ok()) return fail(measured.status());
    profile = *measured;
  }
  if (!arguments.json) {
    PrintText(json);
    if (arguments.profile) PrintProfile(profile);
    return kSuccess;
  }
  if (arguments.profile) json["profile"] = std::move(profile);
  std::puts(Dump(json).c_str());
  return kSuccess;
}

}  // namespace latimer::cli
