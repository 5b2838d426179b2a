// The bill: what a model costs on the device, computed on the PC.
#ifndef LATIMER_REPORT_BILL_H_
#define LATIMER_REPORT_BILL_H_

#include <cstdint>
#include <string>

#include "base/board.h"
#include "internals.h"
#include "latimer/internal/profile.h"
#include "report/format.h"

namespace latimer {

// {"flash_bytes", "flash": {group: bytes}, "ram_bytes", "ram": {item: bytes},
//  "workspace_bytes", "c_workspace_bytes", "weight_bytes_per_token",
//  "weight_bytes_per_sentence", "profile": {...}}, without "room_for", which
// AddRoom (report/room_for.h) adds. `ram` is what a build with `profile` needs:
// the workspace's buffers, the stacks and a copied image. A mapped image is not
// in it: the weights read per sentence and per token stay in RAM that is left.
cli::Json MakeBill(const ModelDescription& info, const Profile& profile);

// The bill as text.
std::string BillText(const cli::Json& bill);

// The board of that name, or of that board file, which is read once and kept.
// Null with a sentence in `*error` if there is none.
const Board* FindBoard(const std::string& name, std::string* error);

// "raspberry_pi_2, raspberry_pi_4, ...".
std::string BoardNames();

// The tile of f32 weights that a board's kernels read.
const char* F32TileOf(const Board& board);

// The tile that a board's kernels read of weights like the model's.
const char* TileOf(const Board& board, const ModelDescription& info);

// Whether a board's kernels read the model's weights.
bool ReadsTile(const Board& board, const ModelDescription& info);

// The command that packs the model for a board's kernels.
// `board_name` is what --board takes, for a board of one's own the path of its
// file.
std::string PackCommand(const std::string& board_name,
                        const ModelDescription& info);

// One sentence: whether `needed_bytes` of RAM are within `ram_bytes` of
// `where`.
std::string FitText(uint64_t needed_bytes, uint64_t ram_bytes,
                    const std::string& where);

// The most tokens, the same for source and target, with which a model fits; 0
// if it does not fit at all. A source of a fixed length has that at least. A
// sentence says so.
uint32_t LongestThatFits(const ModelDescription& info, ProfileLimits limits,
                         uint64_t ram_bytes);
std::string LongestText(const ModelDescription& info, uint32_t longest);

// A warning if `ram_bytes` hold what a bill needs, but not also all weights
// that it reads; else "".
std::string WeightsText(const cli::Json& bill, uint64_t ram_bytes,
                        const std::string& where);
// The same for a board. Without an operating system it reads them from flash;
// the text then says if the model does not fit there.
std::string WeightsText(const cli::Json& bill, const Board& board);

// Whether a board without an operating system has flash for the model; others
// have storage.
bool HoldsImage(const cli::Json& bill, const Board& board);

// Whether a board holds what a bill needs: RAM, and the model.
bool Fits(const cli::Json& bill, const Board& board);

}  // namespace latimer

#endif  // LATIMER_REPORT_BILL_H_
