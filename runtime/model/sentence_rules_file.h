// What a model file knows about the sentences of its source.
#ifndef LATIMER_MODEL_SENTENCE_RULES_FILE_H_
#define LATIMER_MODEL_SENTENCE_RULES_FILE_H_

#include "latimer/sentence_splitter.h"
#include "latimer/status.h"

namespace latimer {

namespace schema {
struct SentenceRules;
}

// Fills `*out` with views into the image, in time linear in the words. kCorrupt
// for a trie that a walk could leave, or for unknown bits.
Status ReadSentenceRules(const schema::SentenceRules& in, SentenceRules* out);

}  // namespace latimer

#endif  // LATIMER_MODEL_SENTENCE_RULES_FILE_H_
