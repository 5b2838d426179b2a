#include "converter/readers/mapped_attention.h"

#include <algorithm>

#include "converter/error.h"

namespace latimer {
namespace {

// Reorders a matrix or vector whose output i belongs to head i % heads: the
// outputs of head h go to the rows from h * head_dim.
const SourceTensor* GatherRows(MappedTensors& tensors,
                               const SourceTensor* tensor,
                               const HeadShape& shape) {
  if (tensor == nullptr) return nullptr;
  const std::vector<float> from = tensor->Values();
  const size_t width = from.size() / tensor->shape.at(0);
  std::vector<float> to(from.size());
  for (size_t h = 0; h < shape.heads; ++h) {
    for (size_t i = 0; i < shape.head_dim; ++i) {
      std::copy_n(from.begin() + (i * shape.heads + h) * width, width,
                  to.begin() + (h * shape.head_dim + i) * width);
    }
  }
  return tensors.Make(tensor->name, tensor->shape, std::move(to));
}

// The same for the inputs of the output projection [D, A].
const SourceTensor* GatherColumns(MappedTensors& tensors,
                                  const SourceTensor& tensor,
                                  const HeadShape& shape) {
  const std::vector<float> from = tensor.Values();
  const size_t width = tensor.shape.at(1);
  std::vector<float> to(from.size());
  for (size_t row = 0; row < tensor.shape.at(0); ++row) {
    for (size_t column = 0; column < width; ++column) {
      const size_t h = column / shape.head_dim, i = column % shape.head_dim;
      to[row * width + column] = from[row * width + i * shape.heads + h];
    }
  }
  return tensors.Make(tensor.name, tensor.shape, std::move(to));
}

class AttentionBuilder {
 public:
  AttentionBuilder(MappedTensors& tensors, const std::string& part,
                   uint32_t d_model, HeadShape* shape)
      : tensors_(tensors), part_(part), d_(d_model), shape_(*shape) {}

  Attention Build(const AttentionTensors& taken) {
    if (taken.packed.weight != nullptr) {
      return BuildSplit(
          Unpacked(taken.packed, 3, "query, key and value, [3A, D]"),
          taken.out);
    }
    if (taken.packed_kv.weight != nullptr) {
      std::vector<Parameters> parts =
          Unpacked(taken.packed_kv, 2, "key and value, [2A, D]");
      parts.insert(parts.begin(), taken.query[0]);
      return BuildSplit(std::move(parts), taken.out);
    }
    if (tensors_.map().head_layout == HeadLayout::kModules) {
      return BuildModules(taken);
    }
    return BuildSplit({taken.query[0], taken.key[0], taken.value[0]},
                      taken.out);
  }

 private:
  uint64_t attention_width() const {
    return uint64_t{shape_.heads} * shape_.head_dim;
  }

  static void Append(const Parameters& part, CanonicalLinear* linear) {
    linear->weights.push_back(part.weight);
    linear->biases.push_back(part.bias);
  }

  std::vector<Parameters> Unpacked(const Parameters& packed, uint64_t count,
                                   const char* what) {
    const std::vector<uint64_t>& shape = packed.weight->shape;
    if (shape.size() != 2 || shape[0] % count != 0) {
      tensors_.Fail(*packed.weight, "should be ", what);
    }
    if (packed.bias != nullptr) tensors_.CheckShape(*packed.bias, {shape[0]});
    const uint64_t a = shape[0] / count;
    std::vector<Parameters> parts;
    for (uint64_t i = 0; i < count; ++i) {
      parts.push_back({tensors_.Rows(*packed.weight, i * a, a),
                       packed.bias == nullptr
                           ? nullptr
                           : tensors_.Rows(*packed.bias, i * a, a)});
    }
    return parts;
  }

  // One query, key and value whose outputs are divided into heads.
  Attention BuildSplit(std::vector<Parameters> parts, Parameters out) {
    FindHeadDim(*parts[0].weight, shape_.heads);
    const uint64_t a = attention_width();
    for (Parameters& part : parts) tensors_.CheckLinear(part, a, d_);
    tensors_.CheckLinear(out, d_, a);
    if (tensors_.map().head_layout == HeadLayout::kInterleaved) {
      for (Parameters& part : parts) {
        part = {GatherRows(tensors_, part.weight, shape_),
                GatherRows(tensors_, part.bias, shape_)};
      }
      out.weight = GatherColumns(tensors_, *out.weight, shape_);
    }
    Attention attention;
    Append(parts[0], &attention.query);
    Append(parts[1], &attention.key);
    Append(parts[2], &attention.value);
    Append(out, &attention.out);
    return attention;
  }

  // `heads` heads have as many columns as the query has outputs.
  void FindHeadDim(const SourceTensor& query, uint32_t heads) {
    const uint64_t outputs = tensors_.RowsOf(query);
    if (outputs % heads != 0) {
      FailIn(tensors_.map().name, "heads is ", heads, ", but ", query.name,
             " has ", outputs,
             " outputs, which cannot be cut into as many equal heads");
    }
    if (shape_.head_dim == 0) {
      shape_.head_dim = static_cast<uint32_t>(outputs / heads);
    }
  }

  Attention BuildModules(const AttentionTensors& taken) {
    FindHeadDim(*taken.query[0].weight, 1);
    Attention attention;
    for (size_t h = 0; h < taken.query.size(); ++h) {
      for (const Parameters& part :
           {taken.query[h], taken.key[h], taken.value[h]}) {
        tensors_.CheckLinear(part, shape_.head_dim, d_);
      }
      Append(taken.query[h], &attention.query);
      Append(taken.key[h], &attention.key);
      Append(taken.value[h], &attention.value);
    }
    Append(ModulesOut(taken), &attention.out);
    return attention;
  }

  // The product of the heads' projections and the output projection.
  Parameters ModulesOut(const AttentionTensors& taken) {
    const Parameters& out = taken.out;
    if (taken.head_out.empty()) {
      tensors_.CheckLinear(out, d_, attention_width());
      return out;
    }
    const uint64_t inner = tensors_.RowsOf(*taken.head_out[0].weight);
    for (const Parameters& head : taken.head_out) {
      tensors_.CheckLinear(head, inner, shape_.head_dim);
    }
    if (out.weight != nullptr) {
      tensors_.CheckLinear(out, d_, inner * taken.head_out.size());
      return Multiplied(out, taken.head_out, inner);
    }
    if (taken.head_out.size() > 1) {
      FailIn(tensors_.path(), "the ", taken.head_out.size(), " heads of ",
             part_, " are ", inner * taken.head_out.size(),
             " wide side by side, but the model is ", d_,
             " wide; name the projection between them as \"", part_,
             ".out\" in ", tensors_.map().name);
    }
    tensors_.CheckLinear(taken.head_out[0], d_, shape_.head_dim);
    return taken.head_out[0];
  }

  Parameters Multiplied(const Parameters& out,
                        const std::vector<Parameters>& heads, uint64_t inner) {
    const size_t a = attention_width(), dim = shape_.head_dim;
    const std::vector<float> outer = out.weight->Values();
    std::vector<float> weight(d_ * a);
    std::vector<double> bias(d_);
    if (out.bias != nullptr) {
      const std::vector<float> values = out.bias->Values();
      bias.assign(values.begin(), values.end());
    }
    std::vector<double> row(dim);
    for (size_t h = 0; h < heads.size(); ++h) {
      const std::vector<float> own = heads[h].weight->Values();
      const std::vector<float> own_bias = heads[h].bias == nullptr
                                              ? std::vector<float>(inner)
                                              : heads[h].bias->Values();
      for (size_t d = 0; d < d_; ++d) {
        std::fill(row.begin(), row.end(), 0.0);
        for (size_t i = 0; i < inner; ++i) {
          const double w = outer[(d * heads.size() + h) * inner + i];
          bias[d] += w * own_bias[i];
          for (size_t j = 0; j < dim; ++j) row[j] += w * own[i * dim + j];
        }
        for (size_t j = 0; j < dim; ++j) {
          weight[d * a + h * dim + j] = static_cast<float>(row[j]);
        }
      }
    }
    return {tensors_.Make(out.weight->name, {d_, a}, std::move(weight)),
            tensors_.Make(out.weight->name + "'s bias", {d_},
                          {bias.begin(), bias.end()})};
  }

  MappedTensors& tensors_;
  const std::string& part_;
  const uint64_t d_;
  HeadShape& shape_;
};

}  // namespace

AttentionTensors TakeAttention(MappedTensors& tensors, const std::string& part,
                               uint32_t layer, uint32_t heads) {
  AttentionTensors taken;
  const auto& names = tensors.map().tensors;
  if (tensors.map().head_layout == HeadLayout::kModules) {
    const bool own = names.contains(part + ".head_out");
    for (uint32_t h = 0; h < heads; ++h) {
      taken.query.push_back(tensors.Take(part + ".query", layer, h));
      taken.key.push_back(tensors.Take(part + ".key", layer, h));
      taken.value.push_back(tensors.Take(part + ".value", layer, h));
      if (own) {
        taken.head_out.push_back(tensors.Take(part + ".head_out", layer, h));
      }
    }
    if (!own || tensors.Has(part + ".out", layer)) {
      taken.out = tensors.Take(part + ".out", layer);
    }
    return taken;
  }
  // A map may name several; the file decides which of them counts.
  const auto stacked = [&](const char* parts, const char* part_alone) {
    return names.contains(part + parts) &&
           (!names.contains(part + part_alone) ||
            tensors.Has(part + parts, layer));
  };
  if (stacked(".qkv", ".query")) {
    taken.packed = tensors.Take(part + ".qkv", layer);
  } else if (stacked(".kv", ".key")) {
    taken.query = {tensors.Take(part + ".query", layer)};
    taken.packed_kv = tensors.Take(part + ".kv", layer);
  } else {
    taken.query = {tensors.Take(part + ".query", layer)};
    taken.key = {tensors.Take(part + ".key", layer)};
    taken.value = {tensors.Take(part + ".value", layer)};
  }
  taken.out = tensors.Take(part + ".out", layer);
  return taken;
}

Attention BuildAttention(MappedTensors& tensors, const std::string& part,
                         const AttentionTensors& taken, uint32_t d_model,
                         HeadShape* shape) {
  return AttentionBuilder(tensors, part, d_model, shape).Build(taken);
}

}  // namespace latimer
