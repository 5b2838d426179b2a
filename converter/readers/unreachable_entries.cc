#include "converter/readers/unreachable_entries.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "converter/error.h"
#include "converter/text_tokenizer.h"

namespace latimer {
namespace {

using Kind = TokenizerSide::Kind;
using Ids = std::vector<int32_t>;

const std::string& EntryOf(const TokenizerSide& side, int32_t id) {
  return side.vocabulary->pieces[static_cast<size_t>(id)];
}

// Takes those ids out of `ids` whose pieces the side's tokenizer reads as them,
// and returns them.
Ids TakeReachable(const TokenizerSide& side, Ids* ids) {
  const TokenizerData data = TargetTextOf(side)();
  TextTokenizer tokenizer(data);
  const auto rest =
      std::stable_partition(ids->begin(), ids->end(), [&](int32_t id) {
        return tokenizer.Encode(EntryOf(side, id)) == Ids{id};
      });
  Ids reachable(ids->begin(), rest);
  ids->erase(ids->begin(), rest);
  return reachable;
}

std::string Quoted(const std::string& entry) {
  return nlohmann::json(entry).dump(-1, ' ', false,
                                    nlohmann::json::error_handler_t::replace);
}

const char* ReasonOf(Kind kind) {
  switch (kind) {
    case Kind::kWords:
      return "a text is split at white space";
    case Kind::kCharacters:
      return "each character is an entry of its own; if the model's code takes "
             "the longest entry that fits, --set "
             "source_vocabulary.kind=pieces";
    case Kind::kLongestMatch:
    case Kind::kSentencePiece:
      break;
  }
  return "no text is cut like this";
}

}  // namespace

std::vector<std::string> WarnOfUnreachableEntries(
    const TokenizerSide& side, const std::string& says_lower_case) {
  constexpr size_t kMostShown = 5;
  const size_t size = side.vocabulary->pieces.size();
  Ids rest;
  for (int32_t id = 0; static_cast<size_t>(id) < size; ++id) {
    const std::string& piece = EntryOf(side, id);
    // Keras' entry for pads is empty.
    if (!piece.empty() && piece != side.unknown &&
        std::ranges::find(side.special, piece) == side.special.end()) {
      rest.push_back(id);
    }
  }
  std::vector<std::string> warnings;
  const auto warn = [&](const Ids& ids, const auto&... why) {
    if (ids.empty()) return;
    const std::span<const int32_t> shown =
        std::span(ids).first(std::min(kMostShown, ids.size()));
    const auto quoted = [&](int32_t id) { return Quoted(EntryOf(side, id)); };
    warnings.push_back(Concat(
        side.vocabulary->name, ": no text can reach ", ids.size(), " of the ",
        size, " entries, such as ", Joined(shown, quoted), ": ", why..., "."));
  };
  (void)TakeReachable(side, &rest);
  TokenizerSide other = side;
  if (other.lower_case && !rest.empty()) {
    other.lower_case = false;
    warn(TakeReachable(other, &rest), "texts are read in lower case, as ",
         says_lower_case,
         " says; if the model's code keeps capitals, --set "
         "source_vocabulary.lower_case=false");
  }
  if (other.skips_spaces && !rest.empty()) {
    other.skips_spaces = false;
    warn(TakeReachable(other, &rest), "skip_spaces leaves white space out");
  }
  warn(rest, ReasonOf(side.kind));
  return warnings;
}

}  // namespace latimer
