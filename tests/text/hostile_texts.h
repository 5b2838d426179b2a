// Texts that are likely to break a program.
#ifndef LATIMER_TESTS_TEXT_HOSTILE_TEXTS_H_
#define LATIMER_TESTS_TEXT_HOSTILE_TEXTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/utf8.h"

namespace latimer {

inline std::string Times(size_t count, std::string_view text) {
  std::string all;
  all.reserve(count * text.size());
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

// None has a line feed.
inline std::vector<std::string> HostileTexts() {
  using std::string_literals::operator""s;
  std::vector<std::string> texts = {
      "", " ", Times(1000, " "), "\t\r \v\f", Times(300, "\u3000\u00a0\u2003"),
      "\0"s, Times(300, "\0"s), "Good\0 morning."s,
      "\x01\x02\x1b[31mred\x1b[0m\x7f",
      // Not characters: stray bytes, overlong forms, cut short, too large.
      "\x80", "\xbf\xbf\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80",
      "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
      "\xf8\x88\x80\x80\x80", "\xff\xfe", "Caf\xe9 today", "\xe2\x82",
      "price: \xe2\x82 or \xf0\x9f\x98", "\xe2\x28\xa1", "a\xffz\xfe",
      // Surrogates, alone and a pair, each as three bytes.
      "\xed\xa0\x80", "\xed\xbf\xbf", "\xed\xa0\xbd\xed\xb8\x80",
      // Noncharacters and byte order marks.
      "\uffff\ufffe", "\ufeffGood morning.", "\ufffd\ufffd", "\U0010ffff",
      "\ue000\uf8ff",
      // Emoji: a family, flags, skin, a keycap.
      "\U0001F600", Times(200, "\U0001F602"),
      "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466",
      "\U0001F1E9\U0001F1EA \U0001F44B\U0001F3FD 1\uFE0F\u20E3",
      // Right to left, with marks of direction that are never closed.
      "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
      "\u0645\u0631\u062d\u0628\u0627 Tom \u0643\u064a\u0641",
      "\u202egninrom dooG\u2066\u2067\u200f",
      // Zero width.
      "\u200b\u200c\u200d\u2060\ufeff\u00ad", "G\u200bo\u200bo\u200bd",
      Times(300, "\u200b"),
      // Stacked marks, and text that normalization lengthens.
      "e" + Times(300, "\u0301\u0316"), Times(40, "\ufdfa"),
      Times(100, "\u1e9b\u0323\ufb01\u2126\u212b"),
      // Characters that tokenizers use themselves.
      "\u2581\u2581 \u2581a\u2581", "</s> <s> <unk> <pad> <mask>", ">>deu<<",
      ">>", "<0x41><0xFF>", "<extra_id_0>", "\u0120\u010a",
      // No place to cut.
      Times(3000, "x"), Times(1500, "\u00e9"), Times(900, "\u5b57"),
      Times(700, "\xff"), Times(500, "a "), Times(400, "no. "), Times(700, "-"),
      Times(300, "ha "), Times(300, "12")};
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte != '\n') bytes += static_cast<char>(byte);
  }
  texts.push_back(bytes);
  texts.emplace_back(bytes.rbegin(), bytes.rend());
  uint32_t random = 1;
  for (int i = 0; i < 20; ++i) {
    std::string& text = texts.emplace_back();
    for (int j = 0; j < 200; ++j) {
      random = random * 1664525 + 1013904223;
      text += bytes[(random >> 8) % bytes.size()];
    }
  }
  return texts;
}

// Replaces each byte that belongs to no character by `replacement`.
inline std::string Repaired(
    std::string_view text,
    std::string_view replacement = kReplacementCharacter) {
  std::string valid;
  while (!text.empty()) {
    const size_t bytes = FirstChar(text).bytes;
    valid += bytes > 0 ? text.substr(0, bytes) : replacement;
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return valid;
}

inline bool IsUtf8(std::string_view text) { return Repaired(text) == text; }

}  // namespace latimer

#endif  // LATIMER_TESTS_TEXT_HOSTILE_TEXTS_H_
