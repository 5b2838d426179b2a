// Profile of recurrent/bahdanau without tokenizer, written by
// latimer-convert --profile.
#ifndef LATIMER_TESTS_DATA_GRU_PROFILE_H_
#define LATIMER_TESTS_DATA_GRU_PROFILE_H_

#include "latimer/profile.h"

namespace latimer {

inline constexpr Profile kProfile = {
    .name = "gru",
    .d_model = 18,
    .d_ffn = 1,
    .attention_width = 28,
    .heads = 1,
    .encoder_layers = 1,
    .decoder_layers = 1,
    .source_vocabulary = 37,
    .target_vocabulary = 35,
    .source_tokens = 40,
    .target_tokens = 32,
    .text_bytes = 1024,
    .threads = 1,
    .lanes = 1,
    .copied_image_bytes = 0,
    .int8_weights = true,
    .f32_weights = false,
    .f32_fma = true,
    .tokenizer = false,
    .unigram = false,
    .bpe = false,
    .words = false,
    .metaspace = false,
    .byte_bpe = false,
    .bytes = false,
    .bpe_unused_pieces = 0,
    .decoder_self_attention = false,
    .decoder_ssru = false,
    .decoder_gru = true,
    .shortlist = false,
    .rms_norm = false,
    .gated_ffn = false,
    .relative_attention = false,
    .pruned_argmax = false,
    .int4_weights = false,
    .f16_weights = false,
    .attention_weights = 0,
    .token_scores = false,
};

}  // namespace latimer

#endif  // LATIMER_TESTS_DATA_GRU_PROFILE_H_
