// The workspace: every byte that translation writes, as one type.
//
// Its size is arithmetic on the profile. Put a Workspace in .bss or wherever
// it suits; it must outlive the Translator that was loaded into it.
#ifndef LATIMER_MEMORY_H_
#define LATIMER_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "latimer/insight.h"
#include "latimer/profile.h"
#include "latimer/profile_config.h"

namespace latimer {

// The named buffers of the workspace, in the order in which they lie.
// S = source tokens, T = target tokens, D = d_model, A = attention width,
// F = d_ffn, L = decoder layers, V = target vocabulary, B = lanes. A model of
// GRUs uses them as transformer/gru_*.h say. With several lanes, buffers of S
// rows have at least B, and the caches are shared by all; see CachedTokens.
enum class Buffer : uint8_t {
  kHidden,           // float [S, D]: residual stream; encoder_out at its end
  kSublayer,         // float [S, max(D, A)]: what a sublayer adds to it
  kProjection,       // float [S, max(3A, F, 2D)]: QKV, or feed-forward's inside
  kQuantized,        // int8 [S, max(D, A, F)]: quantized rows of activations
  kRowQuantization,  // {zero_point, scale} [S]
  kScores,           // float [threads, max(8, heads), max(S, T)]: attention
  kCrossKv,          // float [L, S, 2A]: keys and values of the source
  kSelfKv,           // float [L, T, 2A]: keys and values of the target so far;
                     // of an SSRU or of GRUs [B, L, D]: their states
  kLogits,           // float [V]
  kShortlist,        // uint16 [B, V / 16]: a bit for each token that may come
  kSourceTokens,     // int32 [B, S]
  kTargetTokens,     // int32 [B, T]
  kTokenizer,        // normalized text [text_bytes], its lattice, BPE's heap,
                     // unigram's sums
  kText,             // char: the translation
  kAttention,        // float [attention_weights]: kept for insight.h
  kTokenScores,      // {log probability, margin} [T]
  kState,            // typed views of the model, tokenizer, threads
};
inline constexpr int kBufferCount = 17;

// Slack that kernels may read, never use, past the rows they were given.
inline constexpr uint64_t kReadSlackBytes = 64;
// Query rows, or heads of one row, whose scores are held at once.
inline constexpr uint64_t kQueryRows = 8;

// Buffers begin at multiples of 64: a cache line, and the widest vector.
constexpr uint64_t Padded(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// Sums of unigram with Metaspace: a double for each byte of the longest piece.
inline constexpr uint64_t kMetaspaceSumBytes = 8 * 1024;

constexpr uint64_t Largest(uint64_t a, uint64_t b, uint64_t c = 0) {
  const uint64_t larger = a > b ? a : b;
  return larger > c ? larger : c;
}

// Tokens of a sentence that each lane has room for on average.
inline constexpr uint64_t kLaneTokens = 32;

// Tokens, of all lanes together, whose keys and values there is room for, where
// one sentence may have `longest`. A model that is smaller than the profile has
// room for more.
constexpr uint64_t CachedTokens(const Profile& p, uint64_t longest) {
  return p.lanes > 1 ? Largest(longest, p.lanes * kLaneTokens) : longest;
}

// Logits of each lane that are held at once where there are several.
inline constexpr uint64_t kLogitWindow = 512;

// Floats that one step of a GRU decoder works in: its input, its features, the
// combined, and either the gates or the query beside a row of keys. That is
// more than the encoder's four rows of a state.
constexpr uint64_t GruScratchFloats(const Profile& p) {
  const uint64_t d = p.d_model, a = p.attention_width;
  return (d + a) + (2 * d + a) + d + Largest(6 * d, 2 * a);
}

// Bytes of one buffer, a multiple of 64.
constexpr uint64_t BufferBytes(const Profile& p, Buffer buffer) {
  const uint64_t s = p.source_tokens, t = p.target_tokens;
  const uint64_t d = p.d_model, f = p.d_ffn, l = p.decoder_layers;
  const uint64_t a = p.attention_width;
  const uint64_t longest = Largest(s, t);
  const uint64_t rows = Largest(s, p.lanes);
  // Zero for what is not compiled in.
  const uint64_t transformer = p.transformer() ? 1 : 0;
  const uint64_t gru = p.decoder_gru ? 1 : 0;
  // GRUs that step side by side leave what the output reads behind the scratch.
  const uint64_t gru_rows = p.lanes > 1 ? p.lanes * (2 * d + a) : 0;
  switch (buffer) {
    case Buffer::kHidden:
      return Padded(rows * Largest(d, gru * a) * sizeof(float) +
                    kReadSlackBytes);
    case Buffer::kSublayer:
      return Padded(Largest(transformer * rows * Largest(d, a),
                            gru * (GruScratchFloats(p) + gru_rows)) *
                        sizeof(float) +
                    kReadSlackBytes);
    case Buffer::kProjection:
      // A gated feed-forward takes as many rows at a time as there is room for.
      return Padded(
          Largest(rows * Largest(3 * a, f, 2 * d), p.gated_ffn ? 2 * f : 0) *
              sizeof(float) +
          kReadSlackBytes);
    case Buffer::kQuantized:
      return Padded(
          Largest(rows * Largest(d, a, f), gru * p.lanes * (2 * d + a)) +
          kReadSlackBytes);
    case Buffer::kRowQuantization:
      return Padded(rows * sizeof(uint64_t));
    case Buffer::kScores:
      return p.threads * Largest(p.heads, kQueryRows) *
             Padded(longest * sizeof(float));
    case Buffer::kCrossKv:
      // With several lanes the memory and the keys of GRUs too.
      return Padded(Largest(1, Largest(transformer * l, p.lanes > 1 ? gru : 0) *
                                   CachedTokens(p, s) * 2 * a * sizeof(float)));
    case Buffer::kSelfKv:
      return Padded(
          l * sizeof(float) *
              Largest(p.decoder_self_attention ? CachedTokens(p, t) * 2 * a : 0,
                      p.decoder_ssru || p.decoder_gru ? p.lanes * d : 0) +
          gru * kReadSlackBytes);
    case Buffer::kLogits:
      return Padded(Largest(p.target_vocabulary,
                            p.lanes > 1 ? p.lanes * kLogitWindow : 0) *
                    sizeof(float));
    case Buffer::kShortlist:
      return p.shortlist
                 ? p.lanes * Padded((uint64_t{p.target_vocabulary} + 15) / 16 *
                                    sizeof(uint16_t))
                 : 64;
    case Buffer::kSourceTokens:
      return Padded(p.lanes * s * sizeof(int32_t));
    case Buffer::kTargetTokens:
      return Padded(p.lanes * t * sizeof(int32_t));
    case Buffer::kTokenizer:
      return p.tokenizer
                 ? Padded(p.text_bytes) +
                       Padded(8 * (uint64_t{p.text_bytes} + 1)) +
                       (p.bpe || p.byte_bpe ? Padded(4 * uint64_t{p.text_bytes})
                                            : 0) +
                       (p.bpe ? Padded(2 * uint64_t{p.bpe_unused_pieces}) : 0) +
                       (p.unigram && p.metaspace ? kMetaspaceSumBytes : 0)
                 : 64;
    case Buffer::kText:
      return Padded(p.text_bytes);
    case Buffer::kAttention:
      return Padded(Largest(1, p.attention_weights) * sizeof(float));
    case Buffer::kTokenScores:
      return Padded((p.token_scores ? t : 1) * 2 * sizeof(float));
    case Buffer::kState:
      return 4096 + 512 * (uint64_t{p.encoder_layers} + l) +
             256 * uint64_t{p.threads} + 512 * (uint64_t{p.lanes} - 1);
  }
  return 0;
}

inline constexpr const char* kBufferNames[kBufferCount] = {
    "hidden",
    "sublayer",
    "projection",
    "quantized",
    "row_quantization",
    "scores",
    "cross_kv",
    "self_kv",
    "logits",
    "shortlist",
    "source_tokens",
    "target_tokens",
    "tokenizer",
    "text",
    "attention",
    "token_scores",
    "state",
};

constexpr const char* BufferName(Buffer buffer) {
  return kBufferNames[static_cast<int>(buffer)];
}

// Equals sizeof(Workspace) in a build with that profile.
constexpr uint64_t WorkspaceBytes(const Profile& profile) {
  uint64_t total = 0;
  for (int i = 0; i < kBufferCount; ++i) {
    total += BufferBytes(profile, static_cast<Buffer>(i));
  }
  return total;
}

// Stack that any public function needs at most, and so does a thread of the
// pool, counted from the call down, in an optimized build; signal handlers come
// on top.
// tests/system/stack_bound_test.cc proves it from the compiler's call graph.
inline constexpr uint64_t kStackBytes = 16 * 1024;

// Stack of each thread that Load creates: with what the C library wants of
// every thread, 128 KiB on 64-bit ARM, 16 KiB elsewhere.
inline constexpr uint64_t kWorkerStackBytes = kStackBytes + 128 * 1024;

// All the RAM that a build with that profile needs: workspace, the stacks of
// one caller and of the threads it may create, and the model file where it is
// copied to RAM. fits_board.cc compares it with kBoard.
constexpr uint64_t RamBytes(const Profile& profile) {
  return WorkspaceBytes(profile) + kStackBytes +
         (profile.threads - 1) * kWorkerStackBytes + profile.copied_image_bytes;
}

constexpr size_t Elements(Buffer buffer, size_t element_bytes) {
  return static_cast<size_t>(BufferBytes(kProfile, buffer)) / element_bytes;
}

struct Workspace {
  alignas(64) float hidden[Elements(Buffer::kHidden, sizeof(float))];
  alignas(64) float sublayer[Elements(Buffer::kSublayer, sizeof(float))];
  alignas(64) float projection[Elements(Buffer::kProjection, sizeof(float))];
  alignas(64) int8_t quantized[Elements(Buffer::kQuantized, 1)];
  alignas(64) uint64_t
      row_quantization[Elements(Buffer::kRowQuantization, sizeof(uint64_t))];
  alignas(64) float scores[Elements(Buffer::kScores, sizeof(float))];
  alignas(64) float cross_kv[Elements(Buffer::kCrossKv, sizeof(float))];
  alignas(64) float self_kv[Elements(Buffer::kSelfKv, sizeof(float))];
  alignas(64) float logits[Elements(Buffer::kLogits, sizeof(float))];
  alignas(
      64) uint16_t shortlist[Elements(Buffer::kShortlist, sizeof(uint16_t))];
  alignas(64) int32_t
      source_tokens[Elements(Buffer::kSourceTokens, sizeof(int32_t))];
  alignas(64) int32_t
      target_tokens[Elements(Buffer::kTargetTokens, sizeof(int32_t))];
  alignas(64) std::byte tokenizer[Elements(Buffer::kTokenizer, 1)];
  alignas(64) char text[Elements(Buffer::kText, 1)];
  alignas(64) float attention[Elements(Buffer::kAttention, sizeof(float))];
  alignas(64) TokenScore
      token_scores[Elements(Buffer::kTokenScores, sizeof(TokenScore))];
  alignas(64) std::byte state[Elements(Buffer::kState, 1)];
};

static_assert(kProfile.attention_width > 0,
              "the profile was written by an older latimer-convert; write it "
              "again with latimer-convert --profile");
static_assert(sizeof(Workspace) == WorkspaceBytes(kProfile),
              "the memory plan and the workspace must agree");

}  // namespace latimer

#endif  // LATIMER_MEMORY_H_
