#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/insight.h"
#include "cli/rules.h"
#include "cli/session.h"

namespace latimer::cli {
namespace {

// Lines of standard input, of any length, any bytes.
class LineReader {
 public:
  LineReader() = default;
  ~LineReader() { std::free(line_); }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // False at the end of the input. The view lives until the next call.
  bool Next(std::string_view* line) {
    const ssize_t length = getline(&line_, &capacity_, stdin);
    if (length < 0) return false;
    size_t bytes = static_cast<size_t>(length);
    if (bytes > 0 && line_[bytes - 1] == '\n') --bytes;
    *line = {line_, bytes};
    ++number_;
    return true;
  }

  unsigned long long number() const { return number_; }

 private:
  char* line_ = nullptr;
  size_t capacity_ = 0;
  unsigned long long number_ = 0;
};

void Write(std::string_view text) {
  if (!text.empty()) std::fwrite(text.data(), 1, text.size(), stdout);
}

// Writes and flushes what a person or another program waits for. False if
// standard output is gone or full.
bool EndLine() {
  // Whoever feeds a file waits for the whole.
  static const bool flush_lines = [] {
    struct stat info;
    return fstat(STDIN_FILENO, &info) != 0 || !S_ISREG(info.st_mode);
  }();
  if (std::fputc('\n', stdout) == EOF ||
      (flush_lines && std::fflush(stdout) != 0)) {
    std::fprintf(stderr, "latimer: cannot write to standard output (%s).\n",
                 std::strerror(errno));
    return false;
  }
  return true;
}

int Finish() {
  if (std::ferror(stdin) != 0) {
    std::fprintf(stderr, "latimer: cannot read standard input (%s).\n",
                 std::strerror(errno));
    return kFailure;
  }
  if (std::fflush(stdout) != 0) {
    std::fprintf(stderr, "latimer: cannot write to standard output (%s).\n",
                 std::strerror(errno));
    return kFailure;
  }
  return kSuccess;
}

int Complain(unsigned long long line, const Status& status) {
  std::fflush(stdout);
  std::fprintf(stderr, "latimer: line %llu: %s\n", line, status.message());
  return kFailure;
}

// Parses "12 7 0". kInvalidArgument for what is no number.
Status ParseIds(std::string_view line, std::vector<int32_t>* ids) {
  ids->clear();
  const std::string text(line);
  const char* at = text.c_str();
  const char* const end = at + text.size();
  for (;;) {
    while (*at == ' ' || *at == '\t' || *at == '\r') ++at;
    if (at == end) return Status();
    char* next = nullptr;
    errno = 0;
    const long long id = std::strtoll(at, &next, 10);
    const bool whole =
        next == end || *next == ' ' || *next == '\t' || *next == '\r';
    if (next == at || !whole || errno != 0 || id < INT32_MIN ||
        id > INT32_MAX) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "\"%.20s\" is no token id.", at);
    }
    ids->push_back(static_cast<int32_t>(id));
    at = next;
  }
}

void WriteIds(std::span<const int32_t> ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    std::printf(i == 0 ? "%d" : " %d", static_cast<int>(ids[i]));
  }
}

// Translates a line of any length, part by part.
Status TranslateLine(Translator& translator, std::string_view line,
                     unsigned long long number, TranslateOptions options,
                     Insight& insight) {
  const size_t whole = line.size();
  size_t parts = 0;
  while (!line.empty()) {
    const Result<Translation> part = translator.TranslatePart(line, options);
    if (!part.ok()) return part.status();
    Write(part->text);
    insight.Add(translator, *part);
    line.remove_prefix(part->source_bytes);
    if (part->space_follows && !line.empty()) Write(" ");
    options.language_code = part->language_code;
    ++parts;
  }
  if (parts > 1) {
    std::fprintf(stderr,
                 "latimer: warning: line %llu (%llu bytes) exceeds %u tokens "
                 "and was translated in %llu parts.\n",
                 number, static_cast<unsigned long long>(whole),
                 static_cast<unsigned>(translator.max_source_tokens()),
                 static_cast<unsigned long long>(parts));
  }
  Write(insight.EndLine());
  return Status();
}

int TranslateText(Translator& translator, const Arguments& arguments,
                  const TranslateOptions& options, Insight& insight) {
  LineReader reader;
  std::string_view line;
  if (arguments.text != nullptr) {
    const Status status =
        TranslateLine(translator, arguments.text, 1, options, insight);
    if (!status.ok()) return Complain(1, status);
    return EndLine() ? Finish() : kFailure;
  }
  while (reader.Next(&line)) {
    const Status status =
        TranslateLine(translator, line, reader.number(), options, insight);
    if (!status.ok()) return Complain(reader.number(), status);
    if (!EndLine()) return kFailure;
  }
  return Finish();
}

int TranslateIds(Translator& translator, const TranslateOptions& options,
                 Insight& insight) {
  LineReader reader;
  std::string_view line;
  std::vector<int32_t> ids;
  while (reader.Next(&line)) {
    const Status parsed = ParseIds(line, &ids);
    if (!parsed.ok()) return Complain(reader.number(), parsed);
    if (!ids.empty()) {
      const Result<Translation> result = translator.TranslateIds(ids, options);
      if (!result.ok()) return Complain(reader.number(), result.status());
      WriteIds(result->tokens);
      insight.Add(translator, *result);
    }
    Write(insight.EndLine());
    if (!EndLine()) return kFailure;
  }
  return Finish();
}

}  // namespace

int Translate(int argc, char** argv) {
  Arguments arguments;
  if (const int code = ParseArguments(
          argc, argv,
          kThreads | kText | kIds | kTargetLimits | kInsight | kRules,
          &arguments);
      code != kSuccess) {
    return code;
  }
  if (arguments.ids && arguments.text != nullptr) {
    std::fputs("latimer translate: give --text or --ids, not both.\n", stderr);
    return kUsage;
  }
  TranslateOptions options;
  Insight insight;
  if (const int code = insight.Prepare(arguments, &options); code != kSuccess) {
    return code;
  }
  Session session;
  if (!session.Open(arguments)) return kFailure;
  Translator& translator = session.translator();
  if (!arguments.ids && !translator.model_info().has_tokenizer) {
    std::fprintf(stderr,
                 "latimer: %s: the model has no tokenizer and translates ids "
                 "only; use --ids, or convert it without --no-tokenizer.\n",
                 arguments.model);
    return kFailure;
  }
  if (arguments.max_target_tokens > translator.max_target_tokens()) {
    std::fprintf(
        stderr,
        "latimer translate: --max-target-tokens %u exceeds the %u that "
        "this model and build allow.\n",
        static_cast<unsigned>(arguments.max_target_tokens),
        static_cast<unsigned>(translator.max_target_tokens()));
    return kUsage;
  }
  Rules rules;
  if (const int code =
          rules.Prepare(arguments, translator.model_info(), &options);
      code != kSuccess) {
    return code;
  }
  options.max_target_tokens = arguments.max_target_tokens;
  options.min_target_tokens = arguments.min_target_tokens;
  const int code = arguments.ids
                       ? TranslateIds(translator, options, insight)
                       : TranslateText(translator, arguments, options, insight);
  return insight.WriteFile() ? code : kFailure;
}

int Tokenize(int argc, char** argv) {
  Arguments arguments;
  if (const int code = ParseArguments(argc, argv, kDecode, &arguments);
      code != kSuccess) {
    return code;
  }
  Session session;
  if (!session.Open(arguments)) return kFailure;
  LineReader reader;
  std::string_view line;
  std::vector<int32_t> ids;
  while (reader.Next(&line)) {
    if (arguments.decode) {
      const Status parsed = ParseIds(line, &ids);
      if (!parsed.ok()) return Complain(reader.number(), parsed);
      const Result<std::string_view> text =
          session.translator().Detokenize(ids);
      if (!text.ok()) return Complain(reader.number(), text.status());
      Write(*text);
    } else {
      // Normalization can lengthen a text, up to 18 characters for one.
      ids.resize(18 * line.size() + 2);
      const Result<size_t> count = session.translator().Tokenize(line, ids);
      if (!count.ok()) return Complain(reader.number(), count.status());
      WriteIds(std::span(ids).first(*count));
    }
    if (!EndLine()) return kFailure;
  }
  return Finish();
}

}  // namespace latimer::cli
