/* A model inside the program: read-only data that the CMake function
 * latimer_embed_model(TARGET MODEL.ltm) links in. It needs no file and no copy:
 *
 *   translator.Load(latimer::EmbeddedModel(), &workspace);
 */
#ifndef LATIMER_EMBEDDED_MODEL_H_
#define LATIMER_EMBEDDED_MODEL_H_

#include <stddef.h>

#ifdef __cplusplus
#include <cstddef>
#include <span>

extern "C" {
#endif

/* The model file, 64-byte aligned; *bytes receives its size. */
const void* latimer_embedded_model(size_t* bytes);

#ifdef __cplusplus
}

namespace latimer {

std::span<const std::byte> EmbeddedModel();

}  // namespace latimer
#endif

#endif /* LATIMER_EMBEDDED_MODEL_H_ */
