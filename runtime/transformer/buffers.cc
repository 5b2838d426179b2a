#include "transformer/buffers.h"

#include <algorithm>
#include <cstring>

#include "latimer/translator.h"
#include "model/matrix_counts.h"
#include "transformer/int8_attention.h"
#include "transformer/linear.h"
#include "transformer/trace.h"

namespace latimer {
namespace {

// A copy of this library's own: a program that was compiled with another
// profile brings another kProfile, and the linker keeps one of the two.
constexpr Profile kOwnProfile = kProfile;

uint64_t SizeOf(const Profile& sizes, Buffer buffer) {
  const bool fixed = buffer == Buffer::kState || buffer == Buffer::kLogits;
  return BufferBytes(fixed ? kOwnProfile : sizes, buffer);
}

// Gives out memory from its beginning.
class Placer {
 public:
  Placer(const Profile& sizes, std::byte* memory)
      : sizes_(sizes), next_(memory) {}

  template <typename T>
  std::span<T> Take(Buffer buffer, uint64_t more_bytes = 0) {
    const auto bytes = static_cast<size_t>(SizeOf(sizes_, buffer) + more_bytes);
    auto* const begin = reinterpret_cast<T*>(next_);
    next_ += bytes;
    return {begin, bytes / sizeof(T)};
  }

 private:
  const Profile& sizes_;
  std::byte* next_;
};

}  // namespace

uint64_t BytesFor(const Profile& sizes) {
  uint64_t bytes = 0;
  for (int i = 0; i < kBufferCount; ++i) {
    bytes += SizeOf(sizes, static_cast<Buffer>(i));
  }
  return bytes;
}

Buffers::Buffers(Workspace& workspace)
    : Buffers(kOwnProfile, std::as_writable_bytes(std::span(&workspace, 1))) {}

Buffers::Buffers(const Profile& sizes, std::span<std::byte> memory) {
  const uint64_t spare =
      sizes.lanes > 1 ? (memory.size() - BytesFor(sizes)) / 128 * 64 : 0;
  const uint64_t for_self = sizes.decoder_self_attention ? spare : 0;
  constexpr size_t kSlack = kReadSlackBytes / sizeof(float);
  Placer placer(sizes, memory.data());
  if constexpr (kProfile.speech()) {
    const std::span<std::byte> speech =
        placer.Take<std::byte>(Buffer::kFeatures);
    if (!speech.empty()) {
      mel_scratch = speech.data();
      features = reinterpret_cast<float*>(mel_scratch + kMelScratchBytes) +
                 sizes.mel_bins;
    }
  }
  const std::span<float> hidden_rows = placer.Take<float>(Buffer::kHidden);
  hidden = hidden_rows.data();
  hidden_floats = hidden_rows.size() - kSlack;
  sublayer = placer.Take<float>(Buffer::kSublayer).data();
  const std::span<float> projected = placer.Take<float>(Buffer::kProjection);
  projection = projected.data();
  projection_floats = projected.size() - kSlack;
  quantized = placer.Take<int8_t>(Buffer::kQuantized).data();
  row_quantization = placer.Take<uint64_t>(Buffer::kRowQuantization).data();
  const std::span<std::byte> blocks = placer.Take<std::byte>(Buffer::kUnpacked);
  unpacked = blocks.data();
  unpacked_stride = blocks.size() / sizes.threads;
  const std::span<float> scratch =
      placer.Take<float>(Buffer::kAttentionScratch);
  attention_scratch = scratch.data();
  scratch_stride = scratch.size() / sizes.threads;
  cross_kv = placer.Take<float>(Buffer::kCrossKv, 2 * spare - for_self);
  self_kv = placer.Take<float>(Buffer::kSelfKv, for_self);
  logits = placer.Take<float>(Buffer::kLogits).data();
  const std::span<uint16_t> masks = placer.Take<uint16_t>(Buffer::kShortlist);
  shortlist = masks.data();
  shortlist_stride = masks.size() / sizes.lanes;
  const std::span<std::byte> rows_of_lanes =
      placer.Take<std::byte>(Buffer::kShortlistRows);
  shortlist_rows = rows_of_lanes.data();
  shortlist_row_stride = static_cast<size_t>(Padded(sizes.shortlist_row_bytes));
  source_tokens = placer.Take<int32_t>(Buffer::kSourceTokens).data();
  target_tokens = placer.Take<int32_t>(Buffer::kTargetTokens).data();
  beam_memory = placer.Take<std::byte>(Buffer::kBeams).data();
  tokenizer = placer.Take<std::byte>(Buffer::kTokenizer).data();
  text = placer.Take<char>(Buffer::kText).data();
  attention = placer.Take<float>(Buffer::kAttention)
                  .first(static_cast<size_t>(sizes.attention));
  scores = placer.Take<TokenScore>(Buffer::kScores).data();
  if (!sizes.scores) scores = nullptr;
  PlaceAlignment(sizes, placer.Take<std::byte>(Buffer::kAlignment).data());
  state = placer.Take<std::byte>(Buffer::kState).data();
  lanes = rows = sizes.lanes;
  beams = sizes.beams;
  most_source_tokens = sizes.source_tokens;
  most_speech_positions = sizes.speech_positions;
  most_target_tokens = sizes.target_tokens;
  recurrent_scratch = static_cast<size_t>(RecurrentScratchFloats(sizes));
}

void Buffers::PlaceAlignment(const Profile& sizes, std::byte* memory) {
  if (!kProfile.alignment || !sizes.alignment) return;
  links = {reinterpret_cast<TokenLink*>(memory), sizes.target_tokens};
  source_ranges = {reinterpret_cast<TextRange*>(links.data() + links.size()),
                   sizes.source_tokens};
  aligned =
      reinterpret_cast<uint16_t*>(source_ranges.data() + source_ranges.size());
}

void SetWidths(const Architecture& a, Profile* profile) {
  if (a.is_recurrent()) {
    const Recurrent& r = a.recurrent;
    profile->d_model =
        std::max({r.source_embedding, r.target_embedding, r.encoder_hidden,
                  r.decoder_hidden, r.combined, r.input_layer});
    profile->attention_width =
        std::max({r.encoder_width(), r.attention_hidden, r.projected_memory});
    profile->d_ffn = profile->heads = 1;
    return;
  }
  profile->d_model = a.d_model;
  profile->d_ffn = std::max(a.encoder_ffn, a.decoder_ffn);
  profile->attention_width =
      std::max(a.encoder_attention_width(), a.decoder_attention_width());
  profile->heads = std::max(a.encoder_heads, a.decoder_heads);
}

bool KeepsInt8CrossKv(const ModelDescription& info, const Profile& profile) {
  if constexpr (kProfile.speech() && kProfile.int8_weights) {
    return std::strcmp(info.weights, "int8") == 0 &&
           KeepsInt8(info.architecture, profile.source_tokens,
                     profile.f16_caches ? sizeof(uint16_t) : sizeof(float));
  }
  return false;
}

uint64_t ShortlistRowBytes(const ModelDescription& info,
                           uint32_t source_tokens) {
  // Those of a sentence of 60 tokens or more; see the notes on gathered rows.
  constexpr uint64_t kMostTokens = 3072;
  const ShortlistSize& size = info.shortlist;
  const uint64_t tokens =
      std::min({size.common + uint64_t{source_tokens} * size.longest,
                uint64_t{info.architecture.target_vocabulary}, kMostTokens});
  return Padded(RoundUp(tokens, kChannelBlock) * size.row_bytes);
}

Profile SizesFor(const ModelDescription& info, const LoadOptions& options) {
  const Architecture& a = info.architecture;
  Profile sizes = kOwnProfile;
  SetWidths(a, &sizes);
  sizes.decoder_layers = a.decoder_layers;
  sizes.source_tokens = std::min(kOwnProfile.source_tokens, a.source_positions);
  if constexpr (kOwnProfile.speech()) {
    sizes.speech_positions = sizes.mel_bins = 0;
    if (a.reads_speech()) {
      sizes.speech_positions = sizes.source_tokens =
          std::min(kOwnProfile.speech_positions, a.source_positions);
      sizes.mel_bins = a.mel_bins;
    }
    sizes.int8_cross_kv = KeepsInt8CrossKv(info, sizes);
  }
  sizes.target_tokens = std::min(kOwnProfile.target_tokens, a.target_positions);
  sizes.threads = std::clamp<uint32_t>(options.threads, 1, kOwnProfile.threads);
  sizes.beams =
      std::clamp<uint32_t>(options.beams.value_or(info.generation.search.beams),
                           1, kOwnProfile.beams);
  sizes.lanes = std::max(std::min(options.lanes.value_or(0), kOwnProfile.lanes),
                         sizes.beams);
  sizes.target_vocabulary = a.target_vocabulary;
  sizes.decoder_self_attention = a.network_kind == NetworkKind::kTransformer;
  sizes.decoder_ssru = a.network_kind == NetworkKind::kTransformerSsru;
  sizes.decoder_gru = a.network_kind == NetworkKind::kGru;
  sizes.decoder_lstm = a.network_kind == NetworkKind::kLstm;
  sizes.shortlist = info.has_shortlist;
  sizes.gated_ffn = a.gated_ffn;
  SetMatrixTypes(info, &sizes);
  sizes.scores = kOwnProfile.scores && options.scores;
  sizes.alignment = kOwnProfile.alignment && options.alignment;
  sizes.attention = options.attention
                        ? std::min(kOwnProfile.attention,
                                   MostAttentionWeights(a, sizes.source_tokens,
                                                        sizes.target_tokens))
                        : 0;
  // Room for all rows of a shortlist, and for the longest translation with all
  // beams, if a whole workspace has it.
  sizes.beam_tokens = sizes.target_tokens;
  const uint64_t own_rows = kOwnProfile.shortlist_row_bytes;
  sizes.shortlist_row_bytes =
      own_rows == 0 ? 0 : ShortlistRowBytes(info, sizes.source_tokens);
  if (BytesFor(sizes) > sizeof(Workspace)) {
    sizes.shortlist_row_bytes = std::min(sizes.shortlist_row_bytes, own_rows);
  }
  while (sizes.beams > 1 && BytesFor(sizes) > sizeof(Workspace) &&
         sizes.beam_tokens > 1) {
    sizes.beam_tokens /= 2;
  }
  return sizes;
}

}  // namespace latimer
