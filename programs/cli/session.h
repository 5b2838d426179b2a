// A model, loaded into a workspace that is as large as it needs.
#ifndef LATIMER_CLI_SESSION_H_
#define LATIMER_CLI_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "internals.h"
#include "latimer/translator.h"

namespace latimer::cli {

// The beams of a search: --beams, or as many as --n-best lists if the model has
// fewer; none: the model's.
std::optional<uint32_t> BeamsFor(const Arguments& arguments,
                                 const ModelDescription& info);

class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The lanes that were asked for, or else those with which the model is
  // fastest. A file that cannot be read is Load's to complain of.
  uint32_t LanesFor(const Arguments& arguments);

  // Opens and loads arguments.model for up to `lanes` sentences side by side;
  // may be called again with the same arguments. Errors: those of
  // Translator::Load and OpenImage, of a signature that does not match, and
  // kResourceUnavailable if there is no memory for the workspace.
  Status Load(const Arguments& arguments, uint32_t lanes = 1);

  // Load; on failure prints one sentence to standard error and returns false.
  bool Open(const Arguments& arguments, uint32_t lanes = 1);

  // Open for two models, whose workspaces are parts of one block.
  static bool OpenBoth(Session& first, const Arguments& of_first,
                       Session& second, const Arguments& of_second,
                       uint32_t lanes);

  // Loads the image once more, for another worker, into a workspace of its own.
  // Precondition: Load has succeeded with these arguments. Errors: those of
  // Load.
  Status AddWorker(const Arguments& arguments, uint32_t lanes);

  // Reads the file's model info, whichever CPU it was packed for. On failure
  // prints a sentence and returns false.
  bool ReadInfo(const Arguments& arguments, ModelDescription* info);

  Translator& translator() { return translator_; }
  // That one, and those of the workers.
  std::vector<Translator*> translators();
  // The model file's bytes; empty before Load.
  std::span<const std::byte> image() const { return image_; }
  // What Load reserved.
  size_t workspace_bytes() const { return workspace_.size(); }

 private:
  Status OpenOnce(const Arguments& arguments);
  // The bytes of the workspace; OpenOnce must have succeeded.
  Result<size_t> WorkspaceBytes(const LoadOptions& options) const;
  Status Reserve(const LoadOptions& options);

  std::span<const std::byte> image_;
  std::span<std::byte> workspace_;  // Lives until the program ends.
  Translator translator_;
  std::deque<Translator> workers_;
};

// Prints "latimer: MODEL: SENTENCE" to standard error; returns kFailure.
int Fail(const Arguments& arguments, const Status& status);

// The names of the kernels that a loaded translator uses.
std::vector<std::string> KernelNames(const Translator& translator);

}  // namespace latimer::cli

#endif  // LATIMER_CLI_SESSION_H_
