#include "converter/canonical_model.h"

#include <cmath>

namespace latimer {

void SplitHeads(Architecture* architecture) {
  Architecture& a = *architecture;
  a.encoder_head_dim = a.d_model / a.encoder_heads;
  a.decoder_head_dim = a.d_model / a.decoder_heads;
  a.encoder_attention_scale =
      1.0f / std::sqrt(static_cast<float>(a.encoder_head_dim));
  a.decoder_attention_scale =
      1.0f / std::sqrt(static_cast<float>(a.decoder_head_dim));
}

}  // namespace latimer
