// The tokenizer of a model file as a verified view.
#ifndef LATIMER_MODEL_TOKENIZER_FILE_H_
#define LATIMER_MODEL_TOKENIZER_FILE_H_

#include <cstdint>

#include "latimer/model_info.h"
#include "latimer/status.h"
#include "text/tokenizer_view.h"

namespace latimer {

namespace schema {
struct Tokenizer;
}

// Fills `*view` and adds up the bytes it views. The table's structure has been
// verified. Errors: kCorrupt.
Status ReadTokenizer(const schema::Tokenizer& table,
                     const Architecture& architecture, TokenizerView* view,
                     uint64_t* bytes);

}  // namespace latimer

#endif  // LATIMER_MODEL_TOKENIZER_FILE_H_
