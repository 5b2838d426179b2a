// --draw-attention, --alignment and --scores of `latimer translate`.
// Tests programs/cli/insight.cc, programs/cli/attention.cc,
// programs/cli/attention_file.cc, programs/cli/attention_svg.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "tests/system/count.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::insight_cli_test {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kText[] = "The house is old.\nI <like> cats & dogs.\n";

class InsightCliTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const ModelBytes file = ConvertDemo(WeightType::kInt8);
    WriteFile(Model(), {reinterpret_cast<const char*>(file.bytes().data()),
                        file.bytes().size()});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Model() { return folder_->path() / "demo.ltm"; }
  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }
  static Outcome Translate(std::vector<std::string> options) {
    options.insert(options.begin(), {"translate", Model()});
    return RunProgram("latimer", options, kText);
  }
  // The file that --draw-attention writes.
  static std::string Draw(const std::string& name,
                          std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--draw-attention", Path(name)});
    const Outcome outcome = Translate(options);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, Translate({}).out);
    return ReadFile(Path(name));
  }

  static inline std::unique_ptr<TempFolder> folder_;
};

// [layers, heads, rows, columns] as the record says, each row with the sum 1.
void ExpectDistributions(const Json& sentence) {
  const Json& weights = sentence["weights"];
  ASSERT_EQ(weights.size(), sentence["layers"].get<size_t>());
  for (const Json& layer : weights) {
    ASSERT_EQ(layer.size(), sentence["heads"].get<size_t>());
    for (const Json& head : layer) {
      ASSERT_EQ(head.size(), sentence["rows"].size());
      for (const Json& row : head) {
        ASSERT_EQ(row.size(), sentence["columns"].size());
        float sum = 0;
        for (const Json& weight : row) sum += weight.get<float>();
        EXPECT_NEAR(sum, 1.0f, 1e-4f);
      }
    }
  }
}

TEST_F(InsightCliTest, JsonHasEverySentenceWithItsPieces) {
  const Json cross = Json::parse(Draw("a.json"));
  EXPECT_EQ(cross["attention"], "cross");
  ASSERT_EQ(cross["sentences"].size(), 2u);
  EXPECT_EQ(cross["sentences"][0]["columns"][0], "\u2581The");
  EXPECT_EQ(cross["sentences"][0]["columns"].back(), "</s>");
  EXPECT_EQ(cross["sentences"][0]["rows"].back(), "</s>");
  for (const Json& sentence : cross["sentences"]) ExpectDistributions(sentence);
}

TEST_F(InsightCliTest, EachKindHasItsOwnAxes) {
  const Json encoder =
      Json::parse(Draw("e.json", {"--draw-attention-of", "encoder"}));
  const Json decoder =
      Json::parse(Draw("d.json", {"--draw-attention-of", "decoder"}));
  const Json& source = encoder["sentences"][0];
  EXPECT_EQ(source["rows"], source["columns"]);
  ExpectDistributions(source);
  const Json& target = decoder["sentences"][0];
  EXPECT_EQ(target["columns"][0], "<start>");
  EXPECT_EQ(target["columns"][1], target["rows"][0]);
  EXPECT_EQ(target["columns"].size(), target["rows"].size());
  ExpectDistributions(target);
  // No token attends to a later one.
  EXPECT_EQ(target["weights"][0][0][0][1], 0.0);
  EXPECT_EQ(target["weights"][0][0][0][0], 1.0);
}

TEST_F(InsightCliTest, PicturesAreWholeAndNeedNoOtherFile) {
  const std::string html = Draw("a.html");
  EXPECT_THAT(html, AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("</html>"),
                          HasSubstr("\u2581The"), Not(HasSubstr("http")),
                          Not(HasSubstr("ATTENTION_DATA"))));
  // The text of a sentence is data, not markup.
  EXPECT_THAT(html, Not(HasSubstr("<like")));
  const std::string svg = Draw("a.svg");
  EXPECT_THAT(svg, AllOf(HasSubstr("<svg "), HasSubstr("</svg>"),
                         HasSubstr("\u2581The"), HasSubstr("mean of all"),
                         HasSubstr("linearGradient"), Not(HasSubstr("href")),
                         Not(HasSubstr("<like"))));
}

size_t WordsIn(const std::string& text) {
  std::istringstream in(text);
  return static_cast<size_t>(
      std::distance(std::istream_iterator<std::string>(in), {}));
}

TEST_F(InsightCliTest, AlignmentLinksEachTargetWord) {
  const Outcome plain = Translate({});
  const Outcome outcome = Translate({"--alignment"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out), translations(plain.out);
  size_t count = 0;
  for (std::string line, translation; std::getline(lines, line); ++count) {
    ASSERT_TRUE(std::getline(translations, translation));
    const size_t bar = line.find(" |||");
    ASSERT_NE(bar, std::string::npos) << line;
    EXPECT_EQ(line.substr(0, bar), translation);
    std::istringstream words(translation), links(line.substr(bar + 4));
    const auto word_count =
        std::distance(std::istream_iterator<std::string>(words), {});
    std::vector<std::string> all{std::istream_iterator<std::string>(links), {}};
    ASSERT_EQ(static_cast<ptrdiff_t>(all.size()), word_count) << line;
    for (size_t i = 0; i < all.size(); ++i) {
      size_t from = 0, to = 0;
      char dash = 0;
      EXPECT_TRUE(std::istringstream(all[i]) >> from >> dash >> to) << line;
      EXPECT_EQ(dash, '-') << line;
      EXPECT_EQ(to, i) << line;
    }
  }
  EXPECT_EQ(count, 2u);
  // "The house is old." in order.
  EXPECT_THAT(outcome.out, HasSubstr("||| 0-0 1-1 2-2 3-3\n"));
}

TEST_F(InsightCliTest, OfIdsTheAlignmentIsBetweenIds) {
  const std::string source =
      RunProgram("latimer", {"tokenize", Model()}, "The house is old.\n").out;
  const Outcome outcome = RunProgram(
      "latimer", {"translate", Model(), "--ids", "--alignment"}, source);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string plain =
      RunProgram("latimer", {"translate", Model(), "--ids"}, source).out;
  const size_t ids = WordsIn(plain);
  const size_t bar = outcome.out.find(" ||| ");
  ASSERT_NE(bar, std::string::npos);
  EXPECT_EQ(outcome.out.substr(0, bar) + "\n", plain);
  std::istringstream links(outcome.out.substr(bar + 5));
  size_t from = 0, to = 0, count = 0;
  for (char dash = 0; links >> from >> dash >> to; ++count) {
    EXPECT_LT(from, WordsIn(source));
    EXPECT_EQ(to, count);
  }
  EXPECT_EQ(count, ids);
}

TEST_F(InsightCliTest, ALayerCanBeChosen) {
  const std::string last = Draw("last.svg");
  EXPECT_THAT(last, HasSubstr("Layer 2, mean of all heads"));
  EXPECT_EQ(Draw("second.svg", {"--draw-attention-layer", "2"}), last);
  const std::string first = Draw("first.svg", {"--draw-attention-layer", "1"});
  EXPECT_THAT(first, AllOf(HasSubstr("Layer 1, mean of all heads"),
                           Not(HasSubstr("Layer 2"))));
  EXPECT_EQ(
      ErrorSentence(Translate({"--draw-attention", Path("third.svg"),
                               "--draw-attention-layer", "3"}),
                    2),
      "latimer translate: --draw-attention-layer 3: there are layers 1 to "
      "2.\n");
  EXPECT_THAT(ErrorSentence(
                  Translate({"--alignment", "--draw-attention-layer", "1"}), 2),
              HasSubstr("give that too"));
}

TEST_F(InsightCliTest, LinesOfJsonHaveAllThatIsKnownOfATranslation) {
  const Outcome outcome = Translate({"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out), translations(Translate({}).out),
      aligned(Translate({"--alignment"}).out);
  size_t count = 0;
  for (std::string line, translation, links; std::getline(lines, line);) {
    const Json json = Json::parse(line);
    ASSERT_TRUE(std::getline(translations, translation));
    ASSERT_TRUE(std::getline(aligned, links));
    EXPECT_EQ(json["line"], ++count);
    EXPECT_EQ(json["text"], translation);
    EXPECT_EQ(json["stop_reason"], "eos");
    EXPECT_EQ(translation + " ||| " + json["alignment"].get<std::string>(),
              links);
    double sum = 0;
    std::string text;
    for (const Json& token : json["tokens"]) {
      sum += token["score"].get<double>();
      text += token["piece"].get<std::string>();
      EXPECT_TRUE(token["id"].is_number_unsigned());
    }
    EXPECT_NEAR(json["score"].get<double>(), sum, 1e-9);
    EXPECT_LT(sum, 0);
    EXPECT_NEAR(json["mean_score"].get<double>(),
                sum / static_cast<double>(json["tokens"].size()), 1e-9);
    std::string words;
    for (const Json& word : json["words"]) {
      words += (words.empty() ? "" : " ") + word["text"].get<std::string>();
      EXPECT_LT(word["score"].get<double>(), 0);
    }
    EXPECT_EQ(words, translation);
    EXPECT_THAT(text, AllOf(HasSubstr("\u2581"), testing::EndsWith("</s>")));
  }
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(ErrorSentence(Translate({"--json", "--scores"}), 2),
            "latimer translate: --json has alignment and scores; leave out "
            "--alignment and --scores.\n");
  const Outcome ids = RunProgram(
      "latimer", {"translate", Model(), "--json", "--ids"}, "\n312 18 0\n");
  ASSERT_EQ(ids.code, 0) << ids.err;
  const Json empty = Json::parse(ids.out.substr(0, ids.out.find('\n')));
  EXPECT_TRUE(empty["tokens"].empty());
  EXPECT_FALSE(empty.contains("text"));
}

TEST_F(InsightCliTest, NBestHasWhatTheModelCannotRead) {
  const std::string face = "\U0001F600", hello = "\u4F60\u597D";
  const auto n_best = [](const std::string& input,
                         std::vector<std::string> more) {
    more.insert(more.begin(), {"translate", Model()});
    const Outcome outcome = RunProgram("latimer", more, input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_EQ(n_best(face + "\n\n", {"--n-best", "1"}),
            "0 ||| " + face + " ||| 0.000000\n\n");
  const std::string beams = n_best("Tom is here " + face + ".\n" + hello + "\n",
                                   {"--beams", "3", "--n-best", "3"});
  EXPECT_EQ(std::ranges::count(beams, '\n'), 4);
  EXPECT_THAT(beams, HasSubstr("\n1 ||| " + hello + " ||| 0.000000\n"));
  EXPECT_EQ(Count(beams, face), 3u);
  const Json json = Json::parse(n_best(hello, {"--n-best", "1", "--json"}));
  EXPECT_EQ(json["n_best"][0]["text"], hello);
  // In parts, with the spaces that there are between them.
  std::string faces;
  for (int i = 0; i < 1500; ++i) faces += face;
  EXPECT_EQ(n_best(faces + "\n", {"--n-best", "1"}),
            "0 ||| " + faces + " ||| 0.000000\n");
  const std::string mixed =
      n_best("Tom is here. " + faces + "\n", {"--beams", "3", "--n-best", "3"});
  EXPECT_EQ(Count(mixed, face), 3 * 1500u);
  EXPECT_EQ(std::ranges::count(mixed, '\n'), 3);
  EXPECT_THAT(mixed, ::testing::StartsWith("0 ||| Tom"));
}

// Two sentences on two lines, a paragraph of one, and a list.
constexpr char kParagraphs[] =
    "\n \nThe house is old. I <like>\ncats & dogs.\n\n"
    "Tom is\nhere.\n\n\n- Go home!\n- I like it.";
// The same, a sentence a line.
constexpr char kSentences[] =
    "The house is old.\nI <like> cats & dogs.\nTom is here.\n- Go home!\n"
    "- I like it.\n";

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(InsightCliTest, TheAlignmentOfAParagraphCountsTheWordsOfItsLine) {
  const auto run = [](const char* input, std::vector<std::string> options) {
    options.insert(options.begin(), {"translate", Model()});
    const Outcome outcome = RunProgram("latimer", options, input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return LinesOf(outcome.out);
  };
  const std::string bar = " ||| ";
  const auto one = run(kSentences, {"--alignment"});
  ASSERT_EQ(one.size(), 5u);
  // The second sentence's words come after those of the first.
  const std::string first = one[0].substr(0, one[0].find(bar));
  std::string expected = first + " " + one[1].substr(0, one[1].find(bar)) +
                         one[0].substr(one[0].find(bar));
  std::istringstream links(one[1].substr(one[1].find(bar) + bar.size()));
  size_t from = 0, to = 0;
  for (char dash = 0; links >> from >> dash >> to;) {
    expected += " " + std::to_string(from + 4) + "-" +
                std::to_string(to + WordsIn(first));
  }
  const auto lines = run(kParagraphs, {"--paragraphs", "--alignment"});
  EXPECT_THAT(lines, testing::ElementsAre("", " ", expected, "", one[2], "", "",
                                          one[3], one[4]));
  EXPECT_EQ(run("", {"--paragraphs", "--alignment", "--text", "Tom is here."}),
            std::vector<std::string>{one[2]});
}

// A word that is cut between two parts counts once.
TEST_F(InsightCliTest, TheAlignmentOfALineInPartsCountsTheWordsOfTheLine) {
  std::string line;
  for (int i = 0; i < 120; ++i) line += "Thehouseisold.";
  const Outcome outcome =
      RunProgram("latimer", {"translate", Model(), "--alignment"}, line + "\n");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("parts"));
  const size_t bar = outcome.out.find(" |||");
  ASSERT_NE(bar, std::string::npos);
  const size_t words = WordsIn(outcome.out.substr(0, bar));
  std::istringstream links(outcome.out.substr(bar + 4));
  size_t from = 0, to = 0, next = 0;
  for (char dash = 0; links >> from >> dash >> to; next = to + 1) {
    EXPECT_EQ(from, 0u);
    EXPECT_GE(to, next);
    EXPECT_LT(to, words);
  }
  EXPECT_GT(next, 0u);
}

// The words of a line are those of all parts, or none.
TEST_F(InsightCliTest, ALineInPartsHasTheWordsOfAllPartsOrNone) {
  std::string line;
  for (int i = 0; i < 130; ++i) line += "The house is old. ";
  // It repeats what is repeated, where the other one leaves most of it out.
  const std::string model = Path("small.ltm");
  const ModelBytes file = ConvertSmallDemo(WeightType::kInt8);
  WriteFile(model, {reinterpret_cast<const char*>(file.bytes().data()),
                    file.bytes().size()});
  const auto words = [&model](const std::string& text) {
    const Outcome outcome = RunProgram(
        "latimer",
        {"translate", model, "--json", "--protect", "--no-sentences"},
        text + "\n");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("parts"));
    const Json json = Json::parse(outcome.out);
    EXPECT_GT(json["tokens"].size(), 600u);
    return std::pair(json["words"].size(), WordsIn(json["text"]));
  };
  const auto [all, of_text] = words(line);
  EXPECT_EQ(all, of_text);
  EXPECT_EQ(words(line + "Please open {\u0416\u4E2D}.").first, 0u);
}

TEST_F(InsightCliTest, TheScoresOfAParagraphFollowIt) {
  const std::string two = "The house is old.\nGo home!\n";
  const auto apart = LinesOf(
      RunProgram("latimer", {"translate", Model(), "--scores"}, two).out);
  const auto together = LinesOf(
      RunProgram("latimer", {"translate", Model(), "--scores", "--paragraphs"},
                 "The house is old. Go home!\n\nTom is here.\n")
          .out);
  std::vector<std::string> expected = {""};
  for (const std::string& line : apart) {
    if (line.starts_with('\t')) {
      expected.push_back(line);
    } else {
      expected[0] += (expected[0].empty() ? "" : " ") + line;
    }
  }
  ASSERT_GT(together.size(), expected.size());
  EXPECT_EQ(
      std::vector(together.begin(),
                  together.begin() + static_cast<ptrdiff_t>(expected.size())),
      expected);
  EXPECT_EQ(together[expected.size()], "");
}

TEST_F(InsightCliTest, ParagraphsGiveALineOfJsonForEachSentence) {
  const auto run = [](const char* input, std::vector<std::string> options) {
    options.insert(options.begin(), {"translate", Model(), "--json"});
    const Outcome outcome = RunProgram("latimer", options, input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    std::vector<Json> all;
    for (const std::string& line : LinesOf(outcome.out)) {
      all.push_back(Json::parse(line));
    }
    return all;
  };
  std::vector<Json> expected = run(kSentences, {});
  const std::vector<std::string> sources = LinesOf(kSentences);
  ASSERT_EQ(expected.size(), 5u);
  constexpr int kLines[] = {3, 3, 6, 10, 11};
  constexpr int kNumbers[] = {1, 1, 2, 3, 3};
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i]["line"] = kLines[i];
    expected[i]["paragraph"] = kNumbers[i];
    expected[i]["source"] = sources[i];
  }
  EXPECT_EQ(run(kParagraphs, {"--paragraphs"}), expected);
  EXPECT_EQ(run("", {"--paragraphs", "--text", kParagraphs}), expected);
  EXPECT_TRUE(run("\n \n\n", {"--paragraphs"}).empty());
}

TEST_F(InsightCliTest, SentencesSideBySideAreShownAsOneByOne) {
  std::string text;
  for (int i = 1; i <= 20; ++i) {
    for (const char* line : {"Go home!", "The house is old and very large.",
                             "I like cats & dogs."}) {
      text += (i % 3 == 0 ? "Tom says: " : "") + std::string(line) + "\n";
    }
  }
  const std::vector<std::vector<std::string>> kShown = {
      {"--json"},
      {"--scores"},
      {"--json", "--paragraphs"},
      {"--json", "--beams", "2"},
      {"--scores", "--alignment", "--paragraphs"},
      {"--n-best", "2"}};
  for (std::vector<std::string> options : kShown) {
    options.insert(options.begin(), {"translate", Model(), "--lanes"});
    const auto run = [&](const char* lanes) {
      std::vector<std::string> all = options;
      all.insert(all.begin() + 3, lanes);
      const Outcome outcome = RunProgram("latimer", all, text);
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      return outcome.out;
    };
    const std::string alone = run("1");
    EXPECT_GT(alone.size(), text.size());
    EXPECT_EQ(run("16"), alone) << options.back();
  }
}

TEST_F(InsightCliTest, ScoresFollowEachTranslation) {
  const Outcome outcome = Translate({"--scores"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  size_t tokens = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('\t')) continue;
    ++tokens;
    std::istringstream fields(line);
    float log_probability = 1, margin = -1;
    std::string piece;
    fields >> log_probability >> margin >> piece;
    EXPECT_LE(log_probability, 0.0f) << line;
    EXPECT_GE(margin, 0.0f) << line;
    EXPECT_FALSE(piece.empty()) << line;
  }
  EXPECT_GE(tokens, 8u);
}

TEST_F(InsightCliTest, ASentenceWhoseOnlyTokenIsForcedHasNoRows) {
  TinyModelCopy copy;
  copy.EditGeneration({{"max_length", 2}, {"forced_eos_token_id", 0}});
  const std::string model = Path("forced.ltm");
  const ModelBytes file = ConvertModel(copy.path(), WeightType::kInt8);
  WriteFile(model, {reinterpret_cast<const char*>(file.bytes().data()),
                    file.bytes().size()});
  for (const std::string kind : {"cross", "encoder", "decoder"}) {
    for (const std::string name : {"f.json", "f.svg", "f.html"}) {
      const Outcome outcome =
          RunProgram("latimer",
                     {"translate", model, "--ids", "--draw-attention",
                      Path(name), "--draw-attention-of", kind},
                     "22 31 29 0\n");
      EXPECT_EQ(outcome.code, 0) << kind << " " << name << outcome.err;
      EXPECT_EQ(outcome.out, "0\n");
    }
    const Json sentence = Json::parse(ReadFile(Path("f.json")))["sentences"][0];
    EXPECT_EQ(sentence["rows"].size(), kind == "encoder" ? 4u : 0u);
    EXPECT_EQ(sentence["columns"].size(), kind == "decoder" ? 0u : 4u);
  }
}

TEST_F(InsightCliTest, SaysWhatIsWrong) {
  const auto error = [](std::vector<std::string> options, int code) {
    return ErrorSentence(Translate(std::move(options)), code);
  };
  EXPECT_THAT(error({"--draw-attention", Path("a.png")}, 2),
              HasSubstr("ends in .html, .svg or .json"));
  EXPECT_THAT(error({"--draw-attention-of", "cross"}, 2),
              HasSubstr("--draw-attention FILE"));
  EXPECT_THAT(
      error({"--draw-attention", Path("x.svg"), "--draw-attention-of", "self"},
            2),
      HasSubstr("cross, encoder or decoder"));
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--ids"},
        {"--draw-attention", Path("x.svg")}}) {
    std::vector<std::string> all = {"--paragraphs"};
    all.insert(all.end(), options.begin(), options.end());
    EXPECT_EQ(
        error(all, 2),
        "latimer translate: --paragraphs goes without --ids, --draw-attention, "
        "--n-best and --alternatives.\n");
  }
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--ids"},
        {"--paragraphs"},
        {"--json"},
        {"--scores"},
        {"--alignment"},
        {"--alternatives", "2"},
        {"--draw-attention", Path("x.svg")}}) {
    std::vector<std::string> all = {"--html"};
    all.insert(all.end(), options.begin(), options.end());
    EXPECT_THAT(error(all, 2), HasSubstr("--html goes without --ids, "))
        << options.front();
  }
  for (const char* option : {"--scores", "--alignment"}) {
    EXPECT_THAT(error({"--n-best", "2", option}, 2),
                HasSubstr("go without --alignment and --scores"));
  }
  const Outcome unwritable =
      Translate({"--draw-attention", Path("no/such/folder.svg")});
  EXPECT_EQ(unwritable.code, 1);
  EXPECT_THAT(unwritable.err, HasSubstr("cannot write the attention"));
}

}  // namespace latimer::insight_cli_test
