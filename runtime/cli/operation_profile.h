// `latimer bench --profile`: where the time goes, beside what the memory
// allows.
#ifndef LATIMER_CLI_OPERATION_PROFILE_H_
#define LATIMER_CLI_OPERATION_PROFILE_H_

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/session.h"
#include "cli/timing.h"

namespace latimer::cli {

// {"read_gb_per_s": {"l2", "l3", "memory", "weights"}: null where there is
// none,
//  "encoder", "cross_kv": [{"group", "ms", "share"}] for a sentence,
//  "decoder": [{..., "weight_bytes", "gb_per_s", "share_of_bandwidth"}] for a
//  token, "decoder_total": {the same},
//  "tokenizer": {"text_bytes", "encode_ms", "decode_ms"}}.
// Means over the load, of each station's fastest round of `repeat`.
// `weights` is the bandwidth of reading as many bytes as a token reads, which
// share_of_bandwidth compares with. No "tokenizer" where the model has none. An
// error is one of Translator::TranslateIds.
Result<nlohmann::ordered_json> ProfileGroups(Session& session, const Load& load,
                                             uint32_t repeat);

// The same for people.
void PrintProfile(const nlohmann::ordered_json& profile);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_OPERATION_PROFILE_H_
