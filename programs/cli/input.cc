#include "cli/input.h"

#include <unistd.h>

#include <cerrno>

#include "cli/files.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "os/system.h"

namespace latimer::cli {
namespace {

constexpr size_t kReadBytes = size_t{64} * 1024;
// A line of this length needs no more memory than shorter ones.
constexpr size_t kUsualLineBytes = size_t{64} * 1024;

}  // namespace

ByteInput::ByteInput(std::span<char* const> files) : files_(files) {
  bytes_.reserve(kUsualLineBytes + kReadBytes);
}

// Puts the next file in place of the one that has ended, if there is one.
bool ByteInput::OpenNext() {
  if (files_.empty()) return false;
  error_ = ReadInsteadOfStandardInput(files_.front());
  files_ = files_.subspan(1);
  if (error_ != 0) return false;
  if (bytes().empty() || bytes().back() == '\n') return true;
  bytes_ += '\n';
  return true;
}

// Reads once. Returns false if nothing is there yet and it did not wait.
bool ByteInput::Read(bool wait) {
  bytes_.erase(0, begin_);
  begin_ = 0;
  // Finished translations are flushed before this waits.
  WaitForInput(wait && FlushesLines());
  if (!IsInputReadable(wait)) return wait;
  const size_t size = bytes_.size();
  bytes_.resize(size + kReadBytes);
  const ssize_t count = ReadInput(bytes_.data() + size, kReadBytes);
  WaitForInput(false);
  bytes_.resize(size + (count > 0 ? static_cast<size_t>(count) : 0));
  if (count > 0) return true;
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return wait;
  error_ = count < 0 ? errno : 0;
  ended_ = error_ != 0 || !OpenNext();
  return true;
}

Input::Got ByteInput::Next(bool wait, InputText* text) {
  for (;;) {
    if (Interrupted()) return Got::kEnd;
    if (Take(ended_, text)) return Got::kText;
    if (ended_) return Got::kEnd;
    if (!Read(wait)) return Got::kNothingYet;
  }
}

int ByteInput::End() { return FinishLines(error_); }

std::optional<std::string> SmallInputFile() {
  struct stat info;
  const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (at < 0 || fstat(STDIN_FILENO, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size < at || info.st_size - at > off_t{kReadBytes}) {
    return std::nullopt;
  }
  std::string text(static_cast<size_t>(info.st_size - at), '\0');
  const ssize_t count = PeekInput(text.data(), text.size(), at);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

bool LineInput::Take(bool all, InputText* text) {
  const std::string_view rest = bytes();
  size_t end = only_ ? rest.npos : rest.find('\n', scanned_);
  size_t next = end + 1;
  if (end == rest.npos) {
    scanned_ = end = next = rest.size();
    if (!all || (rest.empty() && !only_)) return false;
    only_ = false;
  }
  *text = {.line = ++line_, .text = rest.substr(0, end)};
  Drop(next);
  scanned_ = 0;
  return true;
}

bool ChunkInput::Take(bool /*all*/, InputText* text) {
  if (bytes().empty()) return false;
  *text = {.text = bytes()};
  Drop(bytes().size());
  return true;
}

SentenceInput::SentenceInput(const Translator& translator,
                             std::span<char* const> files)
    : ByteInput(files),
      translator_(translator),
      splitter_(translator.model_info().sentence_rules) {}

SentenceInput::SentenceInput(const Translator& translator,
                             std::string_view text)
    : ByteInput(text),
      translator_(translator),
      splitter_(translator.model_info().sentence_rules) {}

bool SentenceInput::Take(bool all, InputText* text) {
  SourceSentence sentence;
  while (!splitter_.Next(&sentence)) {
    if (!bytes().empty()) {
      Drop(splitter_.Push(bytes()));
    } else if (all && !splitter_ended_) {
      splitter_.End();
      splitter_ended_ = true;
    } else {
      return false;
    }
  }
  *text = {.line = sentence.line,
           .text = splitter_.JoinLines(sentence),
           .space = sentence.space,
           .end = sentence.end};
  const size_t code = translator_.LanguageCodeBytes(text->text);
  if (code > 0) {
    code_.assign(text->text.substr(0, code));
  } else {
    text->language_code = code_;
  }
  return true;
}

}  // namespace latimer::cli
