// Profile of tiny_marian/lengths without tokenizer, written by
// latimer-convert --profile.
#ifndef LATIMER_TESTS_DATA_IDS_ONLY_PROFILE_H_
#define LATIMER_TESTS_DATA_IDS_ONLY_PROFILE_H_

#include "latimer/profile.h"

namespace latimer {

inline constexpr Profile kProfile = {
    .name = "ids_only",
    .d_model = 24,
    .d_ffn = 32,
    .attention_width = 24,
    .heads = 2,
    .encoder_layers = 2,
    .decoder_layers = 2,
    .source_vocabulary = 100,
    .target_vocabulary = 100,
    .source_tokens = 64,
    .target_tokens = 8,
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
    .decoder_self_attention = true,
    .decoder_ssru = false,
    .decoder_gru = false,
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

#endif  // LATIMER_TESTS_DATA_IDS_ONLY_PROFILE_H_
