#include "model/operation_bytes.h"

namespace latimer {
namespace {

uint64_t BytesOf(const Model& model, const Linear& linear) {
  if (linear.data == nullptr) return 0;
  const uint64_t bias =
      linear.bias == nullptr ? 0 : uint64_t{linear.n} * sizeof(float);
  return PackedBytes(linear.type, model.tile, linear.n, linear.k) + bias;
}

uint64_t LayerBytes(const Model& m, const DecoderLayer& layer,
                    Operation operation) {
  switch (operation) {
    case Operation::kQkv:
      return BytesOf(m, layer.self_qkv) + BytesOf(m, layer.cross_query);
    case Operation::kAttentionOut:
      return BytesOf(m, layer.self_out) + BytesOf(m, layer.cross_out);
    case Operation::kFeedForward:
      return BytesOf(m, layer.ffn_in) + BytesOf(m, layer.ffn_out);
    case Operation::kRecurrent:
      return BytesOf(m, layer.ssru_in);
    case Operation::kEmbedding:
    case Operation::kSelfAttention:
    case Operation::kCrossAttention:
    case Operation::kNorm:
    case Operation::kOutput:
    case Operation::kSearch:
      break;
  }
  return 0;
}

// For a network of GRUs or LSTMs.
uint64_t RecurrentBytes(const Model& m, Operation operation) {
  const RecurrentTensors& t = m.tensors.recurrent;
  if (operation == Operation::kCrossAttention) return BytesOf(m, t.query);
  uint64_t bytes = 0;
  if (operation == Operation::kRecurrent) {
    for (const RecurrentLayer& layer : t.decoder) {
      bytes += BytesOf(m, layer.input) + BytesOf(m, layer.hidden[0]);
    }
  }
  return bytes;
}

}  // namespace

uint64_t DecoderWeightBytes(const Model& model, Operation operation) {
  if (operation == Operation::kOutput) {
    // A pruned argmax does not read all of the matrix.
    const ModelSizes& sizes = model.info.sizes;
    return sizes.streamed_per_token - sizes.decoder;
  }
  uint64_t bytes = RecurrentBytes(model, operation);
  for (uint32_t i = 0; i < model.info.architecture.decoder_layers; ++i) {
    bytes += LayerBytes(model, model.tensors.decoder[i], operation);
  }
  return bytes;
}

}  // namespace latimer
