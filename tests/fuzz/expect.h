// What must hold for every result, whatever the model and the text.
#ifndef LATIMER_TESTS_FUZZ_EXPECT_H_
#define LATIMER_TESTS_FUZZ_EXPECT_H_

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "internals.h"
#include "latimer/translator.h"
#include "text/utf8.h"

#define LATIMER_EXPECT(condition)                                     \
  do {                                                                \
    if (!(condition)) {                                               \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, \
                   #condition);                                       \
      std::abort();                                                   \
    }                                                                 \
  } while (false)

namespace latimer {

// A failure has one sentence.
inline void ExpectSentence(const Status& status) {
  LATIMER_EXPECT(status.ok() || status.message()[0] != '\0');
}

// Tokens and text are the vocabulary's and UTF-8.
inline void ExpectGood(const Result<Translation>& result,
                       const Translator& translator, uint32_t most_tokens) {
  ExpectSentence(result.status());
  if (!result.ok()) return;
  const uint32_t vocabulary =
      Internals::Describe(translator).architecture.target_vocabulary;
  LATIMER_EXPECT(result->tokens.size() <= most_tokens);
  for (const int32_t id : result->tokens) {
    LATIMER_EXPECT(id >= 0 && static_cast<uint32_t>(id) < vocabulary);
  }
  LATIMER_EXPECT(IsUtf8(result->text));
}

}  // namespace latimer

#endif  // LATIMER_TESTS_FUZZ_EXPECT_H_
