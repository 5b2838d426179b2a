// What a command reads from standard input or from --text: lines, or the
// sentences of running text. Waits only when the caller allows it.
#ifndef LATIMER_CLI_INPUT_H_
#define LATIMER_CLI_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "latimer/streams.h"
#include "latimer/translator.h"

namespace latimer::cli {

// A line, or a sentence of running text.
struct InputText {
  unsigned long long line = 0;  // The line that it begins on, from 1.
  std::string_view text;        // Any bytes.
  // Of a sentence: the >>language<< code of an earlier sentence, if it has none
  // of its own; the white space after it; and what follows it.
  std::string_view language_code = {};
  std::string_view space = {};
  SentenceEnd end = SentenceEnd::kLine;
  bool cut_reported = false;  // If `end` is kCut, a warning has said so.
};

class Input {
 public:
  enum class Got { kText, kNothingYet, kEnd };

  Input() = default;
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  virtual ~Input() = default;

  // The next text; its views live until the next call. With `wait` it waits
  // until there is one and never returns kNothingYet. kEnd at the end of the
  // input, and when the program is interrupted.
  virtual Got Next(bool wait, InputText* text) = 0;

  // Bytes of the texts that were taken so far.
  virtual uint64_t taken() const = 0;

  // After kEnd, when all output is written: flushes it. Returns the exit code,
  // and prints a sentence if it is not kSuccess.
  virtual int End() = 0;
};

// Texts in the bytes of files, or of --text.
class ByteInput : public Input {
 public:
  // Reads standard input, and then these files in its place. A last line
  // without a line break ends with its file.
  explicit ByteInput(std::span<char* const> files = {});
  // Reads `text` instead.
  explicit ByteInput(std::string_view text) : bytes_(text), ended_(true) {}

  Got Next(bool wait, InputText* text) final;
  uint64_t taken() const final { return taken_; }
  int End() final;

 protected:
  // Takes the next text out of bytes(). Returns false if they do not hold a
  // whole one yet. With `all`, no more bytes follow.
  virtual bool Take(bool all, InputText* text) = 0;

  // The bytes that were read and not dropped.
  std::string_view bytes() const {
    return std::string_view(bytes_).substr(begin_);
  }
  void Drop(size_t bytes) {
    begin_ += bytes;
    taken_ += bytes;
  }

 private:
  bool Read(bool wait);
  bool OpenNext();

  std::span<char* const> files_;
  std::string bytes_;
  size_t begin_ = 0;
  uint64_t taken_ = 0;
  bool ended_ = false;
  int error_ = 0;  // errno of what ended the input, or 0.
};

// What standard input has left if it is a file of at most 64 KiB, so that this
// can be known before it is read; it stays there to be read.
std::optional<std::string> SmallInputFile();

// Lines of any length. `only`, if given, is one line, even if it is empty.
class LineInput final : public ByteInput {
 public:
  explicit LineInput(std::span<char* const> files = {}) : ByteInput(files) {}
  explicit LineInput(std::string_view only) : ByteInput(only), only_(true) {}

 private:
  bool Take(bool all, InputText* text) override;

  size_t scanned_ = 0;  // No line ends in this many bytes.
  bool only_ = false;
  unsigned long long line_ = 0;
};

// Bytes as they come.
class ChunkInput final : public ByteInput {
 public:
  explicit ChunkInput(std::span<char* const> files) : ByteInput(files) {}
  explicit ChunkInput(std::string_view text) : ByteInput(text) {}

 private:
  bool Take(bool all, InputText* text) override;
};

// The sentences of running text.
class SentenceInput final : public ByteInput {
 public:
  SentenceInput(const Translator& translator, std::span<char* const> files);
  SentenceInput(const Translator& translator, std::string_view text);

 private:
  bool Take(bool all, InputText* text) override;

  const Translator& translator_;
  SentenceSplitter splitter_;
  bool splitter_ended_ = false;
  std::string code_;  // The last >>language<< code.
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_INPUT_H_
