#include "model/tables.h"
#include "model/views.h"
#include "model_generated.h"
#include "text/sentence_end.h"
#include "text/trie.h"

namespace latimer {

Status ReadSentenceRules(const schema::SentenceRules& in, SentenceRules* out) {
  *out = {.languages = ViewOf(in.languages()),
          .words = ViewOf(in.words()),
          .ordinals = in.ordinals()};
  return ValidateTrie(out->words, kWordInSentenceLimit,
                      "trie of sentence words");
}

}  // namespace latimer
