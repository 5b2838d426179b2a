// Encodes a text of any bytes, decodes ids, and translates a text part by part.
#include <algorithm>
#include <vector>

#include "internals.h"
#include "tests/fuzz/base_models.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/input.h"

namespace latimer {
namespace {

Workspace workspace;

void ExpectIds(const std::vector<int32_t>& ids, uint32_t vocabulary) {
  for (const int32_t id : ids) {
    LATIMER_EXPECT(id >= 0 && static_cast<uint32_t>(id) < vocabulary);
  }
}

void Encode(Translator& translator, std::string_view text) {
  std::vector<int32_t> ids(16 + 4 * text.size());
  const Result<size_t> count = translator.Tokenize(text, ids);
  ExpectSentence(count.status());
  if (!count.ok()) return;
  LATIMER_EXPECT(*count <= ids.size());
  const Result<size_t> counted = translator.CountTokens(text);
  LATIMER_EXPECT(counted.ok() && *counted == *count);
  ids.resize(*count);
  ExpectIds(ids,
            Internals::Describe(translator).architecture.source_vocabulary);
  // The same in a buffer that just fits; an error in a smaller one.
  std::vector<int32_t> again(*count);
  LATIMER_EXPECT(translator.Tokenize(text, again).ok() && again == ids);
  if (*count > 0) {
    again.pop_back();
    LATIMER_EXPECT(translator.Tokenize(text, again).status().code() ==
                   StatusCode::kTextTooLong);
  }
}

void Decode(Translator& translator, std::string_view bytes) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    ids.push_back(static_cast<uint8_t>(bytes[i]) * 256 +
                  static_cast<uint8_t>(bytes[i + 1]) - 1);
  }
  const Result<std::string_view> text = translator.Detokenize(ids);
  ExpectSentence(text.status());
  if (text.ok()) LATIMER_EXPECT(IsUtf8(*text));
}

// Every part has at least one byte, and together they are the text.
void TranslateParts(Translator& translator, std::string_view text,
                    TranslateOptions options) {
  options.max_target_tokens = 1;
  TextCursor cursor(text, options);
  while (!text.empty() && !cursor.done()) {
    const size_t rest = cursor.rest().size();
    const Result<Translation> part = translator.TranslateNext(cursor);
    ExpectGood(part, translator, 1);
    if (!part.ok()) return;
    LATIMER_EXPECT(part->source_bytes > 0 && part->source_bytes <= rest);
    LATIMER_EXPECT(cursor.rest().size() == rest - part->source_bytes);
  }
}

}  // namespace
}  // namespace latimer

// Before the clock of the first input runs.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  (void)latimer::BaseModelsOfText();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace latimer;
  Input input(data, size);
  const auto models = BaseModelsOfText();
  const BaseModel& model = *models[input.Byte() % models.size()];
  const uint8_t what = input.Byte() % 3;
  static const BaseModel* loaded = nullptr;
  static Translator translator;
  if (loaded != &model) {
    LATIMER_EXPECT(translator.Load(model.file(), &workspace).ok());
    loaded = &model;
  }
  if (what == 0) Encode(translator, input.rest());
  if (what == 1) Decode(translator, input.rest());
  if (what == 2) {
    TranslateOptions options;
    const GenerationConfig& rules = Internals::Describe(translator).generation;
    if (!rules.languages.empty()) {
      options.source_language = rules.languages.front().code;
      options.target_language = rules.languages.back().code;
    }
    TranslateParts(translator, input.rest(), options);
  }
  return 0;
}
