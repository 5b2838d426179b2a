#include "model/sentence_rules_file.h"

#include "model_generated.h"
#include "text/sentence_end.h"
#include "text/trie.h"

namespace latimer {

Status ReadSentenceRules(const schema::SentenceRules& in, SentenceRules* out) {
  static_assert(FLATBUFFERS_LITTLEENDIAN);
  *out = {.languages = {in.languages()->c_str(), in.languages()->size()},
          .words = {in.words()->data(), in.words()->size()},
          .ordinals = in.ordinals()};
  return ValidateTrie(out->words, kWordInSentenceLimit,
                      "trie of sentence words");
}

}  // namespace latimer
