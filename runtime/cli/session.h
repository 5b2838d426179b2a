// A model loaded into the static workspace.
#ifndef LATIMER_CLI_SESSION_H_
#define LATIMER_CLI_SESSION_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "latimer/plan.h"
#include "latimer/translator.h"

namespace latimer::cli {

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Opens and loads arguments.model; may be called again. Errors: those of
  // Translator::Load and OpenImage, and of a signature that does not match.
  Status Load(const Arguments& arguments);

  // Load; on failure prints one sentence to standard error and returns false.
  bool Open(const Arguments& arguments);

  // Reads the file's model info, whichever CPU it was packed for. On failure
  // prints a sentence and returns false. Call it before Load: both use the
  // workspace.
  bool ReadInfo(const Arguments& arguments, ModelInfo* info);

  Translator& translator() { return translator_; }
  // The model file's bytes; empty before Load.
  std::span<const std::byte> image() const { return image_; }

 private:
  Status OpenOnce(const Arguments& arguments);

  std::span<const std::byte> image_;
  Translator translator_;
};

// Prints "latimer: MODEL: SENTENCE" to standard error; returns kFailure.
int Fail(const Arguments& arguments, const Status& status);

// The names of the kernels that a loaded translator uses.
std::vector<std::string> KernelNames(const Translator& translator);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_SESSION_H_
