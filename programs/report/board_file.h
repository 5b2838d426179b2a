// Board files, which the user wrote after this program was built.
#ifndef LATIMER_REPORT_BOARD_FILE_H_
#define LATIMER_REPORT_BOARD_FILE_H_

#include <string>

#include "base/board.h"

namespace latimer {

// A board, with the texts that it refers to. It may not move.
struct BoardFile {
  std::string name, tile, isas;
  Board board = {};

  BoardFile() = default;
  BoardFile(const BoardFile&) = delete;
  BoardFile& operator=(const BoardFile&) = delete;
};

// Whether --board names a board file, not a board.
bool IsBoardFile(const std::string& name);

// Reads what targets/cmake/board.cmake describes: the words of latimer_board().
// Nothing is executed: a file that computes them with CMake is refused. Returns
// a sentence that says what is wrong, or "".
std::string ReadBoardFile(const std::string& path, BoardFile* out);

// The same of a text.
std::string ParseBoardFile(const std::string& path, const std::string& text,
                           BoardFile* out);

}  // namespace latimer

#endif  // LATIMER_REPORT_BOARD_FILE_H_
