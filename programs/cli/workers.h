// Several translators at a time, each in a thread of its own, over work that
// they share.
#ifndef LATIMER_CLI_WORKERS_H_
#define LATIMER_CLI_WORKERS_H_

#include <cstdint>
#include <span>

#include "latimer/profile_config.h"
#include "latimer/translator.h"

namespace latimer::cli {

// The most workers of a program; a build without threads has one.
inline constexpr uint32_t kMostWorkers = kProfile.threads > 1 ? 64 : 1;

// Sentences in, translations out. Its functions are called by one worker at a
// time, so it knows nothing of threads. Whatever decides what a translation is,
// such as the number of its line, is decided here, in the order of the input:
// which worker translates it changes nothing.
class SharedWork {
 public:
  enum class Round { kWorked, kNothingYet, kEnded, kFailed };

  SharedWork() = default;
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;
  virtual ~SharedWork() = default;

  // Begins sentences while there are any and fewer than `most` are under way in
  // this translator, and writes what can be written. With `wait` it waits for
  // input, but only while no translation is owed. kNothingYet: none is under
  // way in this translator.
  virtual Round Begin(Translator& translator, uint32_t most, bool wait) = 0;

  // Takes a sentence that has finished. The translator is idle meanwhile.
  virtual void Finish(Translator& translator,
                      const FinishedTranslation& finished) = 0;
};

// Works until Begin says that the work has ended or failed, and returns that. A
// worker begins no sentence while it has more than the others have on average,
// so that few sentences are shared evenly, nor more than `lanes`. The first
// translator is that of the calling thread. If the system refuses a thread, the
// others do its work.
SharedWork::Round RunWorkers(std::span<Translator* const> translators,
                             uint32_t lanes, SharedWork& work);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_WORKERS_H_
