#include "text/tokenizer_view.h"

#include <algorithm>
#include <cmath>

#include "text/ascii.h"
#include "text/byte_piece.h"
#include "text/character_class.h"
#include "text/lattice.h"
#include "text/slice.h"
#include "text/trie.h"
#include "text/utf8.h"

namespace latimer {
namespace {

static_assert(kMaxTrieKeyBytes == kMaxPieceBytes);

Status Damaged(const char* what) {
  return Status::Error(StatusCode::kCorrupt,
                       "The tokenizer is damaged: %s; convert the model again.",
                       what);
}

// Whether pieces are merged by the view's pairs.
bool HasMerges(const TokenizerView& view) {
  return view.is_bpe() && (view.segmentation == Segmentation::kByteBpe ||
                           view.spacing != Spacing::kSentencePiece);
}

bool HasScores(const TokenizerView& view) {
  return view.segmentation == Segmentation::kUnigram ||
         (view.is_bpe() && !HasMerges(view));
}

bool IsOfBytes(const TokenizerView& view) {
  return view.segmentation == Segmentation::kByteBpe ||
         view.segmentation == Segmentation::kBytes;
}

// Whether that is allowed: every segment with an entry has an id.
bool SkipsUnknown(const TokenizerView& view) {
  return view.unknown_id == kSkipsUnknown && view.own_ids &&
         (view.segmentation == Segmentation::kWords ||
          view.segmentation == Segmentation::kCharacters ||
          view.segmentation == Segmentation::kLongestMatch);
}

Status ValidateMerges(const TokenizerView& view) {
  const auto damaged = [] { return Damaged("its pairs are out of order"); };
  if (!HasMerges(view)) {
    return view.merge_offsets.empty() && view.merges.empty() ? Status()
                                                             : damaged();
  }
  const std::span<const uint32_t> offsets = view.merge_offsets;
  if (offsets.size() != size_t{view.source_vocabulary} + 1 ||
      offsets.front() != 0 || offsets.back() != view.merges.size() ||
      view.merges.size() >= kTrieNone) {
    return damaged();
  }
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    if (offsets[i] > offsets[i + 1]) return damaged();
    // Ascending left bytes also limit the number of an entry's pairs.
    size_t left_bytes = 0;
    for (size_t m = offsets[i]; m < offsets[i + 1]; ++m) {
      if (m >= view.merges.size() ||
          MergeLeftBytes(view.merges[m]) <= left_bytes) {
        return damaged();
      }
      left_bytes = MergeLeftBytes(view.merges[m]);
    }
  }
  return Status();
}

Status ValidateSpacing(const TokenizerView& view) {
  bool fits = false;
  switch (view.spacing) {
    case Spacing::kSentencePiece:
      fits = !IsOfBytes(view);
      break;
    case Spacing::kWords:
    case Spacing::kMetaspace:
      fits = view.segmentation == Segmentation::kUnigram ||
             view.segmentation == Segmentation::kBpe;
      break;
    case Spacing::kAsItIs:
      fits = IsOfBytes(view) || view.segmentation == Segmentation::kBpe;
      break;
  }
  if (!fits) return Damaged("its white space does not fit its segmentation");
  uint32_t before = 0;
  for (const uint32_t entry : view.character_classes) {
    if (entry < before ||
        (entry & 0xFF) > static_cast<uint32_t>(CharacterClass::kPrepend)) {
      return Damaged("its classes of characters are out of order");
    }
    before = entry;
  }
  return Status();
}

Status ValidateReplacements(std::span<const uint8_t> replacements) {
  size_t bytes = 0;
  for (const uint8_t byte : replacements) {
    bytes = byte == 0 ? 0 : bytes + 1;
    if (bytes > kMaxReplacementBytes) {
      return Damaged("a replacement of its normalizer is too long");
    }
  }
  if (bytes != 0) return Damaged("its last replacement has no end");
  return Status();
}

Status ValidateFolds(const TokenizerView& view) {
  LATIMER_RETURN_IF_ERROR(ValidateTrie(view.fold_trie, view.fold_text.size(),
                                       "set of folded characters"));
  LATIMER_RETURN_IF_ERROR(ValidateReplacements(view.fold_text));
  const std::string_view text(
      reinterpret_cast<const char*>(view.fold_text.data()),
      view.fold_text.size());
  if (!IsUtf8(text)) return Damaged("a folded character is not UTF-8");
  for (const uint32_t node : view.fold_trie) {
    const uint32_t begin = TriePayload(node);
    if ((node & kTrieLeaf) != 0 && begin != kTrieNone &&
        (view.fold_text[begin] & 0xC0) == 0x80) {
      return Damaged("a folded character is not UTF-8");
    }
  }
  return Status();
}

Status ValidateSource(const TokenizerView& view, size_t source_rows) {
  if (view.segmentation > Segmentation::kLongestMatch) {
    return Damaged("its segmentation is of an unknown kind");
  }
  LATIMER_RETURN_IF_ERROR(ValidateSpacing(view));
  if (view.source_vocabulary == 0 ||
      (HasScores(view) && view.source_vocabulary > view.scores.size()) ||
      view.source_vocabulary > source_rows) {
    return Damaged("its source vocabulary has a wrong size");
  }
  LATIMER_RETURN_IF_ERROR(ValidateMerges(view));
  const bool is_bytes = view.segmentation == Segmentation::kBytes;
  if (is_bytes ? view.byte_ids.empty() : view.piece_trie.empty()) {
    return Damaged("it has no pieces");
  }
  if (!std::ranges::all_of(view.scores, [](float score) {
        return std::isfinite(score) || score == kNoSegment;
      })) {
    return Damaged("a score is not a number");
  }
  if (!std::isfinite(view.unknown_score)) {
    return Damaged("the score of unknown characters is not a number");
  }
  const auto is_id = [&view](int32_t id) {
    return id >= 0 && static_cast<uint32_t>(id) < view.source_vocabulary;
  };
  if (!is_id(view.unknown_id) && !SkipsUnknown(view)) {
    return Damaged("the id of unknown pieces is out of range");
  }
  if (!view.byte_ids.empty() && view.byte_ids.size() != 256) {
    return Damaged("it does not have 256 byte pieces");
  }
  if (!std::ranges::all_of(view.byte_ids, is_id)) {
    return Damaged("the id of a byte piece is out of range");
  }
  for (const AddedToken& token : view.added_tokens) {
    if (!is_id(token.id)) {
      return Damaged("the id of an added token is out of range");
    }
    if (token.flags > (kStripsSpaceBefore | kStripsSpaceAfter)) {
      return Damaged("an added token has unknown flags");
    }
  }
  return Status();
}

Status ValidateTarget(const TokenizerView& view, size_t target_rows) {
  if (view.joining > Joining::kBytes) {
    return Damaged("its target pieces are joined in an unknown way");
  }
  const size_t vocabulary = view.target_kinds.size();
  if (vocabulary == 0 || vocabulary > target_rows ||
      view.piece_offsets.size() != vocabulary + 1) {
    return Damaged("its target vocabulary has a wrong size");
  }
  if (view.piece_offsets.front() != 0 ||
      view.piece_offsets.back() != view.piece_text.size()) {
    return Damaged("its target pieces do not fill their text");
  }
  for (size_t i = 0; i < vocabulary; ++i) {
    if (view.piece_offsets[i] > view.piece_offsets[i + 1]) {
      return Damaged("its target pieces are out of order");
    }
  }
  const std::string_view text(
      reinterpret_cast<const char*>(view.piece_text.data()),
      view.piece_text.size());
  const bool of_bytes =
      view.joining == Joining::kByteLevel || view.joining == Joining::kBytes;
  for (size_t i = 0; i < vocabulary; ++i) {
    if (view.target_kinds[i] > TargetKind::kByte) {
      return Damaged("a target piece is of an unknown kind");
    }
    const size_t begin = view.piece_offsets[i];
    const std::string_view piece =
        Slice(text, begin, view.piece_offsets[i + 1] - begin);
    if (view.target_kinds[i] == TargetKind::kByte && ByteOfPiece(piece) < 0) {
      return Damaged("a byte piece does not read <0xNN>");
    }
    if (!of_bytes && !IsUtf8(piece)) {
      return Damaged("a target piece is not UTF-8");
    }
  }
  if (!IsUtf8(view.unknown_surface)) {
    return Damaged("the text of unknown pieces is not UTF-8");
  }
  return Status();
}

// Whether the first byte of a character is that of a letter or digit of ASCII,
// or of U+00C0 to U+04FF: Latin, Greek, Cyrillic.
bool BeginsSpacedScript(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return IsAsciiAlnum(first) || (byte >= 0xC3 && byte <= 0xD3);
}

}  // namespace

bool ContinuesWord(const TokenizerView& view, size_t token) {
  // Each token may be a word of its own.
  if (view.joining == Joining::kWords) return false;
  if (token >= view.target_kinds.size()) return false;
  if (view.target_kinds[token] != TargetKind::kText) {
    return view.target_kinds[token] == TargetKind::kByte;
  }
  const uint32_t begin = view.piece_offsets[token];
  return begin < view.piece_offsets[token + 1] &&
         BeginsSpacedScript(static_cast<char>(view.piece_text[begin]));
}

Status ValidateEncoder(const TokenizerView& view, size_t rows) {
  LATIMER_RETURN_IF_ERROR(ValidateTrie(view.normalizer_trie,
                                       view.replacements.size(), "normalizer"));
  LATIMER_RETURN_IF_ERROR(ValidateReplacements(view.replacements));
  LATIMER_RETURN_IF_ERROR(ValidateFolds(view));
  LATIMER_RETURN_IF_ERROR(ValidateTrie(view.user_defined_trie, kTrieNone,
                                       "set of user-defined pieces"));
  const size_t entries =
      HasScores(view) ? view.scores.size() : view.source_vocabulary;
  LATIMER_RETURN_IF_ERROR(ValidateTrie(
      view.piece_trie, entries < kNoTokenEntry ? entries : kNoTokenEntry,
      "set of pieces"));
  LATIMER_RETURN_IF_ERROR(ValidateTrie(view.unused_trie, view.unused_pieces,
                                       "set of unused pieces"));
  LATIMER_RETURN_IF_ERROR(ValidateTrie(
      view.added_trie, view.added_tokens.size(), "set of added tokens"));
  return ValidateSource(view, rows);
}

Status ValidateTokenizer(const TokenizerView& view, size_t source_rows,
                         size_t target_rows) {
  LATIMER_RETURN_IF_ERROR(ValidateEncoder(view, source_rows));
  return ValidateTarget(view, target_rows);
}

}  // namespace latimer
