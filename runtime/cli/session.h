// A model file mapped into memory and loaded into the static workspace.
#ifndef LATIMER_CLI_SESSION_H_
#define LATIMER_CLI_SESSION_H_

#include <cstddef>
#include <span>

#include "cli/arguments.h"
#include "latimer/translator.h"

namespace latimer::cli {

class Session {
 public:
  Session() = default;
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Maps and loads arguments.model. On failure prints one sentence to standard
  // error and returns false. May be called again.
  bool Open(const Arguments& arguments);

  Translator& translator() { return translator_; }

 private:
  std::span<const std::byte> image_;
  Translator translator_;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_SESSION_H_
