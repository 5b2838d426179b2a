#include "cli/operation_profile.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/bandwidth.h"
#include "cli/machine.h"
#include "cli/timing.h"

namespace latimer::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPhases[kPhaseCount] = {"encoder", "cross_kv", "decoder"};
constexpr const char* kGroups[kOperationCount] = {
    "embedding", "qkv",  "self_attention", "cross_attention", "attention_out",
    "ffn",       "norm", "recurrent",      "output",          "search"};

uint64_t Sum(const uint64_t (&nanoseconds)[kOperationCount]) {
  uint64_t sum = 0;
  for (const uint64_t group : nanoseconds) sum += group;
  return sum;
}

// What one round takes and gives.
struct Round {
  OperationTimes times;
  uint64_t tokens = 0;
  std::vector<int32_t> first_target;
};

Result<Round> RunRound(Translator& translator, const Load& load) {
  Round round;
  TranslateOptions options;
  options.max_target_tokens = load.target_tokens;
  options.min_target_tokens = load.target_tokens;
  options.times = &round.times;
  for (const std::vector<int32_t>& source : load.sources) {
    const Result<Translation> result = translator.TranslateIds(source, options);
    if (!result.ok()) return result.status();
    if (round.tokens == 0) {
      round.first_target.assign(result->tokens.begin(), result->tokens.end());
    }
    round.tokens += result->tokens.size();
  }
  return round;
}

// Each station of the round in which it was fastest.
Result<Round> RunRounds(Translator& translator, const Load& load,
                        uint32_t repeat) {
  const Result<Round> first = RunRound(translator, load);
  if (!first.ok()) return first.status();
  Round best = *first;
  for (uint32_t i = 1; i < repeat; ++i) {
    const Result<Round> round = RunRound(translator, load);
    if (!round.ok()) return round.status();
    for (int s = 0; s < kPhaseCount; ++s) {
      const auto& times = round->times.nanoseconds[s];
      auto& least = best.times.nanoseconds[s];
      if (Sum(times) < Sum(least)) std::ranges::copy(times, std::begin(least));
    }
  }
  return best;
}

// Null where the size is unknown.
Json BandwidthOf(uint64_t bytes, uint32_t threads) {
  if (bytes == 0) return nullptr;
  const FilledBuffer buffer(static_cast<size_t>(bytes));
  if (buffer.bytes().empty()) return nullptr;
  return ReadBandwidth(buffer.bytes(), threads);
}

Json MeasureBandwidths(Session& session) {
  const uint32_t threads = session.translator().threads();
  const uint64_t streamed =
      session.translator().model_info().sizes.streamed_per_token;
  const uint64_t weights = std::min<uint64_t>(streamed, session.image().size());
  Json json;
  // Half of a cache leaves room for whoever else is in it.
  json["l2"] = BandwidthOf(CacheBytes(2) / 2 * threads, threads);
  json["l3"] = BandwidthOf(CacheBytes(3) / 2, threads);
  json["memory"] = BandwidthOf(LargeBufferBytes(), threads);
  json["weights"] = ReadBandwidth(
      session.image().first(static_cast<size_t>(weights)), threads);
  return json;
}

// What reading `bytes` in `ms` is of a bandwidth in GB/s.
void AddBytes(Json& row, uint64_t bytes, double bandwidth) {
  const double rate =
      static_cast<double>(bytes) / (row["ms"].get<double>() * 1e6);
  row["weight_bytes"] = bytes;
  row["gb_per_s"] = rate;
  row["share_of_bandwidth"] = rate / bandwidth;
}

// Means of `count` sentences or tokens.
Json RowsOf(const uint64_t (&nanoseconds)[kOperationCount], uint64_t count) {
  Json rows = Json::array();
  const uint64_t sum = std::max<uint64_t>(Sum(nanoseconds), 1);
  for (int i = 0; i < kOperationCount; ++i) {
    if (nanoseconds[i] == 0) continue;
    const auto value = static_cast<double>(nanoseconds[i]);
    rows.push_back({{"group", kGroups[i]},
                    {"ms", value / 1e6 / static_cast<double>(count)},
                    {"share", value / static_cast<double>(sum)}});
  }
  return rows;
}

// What text there is: that of ids.
Json TimeTokenizer(Translator& translator, std::span<const int32_t> source,
                   std::span<const int32_t> target, uint32_t repeat) {
  const Result<std::string_view> view = translator.Detokenize(source);
  if (!view.ok()) return nullptr;
  const std::string text(*view);
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
              row["group"].get<std::string>().c_str(), row["ms"].get<double>(),
              100 * row["share"].get<double>());
  if (row.contains("weight_bytes")) {
    std::printf(" %9.3f MB %6.1f GB/s %4.0f %%",
                row["weight_bytes"].get<double>() / 1e6,
                row["gb_per_s"].get<double>(),
                100 * row["share_of_bandwidth"].get<double>());
  }
  std::puts("");
}

}  // namespace

Result<Json> ProfileGroups(Session& session, const Load& load,
                           uint32_t repeat) {
  Translator& translator = session.translator();
  const Result<Round> round = RunRounds(translator, load, repeat);
  if (!round.ok()) return round.status();

  Json profile;
  profile["read_gb_per_s"] = MeasureBandwidths(session);
  const double bandwidth = profile["read_gb_per_s"]["weights"];
  for (int s = 0; s < kPhaseCount; ++s) {
    const bool per_token = static_cast<Phase>(s) == Phase::kDecoder;
    profile[kPhases[s]] =
        RowsOf(round->times.nanoseconds[s],
               per_token ? round->tokens : load.sources.size());
  }
  Json total = {{"group", "total"}, {"ms", 0.0}, {"share", 1.0}};
  uint64_t all_bytes = 0;
  for (Json& row : profile["decoder"]) {
    total["ms"] = total["ms"].get<double>() + row["ms"].get<double>();
    for (int i = 0; i < kOperationCount; ++i) {
      const uint64_t bytes =
          translator.weight_bytes_per_token(static_cast<Operation>(i));
      if (row["group"] != kGroups[i] || bytes == 0) continue;
      AddBytes(row, bytes, bandwidth);
      all_bytes += bytes;
    }
  }
  AddBytes(total, all_bytes, bandwidth);
  profile["decoder_total"] = total;
  if (translator.model_info().has_tokenizer) {
    profile["tokenizer"] = TimeTokenizer(translator, load.sources.front(),
                                         round->first_target, repeat);
  }
  return profile;
}

void PrintProfile(const Json& profile) {
  std::puts("reading, GB/s");
  for (const auto& [name, value] : profile["read_gb_per_s"].items()) {
    if (value.is_null()) continue;
    std::printf("  %-16s %9.1f\n", name.c_str(), value.get<double>());
  }
  std::puts("encoder, a sentence");
  for (const Json& row : profile["encoder"]) PrintRow(row);
  std::puts("cross_kv, a sentence");
  for (const Json& row : profile["cross_kv"]) PrintRow(row);
  std::puts(
      "decoder, a token; weights read, and the share of their bandwidth that "
      "this is");
  for (const Json& row : profile["decoder"]) PrintRow(row);
  PrintRow(profile["decoder_total"]);
  if (const auto at = profile.find("tokenizer");
      at != profile.end() && !at->is_null()) {
    std::printf("tokenizer, a text of %llu bytes\n",
                at->at("text_bytes").get<unsigned long long>());
    std::printf("  %-16s %9.4f ms\n", "encode",
                at->at("encode_ms").get<double>());
    std::printf("  %-16s %9.4f ms\n", "decode",
                at->at("decode_ms").get<double>());
  }
}

}  // namespace latimer::cli
