// Translation by two models: HTML in C, and latimer translate.
// Tests programs/cli/pivot.cc, programs/cli/html.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

#include "latimer/latimer.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::pivot_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// ---- C ----

class LoadedInC {
 public:
  explicit LoadedInC(const ModelBytes& model)
      : workspace_(new char[latimer_workspace_bytes()]) {
    EXPECT_EQ(latimer_load(model.bytes().data(), model.bytes().size(),
                           workspace_.get(), latimer_workspace_bytes(), nullptr,
                           &translator_, nullptr, 0),
              LATIMER_OK);
  }
  ~LoadedInC() { latimer_unload(translator_); }
  latimer_translator* get() const { return translator_; }

 private:
  std::unique_ptr<char[]> workspace_;
  latimer_translator* translator_ = nullptr;
};

// HTML from the first model to the second, in C.
struct HtmlInC {
  HtmlInC(const LoadedInC& model, latimer_html_receiver receiver, void* context)
      : memory(latimer_html_bytes() / sizeof(std::max_align_t) + 1),
        html(latimer_html_begin(model.get(), nullptr, receiver, context,
                                memory.data(),
                                memory.size() * sizeof(std::max_align_t))) {}

  std::vector<std::max_align_t> memory;
  latimer_html* html;
};

TEST(PivotTest, HtmlOfTheFirstModelMayGoToTheSecond) {
  std::string html;
  for (const std::string& line :
       ReadLines(DemoDirectory() / "data" / "test.en")) {
    html += "<p>" + line + " <i>" + line + "</i> <b>Where</b>?</p>\n";
    if (html.size() > FewerIfSlow(size_t{9'000}, size_t{500})) break;
  }
  const auto append = [](void* to, const char* bytes, size_t count) {
    static_cast<std::string*>(to)->append(bytes, count);
  };
  const auto push = [](void* to, const char* bytes, size_t count) {
    EXPECT_EQ(latimer_html_push(static_cast<latimer_html*>(to), bytes, count),
              LATIMER_OK);
  };
  const ModelBytes demo = ConvertSmallDemo(WeightType::kInt8);
  const LoadedInC first(demo), second(demo);
  std::string twice;
  {
    std::string once;
    for (auto [in, out] : {std::pair(&html, &once), {&once, &twice}}) {
      const HtmlInC stream(first, append, out);
      ASSERT_NE(stream.html, nullptr);
      EXPECT_EQ(latimer_html_push(stream.html, in->data(), in->size()),
                LATIMER_OK);
      EXPECT_EQ(latimer_html_finish(stream.html), LATIMER_OK);
    }
  }
  std::string chained;
  const HtmlInC last(second, append, &chained);
  const HtmlInC begin(first, push, last.html);
  for (const char& c : html) {
    ASSERT_EQ(latimer_html_push(begin.html, &c, 1), LATIMER_OK);
  }
  EXPECT_EQ(latimer_html_finish(begin.html), LATIMER_OK);
  EXPECT_EQ(latimer_html_finish(last.html), LATIMER_OK);
  EXPECT_EQ(chained, twice);
}

// ---- The program ----

class PivotProgramTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    Write("demo", ConvertSmallDemo(WeightType::kInt8));
    Write("ids", ConvertModel(TinyModel("no_scale"), WeightType::kInt8));
    for (const char* name : {"m2m100", "nllb_json"}) {
      const std::filesystem::path source = folder_->path() / name;
      std::filesystem::copy(TestData("huggingface_tokenizer") / name, source);
      std::filesystem::copy(
          TestData("family_texts") / name, source,
          std::filesystem::copy_options::recursive |
              std::filesystem::copy_options::overwrite_existing);
      Write(name, WriteForThisCpu(OpenModel(source, /*with_tokenizer=*/true),
                                  WeightType::kF32));
    }
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }
  // A model file is known by its content.
  static std::string Model(const char* name) {
    return Path(std::string(name) + ".model");
  }
  static void Write(const char* name, const ModelBytes& model) {
    WriteFile(Model(name), {reinterpret_cast<const char*>(model.bytes().data()),
                            model.bytes().size()});
  }

  static Outcome Translate(std::vector<std::string> arguments,
                           const std::string& input = "") {
    arguments.insert(arguments.begin(), "translate");
    return RunProgram("latimer", arguments, input);
  }
  // The output of one model as the input of another.
  static std::string InTurn(const std::string& input,
                            std::vector<std::string> options) {
    options.insert(options.begin(), Model("demo"));
    return Translate(options, Translate(options, input).out).out;
  }
  static Outcome Pivot(const std::string& input,
                       std::vector<std::string> options) {
    options.insert(options.begin(), {Model("demo"), Model("demo")});
    return Translate(options, input);
  }

  static std::unique_ptr<TempFolder> folder_;
};
std::unique_ptr<TempFolder> PivotProgramTest::folder_;

std::string ManyLines() {
  const std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  std::string text;
  for (size_t i = 0; i < FewerIfSlow(size_t{80}, size_t{6}); ++i) {
    text += lines[i] + (i % 31 == 5 ? "\n\n" : "\n");
  }
  if (kEmulated) return text;
  for (int i = 0; i < 120; ++i) text += "Tom wants to learn German. ";
  return text + "\nThe end.";
}

TEST_F(PivotProgramTest, WritesWhatTheProgramWritesIfItIsRunTwice) {
  const std::string text = ManyLines();
  const std::vector<std::vector<std::string>> all = {
      {},
      {"--lanes", "1"},
      {"--lanes", "3"},
      {"--beams", "2"},
      {"--max-target-tokens", "5"},
      {"--budget-tokens", "9"},
      {"--threads", "2"},
      {"--copy"}};
  for (const auto& options : all) {
    SCOPED_TRACE(options.empty() ? "" : options.front());
    const Outcome outcome = Pivot(text, options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, InTurn(text, options));
  }
}

TEST_F(PivotProgramTest, SentencesKeepTheirParagraphs) {
  const std::string text =
      "Tom is here. Where is\nthe station?\n\n  Go home!\n\n\nThe end. ";
  const Outcome outcome = Pivot(text, {"--paragraphs"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, InTurn(text, {"--paragraphs"}));
}

TEST_F(PivotProgramTest, LinesOfAListStayLinesIfTheMarksAreLostBetween) {
  const Outcome outcome =
      Pivot("\n  * I like it.\n  * Go home!\n", {"--paragraphs"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 3) << outcome.out;
}

TEST_F(PivotProgramTest, HtmlKeepsItsTagsThroughBothModels) {
  std::string html =
      "<p>The <b>red</b> <i id=1>house</i> is old. Where is <code>x</code>?\n"
      "<ul><li>Tom &amp; <a href=\"b\">his dog</a>.<li>I like it!</ul>";
  const Outcome outcome = Pivot(html, {"--html"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* tag :
       {"<p>", "<b>", "</b>", "<i id=1>", "</i>", "<ul>", "<code>x</code>",
        "<a href=\"b\">", "</a>", "</ul>"}) {
    const size_t at = outcome.out.find(tag);
    ASSERT_NE(at, outcome.out.npos) << tag << outcome.out;
    EXPECT_EQ(outcome.out.find(tag, at + 1), outcome.out.npos) << tag;
  }
  for (const std::string& line :
       ReadLines(DemoDirectory() / "data" / "test.en")) {
    html += "<p>" + line + " <b>Where</b> is the <i>" + line + "</i></p>\n";
    if (html.size() > FewerIfSlow(size_t{20'000}, size_t{1'000})) break;
  }
  const std::vector<std::vector<std::string>> all = {
      {}, {"--lanes", "1"}, {"--beams", "2"}, {"--max-target-tokens", "5"}};
  for (std::vector<std::string> options : all) {
    SCOPED_TRACE(options.empty() ? "" : options.front());
    options.emplace_back("--html");
    EXPECT_EQ(Pivot(html, options).out, InTurn(html, options));
  }
  // Of a part of the input that has ended, all is written.
  EXPECT_EQ(Pivot("", {"--html", "--text", "<p>Go <b>home</b>!"}).out,
            InTurn("<p>Go <b>home</b>!", {"--html"}));
  EXPECT_EQ(Pivot("", {"--html"}).out, "");
  EXPECT_THAT(
      Pivot("<p>Tom is here.", {"--html", "--max-target-tokens", "2"}).err,
      HasSubstr("warning: " + Model("demo") + ": of some sentences"));
}

TEST_F(PivotProgramTest, ReadsFilesAndText) {
  WriteFile(Path("a.txt"), "Tom is here.\n");
  WriteFile(Path("b.txt"), "Go home!\n");
  EXPECT_EQ(Pivot("", {Path("a.txt"), Path("b.txt")}).out,
            InTurn("Tom is here.\nGo home!\n", {}));
  EXPECT_EQ(Pivot("", {"--text", "Go home!"}).out, InTurn("Go home!\n", {}));
  EXPECT_EQ(Pivot("", {}).out, "");
}

TEST_F(PivotProgramTest, ListsTheBestOfTheSecondModel) {
  const Outcome outcome =
      Pivot("Tom is here.\nGo home!\n", {"--beams", "2", "--n-best", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 4);
  EXPECT_THAT(
      outcome.out,
      StartsWith("0 ||| " +
                 InTurn("Tom is here.\n", {"--beams", "2"}).substr(0, 4)));
}

TEST_F(PivotProgramTest, WarningsAndErrorsNameTheModel) {
  EXPECT_THAT(Pivot("Tom is here.\n", {"--max-target-tokens", "2"}).err,
              HasSubstr("warning: " + Model("demo") + ": line 1: "));
  EXPECT_THAT(ErrorSentence(Translate({Model("demo"), Model("ids")}), 1),
              HasSubstr(Model("ids") + ": the model has no tokenizer"));
  const std::string bytes = ReadFile(Model("demo"));
  WriteFile(Path("cut"), bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(ErrorSentence(Translate({Model("demo"), Path("cut")}), 1),
              HasSubstr("latimer: " + Path("cut") + ": "));
  EXPECT_THAT(
      ErrorSentence(
          Translate({Model("demo"), Model("demo"), "-o", Model("demo")}), 2),
      HasSubstr("which is read"));
}

TEST_F(PivotProgramTest, LanguagesBelongToTheModelOnTheirSide) {
  const std::string text = "Hello world.\n";
  const auto one = [](const char* model, const char* from, const char* to,
                      const std::string& input) {
    return Translate({Model(model), "--source-lang", from, "--target-lang", to},
                     input);
  };
  const Outcome between = one("m2m100", "fr", "de", text);
  ASSERT_EQ(between.code, 0) << between.err;
  const Outcome both =
      Translate({Model("m2m100"), Model("nllb_json"), "--source-lang", "fr",
                 "--pivot-lang", "de,deu_Latn", "--target-lang", "eng_Latn"},
                text);
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.out,
            one("nllb_json", "deu_Latn", "eng_Latn", between.out).out);
  // A model of one language needs none.
  const Outcome last = Translate({Model("demo"), Model("m2m100"),
                                  "--pivot-lang", "fr", "--target-lang", "de"},
                                 text);
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(
      last.out,
      one("m2m100", "fr", "de", Translate({Model("demo")}, text).out).out);
}

TEST_F(PivotProgramTest, RefusesWhatTwoModelsCannotDo) {
  const auto error = [](std::vector<std::string> options) {
    options.insert(options.begin(), {Model("demo"), Model("demo")});
    return ErrorSentence(Translate(options), 2);
  };
  EXPECT_THAT(error({Model("demo")}), HasSubstr("give one model file, or two"));
  EXPECT_THAT(error({"--ids"}), HasSubstr("two models go without --ids"));
  EXPECT_THAT(error({"--json"}), HasSubstr("two models go without --ids"));
  EXPECT_THAT(error({"--prefix", "x"}), HasSubstr("two models go without"));
  EXPECT_THAT(error({"--terms", "x"}), HasSubstr("two models go without"));
  EXPECT_THAT(error({"--pivot-lang", "en"}), HasSubstr("no languages"));
  EXPECT_THAT(error({"--source-lang", "en"}), HasSubstr("--source-lang en"));
  EXPECT_THAT(
      ErrorSentence(Translate({Model("demo"), "--pivot-lang", "en"}), 2),
      HasSubstr("give a second model"));
  EXPECT_THAT(ErrorSentence(Translate({Model("demo"), Model("m2m100")}), 2),
              HasSubstr("--pivot-lang is missing"));
  EXPECT_THAT(
      ErrorSentence(Translate({Model("m2m100"), Model("demo"), "--source-lang",
                               "fr", "--pivot-lang", "xx"}),
                    2),
      HasSubstr("--pivot-lang xx"));
}

}  // namespace latimer::pivot_test
