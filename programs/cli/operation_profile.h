// `latimer bench --profile`: the time of each operation, and the share of the
// memory's bandwidth that it reaches.
#ifndef LATIMER_CLI_OPERATION_PROFILE_H_
#define LATIMER_CLI_OPERATION_PROFILE_H_

#include <cstdint>

#include "cli/session.h"
#include "cli/timing.h"
#include "report/format.h"

namespace latimer::cli {

// {"read_gb_per_s": {"l2", "l3", "memory", "weights"}, null for a cache that
//  the machine lacks,
//  "encoder", "cross_kv": [{"operation", "ms", "share"}] per sentence,
//  "decoder": [{..., "weight_bytes", "gb_per_s", "share_of_bandwidth"}] per
//  token, "decoder_total": the same,
//  "tokenizer": {"text_bytes", "encode_ms", "decode_ms"}}.
// Times are means over the load; each phase is that of its fastest of `repeat`
// rounds. "weights" is the bandwidth of reading as many bytes as a token reads;
// share_of_bandwidth compares with it. Without a tokenizer there is no
// "tokenizer". Errors: those of Translator::TranslateIds.
Result<Json> ProfileOperations(Session& session, const Load& load,
                               uint32_t repeat);

// The profile as text.
void PrintProfile(const Json& profile);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_OPERATION_PROFILE_H_
