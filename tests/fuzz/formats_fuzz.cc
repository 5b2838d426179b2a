// Reads JSON, subtitles, terms and documents of any bytes, as latimer-serve and
// the converter do, and translates by such terms.
//
// The first byte of an input says what the others are.
#include <algorithm>
#include <string>
#include <vector>

#include "internals.h"
#include "json/bounded_json.h"
#include "os/text_lines.h"
#include "server/archive.h"
#include "server/documents.h"
#include "server/markup.h"
#include "server/subtitles.h"
#include "server/wording.h"
#include "tests/fuzz/base_models.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/input.h"

namespace latimer {
namespace {

constexpr uint32_t kMostTokens = 4;

Workspace workspace;

// What is read is what nlohmann's own parser reads, and is within the limits.
void ReadJson(std::string_view text) {
  const BoundedJson read =
      ReadBoundedJson(text, {.depth = 32, .values = 10'000});
  LATIMER_EXPECT((read.error == JsonError::kNone) != read.value.is_discarded());
  if (read.error == JsonError::kNotJson) {
    LATIMER_EXPECT(!nlohmann::json::accept(text));
  } else if (read.error == JsonError::kNone) {
    LATIMER_EXPECT(read.value == nlohmann::json::parse(text));
    LATIMER_EXPECT(nlohmann::json::parse(read.value.dump()) == read.value);
  }
}

// With other texts in place of the translations, among them pieces of tags.
void ReadSubtitles(uint8_t seed, std::string_view file) {
  const std::vector<server::FileText> texts = server::TextsOfSubtitles(file);
  std::vector<std::string> same, cut;
  size_t bytes = file.size();
  for (const server::FileText& text : texts) {
    const size_t at = std::min<size_t>(seed++ % 16, text.text.size());
    same.push_back(text.text);
    cut.push_back(text.text.substr(at) + text.text.substr(0, at));
    bytes += text.text.size();
  }
  const std::string out = server::TranslatedSubtitles(file, same);
  LATIMER_EXPECT(out.size() <= bytes);
  (void)server::TranslatedSubtitles(file, cut);
}

// The first line is translated by the terms of the others.
void UseTerms(uint8_t which, std::string_view text) {
  const auto models = BaseModelsOfText();
  const BaseModel& model = *models[which % models.size()];
  static const BaseModel* loaded = nullptr;
  static Translator translator;
  if (loaded != &model) {
    LATIMER_EXPECT(translator.Load(model.file(), &workspace).ok());
    loaded = &model;
  }
  std::vector<std::string> lines = cli::LinesOf(text);
  if (lines.empty()) return;
  const std::string source = lines.front();
  lines.erase(lines.begin());
  std::erase_if(lines, [](const std::string& line) {
    return cli::ReadTermLine(line).source.empty();
  });
  server::Glossary glossary;
  LATIMER_EXPECT(glossary.AddLines(lines).empty());
  TranslateOptions options{.max_target_tokens = kMostTokens};
  if (Internals::Describe(translator).encodes_target) {
    options.terms = glossary.terms();
  }
  options.protect = which % 2 == 0;
  ExpectGood(translator.Translate(source, options), translator, kMostTokens);
}

// A document, or the XML of one, which random bytes in an archive seldom
// become. The text stays, or is cut as above.
void ReadDocument(uint8_t how, std::string_view file) {
  using server::Damaged, server::FileFormat, server::Paragraphs;
  const auto cut = [&](const std::string& html) {
    const size_t at = std::min<size_t>(how / 6, html.size());
    return html.substr(at) + html.substr(0, at);
  };
  try {
    if (how % 6 < 3) {
      const auto format =
          static_cast<FileFormat>(int{how} % 3 + int(FileFormat::kOfficeOpen));
      std::vector<std::string> same, other;
      for (const server::FileText& text :
           server::TextsOfDocument(format, file)) {
        same.push_back(text.text);
        other.push_back(cut(text.text));
      }
      const std::string out = server::TranslatedDocument(format, file, same);
      LATIMER_EXPECT(server::TextsOfDocument(format, out).size() ==
                     same.size());
      (void)server::TranslatedDocument(format, file, other);
    } else if (how % 6 == 5) {
      (void)server::XhtmlOf(file, cut(server::HtmlOfXhtml(file)));
    } else {
      Paragraphs paragraphs(how % 6 == 3 ? Paragraphs::Kind::kOfficeOpen
                                         : Paragraphs::Kind::kOpenDocument,
                            file, {});
      (void)paragraphs.Translated(cut(paragraphs.html()));
    }
  } catch (const Damaged&) {
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
  const uint8_t what = input.Byte() % 4;
  if (what == 0) {
    ReadJson(input.rest());
  } else {
    const uint8_t how = input.Byte();
    if (what == 1) ReadSubtitles(how, input.rest());
    if (what == 2) UseTerms(how, input.rest().substr(0, 2000));
    if (what == 3) ReadDocument(how, input.rest());
  }
  return 0;
}
