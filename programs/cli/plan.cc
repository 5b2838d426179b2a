// latimer plan: whether a model fits, found without compiling anything.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/session.h"
#include "internals.h"
#include "latimer/board_list.h"
#include "report/bill.h"
#include "report/prediction.h"
#include "report/room_for.h"

namespace latimer::cli {
namespace {

// What the model must fit.
struct Place {
  std::string name;
  uint64_t ram_bytes = 0;        // 0: nothing in particular.
  const Board* board = nullptr;  // Null: RAM of no particular board.
  std::string option;            // What --board says.
};

// Parses "536870912", "512M" or "2G" with K, M and G as powers of 1024; 0 for
// anything else.
uint64_t ParseBytes(const char* text) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (end == text || errno != 0 || value <= 0 || value > INT64_MAX >> 31) {
    return 0;
  }
  static constexpr char kUnits[] = "KMG";
  const char* unit = *end == '\0' ? nullptr : std::strchr(kUnits, *end);
  if (*end != '\0' && (unit == nullptr || end[1] != '\0')) return 0;
  return static_cast<uint64_t>(value)
         << (unit == nullptr ? 0 : 10 * (unit - kUnits + 1));
}

int FindPlace(const Arguments& arguments, Place* place) {
  if (arguments.board != nullptr && arguments.ram != nullptr) {
    return UsageError("plan", "give --board or --ram, not both.");
  }
  if (arguments.board != nullptr) {
    std::string error;
    const Board* board = FindBoard(arguments.board, &error);
    if (board == nullptr) return UsageError("plan", "%s", error.c_str());
    *place = {board->name, board->ram_bytes, board, arguments.board};
  } else if (arguments.ram != nullptr) {
    const uint64_t bytes = ParseBytes(arguments.ram);
    if (bytes == 0) {
      return UsageError("plan",
                        "--ram %s: give bytes, or a number with K, M or G.",
                        arguments.ram);
    }
    *place = {arguments.ram, bytes, nullptr, ""};
  }
  return kSuccess;
}

void PrintPrediction(const Board& board, const ModelDescription& info,
                     const Prediction& p) {
  std::printf(
      "%s: predicted, not measured: %s per token with %u thread%s: reading %s "
      "takes %s ms, computing on one core %s ms.\n",
      board.name, BandText(p).c_str(), static_cast<unsigned>(p.threads),
      p.threads == 1 ? "" : "s",
      BytesText(info.sizes.streamed_per_token).c_str(),
      DigitsText(p.memory).c_str(), DigitsText(p.cpu).c_str());
}

void PrintSpeech(const Board& board, const ModelDescription& info,
                 const SpeechPrediction& p) {
  const uint32_t threads = p.window.threads;
  std::printf(
      "%s: predicted, not measured: %s to %s seconds of speech per second "
      "with %u thread%s: a window of %.0f s takes %s, and each of %.0f tokens "
      "%s, if the speaker says so many. Reading %s for each token takes %s ms, "
      "computing on one core %s ms; computing a window %s ms.\n",
      board.name, DigitsText(p.low).c_str(), DigitsText(p.high).c_str(),
      static_cast<unsigned>(threads), threads == 1 ? "" : "s", p.seconds,
      BandText(p.window).c_str(), p.tokens, BandText(p.token).c_str(),
      BytesText(BytesPerToken(info)).c_str(),
      DigitsText(p.token.memory).c_str(), DigitsText(p.token.cpu).c_str(),
      DigitsText(p.window.cpu).c_str());
}

std::string WeightsWarning(const Json& bill, const Place& place) {
  return place.board != nullptr
             ? WeightsText(bill, *place.board)
             : WeightsText(bill, place.ram_bytes, place.name);
}

// Whether a board holds the model, with all its weights, or shorter sentences.
std::string FitOn(const Board& board, const Json& bill,
                  const ModelDescription& info, const ProfileLimits& limits) {
  if (Fits(bill, board)) {
    return WeightsText(bill, board).empty() ? "fits"
                                            : "fits, but not with its weights";
  }
  const bool may_be_shorter = !info.reads_speech && HoldsImage(bill, board) &&
                              !bill.contains("workers");
  const uint32_t longest =
      may_be_shorter ? LongestThatFits(info, limits, board.ram_bytes) : 0;
  return longest == 0
             ? "DOES NOT FIT"
             : Format("DOES NOT FIT, but texts of %u tokens do", longest);
}

// For each board whether it fits, and how to pack the model for its kernels.
void PrintBoards(const Json& bill, const ModelDescription& info,
                 const ProfileLimits& limits) {
  const std::string needed = BytesText(bill["ram_bytes"].get<uint64_t>());
  std::puts("Boards: whether they hold it, RAM, tile, and how to pack");
  for (const Board& board : kBoards) {
    std::printf("  %-20s %s (%s of %s), %s: %s\n", board.name,
                FitOn(board, bill, info, limits).c_str(), needed.c_str(),
                BytesText(board.ram_bytes).c_str(), TileOf(board, info),
                ReadsTile(board, info) ? "reads this file"
                                       : PackCommand(board.name, info).c_str());
  }
}

void PrintText(const Json& bill, const ModelDescription& info,
               const ProfileLimits& limits, const Place& place,
               uint32_t longest) {
  std::fputs(BillText(bill).c_str(), stdout);
  const uint64_t needed = bill["ram_bytes"].get<uint64_t>();
  if (place.ram_bytes == 0) {
    PrintBoards(bill, info, limits);
    return;
  }
  std::fputs(FitText(needed, place.ram_bytes, place.name).c_str(), stdout);
  std::fputs(WeightsWarning(bill, place).c_str(), stdout);
  const bool flash_holds_it =
      place.board == nullptr || HoldsImage(bill, *place.board);
  if (needed > place.ram_bytes && flash_holds_it && !info.reads_speech) {
    std::puts(LongestText(info, longest).c_str());
  }
  if (place.board != nullptr && !ReadsTile(*place.board, info)) {
    std::printf(
        "Its weights are in tile %s, and this board's kernels read %s. To pack "
        "it for them: %s\n",
        info.tile, TileOf(*place.board, info),
        PackCommand(place.option, info).c_str());
  }
}

}  // namespace

int Plan(const Arguments& arguments) {
  Place place;
  if (const int code = FindPlace(arguments, &place); code != kSuccess) {
    return code;
  }
  const uint32_t workers = std::max<uint32_t>(arguments.workers, 1);
  // As translate does by itself.
  const uint32_t threads =
      place.board == nullptr || workers > 1 ? 1 : place.board->threads;
  ProfileLimits limits = {
      .source_tokens = IfGiven(arguments.max_source_tokens),
      .target_tokens = IfGiven(arguments.max_target_tokens),
      .threads = arguments.threads != 0 ? arguments.threads : threads,
      .lanes = std::max<uint32_t>(arguments.lanes, 1),
      .f16_caches = arguments.f16_caches,
      .copy_image = arguments.copy_image};
  if (arguments.room_for != nullptr) {
    const std::string wrong = ReadRoomFor(arguments.room_for, &limits);
    if (!wrong.empty()) return UsageError("plan", "%s", wrong.c_str());
  }
  Session session;
  ModelDescription info;
  if (!session.ReadInfo(arguments, &info)) return kFailure;
  const Result<Profile> profile = ExactProfile(info, limits, "plan");
  if (!profile.ok()) {
    std::fprintf(stderr, "latimer plan: %s: %s\n", arguments.model,
                 profile.status().message());
    return kFailure;
  }
  Json bill = MakeBill(info, *profile);
  AddRoom(info, limits, &bill);
  // Workers share the image alone.
  const uint64_t image = profile->copied_image_bytes;
  const uint64_t others = (workers - 1) * (RamBytes(*profile) - image);
  const uint64_t needed = RamBytes(*profile) + others;
  if (workers > 1) {
    bill["workers"] = workers;
    bill["ram"]["other_workers"] = others;
    bill["ram_bytes"] = needed;
  }
  std::optional<Prediction> prediction;
  std::optional<SpeechPrediction> speech;
  if (place.board != nullptr && info.reads_speech) {
    speech = PredictSpeech(*place.board, info, limits.threads);
    if (speech) prediction = speech->token;
  } else if (place.board != nullptr) {
    prediction = PredictToken(*place.board, info, limits.threads);
  }
  const bool limited = place.ram_bytes != 0;
  const bool fits_ram = !limited || needed <= place.ram_bytes;
  const bool fits =
      place.board == nullptr ? fits_ram : Fits(bill, *place.board);
  const uint32_t longest =
      fits_ram || place.ram_bytes < image
          ? 0
          : LongestThatFits(info, limits,
                            image + (place.ram_bytes - image) / workers);
  if (!arguments.json) {
    PrintText(bill, info, limits, place, longest);
    if (speech) {
      PrintSpeech(*place.board, info, *speech);
    } else if (prediction) {
      PrintPrediction(*place.board, info, *prediction);
    }
  } else {
    if (limited) {
      bill["place"] = {
          {"name", place.name}, {"ram_bytes", place.ram_bytes}, {"fits", fits}};
      if (!fits_ram && !info.reads_speech) {
        bill["place"]["longest_that_fits"] = longest;
      }
      if (fits) {
        bill["place"]["weights_stay"] = WeightsWarning(bill, place).empty();
      }
      if (place.board != nullptr) {
        bill["place"]["reads_tile"] = ReadsTile(*place.board, info);
      }
      if (prediction) {
        bill["place"]["predicted"] = {
            {"threads", prediction->threads},
            {"ms_per_token", {prediction->low, prediction->high}},
            {"memory_ms", prediction->memory},
            {"cpu_ms", prediction->cpu}};
      }
      if (speech) {
        bill["place"]["predicted"]["speech"] = {
            {"seconds_per_second", {speech->low, speech->high}},
            {"window_seconds", speech->seconds},
            {"tokens", speech->tokens},
            {"window_ms", {speech->window.low, speech->window.high}}};
      }
    }
    std::puts(Dump(bill).c_str());
  }
  return fits ? kSuccess : kFailure;
}

}  // namespace latimer::cli
