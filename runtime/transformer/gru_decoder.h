// The decoder of a model of GRUs.
#ifndef LATIMER_TRANSFORMER_GRU_DECODER_H_
#define LATIMER_TRANSFORMER_GRU_DECODER_H_

#include <span>

#include "transformer/decoder.h"

namespace latimer {

// StepDecoder of a model of GRUs: changes each layer's GruState. The memory and
// its keys must be there; see FillGruKeys.
DecoderOutput StepGruDecoder(const Engine& engine,
                             std::span<const DecoderRow> rows,
                             Workspace& workspace, Trace& trace);

}  // namespace latimer

#endif  // LATIMER_TRANSFORMER_GRU_DECODER_H_
