// The bill: what a model costs on the device, before it is there.
#ifndef LATIMER_CLI_BILL_H_
#define LATIMER_CLI_BILL_H_

#include <nlohmann/json.hpp>
#include <string>

#include "latimer/board.h"
#include "latimer/model_info.h"
#include "latimer/profile.h"

namespace latimer {

// {"flash_bytes", "flash": {group: bytes}, "ram_bytes", "ram": {item: bytes},
//  "workspace_bytes", "weight_bytes_per_token", "profile": {...}}. `ram` is
// what a build with `profile` needs: the workspace's buffers and the stacks.
nlohmann::ordered_json MakeBill(const ModelInfo& info, const Profile& profile);

// The same for people.
std::string BillText(const nlohmann::ordered_json& bill);

// Null where no board has that name.
const Board* FindBoard(const std::string& name);

// "raspberry_pi_2, raspberry_pi_4, ...".
std::string BoardNames();

// The tile of f32 weights that a board's kernels read.
const char* F32TileOf(const Board& board);

// Whether a board's kernels read the model's weights.
bool ReadsTile(const Board& board, const ModelInfo& info);

// One sentence: whether the RAM of the bill is within `ram_bytes` of `where`.
std::string FitText(uint64_t needed_bytes, uint64_t ram_bytes,
                    const std::string& where);

}  // namespace latimer

#endif  // LATIMER_CLI_BILL_H_
