// What a model file knows about the sentences of its source.
#ifndef LATIMER_MODEL_SENTENCE_RULES_FILE_H_
#define LATIMER_MODEL_SENTENCE_RULES_FILE_H_

#include "latimer/sentence_splitter.h"
#include "latimer/status.h"

namespace latimer {

namespace schema {
struct SentenceRules;
}

// Views into the image. Takes time linear in the words. kCorrupt for words that
// a search could leave, or bits that there are none of.
Status ReadSentenceRules(const schema::SentenceRules& in, SentenceRules* out);

}  // namespace latimer

#endif  // LATIMER_MODEL_SENTENCE_RULES_FILE_H_
