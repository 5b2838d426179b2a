// --room-for: what a build keeps room for besides plain translations. `latimer
// plan` and `latimer-convert` have the same words.
#ifndef LATIMER_REPORT_ROOM_FOR_H_
#define LATIMER_REPORT_ROOM_FOR_H_

#include <string>
#include <string_view>

#include "internals.h"
#include "report/format.h"

namespace latimer {

// Its value in --help: "attention,scores,...,beams=N".
std::string RoomWords();

// Reads a list such as "scores,beams=4" into `*limits`. Returns "", or one
// sentence that says what is wrong with the list.
std::string ReadRoomFor(std::string_view list, ProfileLimits* limits);

// One sentence if `option` is what a word was called before there was
// --room-for, such as "--attention"; otherwise "".
std::string RoomForInsteadOf(std::string_view option);

// {WORD: bytes}: the RAM that each word that was given takes, the others
// unchanged. Phrases and sampling take none, only code. ExactProfile must
// succeed for these limits.
cli::Json RoomBytes(const ModelDescription& info, const ProfileLimits& limits);

// Adds them to a bill of these limits as "room_for", if there are any.
void AddRoom(const ModelDescription& info, const ProfileLimits& limits,
             cli::Json* bill);

}  // namespace latimer

#endif  // LATIMER_REPORT_ROOM_FOR_H_
