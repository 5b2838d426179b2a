// What a command writes never replaces what it reads: for each pair of options
// in the tables of latimer and latimer-convert, and each way to name a file.
// Tests programs/os/used_files.cc, converter/options.cc,
// programs/cli/options.cc.
#include "os/used_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <variant>

#include "cli/options.h"
#include "converter/options.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"
#include "tests/system/usable_tile.h"

namespace latimer::used_files_test {

using cli::OptionInfo;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

constexpr int kFailure = 1, kUsage = 2;

class UsedFilesTest : public ::testing::Test {
 protected:
  // What a file is called beside "file", which it is.
  std::vector<std::string> NamesOf(const fs::path& file) const {
    fs::create_hard_link(file, folder_.path() / "hard");
    fs::create_symlink(file, folder_.path() / "soft");
    fs::create_directory_symlink(folder_.path(), folder_.path() / "folder");
    return {file, folder_.path() / "hard", folder_.path() / "soft",
            folder_.path() / "folder" / file.filename()};
  }

  // Expects that the program refuses to use the file twice, and leaves it.
  void ExpectRefusal(
      const std::string& program,
      const std::function<std::vector<std::string>(const std::string&)>&
          arguments) {
    const fs::path file = folder_.path() / "file";
    WriteFile(file, "What nobody has twice.\n");
    const std::vector<std::string> names = NamesOf(file);
    for (const std::string& name : names) {
      EXPECT_THAT(ErrorSentence(RunProgram(program, arguments(name)), kUsage),
                  HasSubstr("would overwrite"));
      EXPECT_EQ(ReadFile(file), "What nobody has twice.\n");
    }
    for (const char* name : {"hard", "soft", "folder"}) {
      fs::remove(folder_.path() / name);
    }
  }

  TempFolder folder_;
  const std::string file_ = folder_.path() / "file";
  const std::string model_ = TinyModel("no_scale");
};

struct Use {
  std::string option;  // "--terms"
  bool written = false;
};

std::vector<Use> UsesOf(cli::Command command) {
  std::vector<Use> uses;
  for (const OptionInfo& info : cli::Options()) {
    if ((info.commands & command) == 0) continue;
    if (std::get_if<OptionInfo::Reads>(&info.member) != nullptr) {
      uses.push_back({std::string("--") + info.name});
    } else if (std::get_if<OptionInfo::Writes>(&info.member) != nullptr) {
      uses.push_back({std::string("--") + info.name, true});
    }
  }
  return uses;
}

TEST_F(UsedFilesTest, EachOptionOfLatimerWithAFileSaysHowItIsUsed) {
  int files = 0;
  for (const OptionInfo& info : cli::Options()) {
    const std::string value = info.value == nullptr ? "" : info.value;
    if (value != "FILE" && value != "KEY") continue;
    ++files;
    EXPECT_TRUE(std::get_if<OptionInfo::Reads>(&info.member) != nullptr ||
                std::get_if<OptionInfo::Writes>(&info.member) != nullptr)
        << info.name;
  }
  EXPECT_GE(files, 7);
}

TEST_F(UsedFilesTest, NoOptionOfLatimerWritesWhatIsRead) {
  int pairs = 0;
  for (const auto& [name, command] : {std::pair("translate", cli::kTranslate),
                                      {"tokenize", cli::kTokenize},
                                      {"inspect", cli::kInspect},
                                      {"plan", cli::kPlan},
                                      {"bench", cli::kBench},
                                      {"doctor", cli::kDoctor}}) {
    const std::vector<Use> uses = UsesOf(command);
    for (const Use& output : uses) {
      if (!output.written) continue;
      // The model, what is translated, and each other option.
      ExpectRefusal("latimer", [&](const std::string& file) {
        return std::vector<std::string>{name, file_, output.option, file};
      });
      if (command == cli::kTranslate || command == cli::kTokenize) {
        ExpectRefusal("latimer", [&](const std::string& file) {
          return std::vector<std::string>{name, "model", file_, output.option,
                                          file};
        });
      }
      for (const Use& other : uses) {
        if (other.option == output.option) continue;
        ++pairs;
        ExpectRefusal("latimer", [&](const std::string& file) {
          return std::vector<std::string>{name, "model",      output.option,
                                          file, other.option, file_};
        });
      }
    }
  }
  EXPECT_GE(pairs, 11);
}

TEST_F(UsedFilesTest, EachOptionOfTheConverterWithAFileSaysHowItIsUsed) {
  std::vector<std::string> known;
  for (const FileOption& option : FileOptions()) known.push_back(option.name);
  const std::string help = RunProgram("latimer-convert", {"--help"}).out;
  std::istringstream lines(help);
  int files = 0;
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find("--");
    if (at == line.npos || at > 8) continue;
    const std::string option =
        line.substr(at, line.find_first_of(" ,=[", at) - at);
    const std::string values = line.substr(at + option.size(), 30);
    const bool is_file = values.find(".txt") != values.npos ||
                         values.find("FILE") != values.npos ||
                         values.find(".pem") != values.npos;
    if (!is_file) continue;
    ++files;
    EXPECT_THAT(known, Contains(option)) << line;
  }
  EXPECT_GE(files, 10) << help;
}

TEST_F(UsedFilesTest, NoOptionOfTheConverterWritesWhatIsRead) {
  const std::string elsewhere = folder_.path() / "elsewhere";
  int pairs = 0;
  for (const FileOption& output : FileOptions()) {
    if (!output.written) continue;
    for (const FileOption& other : FileOptions()) {
      if (other.name == output.name) continue;
      ++pairs;
      ExpectRefusal("latimer-convert", [&](const std::string& file) {
        std::vector<std::string> all = {output.name, file};
        if (other.name == "MODEL") {
          all.insert(all.begin(), file_);
        } else if (other.name == "--set") {
          all.insert(all.begin(), {model_, "--map", "preset:q_proj", "--set",
                                   "source_vocabulary=" + file_});
        } else {
          all.insert(all.begin(), {model_, other.name, file_});
          if (other.name == "--shortlist-text") {
            all.insert(all.begin() + 2, elsewhere);
          } else if (other.name == "--references") {
            all.insert(all.end(), {"--certify", elsewhere});
          } else if (other.name == "--shortlist-alignment") {
            all.insert(all.end(), {"--shortlist-text", elsewhere, elsewhere});
          }
        }
        return all;
      });
    }
  }
  EXPECT_GE(pairs, 24);
  EXPECT_FALSE(fs::exists(elsewhere));
}

TEST_F(UsedFilesTest, TheStandardStreamsAreFilesLikeOthers) {
  WriteFile(file_, "What nobody has twice.\n");
  const std::string latimer =
      std::string(LATIMER_EMULATOR) + " " + LATIMER_BINARY_DIR + "/latimer ";
  for (const std::string& rest :
       {"translate m -o " + file_ + " < " + file_,
        "translate m --text x --terms " + file_ + " >> " + file_,
        "translate m " + file_ + " >> " + file_,
        "translate m --draw-attention " + file_ + " < " + file_,
        "translate m --draw-attention " + file_ + " >> " + file_ +
            " < /dev/null"}) {
    const Outcome outcome = RunCommand({"sh", "-c", latimer + rest});
    EXPECT_THAT(ErrorSentence(outcome, kUsage), HasSubstr("would overwrite"))
        << rest;
    EXPECT_EQ(ReadFile(file_), "What nobody has twice.\n");
  }
}

TEST_F(UsedFilesTest, AFileStaysWhereACommandIsRefused) {
  const std::string missing = folder_.path() / "missing";
  WriteFile(file_, "Yesterday's.\n");
  const auto expect_kept = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-o", file_});
    EXPECT_NE(RunProgram("latimer", arguments, "Hello.\n").code, 0);
    EXPECT_EQ(ReadFile(file_), "Yesterday's.\n")
        << ::testing::PrintToString(arguments);
  };
  for (const char* command : {"translate", "tokenize"}) {
    expect_kept({command, missing});
    expect_kept({command, model_, missing});
    expect_kept({command, model_, "--threads", "4000000000"});
  }
  expect_kept({"translate", model_, "--terms", missing});
  expect_kept({"translate", model_, "--max-target-tokens", "1000000"});
  expect_kept({"translate", model_, "--target-lang", "fr"});
}

TEST_F(UsedFilesTest, TwoFilesToComeAreOneIfTheyHaveOneName) {
  const Outcome outcome =
      RunProgram("latimer", {"translate", "m", "-o", file_, "--draw-attention",
                             folder_.path() / "." / "file"});
  EXPECT_THAT(
      ErrorSentence(outcome, kUsage),
      HasSubstr("--output " + file_ + " would overwrite --draw-attention"));
  EXPECT_FALSE(fs::exists(file_));
}

// Whatever a reader takes out of the folder.
TEST_F(UsedFilesTest, AProfileReplacesNothingButAProfile) {
  const fs::path model = folder_.path() / "model";
  fs::copy(model_, model);
  const std::string out = folder_.path() / "out.ltm";
  const auto convert = [&](const std::string& profile) {
    return RunProgram("latimer-convert",
                      {model, "-o", out, "--no-tokenizer", "--tile",
                       NameOf(UsableTile()), "--profile", profile});
  };
  for (const char* name : {"config.json", "model.safetensors"}) {
    const fs::path inside = model / name;
    const std::string before = ReadFile(inside);
    ASSERT_FALSE(before.empty());
    EXPECT_THAT(ErrorSentence(convert(inside), kFailure),
                HasSubstr("is not a Latimer profile"));
    EXPECT_EQ(ReadFile(inside), before);
    EXPECT_FALSE(fs::exists(out));
  }
  EXPECT_EQ(convert(file_).code, 0);
  const std::string header = ReadFile(file_);
  WriteFile(file_, header.substr(0, 100));
  EXPECT_EQ(convert(file_).code, 0);
  EXPECT_EQ(ReadFile(file_), header);
  // Of converted models, too.
  const Outcome refused =
      RunProgram("latimer-convert", {out, "--profile", model / "config.json"});
  EXPECT_THAT(ErrorSentence(refused, kFailure),
              HasSubstr("is not a Latimer profile"));
}

TEST_F(UsedFilesTest, WhatIsNoPlainFileMayBeUsedTwice) {
  const Outcome outcome =
      RunCommand({"sh", "-c",
                  std::string(LATIMER_EMULATOR) + " " + LATIMER_BINARY_DIR +
                      "/latimer translate /dev/null -o /dev/null </dev/null"});
  EXPECT_THAT(outcome.err, Not(HasSubstr("would overwrite")));
}

}  // namespace latimer::used_files_test
