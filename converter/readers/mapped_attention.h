// The attention of an own model, in the layout of the runtime (heads side by
// side) whatever the layout of its heads is.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_ATTENTION_H_
#define LATIMER_CONVERTER_READERS_MAPPED_ATTENTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/mapped_tensors.h"

namespace latimer {

// The tensors of one attention: one query, key and value, or one of each per
// head, or `packed` for all three.
struct AttentionTensors {
  std::vector<Parameters> query, key, value;
  Parameters packed;                 // [3A, D]: query, key, value
  Parameters packed_kv;              // [2A, D]: key, value, without `packed`
  std::vector<Parameters> head_out;  // Each head's projection, if any.
  Parameters out;  // After the heads; optional if there is head_out.
};

// Takes the parts PART.query and so on of the map. `heads` is the number of
// heads that are modules of their own.
AttentionTensors TakeAttention(MappedTensors& tensors, const std::string& part,
                               uint32_t layer, uint32_t heads);

// How a stack's attention is divided into heads.
struct HeadShape {
  uint32_t heads = 0;
  uint32_t head_dim = 0;
};

// Query, key, value [A, D] and output projection [D, A], A = heads * head_dim.
struct Attention {
  CanonicalLinear query, key, value, out;
};

// Builds an attention from `taken`. Sets *shape if shape->head_dim is 0; else
// the attention must have this shape. Projections of single heads are
// multiplied with the output projection, in double precision. `part` is for
// messages. Throws ConversionError if shapes do not fit each other.
Attention BuildAttention(MappedTensors& tensors, const std::string& part,
                         const AttentionTensors& taken, uint32_t d_model,
                         HeadShape* shape);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_ATTENTION_H_
