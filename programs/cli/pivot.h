// Translation by two models: what the first one gives is the input of the
// second one.
#ifndef LATIMER_CLI_PIVOT_H_
#define LATIMER_CLI_PIVOT_H_

#include <cstdint>
#include <span>
#include <string>

#include "cli/input.h"
#include "cli/ordered_writer.h"

namespace latimer::cli {

// Translates texts, several at a time, into one string, in their order.
class TextCollector final : public OrderedWriter {
 public:
  TextCollector(std::span<Translator* const> translator, Input& input,
                Unit unit, const TranslateOptions& options, uint32_t lanes,
                Insight& insight, const char* model);
  using OrderedWriter::failed_line;
  using OrderedWriter::failure;
  using OrderedWriter::Work;

  // Whether the translation of a text is there. No other is collected before
  // Release.
  bool has_text() const { return has_text_; }
  InputText text() const;
  // Bytes of the input up to the end of the text.
  uint64_t taken() const { return taken_; }
  void Release();

 private:
  bool Write(OutputPart& part) override;
  bool CanWrite() const override { return !has_text_; }
  void Show() const override {}

  bool has_text_ = false;
  unsigned long long line_ = 0;
  uint64_t taken_ = 0;
  SentenceEnd end_ = SentenceEnd::kLine;
  std::string translation_;
  std::string space_;
};

// The translations of the first model, which works on until there is one: so
// both models translate many sentences at a time.
class PivotInput final : public Input {
 public:
  // Borrows its arguments; `texts` are collected from `input`.
  PivotInput(TextCollector& texts, Input& input)
      : texts_(texts), input_(input) {}

  Got Next(bool wait, InputText* text) override;
  uint64_t taken() const override { return texts_.taken(); }
  int End() override;

 private:
  TextCollector& texts_;
  Input& input_;
  bool failed_ = false;
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_PIVOT_H_
