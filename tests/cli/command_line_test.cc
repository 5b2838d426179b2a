// What a person types: help, abbreviations, options of other programs and of
// older versions, and "-" for a stream.
// Tests programs/cli/main.cc, programs/cli/arguments.cc,
// programs/cli/foreign_options.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "cli/foreign_options.h"
#include "cli/options.h"
#include "report/room_for.h"
#include "tests/base/growth.h"
#include "tests/converter/model_folder.h"
#include "tests/system/demo_model.h"
#include "tests/system/program.h"

namespace latimer::command_line_test {

using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

class CommandLineTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    WriteFileAtomically(Model(), ConvertDemo(WeightType::kInt8).bytes());
  }
  static void TearDownTestSuite() { delete folder_; }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }
  static std::string Model() { return Path("model.ltm"); }
  static Outcome Translate(std::vector<std::string> options,
                           const std::string& input = "") {
    options.insert(options.begin(), {"translate", Model()});
    return RunProgram("latimer", options, input);
  }
  static std::string Refusal(std::vector<std::string> options) {
    return ErrorSentence(Translate(std::move(options)), 2);
  }

 private:
  static inline TempFolder* folder_ = nullptr;
};

// Before anything is translated, whether the text has the term or not.
TEST_F(CommandLineTest, ATermThatCannotComeOutIsNamed) {
  const std::string model = Path("target.ltm");
  WriteFileAtomically(model, ConvertDemoWithTargetTokenizer().bytes());
  const std::string terms = Path("terms");
  const auto translate = [&](const char* text) {
    return RunProgram("latimer", {"translate", model, "--terms", terms}, text);
  };
  WriteFile(terms, "house\tGeb\u00E4ude\n\ncar\tAuto \U0001F697\n");
  const Outcome outcome = translate("It is here.\n");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(ErrorSentence(outcome, 2),
            "latimer translate: --terms " + terms +
                ": line 3: The target of the term \"car\" has a character that "
                "the model cannot write, or a special token.\n");
  WriteFile(terms, "house\tGeb\u00E4ude\tThe third\n");
  EXPECT_THAT(ErrorSentence(translate("It is here.\n"), 2),
              HasSubstr("each line has a source, a tab and a target"));
  for (const std::string mark : {"", "\xEF\xBB\xBF"}) {
    WriteFile(terms, mark + "house\tGeb\u00E4ude\n");
    EXPECT_THAT(translate("The house is old.\n").out,
                HasSubstr("Geb\u00E4ude"));
  }
}

TEST_F(CommandLineTest, OfTwoTargetsOfATermTheFirstCountsAndTheOtherIsNamed) {
  const std::string model = Path("target.ltm");
  WriteFileAtomically(model, ConvertDemoWithTargetTokenizer().bytes());
  const std::string terms = Path("terms");
  WriteFile(terms, "house\tGeb\u00E4ude\n\nhouse\tHeim\n");
  const Outcome outcome = RunProgram(
      "latimer",
      {"translate", model, "--terms", terms, "--text", "The house is old."});
  EXPECT_THAT(outcome.out, HasSubstr("Geb\u00E4ude"));
  EXPECT_THAT(outcome.err,
              HasSubstr("terms: line 3: \"house\" has a target above"));
}

TEST_F(CommandLineTest, TimeGrowsWithTheTerms) {
  const std::string model = Path("target.ltm");
  WriteFileAtomically(model, ConvertDemoWithTargetTokenizer().bytes());
  const std::string terms = Path("terms");
  const auto lines = [](const std::string& source, const std::string& target) {
    return [=](size_t n) {
      std::string all;
      for (size_t i = 0; i < n; ++i) {
        all += source + std::to_string(i) + "\t" + target + "\n";
      }
      return all;
    };
  };
  const auto translate = [&](const std::string& text) {
    WriteFile(terms, text);
    (void)RunProgram("latimer", {"translate", model, "--terms", terms, "--text",
                                 "The house is old.", "--quiet"});
  };
  ExpectLinear(5000, lines("house", "Haus"), translate);
  ExpectLinear(5000, lines("the house", "Haus"), translate);
  for (const char* text : {"\t", "\n", "a\ta\n", "a", "\\", "a\t"}) {
    SCOPED_TRACE(text);
    ExpectLinear(
        20000, [&](size_t n) { return Repeated(text, n); }, translate);
  }
}

TEST_F(CommandLineTest, FilesWithMoreThanTextGetAWarning) {
  for (const auto& [name, warning] :
       {std::pair("a.SRT", "times are translated as text"),
        {"a.vtt", "times are translated as text"},
        {"a.html", "without --html, tags are translated as text"},
        {"a.docx", "this is no text; latimer document"}}) {
    WriteFile(Path(name), "Hello.\n");
    EXPECT_THAT(Translate({Path(name)}).err, HasSubstr(warning));
    EXPECT_EQ(Translate({Path(name), "--quiet"}).err, "");
  }
  EXPECT_EQ(Translate({Path("a.html"), "--html"}).err, "");
}

TEST_F(CommandLineTest, ATargetPrefixThatCannotBeWrittenIsRefused) {
  const std::string model = Path("prefix.ltm");
  WriteFileAtomically(model, ConvertDemoWithTargetTokenizer().bytes());
  const Outcome outcome =
      RunProgram("latimer", {"translate", model, "--target-prefix",
                             "\u4F60\u597D", "--text", "It is here."});
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(ErrorSentence(outcome, 1),
              HasSubstr("prefix has a character that the model cannot write"));
}

TEST_F(CommandLineTest, HelpTakesACommand) {
  for (const char* command :
       {"translate", "tokenize", "inspect", "plan", "bench", "doctor"}) {
    const Outcome help = RunProgram("latimer", {"help", command});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, StartsWith("Usage: latimer " + std::string(command)));
    EXPECT_EQ(help.out, RunProgram("latimer", {command, "--help"}).out);
  }
  EXPECT_EQ(ErrorSentence(RunProgram("latimer", {"help", "translat"}), 2),
            "latimer: unknown command translat; see latimer --help.\n");
  EXPECT_EQ(RunProgram("latimer", {"help"}).out,
            RunProgram("latimer", {"--help"}).out);
}

TEST_F(CommandLineTest, AnAbbreviationIsRefusedWithTheName) {
  EXPECT_EQ(Refusal({"--lane", "2"}),
            "latimer translate: --lane: give the whole name, --lanes.\n");
  EXPECT_EQ(Refusal({"--lane=2"}),
            "latimer translate: --lane: give the whole name, --lanes.\n");
  EXPECT_EQ(Refusal({"--parag"}),
            "latimer translate: --parag: give the whole name, --paragraphs.\n");
  EXPECT_EQ(
      Refusal({"--no-guard"}),
      "latimer translate: --no-guard: give the whole name, --no-guards.\n");
  // Of two options.
  EXPECT_THAT(Refusal({"--prot"}), HasSubstr("unknown option --prot"));
}

TEST_F(CommandLineTest, AnotherProgramsOptionIsAnsweredWithOurs) {
  EXPECT_EQ(Refusal({"--beam-size", "4"}),
            "latimer translate: unknown option --beam-size: give --beams N; "
            "see latimer translate --help.\n");
  EXPECT_THAT(Refusal({"--num_beams=4"}), HasSubstr(": give --beams N"));
  EXPECT_THAT(Refusal({"--tgt-lang", "de"}),
              HasSubstr(": give --target-lang CODE"));
  EXPECT_THAT(Refusal({"--batch_size", "8"}), HasSubstr(": give --lanes N"));
  EXPECT_THAT(Refusal({"--max_length", "8"}),
              HasSubstr(": give --max-target-tokens N"));
  EXPECT_THAT(Refusal({"--quantization", "int8"}),
              HasSubstr("latimer-convert --weights"));
}

TEST_F(CommandLineTest, AnOlderVersionsOptionIsAnsweredWithItsNameNow) {
  EXPECT_EQ(Refusal({"--attention", "x.html"}),
            "latimer translate: --attention is --draw-attention now.\n");
  EXPECT_EQ(Refusal({"--attention-of=encoder"}),
            "latimer translate: --attention-of is --draw-attention-of now.\n");
  EXPECT_EQ(
      Refusal({"--attention-layer", "2"}),
      "latimer translate: --attention-layer is --draw-attention-layer now.\n");
  const auto refusal = [](const std::vector<std::string>& arguments) {
    return ErrorSentence(RunProgram("latimer", arguments), 2);
  };
  EXPECT_EQ(refusal({"inspect", Model(), "--license"}),
            "latimer inspect: --license is --print-license now.\n");
  EXPECT_EQ(refusal({"plan", Model(), "--attention", "x.html"}),
            "latimer plan: --attention is --room-for attention now.\n");
  EXPECT_EQ(refusal({"plan", Model(), "--beams", "4"}),
            "latimer plan: --beams is --room-for beams=N now.\n");
  EXPECT_EQ(refusal({"plan", Model(), "--phrases"}),
            "latimer plan: --phrases is --room-for phrases now.\n");
  // Elsewhere these words mean something else, or nothing.
  EXPECT_THAT(refusal({"bench", Model(), "--attention"}),
              HasSubstr("unknown option --attention"));
}

TEST_F(CommandLineTest, HelpOfPlanHasTheWordsOfRoomFor) {
  EXPECT_THAT(RunProgram("latimer", {"help", "plan"}).out,
              HasSubstr("\n  --room-for LIST           " + RoomWords() + "\n"));
}

// A line has up to 80 columns.
TEST_F(CommandLineTest, LinesOfHelpAreShort) {
  for (const char* command :
       {"translate", "tokenize", "inspect", "plan", "bench", "doctor"}) {
    std::istringstream help(RunProgram("latimer", {"help", command}).out);
    for (std::string line; std::getline(help, line);) {
      EXPECT_LE(line.size(), 80u) << line;
    }
  }
}

// So that the tables are not about options that there are.
TEST_F(CommandLineTest, NoOptionOfOursIsForeign) {
  for (const cli::OptionInfo& info : cli::Options()) {
    EXPECT_EQ(cli::InsteadOf(info.name), nullptr) << info.name;
    for (const cli::Command command :
         {cli::kTranslate, cli::kTokenize, cli::kInspect, cli::kPlan,
          cli::kBench, cli::kDoctor}) {
      if ((info.commands & command) == 0) continue;
      EXPECT_EQ(cli::NameNow(command, std::string("--") + info.name), "");
    }
  }
}

TEST_F(CommandLineTest, ADashIsAStream) {
  const std::string two = "Go home!\nI like it.\n";
  WriteFile(Path("more.txt"), "The house is old.\n");
  const std::string plain = Translate({}, two).out;
  const std::string more = Translate({Path("more.txt")}).out;
  EXPECT_EQ(Translate({"-"}, two).out, plain);
  EXPECT_EQ(Translate({"-", "-o", "-"}, two).out, plain);
  EXPECT_EQ(Translate({"--output", "-"}, two).out, plain);
  EXPECT_EQ(Translate({Path("more.txt"), "-"}, two).out, more + plain);
  EXPECT_EQ(Translate({"-", Path("more.txt")}, two).out, plain + more);
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(CommandLineTest, NBestSearchesWithAsManyBeams) {
  const std::string line = "The house is old.\n";
  const Outcome best = Translate({"--n-best", "3"}, line);
  EXPECT_EQ(best.code, 0) << best.err;
  EXPECT_EQ(best.out, Translate({"--n-best", "3", "--beams", "3"}, line).out);
  EXPECT_EQ(std::ranges::count(best.out, '\n'), 3);
  EXPECT_THAT(Refusal({"--n-best", "3", "--beams", "2"}),
              HasSubstr("--n-best 3 needs as many beams"));
}

TEST_F(CommandLineTest, AlternativesBeginWithThePrefixAndDifferAfterIt) {
  const std::string model = Path("alternatives.ltm");
  WriteFileAtomically(model, ConvertDemoWithTargetTokenizer().bytes());
  const auto translate = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"translate", model});
    return RunProgram("latimer", options, "The house is old.\n");
  };
  const Outcome found =
      translate({"--target-prefix", "Das", "--alternatives", "4", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  std::set<std::string> texts;
  const auto json = nlohmann::json::parse(found.out);
  for (const auto& one : json["n_best"]) {
    texts.insert(one["text"].get<std::string>());
    EXPECT_THAT(one["text"].get<std::string>(), StartsWith("Das"));
  }
  EXPECT_EQ(texts.size(), 4u) << found.out;
  EXPECT_EQ(json["text"], json["n_best"][0]["text"]);
  EXPECT_TRUE(texts.contains("Das Haus ist alt.")) << found.out;
  const Outcome lines = translate({"--alternatives", "3"});
  EXPECT_EQ(std::ranges::count(lines.out, '\n'), 3) << lines.err;
  EXPECT_THAT(Refusal({"--alternatives", "3", "--beams", "2"}),
              HasSubstr("--alternatives goes without --beams"));
  EXPECT_THAT(Refusal({"--alternatives", "99"}), HasSubstr("--alternatives"));
}

}  // namespace latimer::command_line_test
