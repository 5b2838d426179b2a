// HTML through a model, and what tokens are aligned with.
// Tests api/html_stream.cc, api/latimer_c_html.cc,
// runtime/transformer/trace.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "internals.h"
#include "latimer/latimer.h"
#include "latimer/streams.h"
#include "tests/system/demo_model.h"

namespace latimer::html_test {

using testing::HasSubstr;

bool operator==(const TextRange& a, const TextRange& b) {
  return a.begin == b.begin && a.end == b.end;
}

struct Aligned {
  std::string text;
  std::vector<TokenLink> links;
};

class HtmlTest : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = translator_.Load(file_.bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
    lines_ = ReadLines(DemoDirectory() / "data" / "test.en");
    lines_.resize(40);
  }

  Translation Translate(const std::string& text,
                        const TranslateOptions& options) {
    const Result<Translation> result = translator_.Translate(text, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : Translation();
  }

  std::string Html(const std::string& html, size_t chunk = 1000,
                   const TranslateOptions& options = {}) {
    std::string out;
    const auto stream = std::make_unique<HtmlStream>(
        translator_, options,
        [](void* to, std::string_view bytes) {
          static_cast<std::string*>(to)->append(bytes);
        },
        &out);
    for (size_t at = 0; at < html.size(); at += chunk) {
      const Status status =
          stream->Push(std::string_view(html).substr(at, chunk));
      EXPECT_TRUE(status.ok()) << status.message();
    }
    const Status status = stream->Finish();
    EXPECT_TRUE(status.ok()) << status.message();
    return out;
  }

  ModelBytes file_ = ConvertDemo(WeightType::kInt8);
  Translator translator_;
  std::vector<std::string> lines_;
};

TEST_F(HtmlTest, ATokenIsAlignedWithWhatItAttendsToMost) {
  const AlignmentHead head = Internals::Describe(translator_).alignment;
  EXPECT_EQ(head.head, -1);
  EXPECT_FALSE(head.reads);
  for (const std::string& line : lines_) {
    TranslateOptions options;
    options.beams = 1;
    options.attention = AttentionKind::kCross;
    options.alignment = true;
    const Translation found = Translate(line, options);
    ASSERT_EQ(found.links.size(), found.tokens.size());
    // The tokens of the source, by where they begin: EOS is not among them.
    const size_t sources = found.source.size() - 1;
    for (size_t t = 0; t + 1 < found.links.size(); ++t) {
      size_t best = 0;
      std::vector<float> sums(sources);
      for (size_t s = 0; s < sources; ++s) {
        for (uint32_t h = 0; h < found.attention.heads; ++h) {
          sums[s] += found.attention.Row(head.layer, h, t)[s];
        }
        if (sums[s] > sums[best]) best = s;
      }
      // The piece without its space is the text that the link names.
      char buffer[Translator::kMaxPieceBytes];
      std::string piece(translator_.SourcePiece(found.source[best], buffer));
      if (piece.starts_with("\xE2\x96\x81")) piece.erase(0, 3);
      const TextRange range = found.links[t].source;
      EXPECT_EQ(line.substr(range.begin, range.size()), piece) << line;
      const TextRange target = found.links[t].target;
      std::string target_piece(translator_.TargetPiece(found.tokens[t]));
      if (target_piece.starts_with("\xE2\x96\x81")) target_piece.erase(0, 3);
      EXPECT_EQ(found.text.substr(target.begin, target.size()), target_piece);
    }
  }
}

TEST_F(HtmlTest, SentencesSideBySideAreAlignedAsAlone) {
  for (const uint32_t beams : {1u, 3u}) {
    if (beams > kProfile.beams) continue;
    TranslateOptions options;
    options.alignment = true;
    options.beams = beams;
    std::vector<Aligned> alone;
    for (const std::string& line : lines_) {
      const Translation found = Translate(line, options);
      alone.push_back(
          {std::string(found.text), {found.links.begin(), found.links.end()}});
      EXPECT_GT(std::ranges::count_if(
                    found.links,
                    [](const TokenLink& l) { return l.source.size() > 0; }),
                0);
    }
    size_t begun = 0, done = 0;
    FinishedTranslation finished;
    while (done < lines_.size()) {
      while (begun < lines_.size() && translator_.CanBegin()) {
        TextCursor cursor(lines_[begun], options);
        ASSERT_TRUE(translator_.Begin(cursor, begun).ok());
        ++begun;
      }
      if (!translator_.Advance(&finished)) continue;
      const Aligned& expected = alone[finished.ticket];
      EXPECT_EQ(finished.translation.text, expected.text);
      EXPECT_TRUE(std::ranges::equal(
          finished.translation.links, expected.links,
          [](const TokenLink& a, const TokenLink& b) {
            return a.source == b.source && a.target == b.target;
          }))
          << lines_[finished.ticket] << " with " << beams << " beams";
      ++done;
    }
  }
}

TEST_F(HtmlTest, WithoutMarkupIsRunningText) {
  std::string text;
  for (const std::string& line : lines_) text += line + " ";
  text += "\n\nTom & I: a < b.\n";
  std::string plain;
  TextStream stream(
      translator_, {},
      [](void* to, const StreamedText& part) {
        static_cast<std::string*>(to)->append(part.text);
      },
      &plain);
  ASSERT_TRUE(stream.Push(text).ok() && stream.Finish().ok());
  EXPECT_EQ(Html(text), plain);
  EXPECT_EQ(Html(text, 7), plain);
}

TEST_F(HtmlTest, TagsGoWithTheirWords) {
  EXPECT_EQ(Html("<p>The <b>red</b> <i>house</i> is old.</p>"),
            "<p>Das <b>rote</b> <i>Haus</i> ist alt.</p>");
  EXPECT_EQ(Html("I have <b>not read</b> the <i>book</i> yet."),
            "Ich habe das <i>Buch</i> noch <b>nicht gelesen</b>.");
}

TEST_F(HtmlTest, SpansAndUnknownCharactersKeepTheirTags) {
  TranslateOptions options;
  options.protect = true;
  const std::string html = Html(
      "<p>The <b>house</b> of <i>{name}</i> is open "
      "<u>\U0001F600</u>.</p><p>\u4F60<em>\u597D</em></p>",
      1000, options);
  EXPECT_THAT(html, HasSubstr("<i>{name}</i>"));
  EXPECT_THAT(html, HasSubstr("<u>\U0001F600</u>"));
  EXPECT_THAT(html, HasSubstr("\u4F60"));
  EXPECT_THAT(html, HasSubstr("\u597D"));
}

TEST_F(HtmlTest, ASpanThatIsLongerThanAPartComesWhole) {
  TranslateOptions options;
  options.protect = true;
  // Sentences that are given again have less room than this for what "&"
  // becomes.
  for (const std::string unit : {"x/", "&amp;.", "&amp;"}) {
    for (const size_t bytes : {700u, 3000u, 7000u}) {
      std::string url = "https://host.org/";
      while (url.size() < bytes) url += std::to_string(url.size()) + unit;
      url += "z";
      const std::string html =
          Html("<p>The house is old.</p><p>Read <i>" + url +
                   "</i> now.</p><p>The <b>end</b>.</p>",
               1000, options);
      EXPECT_THAT(html, HasSubstr("<i>" + url + "</i>"));
      if (bytes < 1000) continue;            // Words and span are one part.
      EXPECT_THAT(html, HasSubstr("etzt"));  // "now"
      EXPECT_THAT(html, HasSubstr("<b>Ende</b>"));
    }
  }
}

TEST_F(HtmlTest, ALongSentenceIsTranslatedInParts) {
  std::string html = "<p>";
  for (int i = 0; i < 700; ++i) html += "the <b>red</b> house ";
  html += "</p><p>The <b>end</b>.</p>";
  const std::string found = Html(html);
  const auto count = [&](const std::string& tag) {
    size_t number = 0;
    for (size_t at = 0; (at = found.find(tag, at)) != found.npos; ++at) {
      ++number;
    }
    return number;
  };
  EXPECT_EQ(count("<b>"), 701u);
  EXPECT_EQ(count("</b>"), 701u);
  EXPECT_EQ(count("<p>"), 2u);
  EXPECT_TRUE(found.ends_with("</p>"));
}

TEST_F(HtmlTest, TheCApiGivesTheSame) {
  const std::string html = "<p>The <b>red</b> house.</p><p>It is <i>old</i>.";
  std::vector<std::byte> workspace(latimer_workspace_bytes());
  latimer_translator* translator = nullptr;
  ASSERT_EQ(
      latimer_load(file_.bytes().data(), file_.bytes().size(), workspace.data(),
                   workspace.size(), nullptr, &translator, nullptr, 0),
      LATIMER_OK);
  std::vector<std::max_align_t> memory(
      latimer_html_bytes() / sizeof(std::max_align_t) + 1);
  std::string out;
  const auto receive = [](void* to, const char* bytes, size_t count) {
    static_cast<std::string*>(to)->append(bytes, count);
  };
  EXPECT_EQ(latimer_html_begin(translator, nullptr, receive, &out,
                               memory.data(), 100),
            nullptr);
  EXPECT_THAT(latimer_message(translator), HasSubstr("latimer_html_bytes"));
  latimer_html* stream =
      latimer_html_begin(translator, nullptr, receive, &out, memory.data(),
                         memory.size() * sizeof(std::max_align_t));
  ASSERT_NE(stream, nullptr);
  EXPECT_EQ(latimer_html_push(stream, html.data(), html.size()), LATIMER_OK);
  EXPECT_EQ(latimer_html_finish(stream), LATIMER_OK);
  latimer_unload(translator);
  EXPECT_EQ(out, Html(html));
}

TEST_F(HtmlTest, WithoutRoomForAlignmentThereIsNone) {
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(file_.bytes(), true, &test_workspace, &info).ok());
  const auto bytes = [&](bool alignment) {
    return PlanWorkspace(info, {.lanes = 1, .alignment = alignment}).bytes;
  };
  EXPECT_GT(bytes(true), bytes(false));
  ASSERT_TRUE(translator_
                  .Load(file_.bytes(),
                        std::as_writable_bytes(std::span(&test_workspace, 1))
                            .first(static_cast<size_t>(bytes(false))),
                        {.lanes = 1, .alignment = false})
                  .ok());
  const auto stream = std::make_unique<HtmlStream>(
      translator_, TranslateOptions(), [](void*, std::string_view) {}, nullptr);
  const Status status = stream->Push("one. Two.");
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("without room for alignments"));
}

}  // namespace latimer::html_test
