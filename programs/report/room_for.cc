#include "report/room_for.h"

#include <charconv>

#include "room_words.h"

namespace latimer {

using cli::Format;
using cli::Json;

namespace {

// The only word with a number.
constexpr std::string_view kBeams = "beams";
constexpr uint32_t kMostBeams = 64;

// All words, each followed by `comma`, but beams, which `last` follows.
std::string AllWords(const char* comma, const char* last) {
  std::string words;
  for (const RoomWord& word : kRoomWords) words.append(word.name).append(comma);
  words.resize(words.size() - std::string_view(comma).size());
  return words.append(last);
}

// The sentence says `what` is wrong, and what is right.
std::string Wrong(const std::string& what) {
  return "--room-for: " + what + "; give one or more of " +
         AllWords(", ", " and beams=N") + ", with commas between them.";
}

// From "beams=4" to 4; 0 for anything else.
uint32_t ReadBeams(std::string_view item) {
  if (!item.starts_with("beams=")) return 0;
  item.remove_prefix(kBeams.size() + 1);
  uint32_t beams = 0;
  const auto [end, error] =
      std::from_chars(item.data(), item.data() + item.size(), beams);
  const bool whole = error == std::errc() && end == item.data() + item.size();
  return whole && beams <= kMostBeams ? beams : 0;
}

// One item of the list; "" or what is wrong with it.
std::string ReadItem(std::string_view item, ProfileLimits* limits,
                     bool* has_beams) {
  const std::string given(item);
  const std::string_view name = item.substr(0, item.find('='));
  if (name == kBeams) {
    if (*has_beams) return Wrong("beams is named twice");
    *has_beams = true;
    limits->beams = ReadBeams(item);
    if (limits->beams != 0) return "";
    return Wrong(Format("\"%s\" has no number from 1 to %u, as beams=4 has",
                        given.c_str(), static_cast<unsigned>(kMostBeams)));
  }
  const RoomWord* const word = FindRoomWord(name);
  if (word == nullptr) {
    return Wrong(given.empty() ? "a word is missing"
                               : "\"" + given + "\" is none of its words");
  }
  if (name != item) {
    return Wrong("only beams has a number, so \"" + given + "\" is wrong");
  }
  if (limits->*word->of_build) return Wrong(given + " is named twice");
  limits->*word->of_build = true;
  return "";
}

}  // namespace

std::string RoomWords() { return AllWords(",", ",beams=N"); }

std::string ReadRoomFor(std::string_view list, ProfileLimits* limits) {
  if (list.empty()) return Wrong("nothing is named");
  bool has_beams = false;
  std::string wrong;
  ForEachRoomItem(list, [&](std::string_view item) {
    wrong = ReadItem(item, limits, &has_beams);
    return wrong.empty();
  });
  return wrong;
}

std::string RoomForInsteadOf(std::string_view option) {
  const std::string given(option.substr(0, option.find('=')));
  if (given == "--beams") return "--beams is --room-for beams=N now.";
  for (const RoomWord& word : kRoomWords) {
    if (given != "--" + std::string(word.name)) continue;
    return given + " is --room-for " + std::string(word.name) + " now.";
  }
  return "";
}

Json RoomBytes(const ModelDescription& info, const ProfileLimits& limits) {
  const auto ram = [&info](const ProfileLimits& some) {
    return RamBytes(*ExactProfile(info, some, ""));
  };
  const uint64_t all = ram(limits);
  Json bytes = Json::object();
  for (const RoomWord& word : kRoomWords) {
    if (!(limits.*word.of_build)) continue;
    ProfileLimits others = limits;
    others.*word.of_build = false;
    bytes[std::string(word.name)] = all - ram(others);
  }
  if (limits.beams > 1) {
    ProfileLimits others = limits;
    others.beams = 1;
    bytes[std::string(kBeams)] = all - ram(others);
  }
  return bytes;
}

void AddRoom(const ModelDescription& info, const ProfileLimits& limits,
             Json* bill) {
  Json bytes = RoomBytes(info, limits);
  if (!bytes.empty()) (*bill)["room_for"] = std::move(bytes);
}

}  // namespace latimer
