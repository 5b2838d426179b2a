#include "cli/operation_profile.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/bandwidth.h"
#include "cli/machine.h"
#include "internals.h"

namespace latimer::cli {
namespace {

constexpr const char* kPhases[kPhaseCount] = {"encoder", "cross_kv", "decoder"};
constexpr const char* kOperations[kOperationCount] = {
    "embedding", "qkv",  "self_attention", "cross_attention", "attention_out",
    "ffn",       "norm", "recurrent",      "output",          "search"};

uint64_t Sum(const uint64_t (&nanoseconds)[kOperationCount]) {
  uint64_t sum = 0;
  for (const uint64_t operation : nanoseconds) sum += operation;
  return sum;
}

// Sets each phase of `*best` to that of its fastest round; returns the target
// tokens of a round.
Result<uint64_t> RunRounds(Translator& translator, const Load& load,
                           uint32_t repeat, OperationTimes* best) {
  Result<uint64_t> tokens = 0;
  for (uint32_t i = 0; i < repeat; ++i) {
    OperationTimes times;
    tokens = TranslateLoad(translator, load, load.target_tokens, &times);
    if (!tokens.ok()) break;
    for (int p = 0; p < kPhaseCount; ++p) {
      auto& least = best->nanoseconds[p];
      if (i == 0 || Sum(times.nanoseconds[p]) < Sum(least)) {
        std::ranges::copy(times.nanoseconds[p], std::begin(least));
      }
    }
  }
  return tokens;
}

// Null if the size is unknown.
Json BandwidthOf(uint64_t bytes, uint32_t threads) {
  if (bytes == 0) return nullptr;
  const FilledBuffer buffer(static_cast<size_t>(bytes));
  if (buffer.bytes().empty()) return nullptr;
  return ReadBandwidth(buffer.bytes(), threads);
}

Json MeasureBandwidths(Session& session) {
  const uint32_t threads = session.translator().threads();
  const uint64_t weights = std::min<uint64_t>(
      Internals::Describe(session.translator()).sizes.streamed_per_token,
      session.image().size());
  // Half of a cache leaves room for its other users.
  return {{"l2", BandwidthOf(CacheBytes(2) / 2 * threads, threads)},
          {"l3", BandwidthOf(CacheBytes(3) / 2, threads)},
          {"memory", BandwidthOf(LargeBufferBytes(), threads)},
          {"weights",
           ReadBandwidth(session.image().first(static_cast<size_t>(weights)),
                         threads)}};
}

// Adds the rate of reading `bytes` in the row's time, and its share of a
// bandwidth in GB/s.
void AddBytes(Json& row, uint64_t bytes, double bandwidth) {
  const double rate =
      static_cast<double>(bytes) / (row["ms"].get<double>() * 1e6);
  row["weight_bytes"] = bytes;
  row["gb_per_s"] = rate;
  row["share_of_bandwidth"] = rate / bandwidth;
}

// Means over `count` sentences or tokens.
Json RowsOf(const uint64_t (&nanoseconds)[kOperationCount], uint64_t count) {
  Json rows = Json::array();
  const uint64_t sum = std::max<uint64_t>(Sum(nanoseconds), 1);
  for (int i = 0; i < kOperationCount; ++i) {
    if (nanoseconds[i] == 0) continue;
    const auto value = static_cast<double>(nanoseconds[i]);
    rows.push_back({{"operation", kOperations[i]},
                    {"ms", value / 1e6 / static_cast<double>(count)},
                    {"share", value / static_cast<double>(sum)}});
  }
  return rows;
}

// Times the text of the load's first source, and that of its translation.
Json TimeTokenizer(Translator& translator, const Load& load, uint32_t repeat) {
  const std::vector<int32_t>& source = load.sources.front();
  const Result<std::string_view> view = translator.Detokenize(source);
  if (!view.ok()) return nullptr;
  const std::string text(*view);
  const Result<Translation> translation = translator.TranslateIds(
      source, {.max_target_tokens = IfGiven(load.target_tokens),
               .min_target_tokens = load.target_tokens,
               .language_code = {},
               .beams = 1});
  if (!translation.ok()) return nullptr;
  const std::vector<int32_t> target(translation->tokens.begin(),
                                    translation->tokens.end());
  std::vector<int32_t> ids(18 * text.size() + 2);
  std::vector<double> encode, decode;
  for (uint32_t i = 0; i < repeat; ++i) {
    auto start = Clock::now();
    if (!translator.Tokenize(text, ids).ok()) return nullptr;
    encode.push_back(MillisecondsSince(start));
    start = Clock::now();
    if (!translator.Detokenize(target).ok()) return nullptr;
    decode.push_back(MillisecondsSince(start));
  }
  return {{"text_bytes", text.size()},
          {"encode_ms", Summarize(encode).minimum},
          {"decode_ms", Summarize(decode).minimum}};
}

void PrintRow(const Json& row) {
  std::printf("  %-16s %9.4f ms %5.1f %%",
              row["operation"].get<std::string>().c_str(),
              row["ms"].get<double>(), 100 * row["share"].get<double>());
  if (row.contains("weight_bytes")) {
    std::printf(" %9.3f MB %6.1f GB/s %4.0f %%",
                row["weight_bytes"].get<double>() / 1e6,
                row["gb_per_s"].get<double>(),
                100 * row["share_of_bandwidth"].get<double>());
  }
  std::puts("");
}

}  // namespace

Result<Json> ProfileOperations(Session& session, const Load& load,
                               uint32_t repeat) {
  Translator& translator = session.translator();
  OperationTimes times;
  const Result<uint64_t> tokens = RunRounds(translator, load, repeat, &times);
  if (!tokens.ok()) return tokens.status();

  Json profile;
  profile["read_gb_per_s"] = MeasureBandwidths(session);
  const double bandwidth = profile["read_gb_per_s"]["weights"];
  for (int p = 0; p < kPhaseCount; ++p) {
    const bool per_token = static_cast<Phase>(p) == Phase::kDecoder;
    profile[kPhases[p]] =
        RowsOf(times.nanoseconds[p], per_token ? *tokens : load.sources.size());
  }
  Json total = {{"operation", "total"}, {"ms", 0.0}, {"share", 1.0}};
  uint64_t all_bytes = 0;
  for (Json& row : profile["decoder"]) {
    total["ms"] = total["ms"].get<double>() + row["ms"].get<double>();
    for (int i = 0; i < kOperationCount; ++i) {
      const uint64_t bytes =
          Internals::WeightBytesPerToken(translator, static_cast<Operation>(i));
      if (row["operation"] != kOperations[i] || bytes == 0) continue;
      AddBytes(row, bytes, bandwidth);
      all_bytes += bytes;
    }
  }
  AddBytes(total, all_bytes, bandwidth);
  profile["decoder_total"] = total;
  if (translator.model_info().has_tokenizer) {
    profile["tokenizer"] = TimeTokenizer(translator, load, repeat);
  }
  return profile;
}

void PrintProfile(const Json& profile) {
  std::puts("reading, GB/s");
  for (const auto& [name, value] : profile["read_gb_per_s"].items()) {
    if (value.is_null()) continue;
    std::printf("  %-16s %9.1f\n", name.c_str(), value.get<double>());
  }
  for (const auto& [phase, title] :
       {std::pair("encoder", "encoder, per sentence"),
        std::pair("cross_kv", "cross_kv, per sentence"),
        std::pair("decoder",
                  "decoder, per token; weights read, and their share of the "
                  "bandwidth")}) {
    std::puts(title);
    for (const Json& row : profile[phase]) PrintRow(row);
  }
  PrintRow(profile["decoder_total"]);
  const Json tokenizer = profile.value("tokenizer", Json());
  if (tokenizer.is_null()) return;
  std::printf("tokenizer, a text of %llu bytes\n",
              tokenizer["text_bytes"].get<unsigned long long>());
  for (const char* direction : {"encode", "decode"}) {
    std::printf("  %-16s %9.4f ms\n", direction,
                tokenizer[std::string(direction) + "_ms"].get<double>());
  }
}

}  // namespace latimer::cli
