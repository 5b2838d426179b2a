#include "converter/tokenizer_builder.h"

#include <cfloat>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "converter/error.h"
#include "converter/normalizer_builder.h"
#include "converter/trie_builder.h"
#include "text/byte_piece.h"
#include "text/utf8.h"

namespace latimer {
namespace {

using Kind = TokenizerSide::Kind;

constexpr float kNoSegment = -std::numeric_limits<float>::infinity();
// SentencePiece's kUnkPenalty.
constexpr float kUnknownPenalty = 10;

bool HasOwnIds(const TokenizerSide& side) { return side.vocabulary == nullptr; }

// The file that defines the ids.
const std::string& NameOf(const TokenizerSide& side) {
  return HasOwnIds(side) ? side.model->name : side.vocabulary->name;
}

size_t IdsOf(const TokenizerSide& side) {
  return HasOwnIds(side) ? side.model->pieces.size()
                         : side.vocabulary->pieces.size();
}

const std::string& PieceOf(const TokenizerSide& side, size_t id) {
  return HasOwnIds(side) ? side.model->pieces[id].text
                         : side.vocabulary->pieces[id];
}

void CheckSide(const TokenizerSide& side, const char* which) {
  const bool has_model = side.model != nullptr;
  if (has_model != (side.kind == Kind::kSentencePiece) ||
      (!has_model && side.vocabulary == nullptr)) {
    FailWith("The ", which,
             " tokenizer needs a SentencePiece model, or else a vocabulary of "
             "words or characters.");
  }
  const size_t ids = IdsOf(side);
  const std::string pieces = "has " + std::to_string(ids) + " pieces, ";
  const std::string rows =
      "the " + std::to_string(side.rows) + " rows of the model's embedding";
  if (ids > side.rows) FailIn(NameOf(side), pieces, "more than ", rows);
  if (ids < side.rows && !side.more_rows) {
    FailIn(NameOf(side), pieces, "fewer than ", rows,
           "; give the vocabulary of the model's training");
  }
}

bool IsOneCharacter(std::string_view text) {
  return text.size() <= AnnouncedBytes(text[0]);
}

class SourceBuilder {
 public:
  SourceBuilder(const TokenizerSide& side, TokenizerData& data)
      : side_(side), data_(data) {}

  void Build() {
    data_.source_vocabulary = static_cast<uint32_t>(IdsOf(side_));
    data_.own_ids = HasOwnIds(side_) || side_.kind != Kind::kSentencePiece;
    NoteIds();
    NoteUnknown();
    if (side_.kind == Kind::kSentencePiece) {
      BuildSentencePiece();
    } else {
      BuildWords();
    }
  }

 private:
  void NoteIds();
  void NoteUnknown();
  void BuildSentencePiece();
  void ScorePieces();
  void BuildBytes();
  void BuildUnused();
  void BuildWords();
  bool IsScored(const SentencePiece& piece) const;

  const TokenizerSide& side_;
  TokenizerData& data_;
  std::map<std::string, uint32_t> entries_;  // Of the trie.
};

// Adds the strings that a text can contain and that have an id. If the ids are
// the SentencePiece model's, reserved pieces are not among them.
void SourceBuilder::NoteIds() {
  for (size_t id = 0; id < IdsOf(side_); ++id) {
    const std::string& text = PieceOf(side_, id);
    // These only occur within unknown runs, which become <unk>.
    if (text.empty() || text.find('\0') != text.npos) continue;
    if (HasOwnIds(side_) && !IsScored(side_.model->pieces[id])) continue;
    if ((side_.kind == Kind::kWords || side_.kind == Kind::kLongestMatch) &&
        text.size() > kMaxPieceBytes) {
      FailIn(NameOf(side_), "the piece with the id ", id, " is longer than ",
             kMaxPieceBytes, " bytes");
    }
    entries_[text] = static_cast<uint32_t>(id);
  }
}

void SourceBuilder::NoteUnknown() {
  if (HasOwnIds(side_)) {
    for (size_t id = 0; id < side_.model->pieces.size(); ++id) {
      if (side_.model->pieces[id].type == PieceType::kUnknown) {
        data_.unknown_id = static_cast<int32_t>(id);
      }
    }
    return;
  }
  if (side_.skips_unknown) {
    data_.unknown_id = kSkipsUnknown;
    return;
  }
  const std::optional<int32_t> id = side_.vocabulary->Find(side_.unknown);
  if (!id.has_value()) {
    FailIn(NameOf(side_), "has no '", side_.unknown,
           "', the id of unknown words");
  }
  data_.unknown_id = *id;
}

// Whether segmentation can produce this piece.
bool SourceBuilder::IsScored(const SentencePiece& piece) const {
  if (piece.type == PieceType::kUserDefined) return true;
  switch (side_.model->type) {
    case SentencePieceType::kUnigram:
    case SentencePieceType::kWord:
      return piece.type == PieceType::kNormal;
    case SentencePieceType::kBpe:
      return piece.type == PieceType::kNormal ||
             (piece.type == PieceType::kUnused && !IsOneCharacter(piece.text));
    case SentencePieceType::kCharacter:
      // BPE without anything to merge.
      return piece.type == PieceType::kNormal && IsOneCharacter(piece.text);
  }
  return false;
}

// Gives every source piece that can be a segment its score, and an entry if the
// vocabulary has none.
void SourceBuilder::ScorePieces() {
  data_.scores.assign(data_.source_vocabulary, kNoSegment);
  float lowest = FLT_MAX;
  for (const SentencePiece& piece : side_.model->pieces) {
    if (!IsScored(piece)) continue;
    float score = piece.score;
    if (piece.type == PieceType::kUserDefined) {
      // SentencePiece's GetUserDefinedScore.
      score =
          static_cast<float>(0.1 * (static_cast<int>(piece.text.size()) - 1));
    } else {
      lowest = std::min(lowest, score);
    }
    const auto next = static_cast<uint32_t>(data_.scores.size());
    const auto [entry, is_new] = entries_.try_emplace(piece.text, next);
    if (is_new) data_.scores.push_back(kNoSegment);
    data_.scores[entry->second] = score;
  }
  data_.unknown_score = lowest - kUnknownPenalty;
}

void SourceBuilder::BuildBytes() {
  if (!side_.model->byte_fallback) return;
  data_.byte_ids.assign(256, data_.unknown_id);
  for (size_t id = 0; id < IdsOf(side_); ++id) {
    if (HasOwnIds(side_) && side_.model->pieces[id].type != PieceType::kByte) {
      continue;
    }
    const int byte = ByteOfPiece(PieceOf(side_, id));
    if (byte >= 0) {
      data_.byte_ids[static_cast<size_t>(byte)] = static_cast<int32_t>(id);
    }
  }
}

void SourceBuilder::BuildUnused() {
  std::map<std::string, uint32_t> unused;
  for (const SentencePiece& piece : side_.model->pieces) {
    if (piece.type != PieceType::kUnused || !IsScored(piece)) continue;
    unused[piece.text] = data_.unused_pieces++;
  }
  data_.unused_trie = BuildTrie(unused);
}

void SourceBuilder::BuildSentencePiece() {
  const SentencePieceModel& model = *side_.model;
  if (model.type == SentencePieceType::kWord &&
      !(HasOwnIds(side_) && model.escape_whitespaces)) {
    FailIn(model.name,
           "the SentencePiece model is of type word, which is only supported "
           "with its own ids and with escape_whitespaces");
  }
  switch (model.type) {
    case SentencePieceType::kUnigram:
      data_.segmentation = Segmentation::kUnigram;
      break;
    case SentencePieceType::kBpe:
    case SentencePieceType::kCharacter:
      data_.segmentation = Segmentation::kBpe;
      break;
    case SentencePieceType::kWord:
      data_.segmentation = Segmentation::kWords;
      break;
  }
  BuildSentencePieceNormalizer(model, data_);
  if (model.type != SentencePieceType::kWord) {
    ScorePieces();
    BuildBytes();
    BuildUnused();
  }
  data_.piece_trie = BuildTrie(entries_);
}

void SourceBuilder::BuildWords() {
  const bool words = side_.kind == Kind::kWords;
  data_.segmentation = words ? Segmentation::kWords
                       : side_.kind == Kind::kCharacters
                           ? Segmentation::kCharacters
                           : Segmentation::kLongestMatch;
  BuildWordNormalizer({.spaces = words                ? Spaces::kOneBetweenWords
                                 : side_.skips_spaces ? Spaces::kNone
                                                      : Spaces::kAsTheyAre,
                       .lower_case = side_.lower_case},
                      data_);
  data_.piece_trie = BuildTrie(entries_);
}

// Kinds of the texts that the model reserves.
std::map<std::string, TargetKind> ReservedKinds(const TokenizerSide& side) {
  std::map<std::string, TargetKind> kinds;
  if (side.model != nullptr) {
    for (const SentencePiece& piece : side.model->pieces) {
      if (piece.type == PieceType::kControl) {
        kinds[piece.text] = TargetKind::kControl;
      } else if (piece.type == PieceType::kUnknown) {
        kinds[piece.text] = TargetKind::kUnknown;
      } else if (piece.type == PieceType::kByte) {
        kinds[piece.text] = TargetKind::kByte;
      }
    }
  }
  for (const std::string& text : side.special) {
    kinds[text] = TargetKind::kSpecial;
  }
  return kinds;
}

Joining JoiningOf(Kind kind) {
  switch (kind) {
    case Kind::kSentencePiece:
      return Joining::kSentencePiece;
    case Kind::kWords:
      return Joining::kWords;
    case Kind::kCharacters:
    case Kind::kLongestMatch:
      return Joining::kCharacters;
  }
  return Joining::kSentencePiece;
}

void BuildTarget(const TokenizerSide& side, TokenizerData& data) {
  data.joining = JoiningOf(side.kind);
  if (side.model != nullptr) {
    data.unknown_surface = side.model->unknown_surface;
  }
  const std::map<std::string, TargetKind> reserved = ReservedKinds(side);
  for (size_t id = 0; id < side.rows; ++id) {
    if (id >= IdsOf(side)) {
      data.AddTarget(TargetKind::kSpecial, "");
      continue;
    }
    const std::string& piece = PieceOf(side, id);
    const auto found = reserved.find(piece);
    data.AddTarget(found != reserved.end() ? found->second : TargetKind::kText,
                   piece);
  }
}

// A side with everything that it borrows.
struct OwnedSide {
  TokenizerSide side;
  std::optional<SentencePieceModel> model;
  std::optional<Vocabulary> vocabulary;
};

}  // namespace

std::function<TokenizerData()> TargetTextOf(const TokenizerSide& side) {
  const auto owned = std::make_shared<OwnedSide>();
  owned->side = side;
  if (side.model != nullptr) {
    owned->side.model = &owned->model.emplace(*side.model);
  }
  if (side.vocabulary != nullptr) {
    Vocabulary& vocabulary = owned->vocabulary.emplace(*side.vocabulary);
    owned->side.vocabulary = &vocabulary;
    // A target side needs no unknown token, so any token will do.
    if (!vocabulary.Find(side.unknown)) {
      owned->side.unknown = vocabulary.pieces.at(0);
    }
  }
  return [owned] {
    TokenizerData data;
    SourceBuilder(owned->side, data).Build();
    return data;
  };
}

TokenizerData BuildTokenizer(const TokenizerSide& source,
                             const TokenizerSide& target) {
  CheckSide(source, "source");
  CheckSide(target, "target");
  TokenizerData data;
  SourceBuilder(source, data).Build();
  BuildTarget(target, data);
  data.target_text = TargetTextOf(target);
  return data;
}

}  // namespace latimer
