// Not promised (docs/promises.md): for the promised headers, and profiles.
// The profile of builds for any model, which targets/models/ adapts: where
// memory that is not touched costs nothing, it can be generous.
#ifndef LATIMER_INTERNAL_ANY_PROFILE_H_
#define LATIMER_INTERNAL_ANY_PROFILE_H_

#include <cstdint>
#include <type_traits>

#include "latimer/internal/profile.h"
#include "latimer/internal/profile_members.h"

namespace latimer {

// Shapes up to d_model 1536, 1024 in attention, with 262,144 pieces and so many
// layers. `name` must outlive the result.
constexpr Profile AnyProfile(const char* name, uint32_t encoder_layers,
                             uint32_t decoder_layers) {
  Profile profile{};
  profile.name = name;
  profile.d_model = 1536;
  profile.d_ffn = 8192;
  profile.attention_width = 1024;
  profile.heads = 16;
  profile.encoder_layers = encoder_layers;
  profile.decoder_layers = decoder_layers;
  profile.source_vocabulary = 262144;
  profile.target_vocabulary = 262144;
  profile.source_tokens = 1024;
  profile.target_tokens = 1024;
  profile.text_bytes = 65536;
  profile.threads = 16;
  profile.lanes = 32;
  profile.beams = 16;
  profile.beam_tokens = 64;
  profile.bpe_unused_pieces = 32768;
  profile.shortlist_row_bytes = 384u << 10;
  profile.attention = 1u << 20;
  ForEachMember([&profile](const auto& row) {
    auto& member = profile.*row.member;
    if constexpr (std::is_same_v<decltype(member), bool&>) member = true;
  });
  profile.f16_caches = profile.int8_cross_kv = false;
  return profile;
}

constexpr bool IsAnyProfile(const Profile& profile) {
  const Profile any = AnyProfile("", 0, 0);
  return profile.d_model == any.d_model && profile.d_ffn == any.d_ffn &&
         profile.target_vocabulary == any.target_vocabulary;
}

}  // namespace latimer

#endif  // LATIMER_INTERNAL_ANY_PROFILE_H_
