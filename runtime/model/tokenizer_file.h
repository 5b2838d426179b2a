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

// Fills `*view` and `*needs` and adds the bytes of the view to `*bytes`. The
// table has passed the verifier. Errors: kCorrupt; kExceedsProfile for a kind
// of tokenizer that the profile leaves out.
Status ReadTokenizer(const schema::Tokenizer& table,
                     const Architecture& architecture, TokenizerView* view,
                     TokenizerNeeds* needs, uint64_t* bytes);

}  // namespace latimer

#endif  // LATIMER_MODEL_TOKENIZER_FILE_H_
