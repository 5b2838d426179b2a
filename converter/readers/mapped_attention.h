// The attention of an own model: whatever its heads look like, in the form that
// the runtime has, heads side by side.
#ifndef LATIMER_CONVERTER_READERS_MAPPED_ATTENTION_H_
#define LATIMER_CONVERTER_READERS_MAPPED_ATTENTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/canonical_model.h"
#include "converter/readers/mapped_tensors.h"

namespace latimer {

// The tensors of one attention. Either one query, key and value, or one of each
// head; `packed` stands for all three.
struct AttentionTensors {
  std::vector<Parameters> query, key, value;
  Parameters packed;                 // [3A, D]: query, key, value
  std::vector<Parameters> head_out;  // Each head's own projection, if any.
  Parameters out;  // After the heads; may be missing where head_out is not.
};

// Takes what the map calls PART.query and so on. With heads that are modules,
// `heads` is the count of these.
AttentionTensors TakeAttention(MappedTensors& tensors, const std::string& part,
                               uint32_t layer, uint32_t heads);

// How a stack's attention is cut into heads.
struct HeadShape {
  uint32_t heads = 0;
  uint32_t head_dim = 0;
};

// Query, key, value [A, D] and output projection [D, A], A = heads * head_dim.
struct Attention {
  CanonicalLinear query, key, value, out;
};

// What `taken` is, with a shape that is found if shape->head_dim is 0, and must
// be this one if not. Several heads with projections of their own and an
// output projection are multiplied to one, in double precision. `part` is for
// messages. Throws ConversionError where shapes do not fit each other.
Attention BuildAttention(MappedTensors& tensors, const std::string& part,
                         const AttentionTensors& taken, uint32_t d_model,
                         HeadShape* shape);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_MAPPED_ATTENTION_H_
