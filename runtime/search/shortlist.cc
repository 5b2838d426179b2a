#include "search/shortlist.h"

#include <cstring>

namespace latimer {
namespace {

constexpr uint32_t kBits = 16;

void Allow(uint32_t token, uint16_t* masks) {
  masks[token / kBits] =
      static_cast<uint16_t>(masks[token / kBits] | 1u << token % kBits);
}

}  // namespace

void FillShortlist(const Model& model, std::span<const int32_t> source,
                   uint16_t* masks) {
  const Shortlist& shortlist = model.shortlist;
  const uint32_t vocabulary = model.info.architecture.target_vocabulary;
  std::memset(masks, 0, (vocabulary + kBits - 1) / kBits * sizeof(uint16_t));
  for (uint32_t i = 0; i < shortlist.first && i < vocabulary; ++i) {
    Allow(i, masks);
  }
  Allow(static_cast<uint32_t>(model.info.generation.eos), masks);
  for (const int32_t id : source) {
    const auto token = static_cast<uint32_t>(id);
    if (shortlist.copies_source) Allow(token, masks);
    for (uint32_t i = shortlist.offsets[token];
         i < shortlist.offsets[token + 1]; ++i) {
      Allow(shortlist.tokens[i], masks);
    }
  }
}

}  // namespace latimer
