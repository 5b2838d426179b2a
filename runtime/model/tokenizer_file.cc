#include <algorithm>
#include <type_traits>

#include "latimer/profile_config.h"
#include "model/errors.h"
#include "model/tables.h"
#include "model/views.h"
#include "model_generated.h"

namespace latimer {
namespace {

// A vector in place as a span of T, empty if an older file lacks it; counts its
// bytes.
template <typename T, typename Vector>
std::span<const T> Span(const Vector* vector, uint64_t* bytes) {
  static_assert(sizeof(T) == sizeof(*vector->data()) &&
                std::is_trivially_copyable_v<T>);
  if (vector == nullptr) return {};
  *bytes += vector->size() * sizeof(T);
  return {reinterpret_cast<const T*>(vector->data()), vector->size()};
}

// Adds what one tokenizer needs.
void AddNeeds(const TokenizerView& view, TokenizerNeeds* needs) {
  needs->unigram |= view.segmentation == Segmentation::kUnigram;
  needs->bpe |= view.segmentation == Segmentation::kBpe;
  needs->words |= view.segmentation == Segmentation::kWords ||
                  view.segmentation == Segmentation::kCharacters ||
                  view.segmentation == Segmentation::kLongestMatch ||
                  view.joining == Joining::kWords ||
                  view.joining == Joining::kCharacters;
  needs->metaspace |= view.spacing == Spacing::kWords ||
                      view.spacing == Spacing::kMetaspace ||
                      view.joining == Joining::kMetaspace;
  needs->byte_bpe |= view.segmentation == Segmentation::kByteBpe ||
                     (view.segmentation == Segmentation::kBpe &&
                      view.spacing == Spacing::kAsItIs) ||
                     view.joining == Joining::kByteLevel;
  needs->bytes |= view.segmentation == Segmentation::kBytes ||
                  view.joining == Joining::kBytes;
  needs->bpe_unused_pieces =
      std::max(needs->bpe_unused_pieces, view.unused_pieces);
  needs->of_words |= view.segmentation == Segmentation::kWords;
  needs->of_characters |= view.segmentation == Segmentation::kCharacters;
  needs->of_longest_matches |= view.segmentation == Segmentation::kLongestMatch;
}

Status CheckProfile(const TokenizerNeeds& needs) {
  const char* missing =
      needs.unigram && !kProfile.unigram       ? "unigram (SentencePiece)"
      : needs.bpe && !kProfile.bpe             ? "BPE (SentencePiece)"
      : needs.words && !kProfile.words         ? "of words or characters"
      : needs.metaspace && !kProfile.metaspace ? "with Metaspace"
      : needs.byte_bpe && !kProfile.byte_bpe   ? "byte-level BPE"
      : needs.bytes && !kProfile.bytes         ? "of bytes"
                                               : nullptr;
  if (missing != nullptr) return LeftOut("'s tokenizer is", missing);
  if (needs.bpe_unused_pieces > kProfile.bpe_unused_pieces) {
    return ExceedsProfile("number of unused BPE pieces",
                          needs.bpe_unused_pieces, kProfile.bpe_unused_pieces);
  }
  return Status();
}

// Also adds the bytes of the view to `*bytes`.
TokenizerView ViewTokenizer(const schema::Tokenizer& in, uint64_t* bytes) {
  const auto added_tokens = StructsOf<AddedToken>(in.added_tokens());
  *bytes += added_tokens.size_bytes();
  return {
      .normalizer_trie = Span<uint32_t>(in.normalizer_trie(), bytes),
      .replacements = Span<uint8_t>(in.replacements(), bytes),
      .fold_trie = Span<uint32_t>(in.fold_trie(), bytes),
      .fold_text = Span<uint8_t>(in.fold_text(), bytes),
      .user_defined_trie = Span<uint32_t>(in.user_defined_trie(), bytes),
      .add_dummy_prefix = in.add_dummy_prefix(),
      .remove_extra_whitespaces = in.remove_extra_whitespaces(),
      .escape_whitespaces = in.escape_whitespaces(),
      .treat_whitespace_as_suffix = in.treat_whitespace_as_suffix(),
      .spacing = static_cast<Spacing>(in.spacing()),
      .character_classes = Span<uint32_t>(in.character_classes(), bytes),
      .segmentation = static_cast<Segmentation>(in.segmentation()),
      .piece_trie = Span<uint32_t>(in.piece_trie(), bytes),
      .scores = Span<float>(in.scores(), bytes),
      .source_vocabulary = in.source_vocabulary(),
      .unknown_score = in.unknown_score(),
      .unknown_id = in.unknown_id(),
      .byte_ids = Span<int32_t>(in.byte_ids(), bytes),
      .own_ids = in.own_ids(),
      .no_language_codes = in.no_language_codes(),
      .merge_offsets = Span<uint32_t>(in.merge_offsets(), bytes),
      .merges = Span<uint32_t>(in.merges(), bytes),
      .unused_trie = Span<uint32_t>(in.unused_trie(), bytes),
      .unused_pieces = in.unused_pieces(),
      .added_trie = Span<uint32_t>(in.added_trie(), bytes),
      .added_tokens = added_tokens,
      .piece_offsets = Span<uint32_t>(in.piece_offsets(), bytes),
      .piece_text = Span<uint8_t>(in.piece_text(), bytes),
      .target_kinds = Span<TargetKind>(in.target_kinds(), bytes),
      .unknown_surface = ViewOf(in.unknown_surface()),
      .joining = static_cast<Joining>(in.joining()),
      .clean_up_spaces = in.clean_up_spaces(),
  };
}

}  // namespace

Status ReadTokenizers(const schema::Model& in, Model* model) {
  ModelDescription& info = model->info;
  const Architecture& a = info.architecture;
  TokenizerView& view = model->tokenizer;
  view = ViewTokenizer(*in.tokenizer(), &info.sizes.tokenizer);
  LATIMER_RETURN_IF_ERROR(
      ValidateTokenizer(view, a.source_vocabulary, a.target_vocabulary));
  AddNeeds(view, &info.tokenizer_needs);
  info.folded = ViewIfAny(in.tokenizer()->folded());
  info.unread = ViewIfAny(in.tokenizer()->unread());
  if (in.target_tokenizer() != nullptr) {
    TokenizerView& target = model->target_tokenizer;
    target = ViewTokenizer(*in.target_tokenizer(), &info.sizes.tokenizer);
    LATIMER_RETURN_IF_ERROR(ValidateEncoder(target, a.target_vocabulary));
    AddNeeds(target, &info.tokenizer_needs);
    info.encodes_target = true;
  } else if (view.joining == Joining::kWords) {
    info.tokenizer_needs.of_words = true;
  } else if (view.joining == Joining::kCharacters) {
    info.tokenizer_needs.of_characters = true;
  } else if (view.spacing != Spacing::kSentencePiece) {
    // Hugging Face's tokenizers are those of both sides.
    LATIMER_RETURN_IF_ERROR(ValidateEncoder(view, a.target_vocabulary));
    model->target_tokenizer = view.WithoutFolds();
    info.encodes_target = true;
  }
  return CheckProfile(info.tokenizer_needs);
}

}  // namespace latimer
