// Not promised (docs/promises.md): for the promised headers, and profiles.
// The memory plan: how large each buffer of the workspace is.
//
// All is arithmetic on the profile.
#ifndef LATIMER_INTERNAL_MEMORY_PLAN_H_
#define LATIMER_INTERNAL_MEMORY_PLAN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "latimer/internal/profile.h"
#include "latimer/profile_config.h"
#include "latimer/translation.h"

namespace latimer {

// Instead of a source token: there is none.
inline constexpr uint16_t kNotAligned = 0xFFFF;

// The named buffers of the workspace, in memory order. S = source tokens, T =
// target tokens, D = d_model, A = attention width, F = d_ffn, L = decoder
// layers, V = target vocabulary, B = lanes. With several lanes, buffers of S
// rows have at least B rows, and all sentences share the caches; see
// CachedTokens. transformer/recurrent.h has what GRUs and LSTMs do differently.
enum class Buffer : uint8_t {
  kFeatures,          // scratch, and float [2 P + 2, mel_bins]: frames of
                      // speech between two of zeros, P = speech_positions
  kHidden,            // float [S, D]: residual stream; encoder_out at its end;
                      // of speech at least [3M, A] more than 8 rows: queries of
                      // the heads that align
  kSublayer,          // float [S, max(D, A)]: what a sublayer adds to it
  kProjection,        // float [S, max(3A, 2D)], at least [F], gated [2F]: QKV,
                      // or inside of the FFN, for as many rows as there is
                      // room for; of speech at least [2M, S]
  kQuantized,         // int8 [S, max(D, A, F)]: quantized rows of activations
  kRowQuantization,   // {zero_point, scale} [S]
  kUnpacked,          // int6 weights as int8, a block of channels [threads]
  kAttentionScratch,  // float [threads, max(8, heads), max(S, T)]
  kCrossKv,           // float [L, S, 2A]: keys and values of the source; of
                      // speech in int8 [L, heads, PackedHeadBytes]
  kSelfKv,            // float [L, T, 2A]: keys and values of the target so far;
                      // of an SSRU, GRUs or LSTMs [B, L, D]: their states
  kLogits,            // float [V]
  kShortlist,      // uint16 [B, V / 16]: a bit for each token that is allowed
  kShortlistRows,  // [B, shortlist_row_bytes]: what it allows of the output
                   // matrix
  kSourceTokens,   // int32 [B, S]
  kTargetTokens,   // int32 [B, T]
  kBeams,          // tokens, ancestors, scores of beams: see search/beams.h
  kTokenizer,      // normalized text [text_bytes], its lattice, BPE's heap,
                   // unigram's sums
  kText,           // char: the translation
  kAttention,      // float [attention]: the weights that are kept
  kScores,         // {log-probability, margin} [B, T]
  kAlignment,      // TokenLink [T], TextRange [S], uint16 [B, T]
  kState,          // Engine, scheduler and sentences
};
// Of the enumeration.
inline constexpr int kBufferCount = 22;

// Bytes after the rows that kernels may read but never use.
inline constexpr uint64_t kReadSlackBytes = 64;
// Query rows, or heads of one row, whose attention is computed at once.
inline constexpr uint64_t kQueryRows = 8;

// Buffers begin at multiples of 64: a cache line, and the widest vector.
constexpr uint64_t Padded(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// Sums of unigram with Metaspace: a double for each byte of the longest piece.
inline constexpr uint64_t kMetaspaceSumBytes = 8 * 1024;

// What the features of speech are computed in.
inline constexpr uint64_t kMelScratchBytes = 64 * 1024;

// Layers whose heads may all be in ModelDescription::speech_heads.
inline constexpr uint32_t kMostSpeechHeadLayers = 3;
// Tokens of a window of speech whose times are found at once, M.
inline constexpr uint64_t kMostAlignedTokens = 448;

// Tokens of a sentence that each lane has room for, on average.
inline constexpr uint64_t kLaneTokens = 32;

// Tokens, of all lanes together, whose keys and values the caches hold if one
// sentence may have `longest`. For a model that is smaller than the profile
// they hold more.
constexpr uint64_t CachedTokens(const Profile& p, uint64_t longest) {
  return p.lanes > 1 ? std::max(longest, p.lanes * kLaneTokens) : longest;
}

// Target tokens of a sentence, of all its beams together.
constexpr uint64_t LongestBeams(const Profile& p) {
  const uint64_t beam = p.beam_tokens != 0 ? p.beam_tokens : p.target_tokens;
  return std::max<uint64_t>(p.target_tokens, p.beams * beam);
}

// Bytes that beam search keeps of each beam of at most `target_tokens`, if a
// sentence may have `beams`: twice its tokens, ancestors and how far it is with
// phrases, its candidates, and a hypothesis.
constexpr uint64_t BeamBytes(uint64_t target_tokens, uint64_t beams) {
  return target_tokens * 2 * (sizeof(int32_t) + 1) + 2 * beams * 8 + 64;
}

// At least the bytes of an int8 matrix [n, k] in any tile: so whether attention
// is computed in int8 is the same on every CPU.
constexpr uint64_t PackedInt8Bytes(uint64_t n, uint64_t k) {
  const auto sixteens = [](uint64_t count) { return (count + 15) / 16 * 16; };
  constexpr uint64_t kBeside = 12;  // Sum, scale and zero of a channel.
  return Padded(sixteens(n) * (sixteens(k) + kBeside));
}

// Of the keys and values of one head as matrices of int8.
constexpr uint64_t PackedHeadBytes(uint64_t dim, uint64_t positions) {
  return PackedInt8Bytes(positions, dim) + PackedInt8Bytes(dim, positions);
}

// Of those of `layers` decoder layers, with what aligns them.
constexpr uint64_t PackedCrossBytes(uint64_t layers, uint64_t heads,
                                    uint64_t dim, uint64_t positions) {
  return 64 + layers * heads * PackedHeadBytes(dim, positions);
}

// Logits of each lane that are held at once, with several lanes.
inline constexpr uint64_t kLogitWindow = 512;

// Gates of a recurrent cell, if the profile has any.
constexpr uint64_t MostGates(const Profile& p) {
  return p.decoder_lstm ? 4 : 3;
}

// Floats of scratch for one step of a recurrent decoder: its input, its
// features, the combined features, and either the gates or the query and a row
// of keys. That is more than the gates and two states that the encoder needs.
constexpr uint64_t RecurrentScratchFloats(const Profile& p) {
  const uint64_t d = p.d_model, a = p.attention_width;
  return (d + a) + (2 * d + a) + d + std::max(2 * MostGates(p) * d, 2 * a);
}

// Bytes of a block of channels with k inputs that is unpacked: at most 16, each
// with a sum, a scale and a zero, or 8 and the sums of rows of input.
constexpr uint64_t UnpackedBytes(uint64_t k) {
  return Padded(16 * (k + 16 + 12));
}

// What each lane after the first adds to the state: its sentence.
inline constexpr uint64_t kLaneStateBytes = 1024;

// What PlanBuffer says of a buffer.
struct BufferPlan {
  const char* name;
  uint64_t bytes;  // A multiple of 64.
};

// Name and size of one buffer in a build with that profile.
constexpr BufferPlan PlanBuffer(const Profile& p, Buffer buffer) {
  const uint64_t s = p.source_rows(), t = p.target_tokens;
  const uint64_t d = p.d_model, f = p.d_ffn, l = p.decoder_layers;
  const uint64_t a = p.attention_width, v = p.target_vocabulary;
  const uint64_t lanes = p.lanes, text = p.text_bytes, bins = p.mel_bins;
  const uint64_t rows = std::max(s, lanes);
  // Zero for what is not compiled in.
  const uint64_t transformer = p.transformer() ? 1 : 0;
  const uint64_t recurrent = p.recurrent() ? 1 : 0;
  const uint64_t speech = p.speech() ? 1 : 0;
  const uint64_t aligned = std::min(t, kMostAlignedTokens);
  // Bytes of a key and a value in the caches.
  const uint64_t kv = 2 * (p.f16_caches ? sizeof(uint16_t) : sizeof(float));
  const uint64_t several = lanes > 1 ? 1 : 0;
  // Beams read the states of the last step while they write those of the next.
  const uint64_t states = p.beams > 1 ? 2 : 1;
  // Sentences that step side by side leave what the output reads after the
  // scratch.
  const uint64_t recurrent_rows = several * lanes * (2 * d + a);
  const auto floats = [](uint64_t count) { return count * sizeof(float); };
  switch (buffer) {
    case Buffer::kFeatures:
      return {"features",
              p.speech() ? Padded(floats((2 * s + 2) * bins)) + kMelScratchBytes
                         : 0};
    case Buffer::kHidden:
      return {"hidden",
              Padded(floats(std::max(
                         rows * std::max(d, recurrent * a),
                         speech * (kQueryRows * d +
                                   kMostSpeechHeadLayers * aligned * a))) +
                     kReadSlackBytes)};
    case Buffer::kSublayer:
      return {"sublayer",
              Padded(floats(std::max(transformer * rows * std::max(d, a),
                                     recurrent * (RecurrentScratchFloats(p) +
                                                  recurrent_rows))) +
                     kReadSlackBytes)};
    case Buffer::kProjection:
      // A feed-forward takes as many rows at a time as there is room for.
      return {"projection",
              Padded(floats(std::max({rows * std::max(MostGates(p) * a, 2 * d),
                                      p.gated_ffn ? 2 * f : f,
                                      speech * 2 * aligned * s})) +
                     kReadSlackBytes)};
    case Buffer::kQuantized:
      return {"quantized", Padded(std::max(rows * std::max({d, a, f}),
                                           recurrent * lanes * (2 * d + a)) +
                                  kReadSlackBytes)};
    case Buffer::kRowQuantization:
      return {"row_quantization", Padded(rows * sizeof(uint64_t))};
    case Buffer::kUnpacked:
      return {"unpacked",
              p.int6_weights
                  ? p.threads * UnpackedBytes(std::max(
                                    {d, a, f, recurrent * (2 * d + a),
                                     p.speech() ? 3 * std::max(d, bins) : 0}))
                  : 64};
    case Buffer::kAttentionScratch:
      return {"attention_scratch", p.threads *
                                       std::max<uint64_t>(p.heads, kQueryRows) *
                                       Padded(floats(std::max(s, t)))};
    case Buffer::kCrossKv:
      if (p.int8_cross_kv) {  // Dimensions of heads are multiples of 16.
        return {"cross_kv",
                PackedCrossBytes(l, p.heads, (a + p.heads - 1) / p.heads, s)};
      }
      // With several lanes memory and keys of recurrent networks too.
      return {"cross_kv",
              Padded(std::max<uint64_t>(
                  1, CachedTokens(p, s) * a *
                         std::max(transformer * l * kv,
                                  several * recurrent * 2 * sizeof(float))))};
    case Buffer::kSelfKv:
      return {
          "self_kv",
          Padded(l * std::max(p.decoder_self_attention
                                  ? CachedTokens(p, LongestBeams(p)) * a * kv
                                  : 0,
                              p.decoder_ssru || p.recurrent()
                                  ? floats(states * lanes * d *
                                           (p.decoder_lstm ? 2 : 1))
                                  : 0) +
                 recurrent * kReadSlackBytes)};
    case Buffer::kLogits:
      return {"logits",
              Padded(floats(std::max(v, several * lanes * kLogitWindow)))};
    case Buffer::kShortlist:
      return {
          "shortlist",
          p.shortlist ? lanes * Padded((v + 15) / 16 * sizeof(uint16_t)) : 64};
    case Buffer::kShortlistRows:
      return {"shortlist_rows",
              p.shortlist ? std::max<uint64_t>(
                                64, lanes * Padded(p.shortlist_row_bytes))
                          : 64};
    case Buffer::kSourceTokens:
      return {"source_tokens", Padded(lanes * s * sizeof(int32_t))};
    case Buffer::kTargetTokens:
      return {"target_tokens", Padded(lanes * t * sizeof(int32_t))};
    case Buffer::kBeams:
      return {"beams",
              p.beams > 1 ? Padded(lanes * BeamBytes(t, p.beams)) : 64};
    case Buffer::kTokenizer:
      if (!p.tokenizer) return {"tokenizer", 64};
      return {"tokenizer",
              Padded(text) + Padded(8 * (text + 1)) +
                  (p.bpe || p.byte_bpe ? Padded(4 * text) : 0) +
                  (p.bpe ? Padded(2 * uint64_t{p.bpe_unused_pieces}) : 0) +
                  (p.unigram && p.metaspace ? kMetaspaceSumBytes : 0)};
    case Buffer::kText:
      return {"text", Padded(text)};
    case Buffer::kAttention:
      return {"attention", Padded(floats(std::max<uint64_t>(1, p.attention)))};
    case Buffer::kScores:
      return {"scores", Padded(floats(p.scores ? lanes * t * 2 : 2))};
    case Buffer::kAlignment:
      return {"alignment", p.alignment ? Padded(t * sizeof(TokenLink) +
                                                s * sizeof(TextRange) +
                                                lanes * t * sizeof(uint16_t))
                                       : 64};
    case Buffer::kState:
      return {"state", 5120 + 512 * (uint64_t{p.encoder_layers} + l) +
                           256 * uint64_t{p.threads} +
                           kLaneStateBytes * (lanes - 1)};
  }
  return {};
}

// The size of a buffer in a build with that profile.
constexpr uint64_t BufferBytes(const Profile& p, Buffer buffer) {
  return PlanBuffer(p, buffer).bytes;
}

// sizeof(Workspace) in a build with that profile.
constexpr uint64_t WorkspaceBytes(const Profile& profile) {
  uint64_t total = 0;
  for (int i = 0; i < kBufferCount; ++i) {
    total += BufferBytes(profile, static_cast<Buffer>(i));
  }
  return total;
}

// Stack of each thread that Load creates, with what the C library requires: 128
// KiB on 64-bit ARM, 16 KiB elsewhere.
inline constexpr uint64_t kWorkerStackBytes = kStackBytes + 128 * 1024;

// All the RAM that a build with that profile needs: the workspace, the stacks
// of one caller and of the threads it may create, and the model file if it is
// copied to RAM. fits_board.cc compares it with kBoard.
constexpr uint64_t RamBytes(const Profile& profile) {
  return WorkspaceBytes(profile) + kStackBytes +
         (profile.threads - 1) * kWorkerStackBytes + profile.copied_image_bytes;
}

// How many elements of a size a buffer of this build has.
consteval size_t Elements(Buffer buffer, size_t element_bytes) {
  return static_cast<size_t>(BufferBytes(kProfile, buffer)) / element_bytes;
}

static_assert(kProfile.attention_width > 0,
              "the profile was written by an older latimer-convert; write it "
              "again with latimer-convert --profile");
static_assert(kProfile.beams >= 1 && kProfile.beams <= kProfile.lanes,
              "each beam takes a lane");
static_assert(!kProfile.alignment || kProfile.source_rows() <= kNotAligned,
              "an aligned token has 16 bits");

}  // namespace latimer

#endif  // LATIMER_INTERNAL_MEMORY_PLAN_H_
