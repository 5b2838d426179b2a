// A model loaded into the static workspace.
#ifndef LATIMER_CLI_SESSION_H_
#define LATIMER_CLI_SESSION_H_

#include <cstddef>
#include <span>

#include "cli/arguments.h"
#include "latimer/plan.h"
#include "latimer/translator.h"

namespace latimer::cli {

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Opens and loads arguments.model. On failure prints one sentence to standard
  // error and returns false. May be called again.
  bool Open(const Arguments& arguments);

  // What the file says about itself, whichever CPU it was packed for. On
  // failure as Open. Before Load, for both use the workspace.
  bool ReadInfo(const Arguments& arguments, ModelInfo* info);

  // Loads what ReadInfo or Open has mapped.
  Status Load(const Arguments& arguments);

  Translator& translator() { return translator_; }

 private:
  bool Map(const Arguments& arguments);

  std::span<const std::byte> image_;
  Translator translator_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_SESSION_H_
