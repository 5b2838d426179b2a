#include "converter/canonical_model.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "converter/error.h"
#include "latimer/profile_config.h"
#include "model/model_file.h"

namespace latimer {
namespace {

bool Same(const SourceTensor* one, const SourceTensor* other) {
  return one != nullptr && other != nullptr && one->SameAs(*other);
}

}  // namespace

uint64_t CanonicalLinear::outputs() const {
  if (rows != nullptr) return rows->size();
  uint64_t count = 0;
  for (const SourceTensor* tensor : weights) count += tensor->shape.at(0);
  return count;
}

bool CanonicalLinear::is_quantized() const {
  return std::ranges::any_of(weights, [](const SourceTensor* tensor) {
    return tensor->type == SourceType::kInt8;
  });
}

CanonicalLinear::Row CanonicalLinear::RowAt(uint64_t output) const {
  if (rows != nullptr) {
    LATIMER_CHECK(output < rows->size() && weights.size() == 1);
    return {weights[0], (*rows)[output]};
  }
  for (const SourceTensor* tensor : weights) {
    if (output < tensor->shape.at(0)) return {tensor, output};
    output -= tensor->shape.at(0);
  }
  LATIMER_CHECK(false);  // Not a row of it.
}

void CanonicalLinear::ReadRow(uint64_t output, std::span<float> values) const {
  const Row row = RowAt(output);
  row.tensor->Read(row.index * values.size(), values);
  if (!row_factors.empty()) {
    for (float& value : values) value *= row_factors.at(output);
  }
  if (!column_factors.empty()) {
    for (size_t i = 0; i < values.size(); ++i) values[i] *= column_factors[i];
  }
  CheckFinite(values, row.tensor->name);
}

void SplitHeads(Architecture* architecture) {
  Architecture& a = *architecture;
  a.encoder_head_dim = a.d_model / a.encoder_heads;
  a.decoder_head_dim = a.d_model / a.decoder_heads;
  a.encoder_attention_scale =
      1.0f / std::sqrt(static_cast<float>(a.encoder_head_dim));
  a.decoder_attention_scale =
      1.0f / std::sqrt(static_cast<float>(a.decoder_head_dim));
}

void TieEmbeddings(const SourceTensor* source, const SourceTensor* target,
                   const SourceTensor* output, bool share,
                   CanonicalModel* model) {
  Architecture& a = model->architecture;
  a.embeddings_shared = share && Same(source, target);
  a.source_embedding_tied = Same(source, output);
  a.target_embedding_tied =
      a.embeddings_shared ? a.source_embedding_tied : Same(target, output);
  if (!a.source_embedding_tied) {
    model->linears["source_embedding"] = {{source}, {nullptr}};
  }
  if (!a.target_embedding_tied && !a.embeddings_shared) {
    model->linears["target_embedding"] = {{target}, {nullptr}};
  }
}

void CheckSizes(const Architecture& a) {
  const auto check = [](const char* what, uint64_t value, uint64_t limit) {
    if (value > limit) {
      FailWith("The model's ", what, " is ", value,
               "; this converter handles up to ", limit, ".");
    }
  };
  check("encoder layer count", a.encoder_layers, kProfile.encoder_layers);
  check("decoder layer count", a.decoder_layers, kProfile.decoder_layers);
  check("source vocabulary", a.source_vocabulary, kProfile.source_vocabulary);
  const uint64_t most_positions =
      kMaxFileBytes / sizeof(float) / (a.d_model > 0 ? a.d_model : 1);
  check("source position count", a.source_positions, most_positions);
  check("target position count", a.target_positions, most_positions);
  check("target vocabulary", a.target_vocabulary, kProfile.target_vocabulary);
  if (a.is_recurrent()) {
    const Recurrent& r = a.recurrent;
    check("source embedding width", r.source_embedding, kProfile.d_model);
    check("target embedding width", r.target_embedding, kProfile.d_model);
    check("encoder state width", r.encoder_hidden, kProfile.d_model);
    check("decoder state width", r.decoder_hidden, kProfile.d_model);
    check("combined width", r.combined, kProfile.d_model);
    check("encoder width, all directions together,", r.encoder_width(),
          kProfile.attention_width);
    check("memory width", r.memory_width(), kProfile.attention_width);
    check("attention key width", r.attention_hidden, kProfile.attention_width);
    return;
  }
  check("d_model", a.d_model, kProfile.d_model);
  check("encoder head count", a.encoder_heads, kProfile.heads);
  check("decoder head count", a.decoder_heads, kProfile.heads);
  check("encoder attention width", a.encoder_attention_width(),
        kProfile.attention_width);
  check("decoder attention width", a.decoder_attention_width(),
        kProfile.attention_width);
  check("encoder d_ffn", a.encoder_ffn, kProfile.d_ffn);
  check("decoder d_ffn", a.decoder_ffn, kProfile.d_ffn);
}

void LimitPositions(const PositionLimits& limits, CanonicalModel* model) {
  Architecture& a = model->architecture;
  if (!a.has_positions) return;
  const CanonicalGeneration& g = model->generation;
  const auto limited = [](uint32_t limit, uint64_t least, uint32_t most) {
    if (limit == 0) return most;
    return static_cast<uint32_t>(
        std::min<uint64_t>(std::max<uint64_t>(limit, least), most));
  };
  const uint64_t frame = g.source_prefix.size() + g.source_suffix.size() + 1;
  uint32_t source =
      limited(limits.source, std::max<uint64_t>(frame, g.source_length),
              a.source_positions);
  uint32_t target = limited(limits.target, 1, a.target_positions);
  if (a.positions_shared) source = target = std::max(source, target);
  const auto cut = [&](const char* table, uint32_t positions) {
    const auto found = model->tables.find(table);
    if (found == model->tables.end()) return;
    found->second.resize(uint64_t{positions} * a.d_model);
  };
  cut("source_positions", source);
  cut("target_positions", target);
  a.source_positions = source;
  a.target_positions = target;
  model->generation.max_target_tokens =
      std::min(model->generation.max_target_tokens, target);
}

}  // namespace latimer
