#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/generation_options.h"
#include "cli/input.h"
#include "cli/lines.h"
#include "cli/session.h"
#include "internals.h"

namespace latimer::cli {
namespace {

// The ids that translate gives the encoder for a text: those of all its parts.
// A sentence that is cancelled before it begins has read its source.
Status ReadSource(Translator& translator, std::string_view text,
                  TranslateOptions options, std::vector<int32_t>* ids) {
  static const std::atomic<bool> cancelled = true;
  const TranslateOptions given = options;
  const std::string_view whole = text;
  options.cancel = &cancelled;
  options.sentences = false;
  // The ids of a text of any length would take memory of any size.
  LATIMER_RETURN_IF_ERROR(translator.CountTokens(text).status());
  ids->clear();
  do {
    TextCursor cursor(text, options);
    const Result<Translation> part = translator.TranslateNext(cursor);
    if (!part.ok()) return part.status();
    ids->insert(ids->end(), part->source.begin(), part->source.end());
    options.language_code = cursor.language_code();
    text = cursor.rest();
  } while (!text.empty());
  if (!ids->empty()) return Status();
  // A text without ids, which is not translated, has those around a text.
  ids->resize(Internals::Describe(translator).architecture.source_positions);
  const Result<size_t> count = translator.Tokenize(whole, given, *ids);
  if (!count.ok()) return count.status();
  ids->resize(*count);
  return Status();
}

Status WriteLine(Translator& translator, const Arguments& arguments,
                 const TranslateOptions& options, std::string_view line) {
  std::vector<int32_t> ids;
  if (arguments.decode) {
    LATIMER_RETURN_IF_ERROR(ParseIds(line, &ids));
    const Result<std::string_view> text = translator.Detokenize(ids);
    if (text.ok()) WriteOnOneLine(*text);
    return text.status();
  }
  LATIMER_RETURN_IF_ERROR(ReadSource(translator, line, options, &ids));
  std::string text;
  FormatIds(ids, &text);
  WriteText(text);
  return Status();
}

// Options that concern the encoder's source.
int PrepareOptions(const Arguments& arguments, const ModelDescription& model,
                   GenerationOptions* generation, TranslateOptions* options) {
  if (arguments.decode) return kSuccess;
  *options = arguments.options;
  options->fold = false;  // The ids are those of the original library.
  const GenerationConfig& config = model.generation;
  // If the encoder does not read the target language, any will do.
  if (options->target_language.empty() && !config.languages.empty() &&
      !StandsInSource(config.target_language)) {
    options->target_language = config.languages.front().code;
  }
  return generation->Prepare(arguments, model, options);
}

}  // namespace

int Tokenize(const Arguments& arguments) {
  const TranslateOptions& given = arguments.options;
  if (arguments.decode &&
      !(given.source_language.empty() && given.target_language.empty() &&
        given.task.empty() && given.prefix.empty())) {
    return UsageError("tokenize",
                      "--decode goes without --source-lang, --target-lang, "
                      "--task and --prefix.");
  }
  if (const int code = OpenInputFiles(arguments); code != kSuccess) return code;
  Session session;
  if (!session.Open(arguments)) return kFailure;
  Translator& translator = session.translator();
  GenerationOptions generation;
  TranslateOptions options;
  if (const int code = PrepareOptions(
          arguments, Internals::Describe(translator), &generation, &options);
      code != kSuccess) {
    return code;
  }
  LineInput input(FilesToCome(arguments));
  InputText line;
  if (const int code = OpenOutput(arguments); code != kSuccess) return code;
  PrepareOutput();
  while (input.Next(/*wait=*/true, &line) == Input::Got::kText) {
    const Status status = WriteLine(translator, arguments, options, line.text);
    if (!status.ok()) return ComplainOfLine(line.line, status);
    if (!EndLine()) return kFailure;
  }
  return input.End();
}

}  // namespace latimer::cli
