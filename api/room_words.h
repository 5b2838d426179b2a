// The words of --room-for and of latimer_load_options::room_for: what room is
// kept for besides plain translations.
#ifndef LATIMER_ROOM_WORDS_H_
#define LATIMER_ROOM_WORDS_H_

#include <algorithm>
#include <iterator>
#include <string_view>

#include "latimer/plan.h"
#include "plan/exact_profile.h"
#include "text/slice.h"

namespace latimer {

struct RoomWord {
  std::string_view name;
  bool ProfileLimits::*of_build;
  bool LoadOptions::*of_load;  // Null: every load has it if the build has.
};

inline constexpr RoomWord kRoomWords[] = {
    {"attention", &ProfileLimits::attention, &LoadOptions::attention},
    {"scores", &ProfileLimits::scores, &LoadOptions::scores},
    {"alignment", &ProfileLimits::alignment, &LoadOptions::alignment},
    {"phrases", &ProfileLimits::phrases, nullptr},
    {"sampling", &ProfileLimits::sampling, nullptr},
};

// Null if there is none of that name.
inline const RoomWord* FindRoomWord(std::string_view name) {
  const RoomWord* word = std::ranges::find(kRoomWords, name, &RoomWord::name);
  return word == std::end(kRoomWords) ? nullptr : word;
}

// Calls `take` with what stands between the commas of a list, until it returns
// false.
template <typename Take>
void ForEachRoomItem(std::string_view list, const Take& take) {
  for (;;) {
    const size_t comma = std::min(list.find(','), list.size());
    if (!take(First(list, comma)) || comma == list.size()) return;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace latimer

#endif  // LATIMER_ROOM_WORDS_H_
