#include "converter/tokenizer_builder.h"

#include <algorithm>
#include <cfloat>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "converter/charsmap.h"
#include "converter/error.h"
#include "converter/trie_builder.h"
#include "text/byte_piece.h"

namespace latimer {
namespace {

constexpr float kNoSegment = -std::numeric_limits<float>::infinity();
// SentencePiece's kUnkPenalty.
constexpr float kUnknownPenalty = 10;

// Stores strings with their terminating zero, one that ends another inside
// that one, and gives their offsets.
std::map<std::string, uint32_t> PackStrings(const std::set<std::string>& texts,
                                            std::vector<uint8_t>& bytes) {
  std::vector<std::string> reversed;
  reversed.reserve(texts.size());
  for (const std::string& text : texts) {
    reversed.emplace_back(text.rbegin(), text.rend());
  }
  std::sort(reversed.rbegin(), reversed.rend());
  std::map<std::string, uint32_t> offsets;
  std::string_view last;
  for (const std::string& text : reversed) {
    const std::string original(text.rbegin(), text.rend());
    if (bytes.empty() || !last.starts_with(text)) {
      bytes.insert(bytes.end(), original.begin(), original.end());
      bytes.push_back(0);
      last = text;
    }
    offsets[original] = static_cast<uint32_t>(bytes.size() - 1 - text.size());
  }
  return offsets;
}

class Builder {
 public:
  explicit Builder(const TokenizerSources& sources)
      : sources_(sources),
        source_pieces_(sources.source_vocabulary.pieces),
        target_pieces_(sources.target_vocabulary.pieces) {}

  TokenizerData Build() {
    AddTokens();
    BuildNormalizer();
    BuildPieces();
    BuildTarget();
    data_.clean_up_spaces = sources_.config.clean_up_spaces;
    return std::move(data_);
  }

 private:
  void AddTokens();
  int32_t IdOfAdded(const AddedTokenConfig& token);
  int32_t RequiredId(const std::string& text) const;
  void BuildNormalizer();
  void BuildPieces();
  void ScorePieces(std::map<std::string, uint32_t>& entries);
  void BuildTarget();
  std::string TargetPiece(size_t id) const;

  const TokenizerSources& sources_;
  TokenizerData data_;
  std::vector<std::string> source_pieces_;  // By id, with the added ones.
  std::vector<std::string> target_pieces_;
  std::map<std::string, int32_t> source_ids_;
  std::map<int32_t, std::string> added_pieces_;  // They win over vocab.json.
  std::set<int32_t> special_ids_;
};

int32_t Builder::RequiredId(const std::string& text) const {
  const auto found = source_ids_.find(text);
  if (found == source_ids_.end()) {
    throw ConversionError(sources_.source_vocabulary.name + ": has no '" +
                          text + "'.");
  }
  return found->second;
}

// The id of an added token, or -1 for one without a row in the model.
int32_t Builder::IdOfAdded(const AddedTokenConfig& token) {
  const auto found = source_ids_.find(token.text);
  if (found != source_ids_.end()) {
    if (token.id.has_value() && *token.id != found->second) {
      throw ConversionError(sources_.config.name + ": token '" + token.text +
                            "' has the id " + std::to_string(*token.id) +
                            ", but in vocab.json it is " +
                            std::to_string(found->second) + ".");
    }
    return found->second;
  }
  const auto next = static_cast<int32_t>(source_pieces_.size());
  if (token.id.value_or(next) != next) {
    throw ConversionError(sources_.config.name + ": token '" + token.text +
                          "' has the id " + std::to_string(*token.id) +
                          ", but the next free one is " + std::to_string(next) +
                          ".");
  }
  if (source_pieces_.size() >= sources_.source_rows) return -1;
  source_pieces_.push_back(token.text);
  source_ids_[token.text] = next;
  return next;
}

void Builder::AddTokens() {
  const auto check_size = [](const Vocabulary& vocabulary, size_t rows) {
    if (vocabulary.pieces.size() <= rows) return;
    throw ConversionError(vocabulary.name + ": has " +
                          std::to_string(vocabulary.pieces.size()) +
                          " pieces, more than the " + std::to_string(rows) +
                          " rows of the model's embedding.");
  };
  check_size(sources_.source_vocabulary, sources_.source_rows);
  check_size(sources_.target_vocabulary, sources_.target_rows);
  for (size_t i = 0; i < source_pieces_.size(); ++i) {
    source_ids_[source_pieces_[i]] = static_cast<int32_t>(i);
  }
  data_.unknown_id = RequiredId(sources_.config.unknown);
  data_.eos_id = RequiredId(sources_.config.eos);
  data_.pad_id = RequiredId(sources_.config.pad);
  std::vector<AddedTokenConfig> tokens = sources_.config.tokens;
  std::stable_sort(tokens.begin(), tokens.end(), [](auto& a, auto& b) {
    constexpr int32_t kLast = std::numeric_limits<int32_t>::max();
    return a.id.value_or(kLast) < b.id.value_or(kLast);
  });
  std::map<std::string, uint32_t> keys;
  for (const AddedTokenConfig& token : tokens) {
    const int32_t id = IdOfAdded(token);
    if (id < 0) continue;
    if (token.special) special_ids_.insert(id);
    added_pieces_[id] = token.text;
    keys[token.text] = static_cast<uint32_t>(data_.added_tokens.size());
    const uint32_t flags =
        (token.strips_space_before ? kStripsSpaceBefore : 0) |
        (token.strips_space_after ? kStripsSpaceAfter : 0);
    data_.added_tokens.push_back({id, flags});
  }
  data_.added_trie = BuildTrie(keys);
}

void Builder::BuildNormalizer() {
  const SentencePieceModel& model = sources_.source;
  data_.add_dummy_prefix = model.add_dummy_prefix;
  data_.remove_extra_whitespaces = model.remove_extra_whitespaces;
  data_.escape_whitespaces = model.escape_whitespaces;
  data_.treat_whitespace_as_suffix = model.treat_whitespace_as_suffix;
  const auto rules = DecodeCharsmap(model.precompiled_charsmap, model.name);
  std::set<std::string> replacements;
  for (const auto& [from, to] : rules) replacements.insert(to);
  const auto offsets = PackStrings(replacements, data_.replacements);
  std::map<std::string, uint32_t> entries;
  for (const auto& [from, to] : rules) entries[from] = offsets.at(to);
  data_.normalizer_trie = BuildTrie(entries);
  std::map<std::string, uint32_t> user_defined;
  for (const SentencePiece& piece : model.pieces) {
    if (piece.type == PieceType::kUserDefined) user_defined[piece.text] = 0;
  }
  data_.user_defined_trie = BuildTrie(user_defined);
}

// Gives every source piece that may be a segment its score, and an entry where
// the vocabulary has none.
void Builder::ScorePieces(std::map<std::string, uint32_t>& entries) {
  float lowest = FLT_MAX;
  for (const SentencePiece& piece : sources_.source.pieces) {
    float score = piece.score;
    if (piece.type == PieceType::kNormal) {
      lowest = std::min(lowest, score);
    } else if (piece.type == PieceType::kUserDefined) {
      // SentencePiece's GetUserDefinedScore.
      score =
          static_cast<float>(0.1 * (static_cast<int>(piece.text.size()) - 1));
    } else {
      continue;
    }
    const auto next = static_cast<uint32_t>(data_.scores.size());
    const auto [entry, is_new] = entries.try_emplace(piece.text, next);
    if (is_new) data_.scores.push_back(kNoSegment);
    data_.scores[entry->second] = score;
  }
  data_.unknown_score = lowest - kUnknownPenalty;
}

void Builder::BuildPieces() {
  data_.source_vocabulary = static_cast<uint32_t>(source_pieces_.size());
  data_.scores.assign(source_pieces_.size(), kNoSegment);
  std::map<std::string, uint32_t> entries;
  for (const auto& [text, id] : source_ids_) {
    // These can only be met as unknown runs, which are then <unk>.
    if (text.empty() || text.find('\0') != text.npos) continue;
    entries[text] = static_cast<uint32_t>(id);
  }
  ScorePieces(entries);
  data_.piece_trie = BuildTrie(entries);
  if (!sources_.source.byte_fallback) return;
  data_.byte_ids.assign(256, data_.unknown_id);
  for (const auto& [text, id] : source_ids_) {
    const int byte = ByteOfPiece(text);
    if (byte >= 0) data_.byte_ids[static_cast<size_t>(byte)] = id;
  }
}

// MarianTokenizer._convert_id_to_token, after added tokens.
std::string Builder::TargetPiece(size_t id) const {
  const auto added = added_pieces_.find(static_cast<int32_t>(id));
  if (added != added_pieces_.end()) return added->second;
  if (id < target_pieces_.size()) return target_pieces_[id];
  const auto& pieces = sources_.config.separate_vocabularies
                           ? sources_.target.pieces
                           : sources_.source.pieces;
  return id < pieces.size() ? pieces[id].text : std::string();
}

void Builder::BuildTarget() {
  // MarianTokenizer._decode: with one vocabulary, text is put together by the
  // source model.
  const SentencePieceModel& model =
      sources_.config.separate_vocabularies ? sources_.target : sources_.source;
  data_.unknown_surface = model.unknown_surface;
  std::map<std::string, TargetKind> reserved;
  for (const SentencePiece& piece : model.pieces) {
    if (piece.type == PieceType::kControl) {
      reserved[piece.text] = TargetKind::kControl;
    } else if (piece.type == PieceType::kUnknown) {
      reserved[piece.text] = TargetKind::kUnknown;
    } else if (piece.type == PieceType::kByte) {
      reserved[piece.text] = TargetKind::kByte;
    }
  }
  for (size_t id = 0; id < sources_.target_rows; ++id) {
    const std::string piece = TargetPiece(id);
    const auto found = reserved.find(piece);
    const bool special = special_ids_.contains(static_cast<int32_t>(id));
    data_.target_kinds.push_back(special ? TargetKind::kSpecial
                                 : found != reserved.end() ? found->second
                                                           : TargetKind::kText);
    data_.piece_offsets.push_back(
        static_cast<uint32_t>(data_.piece_text.size()));
    data_.piece_text.insert(data_.piece_text.end(), piece.begin(), piece.end());
  }
  data_.piece_offsets.push_back(static_cast<uint32_t>(data_.piece_text.size()));
}

}  // namespace

TokenizerData BuildTokenizer(const TokenizerSources& sources) {
  return Builder(sources).Build();
}

TokenizerView TokenizerData::View() const {
  TokenizerView view;
  view.normalizer_trie = normalizer_trie;
  view.replacements = replacements;
  view.user_defined_trie = user_defined_trie;
  view.add_dummy_prefix = add_dummy_prefix;
  view.remove_extra_whitespaces = remove_extra_whitespaces;
  view.escape_whitespaces = escape_whitespaces;
  view.treat_whitespace_as_suffix = treat_whitespace_as_suffix;
  view.piece_trie = piece_trie;
  view.scores = scores;
  view.source_vocabulary = source_vocabulary;
  view.unknown_score = unknown_score;
  view.unknown_id = unknown_id;
  view.byte_ids = byte_ids;
  view.added_trie = added_trie;
  view.added_tokens = added_tokens;
  view.piece_offsets = piece_offsets;
  view.piece_text = piece_text;
  view.target_kinds = target_kinds;
  view.unknown_surface = unknown_surface;
  view.clean_up_spaces = clean_up_spaces;
  return view;
}

size_t TokenizerData::bytes() const {
  const size_t words = normalizer_trie.size() + user_defined_trie.size() +
                       piece_trie.size() + scores.size() + byte_ids.size() +
                       added_trie.size() + piece_offsets.size();
  return 4 * words + sizeof(AddedToken) * added_tokens.size() +
         replacements.size() + piece_text.size() + target_kinds.size() +
         unknown_surface.size();
}

}  // namespace latimer
