// Not promised (docs/promises.md): for the promised headers, and profiles.
// The members of Profile, once, in their order: all but the name, and `probes`,
// which is for the converter only.
#ifndef LATIMER_INTERNAL_PROFILE_MEMBERS_H_
#define LATIMER_INTERNAL_PROFILE_MEMBERS_H_

#include <cstdint>
#include <tuple>

#include "latimer/internal/profile.h"

namespace latimer {

// A member of Profile and its name.
template <typename Value>
struct ProfileMember {
  const char* name;
  Value Profile::*member;
  // A flag that a build for several models has only if all of them do: false is
  // what holds on every CPU, and what has room for more. Other flags are on if
  // one of them needs it.
  bool if_all = false;
};
// Clang finds these itself from 17 on.
template <typename Value>
ProfileMember(const char*, Value Profile::*) -> ProfileMember<Value>;
template <typename Value>
ProfileMember(const char*, Value Profile::*, bool) -> ProfileMember<Value>;

// clang-format off
inline constexpr std::tuple kProfileMembers = {
    ProfileMember{"d_model", &Profile::d_model},
    ProfileMember{"d_ffn", &Profile::d_ffn},
    ProfileMember{"attention_width", &Profile::attention_width},
    ProfileMember{"heads", &Profile::heads},
    ProfileMember{"encoder_layers", &Profile::encoder_layers},
    ProfileMember{"decoder_layers", &Profile::decoder_layers},
    ProfileMember{"source_vocabulary", &Profile::source_vocabulary},
    ProfileMember{"target_vocabulary", &Profile::target_vocabulary},
    ProfileMember{"source_tokens", &Profile::source_tokens},
    ProfileMember{"target_tokens", &Profile::target_tokens},
    ProfileMember{"text_bytes", &Profile::text_bytes},
    ProfileMember{"threads", &Profile::threads},
    ProfileMember{"lanes", &Profile::lanes},
    ProfileMember{"beams", &Profile::beams},
    ProfileMember{"beam_tokens", &Profile::beam_tokens},
    ProfileMember{"phrases", &Profile::phrases},
    ProfileMember{"sampling", &Profile::sampling},
    ProfileMember{"f16_caches", &Profile::f16_caches, /*if_all=*/true},
    ProfileMember{"copied_image_bytes", &Profile::copied_image_bytes},
    ProfileMember{"int8_weights", &Profile::int8_weights},
    ProfileMember{"f32_weights", &Profile::f32_weights},
    ProfileMember{"tokenizer", &Profile::tokenizer},
    ProfileMember{"unigram", &Profile::unigram},
    ProfileMember{"bpe", &Profile::bpe},
    ProfileMember{"words", &Profile::words},
    ProfileMember{"metaspace", &Profile::metaspace},
    ProfileMember{"byte_bpe", &Profile::byte_bpe},
    ProfileMember{"bytes", &Profile::bytes},
    ProfileMember{"bpe_unused_pieces", &Profile::bpe_unused_pieces},
    ProfileMember{"decoder_self_attention", &Profile::decoder_self_attention},
    ProfileMember{"decoder_ssru", &Profile::decoder_ssru},
    ProfileMember{"decoder_gru", &Profile::decoder_gru},
    ProfileMember{"decoder_lstm", &Profile::decoder_lstm},
    ProfileMember{"recurrent_extras", &Profile::recurrent_extras},
    ProfileMember{"shortlist", &Profile::shortlist},
    ProfileMember{"shortlist_row_bytes", &Profile::shortlist_row_bytes},
    ProfileMember{"rms_norm", &Profile::rms_norm},
    ProfileMember{"gated_ffn", &Profile::gated_ffn},
    ProfileMember{"relative_attention", &Profile::relative_attention},
    ProfileMember{"norm_before_positions", &Profile::norm_before_positions},
    ProfileMember{"speech_positions", &Profile::speech_positions},
    ProfileMember{"mel_bins", &Profile::mel_bins},
    ProfileMember{"int8_cross_kv", &Profile::int8_cross_kv, /*if_all=*/true},
    ProfileMember{"rotary_positions", &Profile::rotary_positions},
    ProfileMember{"output_norms", &Profile::output_norms},
    ProfileMember{"logit_caps", &Profile::logit_caps},
    ProfileMember{"pruned_argmax", &Profile::pruned_argmax},
    ProfileMember{"int4_weights", &Profile::int4_weights},
    ProfileMember{"int6_weights", &Profile::int6_weights},
    ProfileMember{"f16_weights", &Profile::f16_weights},
    ProfileMember{"attention", &Profile::attention},
    ProfileMember{"scores", &Profile::scores},
    ProfileMember{"alignment", &Profile::alignment},
};
// clang-format on

// Calls visit(member) for each of them.
template <typename Visit>
constexpr void ForEachMember(const Visit& visit) {
  std::apply([&visit](const auto&... members) { (visit(members), ...); },
             kProfileMembers);
}

}  // namespace latimer

#endif  // LATIMER_INTERNAL_PROFILE_MEMBERS_H_
