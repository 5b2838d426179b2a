// Pieces that stand for one byte: "<0x00>" to "<0xFF>", SentencePiece's byte
// fallback.
#ifndef LATIMER_TEXT_BYTE_PIECE_H_
#define LATIMER_TEXT_BYTE_PIECE_H_

#include <string_view>

#include "text/slice.h"

namespace latimer {

// The byte that `piece` stands for, or -1. Hexadecimal digits are capitals.
constexpr int ByteOfPiece(std::string_view piece) {
  if (piece.size() != 6 || First(piece, 3) != "<0x" || piece[5] != '>') {
    return -1;
  }
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const size_t high = kDigits.find(piece[3]);
  const size_t low = kDigits.find(piece[4]);
  if (high == kDigits.npos || low == kDigits.npos) return -1;
  return static_cast<int>(high * 16 + low);
}

}  // namespace latimer

#endif  // LATIMER_TEXT_BYTE_PIECE_H_
