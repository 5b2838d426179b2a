#include "converter/readers/known_transformer.h"

#include <string>

#include "converter/canonical_model.h"
#include "converter/readers/whisper.h"

namespace latimer {
namespace {

class TransformerMapper {
 public:
  TransformerMapper(const TransformerLayout& layout, MappedTensors& tensors,
                    CanonicalModel* model)
      : layout_(layout),
        tensors_(tensors),
        model_(*model),
        a_(model->architecture) {}

  void MapAll() {
    MapEmbeddings();
    MapStack({.name = "encoder",
              .numbers = layout_.encoder_layers,
              .layers = a_.encoder_layers,
              .attention_width = a_.encoder_attention_width(),
              .head_dim = a_.encoder_head_dim,
              .key_heads = layout_.encoder_key_heads,
              .ffn = a_.encoder_ffn});
    MapStack({.name = "decoder",
              .numbers = layout_.decoder_layers,
              .layers = a_.decoder_layers,
              .attention_width = a_.decoder_attention_width(),
              .head_dim = a_.decoder_head_dim,
              .key_heads = layout_.decoder_key_heads,
              .ffn = a_.decoder_ffn});
  }

 private:
  struct Stack {
    std::string name;
    const std::vector<uint32_t>& numbers;
    uint32_t layers;
    uint64_t attention_width;
    uint32_t head_dim;
    uint32_t key_heads;
    uint64_t ffn;
  };

  // A layer: what {layer} is in its tensors' names, the prefix of its parts,
  // and that of the canonical names.
  struct Layer {
    uint32_t number;
    std::string from;
    std::string to;
  };

  // Matrices [outputs, inputs] under one canonical name, stacked.
  void AddLinear(const Layer& layer, const std::string& to,
                 std::initializer_list<const char*> parts, uint64_t outputs,
                 uint64_t inputs) {
    CanonicalLinear& linear = model_.linears[layer.to + to];
    for (const char* part : parts) {
      const Parameters taken = tensors_.Take(layer.from + part, layer.number);
      tensors_.Expect(taken.weight, {outputs, inputs});
      tensors_.Expect(taken.bias, {outputs});
      linear.weights.push_back(taken.weight);
      linear.biases.push_back(taken.bias);
    }
  }

  // The same for a part that few heads have and many share: one matrix for each
  // head of the attention, [head_dim, inputs].
  void AddShared(const Stack& stack, const Layer& layer, const char* part,
                 CanonicalLinear* linear) {
    const Parameters taken = tensors_.Take(layer.from + part, layer.number);
    const uint64_t dim = stack.head_dim, rows = stack.key_heads * dim;
    tensors_.Expect(taken.weight, {rows, a_.d_model});
    tensors_.Expect(taken.bias, {rows});
    const auto fits = [&](const SourceTensor* tensor) {
      return tensor != nullptr && tensor->shape.at(0) == rows;
    };
    const uint64_t heads = stack.attention_width / dim;
    for (uint64_t h = 0; h < heads; ++h) {
      const uint64_t begin = h * stack.key_heads / heads * dim;
      const auto rows_of = [&](const SourceTensor* tensor) {
        return fits(tensor) ? tensors_.Rows(*tensor, begin, dim) : nullptr;
      };
      linear->weights.push_back(rows_of(taken.weight));
      linear->biases.push_back(rows_of(taken.bias));
    }
  }

  void AddNorm(const Layer& layer, const std::string& part) {
    const Parameters taken = tensors_.Take(layer.from + part, layer.number);
    tensors_.Expect(taken.weight, {a_.d_model});
    tensors_.Expect(taken.bias, {a_.d_model});
    model_.norms[layer.to + part] = {taken.weight, taken.bias};
  }

  void AddNormsOf(const Layer& layer, const std::string& sublayer) {
    if (a_.norm_kind == NormKind::kNone) return;
    AddNorm(layer, sublayer + ".norm");
    if (a_.norm_position == NormPosition::kBoth) {
      AddNorm(layer, sublayer + ".output_norm");
    }
  }

  void MapStack(const Stack& stack) {
    const uint64_t d = a_.d_model;
    const std::string own = stack.name + ".";
    if (a_.embedding_norm) AddNorm({0, own, own}, "embedding_norm");
    if (a_.final_norm) AddNorm({0, own, own}, "norm");
    for (uint32_t i = 0; i < stack.layers; ++i) {
      const Layer layer = {
          .number = stack.numbers.empty() ? i : stack.numbers[i],
          .from = own,
          .to = own + std::to_string(i) + "."};
      const bool decoder = stack.name == "decoder";
      if (decoder && a_.network_kind == NetworkKind::kTransformerSsru) {
        AddLinear(layer, "ssru.in", {"ssru.candidate", "ssru.forget"}, d, d);
        AddNormsOf(layer, "ssru");
      } else {
        MapSelfAttention(stack, layer);
      }
      if (decoder) MapCrossAttention(stack, layer);
      if (a_.gated_ffn) {
        AddLinear(layer, "ffn.in", {"ffn.gate", "ffn.in"}, stack.ffn, d);
      } else {
        AddLinear(layer, "ffn.in", {"ffn.in"}, stack.ffn, d);
      }
      AddLinear(layer, "ffn.out", {"ffn.out"}, d, stack.ffn);
      AddNormsOf(layer, "ffn");
    }
  }

  bool Names(const Layer& layer, const char* part) const {
    return tensors_.map().tensors.contains(layer.from + part);
  }

  void MapSelfAttention(const Stack& stack, const Layer& layer) {
    const uint64_t d = a_.d_model, width = stack.attention_width;
    if (Names(layer, "self_attention.qkv")) {
      AddLinear(layer, "self_attention.qkv", {"self_attention.qkv"}, 3 * width,
                d);
    } else if (stack.key_heads != 0) {
      const std::string name = "self_attention.qkv";
      AddLinear(layer, name, {"self_attention.query"}, width, d);
      CanonicalLinear& linear = model_.linears.at(layer.to + name);
      AddShared(stack, layer, "self_attention.key", &linear);
      AddShared(stack, layer, "self_attention.value", &linear);
    } else {
      AddLinear(layer, "self_attention.qkv",
                {"self_attention.query", "self_attention.key",
                 "self_attention.value"},
                width, d);
    }
    AddLinear(layer, "self_attention.out", {"self_attention.out"}, d, width);
    AddNormsOf(layer, "self_attention");
  }

  void MapCrossAttention(const Stack& stack, const Layer& layer) {
    const uint64_t d = a_.d_model, width = stack.attention_width;
    AddLinear(layer, "cross_attention.query", {"cross_attention.query"}, width,
              d);
    if (Names(layer, "cross_attention.kv")) {
      AddLinear(layer, "cross_attention.kv", {"cross_attention.kv"}, 2 * width,
                d);
    } else if (stack.key_heads != 0) {
      CanonicalLinear& linear = model_.linears[layer.to + "cross_attention.kv"];
      AddShared(stack, layer, "cross_attention.key", &linear);
      AddShared(stack, layer, "cross_attention.value", &linear);
    } else {
      AddLinear(layer, "cross_attention.kv",
                {"cross_attention.key", "cross_attention.value"}, width, d);
    }
    AddLinear(layer, "cross_attention.out", {"cross_attention.out"}, d, width);
    AddNormsOf(layer, "cross_attention");
  }

  // An embedding [rows, D]; sets a height of 0.
  const SourceTensor* TakeEmbedding(const std::string& part, uint32_t* rows) {
    const SourceTensor* matrix = tensors_.Take(part).weight;
    if (*rows == 0) {
      *rows = matrix == nullptr || matrix->shape.empty()
                  ? 1
                  : static_cast<uint32_t>(matrix->shape[0]);
    }
    tensors_.Expect(matrix, {*rows, a_.d_model});
    return matrix;
  }

  void MapEmbeddings() {
    const SourceTensor* target =
        TakeEmbedding("target_embedding", &a_.target_vocabulary);
    // Speech has no embedding, and counts as one that is tied.
    const SourceTensor* source =
        a_.reads_speech()
            ? target
            : TakeEmbedding("source_embedding", &a_.source_vocabulary);
    const Parameters output = tensors_.Take("output");
    const uint64_t v = a_.target_vocabulary;
    tensors_.Expect(output.weight, {v, a_.d_model});
    tensors_.Expect(output.bias, layout_.output_bias_is_matrix
                                     ? std::vector<uint64_t>{1, v}
                                     : std::vector<uint64_t>{v});
    model_.linears["output"] = {{output.weight}, {output.bias}};
    TieEmbeddings(source, target, output.weight, layout_.share_embeddings,
                  &model_);
  }

  const TransformerLayout& layout_;
  MappedTensors& tensors_;
  CanonicalModel& model_;
  Architecture& a_;
};

}  // namespace

void MapTransformer(const TransformerLayout& layout, MappedTensors* tensors,
                    CanonicalModel* model) {
  TransformerMapper(layout, *tensors, model).MapAll();
  if (model->architecture.reads_speech()) MapConvolutions(tensors, model);
}

}  // namespace latimer
