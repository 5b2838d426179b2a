// Profile of one model, written by latimer-convert --profile.
#ifndef LATIMER_TARGETS_MODELS_EN_DE_H_
#define LATIMER_TARGETS_MODELS_EN_DE_H_

#include "latimer/internal/profile.h"

namespace latimer {

inline constexpr Profile kProfile = {
    .name = "en_de",
    .d_model = 256,
    .d_ffn = 1536,
    .attention_width = 256,
    .heads = 4,
    .encoder_layers = 6,
    .decoder_layers = 2,
    .source_vocabulary = 12000,
    .target_vocabulary = 12000,
    .source_tokens = 512,
    .target_tokens = 511,
    .text_bytes = 8192,
    .threads = 1,
    .lanes = 1,
    .beams = 1,
    .beam_tokens = 0,
    .phrases = false,
    .sampling = false,
    .f16_caches = false,
    .copied_image_bytes = 0,
    .int8_weights = true,
    .f32_weights = false,
    .tokenizer = true,
    .unigram = true,
    .bpe = false,
    .words = false,
    .metaspace = false,
    .byte_bpe = false,
    .bytes = false,
    .bpe_unused_pieces = 0,
    .decoder_self_attention = true,
    .decoder_ssru = false,
    .decoder_gru = false,
    .decoder_lstm = false,
    .shortlist = false,
    .rms_norm = false,
    .gated_ffn = false,
    .relative_attention = false,
    .pruned_argmax = true,
    .int4_weights = false,
    .int6_weights = false,
    .f16_weights = false,
    .attention = 0,
    .scores = false,
    .alignment = false,
};

}  // namespace latimer

#endif  // LATIMER_TARGETS_MODELS_EN_DE_H_
