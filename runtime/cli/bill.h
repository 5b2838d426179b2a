// The bill: what a model costs on the device, computed on the PC.
#ifndef LATIMER_CLI_BILL_H_
#define LATIMER_CLI_BILL_H_

#include <string>

#include "cli/format.h"
#include "latimer/board.h"
#include "latimer/model_info.h"
#include "latimer/profile.h"

namespace latimer {

// {"flash_bytes", "flash": {group: bytes}, "ram_bytes", "ram": {item: bytes},
//  "workspace_bytes", "weight_bytes_per_token", "profile": {...}}. `ram` is
// what a build with `profile` needs: the workspace's buffers and the stacks.
cli::Json MakeBill(const ModelInfo& info, const Profile& profile);

// The bill as text.
std::string BillText(const cli::Json& bill);

// Null if no board has that name.
const Board* FindBoard(const std::string& name);

// "raspberry_pi_2, raspberry_pi_4, ...".
std::string BoardNames();

// The tile of f32 weights that a board's kernels read.
const char* F32TileOf(const Board& board);

// Whether a board's kernels read the model's weights.
bool ReadsTile(const Board& board, const ModelInfo& info);

// One sentence: whether `needed_bytes` of RAM are within `ram_bytes` of
// `where`.
std::string FitText(uint64_t needed_bytes, uint64_t ram_bytes,
                    const std::string& where);

}  // namespace latimer

#endif  // LATIMER_CLI_BILL_H_
