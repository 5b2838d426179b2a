#include "search/shortlist.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "transformer/linear.h"

namespace latimer {
namespace {

constexpr uint32_t kBits = 16;

void Allow(uint32_t token, uint16_t* masks) {
  masks[token / kBits] =
      static_cast<uint16_t>(masks[token / kBits] | 1u << token % kBits);
}

// Sets in masks [V / 16] the bits of the tokens.
void FillMasks(const Model& model, std::span<const int32_t> source,
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

// Writes the tokens of `masks`, at most `most`; returns how many there are.
size_t ListTokens(std::span<const uint16_t> masks, size_t most,
                  uint32_t* tokens) {
  size_t count = 0;
  for (uint32_t i = 0; i < masks.size(); ++i) {
    for (uint32_t mask = masks[i]; mask != 0; mask &= mask - 1) {
      if (count < most) {
        tokens[count] =
            i * kBits + static_cast<uint32_t>(std::countr_zero(mask));
      }
      ++count;
    }
  }
  return count;
}

}  // namespace

AllowedTokens AllowTokens(const Engine& engine, const Buffers& workspace,
                          std::span<const int32_t> source, size_t lane) {
  const Model& model = engine.model;
  const Linear& output = model.tensors.output;
  uint16_t* const masks =
      workspace.shortlist + lane * workspace.shortlist_stride;
  FillMasks(model, source, masks);
  AllowedTokens allowed = {.masks = masks, .rows = {}};

  // The tokens come first; there is room for whole blocks of them.
  const size_t most = workspace.shortlist_row_stride /
                      static_cast<size_t>(model.info.shortlist.row_bytes) /
                      kChannelBlock * kChannelBlock;
  std::byte* const memory =
      workspace.shortlist_rows + lane * workspace.shortlist_row_stride;
  auto* const tokens = reinterpret_cast<uint32_t*>(memory);
  const size_t count =
      ListTokens({masks, (output.n + kBits - 1) / kBits}, most, tokens);
  if (count > most) return allowed;
  allowed.tokens = tokens;
  allowed.rows =
      GatherChannels(model, output, {tokens, count},
                     memory + RoundUp(count, kChannelBlock) * sizeof(uint32_t));
  return allowed;
}

void SpreadLogits(const AllowedTokens& allowed, std::span<float> logits) {
  // From the end: no token comes before its place among the allowed.
  size_t end = logits.size();
  for (size_t i = allowed.rows.n; i-- > 0;) {
    const size_t token = allowed.tokens[i];
    const float logit = logits[i];
    std::fill(logits.begin() + token + 1, logits.begin() + end, kBannedLogit);
    logits[token] = logit;
    end = token;
  }
  std::fill(logits.begin(), logits.begin() + end, kBannedLogit);
}

void BanOthers(const AllowedTokens& allowed, const LogitWindow& window) {
  if (!kProfile.shortlist || allowed.masks == nullptr) return;
  for (size_t i = 0; i < window.size; ++i) {
    const size_t token = window.token(i);
    if ((allowed.masks[token / kBits] >> token % kBits & 1) == 0) {
      window.logits[i] = kBannedLogit;
    }
  }
}

}  // namespace latimer
