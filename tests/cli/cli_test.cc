// The command line's contract: exit codes, one-sentence errors, formats.
// Tests programs/cli/main.cc, programs/cli/options.cc, programs/cli/inspect.cc,
// programs/cli/tokenize.cc, programs/cli/files.cc,
// programs/cli/generation_options.cc, programs/cli/bench.cc,
// programs/cli/arguments.cc, programs/cli/lines.cc, programs/cli/translate.cc,
// programs/cli/timing.cc, programs/cli/operation_profile.cc, converter/main.cc,
// converter/options.cc, converter/common_profile.cc,
// converter/readers/other_formats.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/cpu.h"
#include "latimer/signature.h"
#include "latimer/version.h"
#include "ops/xnnpack/gemm.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::cli_test {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kFailure = 1;
constexpr int kUsage = 2;

Outcome Latimer(const std::vector<std::string>& arguments,
                const std::string& input = "") {
  return RunProgram("latimer", arguments, input);
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

size_t WordCount(const std::string& line) {
  std::istringstream in(line);
  return static_cast<size_t>(
      std::distance(std::istream_iterator<std::string>(in), {}));
}

// Models that all tests share, written once.
class CliTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    Save("tiny.ltm", ConvertModel(TinyModel("no_scale"), WeightType::kInt8));
    Save("f32.ltm", ConvertModel(TinyModel("no_scale"), WeightType::kF32));
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }

  static std::string SaveBytes(const std::string& name,
                               std::span<const std::byte> bytes) {
    WriteFile(Path(name),
              {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return Path(name);
  }
  static std::string Save(const std::string& name, const ModelBytes& file) {
    return SaveBytes(name, file.bytes());
  }

  // tiny.ltm with something changed and the right checksum.
  template <typename Edit>
  static std::string SaveEdited(const std::string& name, Edit edit) {
    Image image(ConvertModel(TinyModel("no_scale"), WeightType::kInt8).bytes());
    edit(image.root());
    image.FixChecksum();
    return SaveBytes(name, image.bytes());
  }

  // The same sentence from every command that loads a model.
  static std::string LoadError(const std::string& path) {
    const std::string sentence =
        ErrorSentence(Latimer({"translate", path, "--ids"}), kFailure);
    EXPECT_THAT(sentence, HasSubstr(path));
    for (const char* command : {"inspect", "bench"}) {
      EXPECT_EQ(ErrorSentence(Latimer({command, path}), kFailure), sentence);
    }
    return sentence;
  }

  static std::unique_ptr<TempFolder> folder_;
};

std::unique_ptr<TempFolder> CliTest::folder_;

// ---- Files that this build refuses as models --------------------------------

TEST_F(CliTest, SaysWhatIsWrongWithTheFile) {
  EXPECT_THAT(LoadError(Path("none.ltm")),
              HasSubstr("cannot open the model (No such file or directory)"));
  EXPECT_THAT(LoadError(folder_->path()), HasSubstr("it is a directory"));
  EXPECT_THAT(LoadError(SaveBytes("empty.ltm", {})), HasSubstr("empty"));
  WriteFile(Path("text.ltm"), std::string(1000, 'x'));
  EXPECT_THAT(LoadError(Path("text.ltm")), HasSubstr("not a Latimer model"));
  WriteFile(Path("cut.ltm"), ReadFile(Path("tiny.ltm")).substr(0, 9999));
  EXPECT_THAT(LoadError(Path("cut.ltm")), HasSubstr("truncated: 9999 of its "));
}

TEST_F(CliTest, SaysWhatIsWrongWithTheModel) {
  EXPECT_THAT(
      LoadError(SaveEdited(
          "v1.ltm", [](schema::Model& m) { m.mutate_format_version(1); })),
      HasSubstr("format version 1 but this build reads versions 4 to 5"));
  EXPECT_THAT(
      LoadError(SaveEdited("wide.ltm",
                           [](schema::Model& m) {
                             m.mutable_architecture()->mutate_d_model(1 << 20);
                           })),
      AllOf(HasSubstr("d_model is 1048576"), HasSubstr("--profile")));
  std::string damaged = ReadFile(Path("tiny.ltm"));
  damaged[damaged.size() / 2] ^= 1;
  WriteFile(Path("damaged.ltm"), damaged);
  EXPECT_THAT(LoadError(Path("damaged.ltm")), HasSubstr("checksum"));
  EXPECT_EQ(Latimer({"inspect", Path("damaged.ltm"), "--skip-checksum"}).code,
            0);
}

TEST_F(CliTest, SaysHowToRepackATileThatTheBuildLacks) {
#if defined(__x86_64__)
  constexpr Tile kMissing = Tile::k8x2s4;
#else
  constexpr Tile kMissing = Tile::k4x8;
#endif
  const std::string path =
      Save("tile.ltm",
           ConvertModel(TinyModel("no_scale"), WeightType::kInt8, kMissing));
  const std::string sentence =
      ErrorSentence(Latimer({"bench", path}), kFailure);
  EXPECT_THAT(sentence, AllOf(HasSubstr(path), HasSubstr(NameOf(kMissing)),
                              HasSubstr("--tile")));
  // The file's info can still be read.
  EXPECT_THAT(Latimer({"inspect", path}).out, HasSubstr("--tile"));
}

TEST_F(CliTest, SaysThatTheCpuIsTooOldForTheTile) {
  CpuFeatures old;
  old.sse41 = true;
  GemmKernels kernels;
  const auto select = [&](Tile tile) {
    return SelectGemmKernels(old, WeightType::kInt8, tile, &kernels).code();
  };
  if (select(Tile::k4x8) != StatusCode::kOk ||
      select(Tile::k8x8) != StatusCode::kUnsupportedCpu) {
    GTEST_SKIP() << "this build lacks kernels for SSE4.1 and for newer CPUs";
  }
  EXPECT_THAT(ErrorSentence(Latimer({"translate", Path("tiny.ltm"), "--ids",
                                     "--cpu", "sse41"}),
                            kFailure),
              AllOf(HasSubstr("8x8"), HasSubstr("4x8")));
  EXPECT_EQ(Latimer({"translate", Path("f32.ltm"), "--ids", "--cpu", "sse41"},
                    "5 0\n")
                .code,
            0);
}

TEST_F(CliTest, RefusesAnUnknownCpu) {
  EXPECT_THAT(
      ErrorSentence(Latimer({"inspect", Path("tiny.ltm"), "--cpu", "z80"}),
                    kFailure),
      HasSubstr("z80"));
}

// ---- The command line itself ------------------------------------------------

TEST_F(CliTest, RefusesWhatItDoesNotKnow) {
  const std::string model = Path("tiny.ltm");
  const auto error = [](const std::vector<std::string>& arguments) {
    return ErrorSentence(Latimer(arguments), kUsage);
  };
  EXPECT_THAT(error({"transmogrify"}),
              HasSubstr("unknown command transmogrify"));
  EXPECT_THAT(error({"translate", model, "--samples", "4"}),
              HasSubstr("unknown option --samples"));
  EXPECT_THAT(error({"translate", model, "--max-tokens", "4"}),
              HasSubstr("unknown option --max-tokens"));
  EXPECT_THAT(error({"translate", model, "-xy"}),
              HasSubstr("unknown option -x"));
  EXPECT_THAT(error({"translate", "-xy", model}),
              HasSubstr("unknown option -x"));
  EXPECT_THAT(error({"inspect", model, "--threads", "2"}),
              HasSubstr("unknown option --threads"));
  EXPECT_THAT(error({"inspect", model, "--json=yes"}), HasSubstr("--json"));
  EXPECT_THAT(error({"bench", model, "--repeat"}),
              HasSubstr("a value is missing for --repeat"));
  EXPECT_THAT(error({"translate"}), HasSubstr("give one model file"));
  EXPECT_THAT(error({"tokenize", model, model}),
              HasSubstr("give one model file"));
  EXPECT_THAT(error({"translate", model, model, model}),
              HasSubstr("give one model file, or two"));
  EXPECT_THAT(error({"translate", model, "none.ltm"}),
              HasSubstr("give one model file, or two"));
  EXPECT_THAT(error({"translate", model, "--ids", "--text", "5"}),
              HasSubstr("not both"));
}

TEST_F(CliTest, RefusesOptionsOfATranslationThatHaveNoEffect) {
  const auto error = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"translate", Path("tiny.ltm"), "--ids"});
    return ErrorSentence(Latimer(options), kUsage);
  };
  EXPECT_THAT(error({"--seed", "4"}),
              HasSubstr("--seed is for tokens that are drawn; give --sample"));
  EXPECT_THAT(error({"--length-penalty", "2"}),
              HasSubstr("--length-penalty is for a search with several beams; "
                        "give --beams"));
  EXPECT_THAT(error({"--early-stopping", "never"}), HasSubstr("give --beams"));
  EXPECT_EQ(Latimer({"translate", Path("tiny.ltm"), "--ids", "--n-best", "2",
                     "--length-penalty", "2"})
                .code,
            0);
  EXPECT_THAT(
      error({"--alternatives", "65"}),
      HasSubstr("latimer-convert --profile FILE.h --room-for beams=65 writes"));
  EXPECT_THAT(error({"--sample", "--beams", "2"}),
              HasSubstr("--sample goes without --beams"));
  EXPECT_THAT(error({"--top-k", "2", "--beams", "2"}),
              HasSubstr("--sample goes without --beams"));
  EXPECT_THAT(error({"--top-p", "1.5"}),
              HasSubstr("--top-p 1.5: give a number above 0, up to 1."));
  EXPECT_THAT(error({"--top-k", "0"}),
              HasSubstr("--top-k 0: give a whole number from 1 to 2147483647"));
  EXPECT_THAT(error({"--early-stopping", "soon"}),
              HasSubstr("--early-stopping soon: give false, true or never."));
  EXPECT_THAT(error({"--seed", "1", "--seed", "1"}),
              HasSubstr("--seed was given twice"));
  EXPECT_EQ(Latimer({"translate", Path("tiny.ltm"), "--ids", "--sample",
                     "--seed", "18446744073709551615"})
                .code,
            0);
}

TEST_F(CliTest, RefusesNumbersThatAreNone) {
  const std::string model = Path("tiny.ltm");
  for (const char* value : {"", "x", "1x", "-1", "1.5", "99999999999", "0"}) {
    EXPECT_THAT(
        ErrorSentence(Latimer({"bench", model, "--repeat", value}), kUsage),
        HasSubstr(std::string("--repeat ") + value))
        << value;
  }
  EXPECT_THAT(
      ErrorSentence(Latimer({"translate", model, "--ids", "--threads", "999"}),
                    kFailure),
      HasSubstr("threads 999"));
  for (const char* option : {"--source-tokens", "--target-tokens"}) {
    const std::string sentence =
        ErrorSentence(Latimer({"bench", model, option, "2000000000"}), kUsage);
    EXPECT_THAT(sentence, AllOf(HasSubstr(option), HasSubstr("40")));
  }
  EXPECT_THAT(ErrorSentence(Latimer({"translate", model, "--ids",
                                     "--max-target-tokens", "41"}),
                            kUsage),
              HasSubstr("--max-target-tokens 41 exceeds the 40"));
}

TEST_F(CliTest, HelpAndVersionSucceed) {
  for (const char* program : {"latimer", "latimer-convert"}) {
    const Outcome version = RunProgram(program, {"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_EQ(version.out, std::string(program) + " " LATIMER_VERSION "\n");
    const Outcome help = RunProgram(program, {"--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("--json"));
    EXPECT_EQ(version.err + help.err, "");
  }
  const Outcome nothing = Latimer({});
  EXPECT_EQ(nothing.code, kUsage);
  EXPECT_EQ(nothing.out, "");
  EXPECT_THAT(nothing.err, HasSubstr("latimer translate"));
}

TEST_F(CliTest, EachCommandHasAHelpOfItsOwn) {
  for (const char* command :
       {"translate", "tokenize", "inspect", "plan", "bench", "doctor"}) {
    for (const char* help : {"--help", "-h"}) {
      const Outcome outcome = Latimer({command, help});
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_THAT(outcome.out,
                  AllOf(HasSubstr(std::string("Usage: latimer ") + command),
                        HasSubstr("\n  --skip-checksum")));
    }
  }
  EXPECT_THAT(Latimer({"plan", "-h"}).out,
              AllOf(HasSubstr("\n  --board NAME"), Not(HasSubstr("--repeat"))));
}

TEST_F(CliTest, EachOptionIsALineUnderAHeading) {
  for (const char* command :
       {"translate", "tokenize", "inspect", "plan", "bench", "doctor"}) {
    const std::vector<std::string> lines =
        Lines(Latimer({command, "--help"}).out);
    size_t options = 0;
    bool has_heading = false;
    for (const std::string& line : lines) {
      EXPECT_LE(line.size(), 80u) << line;
      has_heading = line.empty() ? false : has_heading || line.back() == ':';
      if (!line.starts_with(' ')) continue;
      EXPECT_TRUE(has_heading) << line;
      EXPECT_THAT(line,
                  testing::MatchesRegex("  (-o, )?--[a-z0-9-]+.* [^ ].*"));
      ++options;
    }
    EXPECT_GE(options, 4u) << command;
    EXPECT_EQ(lines.back().substr(0, 21), "  --require-signature") << command;
  }
  EXPECT_THAT(Latimer({"translate", "-h"}).out,
              AllOf(HasSubstr("\n\nLimits:\n  --max-target-tokens N "),
                    HasSubstr("\n  -o, --output FILE ")));
}

TEST_F(CliTest, AnOptionIsGivenOnce) {
  const auto error = [&](std::vector<std::string> options) {
    std::vector<std::string> arguments = {"translate", Path("tiny.ltm")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return ErrorSentence(Latimer(arguments), kUsage);
  };
  EXPECT_THAT(error({"--ids", "--ids"}), HasSubstr("--ids was given twice"));
  EXPECT_THAT(error({"--text", "a", "--text", "b"}),
              HasSubstr("--text was given twice"));
  EXPECT_THAT(error({"-o", Path("a"), "--output", Path("b")}),
              HasSubstr("--output was given twice"));
}

TEST_F(CliTest, FilesTakeThePlaceOfStandardInputAndOutput) {
  const std::string model = Path("tiny.ltm");
  const std::string first = Path("first.txt"), second = Path("second.txt");
  WriteFile(first, "5 0\n7 0");  // without a line break at its end
  WriteFile(second, "9 0\n");
  const std::string expected =
      Latimer({"translate", model, "--ids"}, "5 0\n7 0\n9 0\n").out;
  EXPECT_EQ(std::ranges::count(expected, '\n'), 3);
  const Outcome read = Latimer({"translate", model, first, second, "--ids"});
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_EQ(read.out, expected);
  const std::string out = Path("out.txt");
  const Outcome written =
      Latimer({"translate", "--ids", model, first, second, "-o", out});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(ReadFile(out), expected);

  const auto refusal = [&](std::vector<std::string> rest, int code) {
    std::vector<std::string> arguments = {"translate", model, "--ids"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return ErrorSentence(Latimer(arguments), code);
  };
  EXPECT_THAT(refusal({first, "-o", first}, kUsage),
              HasSubstr("which is read; name another file"));
  EXPECT_THAT(refusal({"-o", model}, kUsage), HasSubstr("which is read"));
  EXPECT_EQ(ReadFile(first), "5 0\n7 0");
  EXPECT_THAT(refusal({first, Path("none.txt")}, kFailure),
              HasSubstr("none.txt: cannot read the file"));
  EXPECT_THAT(refusal({Path("")}, kFailure), HasSubstr("cannot read the file"));
}

// ---- translate --ids --------------------------------------------------------

TEST_F(CliTest, TranslatesIdsAsTheLibraryDoes) {
  const Json fixture = ReadFixture(TinyModel("no_scale"));
  std::string input, expected;
  for (const Json& row : fixture["sequences"]) {
    for (const int32_t id : row["src_ids"]) input += std::to_string(id) + " ";
    input += "\n";
    std::string line;
    for (const int32_t id : row["output_ids"]) {
      line.append(line.empty() ? "" : " ").append(std::to_string(id));
    }
    expected += line + "\n";
  }
  const std::string limit = fixture["max_new_tokens"].dump();
  const Outcome outcome = Latimer(
      {"translate", Path("f32.ltm"), "--ids", "--max-target-tokens", limit},
      input);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, expected);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(CliTest, AnEmptyLineGivesAnEmptyLine) {
  const Outcome outcome =
      Latimer({"translate", Path("tiny.ltm"), "--ids"}, "\n5 0\n \t\r\n\n7 0");
  EXPECT_EQ(outcome.code, 0);
  const std::vector<std::string> lines = Lines(outcome.out);
  ASSERT_EQ(lines.size(), 5u);
  for (const int empty : {0, 2, 3}) EXPECT_EQ(lines[empty], "");
  for (const int full : {1, 4}) EXPECT_NE(lines[full], "");
  EXPECT_EQ(outcome.out.back(), '\n');
  EXPECT_EQ(Latimer({"translate", Path("tiny.ltm"), "--ids"}, "").out, "");
}

TEST_F(CliTest, RefusesIdsThatAreNone) {
  const auto error = [](const std::string& input) {
    return ErrorSentence(
        Latimer({"translate", Path("tiny.ltm"), "--ids"}, input), kFailure);
  };
  for (const char* line : {"x", "5 x 0", "5x", "5,6", "5-6", "5+6", "1.5",
                           "99999999999", "0x10"}) {
    EXPECT_THAT(error(line),
                AllOf(HasSubstr("line 1"), HasSubstr("no token id")))
        << line;
  }
  EXPECT_THAT(error(std::string("5 0\0 7", 6)), HasSubstr("line 1"));
  EXPECT_THAT(error("100 0"),
              HasSubstr("Source id 100 is outside the vocabulary of 100"));
  EXPECT_THAT(error("-1"), HasSubstr("Source id -1 is outside"));
  std::string many;
  for (int i = 0; i < 41; ++i) many += "5 ";
  EXPECT_THAT(error(many), HasSubstr("41 source ids"));
}

TEST_F(CliTest, WhatCameBeforeABadLineIsWritten) {
  const Outcome outcome =
      Latimer({"translate", Path("tiny.ltm"), "--ids"}, "5 0\n7 0\nx\n5 0\n");
  EXPECT_EQ(outcome.code, kFailure);
  EXPECT_EQ(Lines(outcome.out).size(), 2u);
  EXPECT_THAT(outcome.err, HasSubstr("line 3"));
}

TEST_F(CliTest, TargetTokensObeyTheirLimits) {
  const std::string model = Path("tiny.ltm");
  for (const char* count : {"1", "3", "40"}) {
    const Outcome longest = Latimer(
        {"translate", model, "--ids", "--max-target-tokens", count}, "5 6 0\n");
    EXPECT_LE(WordCount(longest.out), std::stoul(count));
    const Outcome exactly =
        Latimer({"translate", model, "--ids", "--min-target-tokens", count,
                 "--max-target-tokens", count},
                "5 6 0\n");
    EXPECT_EQ(WordCount(exactly.out), std::stoul(count));
    // EOS is id 0.
    EXPECT_THAT(std::string(" ").append(exactly.out), Not(HasSubstr(" 0")))
        << count;
  }
}

TEST_F(CliTest, AModelWithoutTokenizerRefusesText) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"translate", Path("tiny.ltm")},
        {"translate", Path("tiny.ltm"), "--text", "Hello"}}) {
    EXPECT_THAT(ErrorSentence(Latimer(arguments, "Hello\n"), kFailure),
                AllOf(HasSubstr("no tokenizer"), HasSubstr("--ids")));
  }
  EXPECT_THAT(ErrorSentence(Latimer({"tokenize", Path("tiny.ltm")}, "Hello\n"),
                            kFailure),
              HasSubstr("no tokenizer"));
}

// ---- translate, with text ---------------------------------------------------

class CliTextTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    const Outcome outcome = RunProgram(
        "latimer-convert",
        {(std::filesystem::path(LATIMER_SOURCE_DIR) / "examples" / "en-de")
             .string(),
         "-o", Model(), "--tile", NameOf(UsableTile())});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Model() { return folder_->path() / "en-de.ltm"; }

  static std::unique_ptr<TempFolder> folder_;
};

std::unique_ptr<TempFolder> CliTextTest::folder_;

TEST_F(CliTextTest, EachLineGivesOneLine) {
  const Outcome outcome = Latimer({"translate", Model()},
                                  "Good morning.\n\nThank you.\r\n   \nNo.");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  const std::vector<std::string> lines = Lines(outcome.out);
  ASSERT_EQ(lines.size(), 5u) << outcome.out;
  for (const int empty : {1, 3}) EXPECT_EQ(lines[empty], "");
  for (const int full : {0, 2, 4}) EXPECT_NE(lines[full], "");
}

TEST_F(CliTextTest, WhatIsNotUtf8IsWarnedOf) {
  const Outcome outcome =
      Latimer({"translate", Model()}, "Thank you.\nThe caf\xE9 is closed.\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(Lines(outcome.out).size(), 2u);
  EXPECT_EQ(outcome.err,
            "latimer: warning: line 2 is not UTF-8; convert the text, for "
            "example with iconv.\n");
}

TEST_F(CliTextTest, TextOnTheCommandLineIsOneLine) {
  const Outcome outcome =
      Latimer({"translate", Model(), "--text", "Good morning."}, "not read\n");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out,
            Latimer({"translate", Model()}, "Good morning.\n").out);
  EXPECT_EQ(Latimer({"translate", Model(), "--text", ""}).out, "\n");
}

TEST_F(CliTextTest, ALongLineIsTranslatedInPartsWithAWarning) {
  constexpr size_t kSentences = FewerIfSlow(300, 100);
  constexpr size_t kPart = 85;  // of six tokens, and EOS: 511 of 512
  const auto sentences = [](size_t count) {
    std::string line;
    while (count-- > 0) line += "The house is very small. ";
    return line + "\n";
  };
  const Outcome outcome =
      Latimer({"translate", Model(), "--no-sentences"}, sentences(kSentences));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("warning: line 1"), HasSubstr("parts")));
  std::string parts;
  for (size_t done = 0; done < kSentences; done += kPart) {
    parts += sentences(std::min(kPart, kSentences - done));
  }
  std::string joined =
      Latimer({"translate", Model(), "--no-sentences"}, parts).out;
  std::replace(joined.begin(), joined.end() - 1, '\n', ' ');
  EXPECT_EQ(outcome.out, joined);
}

TEST_F(CliTextTest, TokensGoBackToTheirText) {
  const Outcome ids = Latimer({"tokenize", Model()}, "A small house.\n\n");
  EXPECT_EQ(ids.code, 0);
  const std::vector<std::string> lines = Lines(ids.out);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_GT(WordCount(lines[0]), 3u);
  EXPECT_EQ(WordCount(lines[1]), 1u);  // EOS
  EXPECT_EQ(Latimer({"tokenize", Model(), "--decode"}, ids.out).out,
            "A small house.\n\n");
}

// ---- inspect, bench, latimer-convert ----------------------------------------

TEST_F(CliTest, InspectAgreesWithTheBill) {
  for (const char* weights : {"f32", "f16", "int8"}) {
    const std::string path = Path("billed.ltm");
    std::vector<std::string> arguments = {TinyModel("untied").string(),
                                          "-o",
                                          path,
                                          "--no-tokenizer",
                                          "--json",
                                          "--weights",
                                          weights,
                                          "--model-version",
                                          "2.1 beta"};
    for (const WeightType type :
         {WeightType::kInt8, WeightType::kF16, WeightType::kF32}) {
      if (weights != std::string(NameOf(type))) continue;
      arguments.insert(arguments.end(), {"--tile", NameOf(UsableTile(type))});
    }
    const Outcome converted = RunProgram("latimer-convert", arguments);
    ASSERT_EQ(converted.code, 0) << converted.err;
    const Json conversion = Json::parse(converted.out);
    const Json& bill = conversion["bill"];
    const Json inspected =
        Json::parse(Latimer({"inspect", path, "--json"}).out);
    EXPECT_EQ(inspected["flash_bytes"], std::filesystem::file_size(path));
    for (const char* field :
         {"flash_bytes", "flash", "weight_bytes_per_token"}) {
      EXPECT_EQ(inspected[field], bill[field]) << field;
    }
    for (const char* field : {"weights", "tile", "license"}) {
      EXPECT_EQ(inspected[field], conversion[field]) << field;
    }
    EXPECT_EQ(inspected["weights"], weights);
    EXPECT_EQ(inspected["model_version"], "2.1 beta");
  }
}

TEST_F(CliTest, InspectShowsArchitectureRulesAndProvenance) {
  const Outcome outcome = Latimer({"inspect", Path("f32.ltm"), "--json"});
  EXPECT_EQ(outcome.code, 0);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["format_version"], 4);
  EXPECT_EQ(json["source"], "no_scale");
  EXPECT_EQ(json["architecture"]["d_model"], 24);
  EXPECT_EQ(json["architecture"]["activation"], "swish");
  EXPECT_EQ(json["generation"]["banned_sequences"], Json::parse("[[99]]"));
  EXPECT_EQ(json["generation"]["forced_eos"], nullptr);
  EXPECT_EQ(json["generation"]["renormalize_logits"], false);
  EXPECT_EQ(json["tokenizer"], "none");
  const Json plan =
      Json::parse(Latimer({"plan", Path("f32.ltm"), "--json"}).out);
  for (const char* field : {"workspace_bytes", "ram_bytes", "ram"}) {
    EXPECT_EQ(json[field], plan[field]) << field;
  }
  EXPECT_THAT(json["kernels"], Not(IsEmpty()));
  const Outcome text = Latimer({"inspect", Path("f32.ltm")});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("architecture.d_model"));
}

TEST_F(CliTest, InspectShowsTheFirstLineOfALicenceAndPrintsItWhole) {
  const std::string path = Path("licensed.ltm");
  const auto convert = [&](const std::string& license) {
    const Outcome outcome = RunProgram(
        "latimer-convert",
        {TinyModel("no_scale").string(), "-o", path, "--no-tokenizer", "--tile",
         NameOf(UsableTile()), "--license", license});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  };
  const auto line = [&] {
    for (const std::string& text : Lines(Latimer({"inspect", path}).out)) {
      if (text.starts_with("license ")) return text.substr(35);
    }
    return std::string();
  };
  const std::string first = "Licence with \x1b[31m colours";
  const std::string whole = "\n  " + first + "\n\n\tGiven to \u00e9.\n";
  convert(whole);
  EXPECT_EQ(line(), "Licence with  [31m colours ... (" +
                        std::to_string(whole.size()) +
                        " bytes; inspect --print-license prints all)");
  EXPECT_EQ(Latimer({"inspect", path, "--print-license"}).out,
            "\n  Licence with  [31m colours\n\n\tGiven to \u00e9.\n");
  EXPECT_EQ(Json::parse(Latimer({"inspect", path, "--json"}).out)["license"],
            whole);
  EXPECT_THAT(
      ErrorSentence(Latimer({"inspect", path, "--print-license", "--json"}),
                    kUsage),
      HasSubstr("leave out --print-license"));
  // No character is cut.
  std::string long_line;
  for (int i = 0; i < 90; ++i) long_line += "\u00e9";
  convert(long_line);
  EXPECT_EQ(line(), long_line.substr(0, 160) +
                        " ... (180 bytes; inspect --print-license prints all)");
  convert("MIT");
  EXPECT_EQ(line(), "MIT (3 bytes)");
  EXPECT_EQ(Latimer({"inspect", path, "--print-license"}).out, "MIT\n");
}

TEST_F(CliTest, BenchPrintsEachFieldOfItsContract) {
  const Outcome outcome = Latimer({"bench", Path("tiny.ltm"), "--source-tokens",
                                   "7", "--target-tokens", "5", "--threads",
                                   "2", "--repeat", "3", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["source_tokens"], 7);
  EXPECT_EQ(json["target_tokens"], 5);
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["repeat"], 3);
  for (const std::string name :
       {"load_ms", "encode_ms", "ms_per_token", "ms_per_sentence"}) {
    ASSERT_TRUE(json[name].is_number()) << name;
    ASSERT_TRUE(json[name + "_median"].is_number()) << name;
  }
  for (const std::string name : {"load_ms", "ms_per_sentence"}) {
    EXPECT_GT(json[name], 0.0) << name;
    EXPECT_LE(json[name], json[name + "_median"]) << name;
  }
  EXPECT_GE(json["first_load_ms"], json["load_ms"]);
  EXPECT_GT(json["peak_rss_bytes"], 1 << 20);
  // What one lane of this model needs, no more.
  EXPECT_LT(json["workspace_bytes"], sizeof(Workspace) / 20);
  const Json inspected =
      Json::parse(Latimer({"inspect", Path("tiny.ltm"), "--json"}).out);
  EXPECT_EQ(json["weight_bytes_per_token"],
            inspected["weight_bytes_per_token"]);
  EXPECT_EQ(json["kernels"], inspected["kernels"]);
  // XNNPACK's, or one of ours.
  EXPECT_THAT(json["kernels"][0].get<std::string>(),
              AnyOf(HasSubstr("qd8_f32_qc8w_gemm"), StartsWith("gemm_int8")));
}

TEST_F(CliTest, BenchSearchesWithBeams) {
  const Outcome outcome = Latimer(
      {"bench", Path("tiny.ltm"), "--beams", "3", "--repeat", "1", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["beams"], 3);
}

TEST_F(CliTest, BenchTranslatesTheIdsThatItIsGiven) {
  const std::string model = Path("tiny.ltm");
  const std::string ids = "5 6 7 0\n\n8 0\n";
  const Json free =
      Json::parse(Latimer({"bench", model, "--ids", "--json"}, ids).out);
  EXPECT_EQ(free["sentences"], 2);
  EXPECT_EQ(free["source_tokens"], 6);
  const Outcome translated = Latimer({"translate", model, "--ids"}, ids);
  EXPECT_EQ(free["target_tokens"], WordCount(translated.out));
  const Json forced = Json::parse(
      Latimer({"bench", model, "--ids", "--target-tokens", "9", "--json"}, ids)
          .out);
  EXPECT_EQ(forced["target_tokens"], 2 * 9);

  for (const char* bad : {"5 six 0\n", "5 0\n5.5\n", ""}) {
    EXPECT_THAT(
        ErrorSentence(Latimer({"bench", model, "--ids"}, bad), kFailure),
        HasSubstr("token id"))
        << bad;
  }
  EXPECT_THAT(
      ErrorSentence(Latimer({"bench", model, "--ids"}, "5 100000\n"), kFailure),
      HasSubstr("100000"));
  EXPECT_THAT(
      ErrorSentence(
          Latimer({"bench", model, "--ids", "--source-tokens", "3"}, ids),
          kUsage),
      HasSubstr("not both"));
}

TEST_F(CliTest, BenchProfileNamesTheOperationsThatAModelHas) {
  const Outcome outcome = Latimer(
      {"bench", Path("tiny.ltm"), "--repeat", "2", "--profile", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json profile = Json::parse(outcome.out)["profile"];
  EXPECT_GT(profile["read_gb_per_s"]["memory"], 0.0);
  EXPECT_GT(profile["read_gb_per_s"]["weights"], 0.0);
  const auto operations = [&](const char* phase) {
    std::vector<std::string> names;
    for (const Json& row : profile[phase]) names.push_back(row["operation"]);
    return names;
  };
  EXPECT_THAT(operations("encoder"),
              ElementsAre("embedding", "qkv", "self_attention", "attention_out",
                          "ffn", "norm"));
  EXPECT_THAT(operations("cross_kv"), ElementsAre("qkv"));
  EXPECT_THAT(
      operations("decoder"),
      ElementsAre("embedding", "qkv", "self_attention", "cross_attention",
                  "attention_out", "ffn", "norm", "output", "search"));
  uint64_t bytes = 0;
  for (const Json& row : profile["decoder"]) {
    bytes += row.value("weight_bytes", uint64_t{0});
  }
  EXPECT_EQ(bytes, profile["decoder_total"]["weight_bytes"]);
  const Outcome text =
      Latimer({"bench", Path("tiny.ltm"), "--repeat", "1", "--profile"});
  EXPECT_THAT(text.out, HasSubstr("attention_out"));
}

TEST_F(CliTest, ConverterErrorsAreSentencesAndLeaveNoFile) {
  const TempFolder folder;
  const std::string output = folder.path() / "out.ltm";
  TinyModelCopy beams;
  beams.EditGeneration({{"do_sample", true}});
  TinyModelCopy torn;
  torn.EditTensors([](auto& tensors) { tensors.pop_back(); });
  const std::string tiny = TinyModel("no_scale");
  struct Case {
    std::vector<std::string> arguments;
    int code;
    const char* message;
  };
  const Case kCases[] = {
      {{"/no/such/folder", "-o", output},
       kFailure,
       "/no/such/folder: there is no such file or folder"},
      {{folder.path(), "-o", output}, kFailure, "config.json"},
      {{tiny, "-o", output}, kFailure, ".spm"},
      {{beams.path(), "-o", output}, kFailure, "do_sample is true"},
      {{torn.path(), "-o", output}, kFailure, "missing tensors: "},
      {{tiny, "-o", output, "--no-tokenizer", "--max-source-tokens", "99"},
       kFailure,
       "--max-source-tokens 99"},
      {{tiny, "-o", "/no/such/folder/x.ltm", "--no-tokenizer"},
       kFailure,
       "/no/such/folder/x.ltm"},
      {{tiny, "-o", folder.path(), "--no-tokenizer"},
       kFailure,
       "not a regular file"},
      {{tiny, "-o", output, "--weights", "int3"},
       kUsage,
       "--weights: int3 not in {f32,f16,int8,int6,int4,auto}"},
      {{tiny, "-o", output, "--tile", "9x9"}, kUsage, "9x9 not in {"},
      {{tiny, "-o", output, "--copy-image"}, kUsage, "--profile FILE.h"},
      {{tiny, "-o", output, "--weights", "f32", "--tile", "8x8"},
       kUsage,
       "--tile 8x8 is not for f32 weights"},
      {{tiny, "-o", output, "--weights", "f16", "--tile", "8x1"},
       kUsage,
       "--tile 8x1 is not for f16 weights; give 16x1"},
      {{tiny, "-o", output, "--tile", "4x1"},
       kUsage,
       "--tile 4x1 is not for int8 weights"},
      {{tiny, "-o", output, "--frobnicate"}, kUsage, "--frobnicate"},
      {{tiny, "-o", output, "--scores"},
       kUsage,
       "latimer-convert: --scores is --room-for scores now.\n"},
      {{tiny, "-o", output, "--phrases", "--sampling"},
       kUsage,
       "latimer-convert: --phrases is --room-for phrases now.\n"},
      {{tiny, "-o", output, "--room-for", "colour"},
       kUsage,
       "latimer-convert: --room-for: \"colour\" is none of its words; give "},
      {{tiny, "-o", output, "--room-for", ""}, kUsage, "nothing is named"},
      {{tiny, "-o", output, "--room-for", "scores", "--room-for", "phrases"},
       kUsage,
       "--room-for"},
      {{tiny, "-o", output, "--room-for", "beams=2", "--beams", "3"},
       kUsage,
       "--room-for beams=2 is less than --beams 3 needs; leave it out."},
      {{tiny, "-o"}, kUsage, "--output"},
      {{tiny}, kUsage, "--output"},
      {{"-o", output}, kUsage, "MODEL is required"}};
  for (const Case& c : kCases) {
    EXPECT_THAT(
        ErrorSentence(RunProgram("latimer-convert", c.arguments), c.code),
        HasSubstr(c.message));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << c.message;
  }
}

TEST_F(CliTest, TheConverterPrintsTheBillAndWritesTheProfile) {
  const std::string output = Path("with_bill.ltm");
  const std::string profile = Path("my-model.h");
  const Outcome outcome = RunProgram(
      "latimer-convert", {TinyModel("no_scale").string(), "-o", output,
                          "--no-tokenizer", "--bill", "--profile", profile});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("int8 weights, tile "), HasSubstr("Flash"),
                    HasSubstr("RAM"), HasSubstr("cross_kv")));
  EXPECT_THAT(ReadFile(profile), AllOf(HasSubstr(".name = \"my_model\""),
                                       HasSubstr(".d_model = 24,")));
  const std::string first = ReadFile(output);
  RunProgram("latimer-convert",
             {TinyModel("no_scale").string(), "-o", output, "--no-tokenizer"});
  EXPECT_EQ(ReadFile(output), first);
}

TEST_F(CliTest, TheConverterSaysAsMuchAsItIsAsked) {
  const auto convert = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {TinyModel("no_scale").string(),
                                          "-o",
                                          Path("said.ltm"),
                                          "--no-tokenizer",
                                          "--license",
                                          "none"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunProgram("latimer-convert", arguments);
  };
  const Outcome plain = convert({});
  EXPECT_EQ(plain.err, "");
  EXPECT_EQ(std::ranges::count(plain.out, '\n'), 1) << plain.out;
  EXPECT_THAT(plain.out, AllOf(HasSubstr("int8 weights, tile "),
                               HasSubstr(" MB of flash, "),
                               HasSubstr("(--bill has the parts)")));
  const Outcome quiet = convert({"--quiet"});
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
  const Outcome verbose = convert({"--verbose"});
  EXPECT_THAT(verbose.out, HasSubstr("cross_kv"));
  EXPECT_THAT(verbose.err, AllOf(HasSubstr("latimer-convert: reading "),
                                 HasSubstr("latimer-convert: writing ")));
  EXPECT_THAT(ErrorSentence(convert({"--quiet", "--bill"}), kUsage),
              HasSubstr("--quiet goes without --bill"));
  EXPECT_THAT(
      ErrorSentence(convert({"--weights", "f32", "--weights", "int8"}), kUsage),
      HasSubstr("--weights"));
}

TEST_F(CliTest, WhatIsNoModelIsAnsweredWithWhatToDo) {
  const std::string output = Path("none.ltm");
  const auto refusal = [&](const std::string& model) {
    return ErrorSentence(RunProgram("latimer-convert", {model, "-o", output}),
                         kFailure);
  };
  EXPECT_THAT(refusal("Helsinki-NLP/opus-mt-en-de"),
              HasSubstr("hf download Helsinki-NLP/opus-mt-en-de --local-dir "
                        "opus-mt-en-de"));
  EXPECT_THAT(refusal("/no/such/model"),
              HasSubstr("there is no such file or folder"));
  const struct {
    std::vector<std::string> files;
    const char* message;
  } kCases[] = {{{"encoder_model.onnx", "config.json"}, "an ONNX model"},
                {{"model.gguf"}, "a GGUF model"},
                {{"tf_model.h5", "config.json"}, "from_tf=True"},
                {{"flax_model.msgpack"}, "a Flax model"},
                {{"saved_model.pb"}, "a TensorFlow model"},
                {{"model.tflite"}, "a TensorFlow Lite model"},
                {{"adapter_config.json", "adapter_model.safetensors"},
                 "merge_and_unload()"},
                {{"adapter_model.safetensors"}, "a LoRA adapter"}};
  for (const auto& [files, message] : kCases) {
    const TempFolder folder;
    for (const std::string& file : files) {
      WriteFile(folder.path() / file, "{}");
    }
    EXPECT_THAT(refusal(folder.path()), HasSubstr(message));
    if (files.size() == 1) {
      EXPECT_THAT(refusal(folder.path() / files[0]), HasSubstr(message));
    }
  }
}

TEST_F(CliTest, OneProfileHoldsSeveralModels) {
  std::vector<std::string> models;
  for (const char* name : {"no_scale", "heads_1_relu"}) {
    models.push_back(Path(name) + ".ltm");
    const Outcome outcome =
        RunProgram("latimer-convert",
                   {TinyModel(name), "-o", models.back(), "--no-tokenizer"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  const std::string profile = Path("both-models.h");
  const Outcome both = RunProgram("latimer-convert",
                                  {"--profile", profile, models[0], models[1]});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.err, "");
  EXPECT_THAT(both.out, AllOf(HasSubstr(models[0] + ": a workspace of "),
                              HasSubstr(models[1] + ": a workspace of "),
                              HasSubstr("holds each of them")));
  EXPECT_THAT(ReadFile(profile), HasSubstr(".name = \"both_models\""));
  const nlohmann::json json = nlohmann::json::parse(
      RunProgram("latimer-convert",
                 {models[0], models[1], "--profile", profile, "--json"})
          .out);
  EXPECT_EQ(json["models"].size(), 2u);
  EXPECT_GE(json["workspace_bytes"], json["models"][0]["workspace_bytes"]);
  EXPECT_GE(json["workspace_bytes"], json["models"][1]["workspace_bytes"]);

  const auto refusal = [&](std::vector<std::string> arguments, int code) {
    return ErrorSentence(RunProgram("latimer-convert", arguments), code);
  };
  EXPECT_THAT(refusal({models[0], "-o", Path("x.ltm")}, kUsage),
              HasSubstr("is converted already"));
  EXPECT_THAT(
      refusal({models[0], "-o", Path("x.ltm"), "--profile", profile}, kUsage),
      HasSubstr("--output is for a conversion"));
  EXPECT_THAT(
      refusal({models[0], "--profile", profile, "--weights", "f32"}, kUsage),
      HasSubstr("--weights is for a conversion"));
  EXPECT_THAT(refusal({models[0], TinyModel("no_scale"), "--profile", profile},
                      kFailure),
              HasSubstr("not a Latimer model; convert it first"));
  EXPECT_THAT(
      refusal({TinyModel("no_scale"), models[0], "-o", Path("x.ltm")}, kUsage),
      HasSubstr("one model is converted at a time"));
}

TEST_F(CliTest, AProfileForACopiedImageKeepsRamForTheFile) {
  const std::string output = Path("copied.ltm");
  const std::string profile = Path("copied.h");
  const Outcome outcome =
      RunProgram("latimer-convert",
                 {TinyModel("no_scale").string(), "-o", output,
                  "--no-tokenizer", "--copy-image", "--profile", profile});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const uint64_t bytes =
      Padded(std::filesystem::file_size(output) + kSignatureEndBytes);
  EXPECT_THAT(
      ReadFile(profile),
      HasSubstr(".copied_image_bytes = " + std::to_string(bytes) + ",\n"));
}

}  // namespace latimer::cli_test
