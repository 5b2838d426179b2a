// Profile: what one build of Latimer can hold, fixed at compile time.
//
// A build has exactly one profile, `kProfile`. Its headers lie in
// targets/models/ and are written by `latimer-convert --profile`; CMake picks
// one with -DLATIMER_MODEL=NAME.
#ifndef LATIMER_PROFILE_H_
#define LATIMER_PROFILE_H_

#include <cstdint>

namespace latimer {

// Upper bounds, each at least 1. Load refuses a model that exceeds one.
struct Profile {
  const char* name;
  // Of a model of GRUs: columns of embeddings, states and combining layer.
  uint32_t d_model;
  uint32_t d_ffn;
  // Columns of all heads side by side, heads * head_dim; usually d_model. Of a
  // model of GRUs: of all directions of the encoder, and of the keys.
  uint32_t attention_width;
  uint32_t heads;
  uint32_t encoder_layers;
  uint32_t decoder_layers;
  uint32_t source_vocabulary;
  uint32_t target_vocabulary;
  // Longest source, EOS included, and longest translation, in tokens.
  uint32_t source_tokens;
  uint32_t target_tokens;
  // Longest stretch of text that is tokenized in one go, and longest
  // translation that one call returns, in bytes of UTF-8.
  uint32_t text_bytes;
  uint32_t threads;
  // Sentences that are decoded side by side, so that weights are read once for
  // all of them. They share caches for the longest source and translation, or
  // for kLaneTokens each where that is more.
  uint32_t lanes = 1;
  // RAM kept for a model file that is read into it; 0: the file is mapped or
  // linked in, and costs none.
  uint64_t copied_image_bytes;

  // Features: what is false is not compiled in.
  bool int8_weights;
  bool f32_weights;
  // f32 weights: true multiplies and adds with one rounding where the kernels
  // can (AVX2, aarch64), so that the last bits differ between CPUs. false gives
  // every CPU the same bits; where several rows are multiplied at once it is
  // slower. int8 gives the same bits either way.
  bool f32_fma = true;
  bool tokenizer;
  // Kinds of tokenizers: SentencePiece's unigram and BPE, words or characters.
  bool unigram = true;
  bool bpe = true;
  bool words = true;
  // Those of Hugging Face's tokenizers: unigram or BPE with Metaspace (T5,
  // mBART, NLLB, Pegasus), byte-level BPE (BART), and plain bytes (ByT5).
  bool metaspace = true;
  bool byte_bpe = true;
  bool bytes = true;
  // BPE pieces that are merged but never used, a rarity.
  uint32_t bpe_unused_pieces = 0;
  // Kinds of decoder; see NetworkKind.
  bool decoder_self_attention = true;
  bool decoder_ssru = true;
  bool decoder_gru = true;
  // Models with a lexical shortlist.
  bool shortlist = true;
  // NormKind::kRms, Architecture::gated_ffn and ::relative_attention.
  bool rms_norm = true;
  bool gated_ffn = true;
  bool relative_attention = true;
  // Models whose output matrix is made for the best logit alone; see
  // ModelInfo::pruned_argmax.
  bool pruned_argmax = true;
  // int8 models of which some matrices are int4.
  bool int4_weights = true;
  // Models with f16 weights. f32_fma says the same of them as of f32.
  bool f16_weights = true;
  // Attention weights that one translation can keep, as a number of floats; 0:
  // none are kept. See insight.h.
  uint64_t attention_weights = 0;
  // Whether scores of the target tokens can be had.
  bool token_scores = false;
  // Whether a Probe (transformer/probe.h) sees and leads each translation. For
  // the converter alone.
  bool probes = false;

  constexpr bool transformer() const {
    return decoder_self_attention || decoder_ssru;
  }
};

}  // namespace latimer

#endif  // LATIMER_PROFILE_H_
