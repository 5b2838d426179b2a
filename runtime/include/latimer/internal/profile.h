// Not promised (docs/promises.md): for the promised headers, and profiles.
// Profile: what one build of Latimer can hold, fixed at compile time.
//
// A build has exactly one profile, `kProfile`, of a header in targets/models/:
// -DLATIMER_MODEL=NAME selects it. any.h, pc.h and web.h hold any model;
// `latimer-convert --profile` writes one for one model.
#ifndef LATIMER_INTERNAL_PROFILE_H_
#define LATIMER_INTERNAL_PROFILE_H_

#include <cstdint>

namespace latimer {

// Upper bounds, each at least 1, and features. Load refuses a model that
// exceeds a bound or needs a feature that is off.
struct Profile {
  const char* name;
  // For GRUs and LSTMs also the width of embeddings, states and tanh layer.
  uint32_t d_model;
  uint32_t d_ffn;
  // Width of all heads together, heads * head_dim, usually d_model. For GRUs
  // and LSTMs the width of the encoder in all directions, of the memory, and of
  // the keys.
  uint32_t attention_width;
  uint32_t heads;
  uint32_t encoder_layers;
  uint32_t decoder_layers;
  uint32_t source_vocabulary;
  uint32_t target_vocabulary;
  // Longest source, including EOS, and longest translation, in tokens.
  uint32_t source_tokens;
  uint32_t target_tokens;
  // Longest stretch of text that is tokenized at once, and longest translation
  // that one call returns, in bytes of UTF-8.
  uint32_t text_bytes;
  uint32_t threads;
  // Sentences that are decoded side by side, so that weights are read once for
  // all of them (except GRUs'). They share caches for the longest source and
  // translation, or for kLaneTokens per lane if that is more.
  uint32_t lanes = 1;
  // Most beams of a sentence, at most `lanes`: each takes a lane. 1: only
  // greedy search.
  uint32_t beams = 1;
  // Longest translation for which the caches surely have room with so many
  // beams; with fewer beams, or a smaller model, it is longer. 0:
  // target_tokens.
  uint32_t beam_tokens = 0;
  // Whether terms and protected spans can be asked for; see TranslateOptions.
  bool phrases = false;
  // Whether tokens can be drawn; see Sampling.
  bool sampling = false;
  // Keys and values in the decoder's caches are f16 instead of f32: half of the
  // memory. Rounding them may change a translation, but in the same way on
  // every CPU. SSRU and GRUs keep f32 states.
  bool f16_caches = false;
  // RAM that is reserved for the model file; 0: the file is mapped or linked
  // in.
  uint64_t copied_image_bytes;

  // Features: code for a feature that is off is not compiled in.
  bool int8_weights;
  bool f32_weights;
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
  // BPE pieces that are merged but never used. Few models have any.
  uint32_t bpe_unused_pieces = 0;
  // Kinds of networks; see NetworkKind.
  bool decoder_self_attention = true;
  bool decoder_ssru = true;
  bool decoder_gru = true;
  bool decoder_lstm = true;
  // See Recurrent::has_extras.
  bool recurrent_extras = true;
  // Models with a lexical shortlist.
  bool shortlist = true;
  // Memory of each lane for a copy of those rows of the output matrix that its
  // shortlist allows; 0: none. For a sentence that allows more, the whole
  // matrix is read. A workspace for one model has room for all that the model
  // needs, unless it would be larger than that of the profile.
  uint64_t shortlist_row_bytes = 0;
  // NormKind::kRms, Architecture::gated_ffn and ::relative_attention.
  bool rms_norm = true;
  bool gated_ffn = true;
  bool relative_attention = true;
  // Architecture::encoder_norm_before_positions or that of the decoder.
  bool norm_before_positions = true;
  // Models that read speech: their most positions and mel bins; 0: none. Their
  // source has positions in place of tokens, whatever source_tokens is.
  uint32_t speech_positions = 0;
  uint32_t mel_bins = 0;
  // All models read speech, and what their decoders keep of it is matrices of
  // int8 (transformer/int8_attention.h): cross_kv has no room for floats.
  bool int8_cross_kv = false;
  // Architecture::rotary_positions.
  bool rotary_positions = true;
  // NormPosition::kBoth.
  bool output_norms = true;
  // Architecture::attention_cap or ::logit_cap.
  bool logit_caps = true;
  // Models whose output matrix is laid out for a pruned argmax; see
  // ModelInfo::pruned_argmax.
  bool pruned_argmax = true;
  // int8 models with some int4 matrices.
  bool int4_weights = true;
  // int8 models with some int6 matrices.
  bool int6_weights = true;
  // Models with f16 weights, and int8 models with some f16 matrices.
  bool f16_weights = true;
  // How many attention weights, as floats, one translation can keep; 0: none.
  uint64_t attention = 0;
  // Whether target tokens can have scores.
  bool scores = false;
  // Whether translations can be aligned with their sources, as text with markup
  // needs.
  bool alignment = false;
  // Whether a Probe (transformer/probe.h) can observe and force tokens. For the
  // converter only.
  bool probes = false;

  // Whether a build has Transformers, SSRUs among them.
  constexpr bool transformer() const {
    return decoder_self_attention || decoder_ssru;
  }
  // Models that read speech.
  constexpr bool speech() const { return speech_positions > 0; }
  // Rows of the longest source.
  constexpr uint32_t source_rows() const {
    return source_tokens > speech_positions ? source_tokens : speech_positions;
  }
  // GRUs or LSTMs.
  constexpr bool recurrent() const { return decoder_gru || decoder_lstm; }
};

}  // namespace latimer

#endif  // LATIMER_INTERNAL_PROFILE_H_
