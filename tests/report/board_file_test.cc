// Board files that the programs read. CMake, which read those of the repository
// into kBoards, is the judge.
// Tests programs/report/board_file.cc.
#include "report/board_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "latimer/board_list.h"
#include "tests/converter/model_folder.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::board_file_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

TEST(BoardFileTest, SaysWhatCMakeReads) {
  const fs::path folder = fs::path(LATIMER_SOURCE_DIR) / "targets/boards";
  for (const Board& board : kBoards) {
    SCOPED_TRACE(board.name);
    BoardFile file;
    ASSERT_EQ(
        ReadBoardFile(folder / (std::string(board.name) + ".cmake"), &file),
        "");
    const Board& read = file.board;
    EXPECT_STREQ(read.name, board.name);
    EXPECT_EQ(read.ram_bytes, board.ram_bytes);
    EXPECT_EQ(read.threads, board.threads);
    EXPECT_STREQ(read.tile, board.tile);
    EXPECT_STREQ(read.isas, board.isas);
    EXPECT_EQ(read.flash_bytes, board.flash_bytes);
    EXPECT_EQ(read.pruned_argmax, board.pruned_argmax);
    EXPECT_EQ(read.clock_mhz, board.clock_mhz);
    EXPECT_EQ(read.read_mb_s, board.read_mb_s);
    EXPECT_EQ(read.cycles_per_kb, board.cycles_per_kb);
    EXPECT_EQ(read.cycles_per_1000, board.cycles_per_1000);
  }
}

std::string Error(const std::string& text) {
  BoardFile file;
  return ParseBoardFile("x.cmake", text, &file);
}

TEST(BoardFileTest, SaysWhatIsWrong) {
  const std::string good = "ISAS neon TILE 8x2s4 RAM_MIB 512 THREADS 4";
  EXPECT_EQ(Error("# (\nlatimer_board(" + good + " # )\n)"), "");
  EXPECT_THAT(Error(""), HasSubstr("x.cmake: has no latimer_board("));
  EXPECT_THAT(Error("# latimer_board(" + good + ")"), HasSubstr("has no"));
  EXPECT_THAT(Error("latimer_board(" + good), HasSubstr("has no"));
  EXPECT_THAT(Error("latimer_board(ISAS neon TILE 8x2s4)"),
              HasSubstr("RAM_MIB"));
  for (const char* ram : {"0", "-1", "${RAM}", "1 2", "99999999999999999999"}) {
    EXPECT_THAT(Error("latimer_board(ISAS neon TILE 8x2s4 RAM_MIB " +
                      std::string(ram) + ")"),
                HasSubstr("give RAM_MIB"))
        << ram;
  }
  EXPECT_THAT(Error("latimer_board(" + good + " RAM_KIB 512)"),
              HasSubstr("or, of less than one, RAM_KIB"));
  EXPECT_THAT(Error("latimer_board(" + good + " THREADS 65)"),
              HasSubstr("THREADS from 1 to 64"));
  EXPECT_THAT(Error("latimer_board(ISAS neon TILE 3x3 RAM_MIB 1)"),
              HasSubstr("TILE"));
  EXPECT_THAT(Error("latimer_board(TILE 4x8 RAM_MIB 1)"), HasSubstr("ISAS"));
  for (const char* speed : {"1 2", "1 2 0", "1 2 3 0", "1 2 3 4 5"}) {
    EXPECT_THAT(Error("latimer_board(" + good + " SPEED " + speed + ")"),
                HasSubstr("SPEED has three or four"))
        << speed;
  }
}

TEST(BoardFileTest, ABoardMayHaveLessThanAMebibyte) {
  BoardFile file;
  EXPECT_EQ(ParseBoardFile("x.cmake",
                           "latimer_board(ISAS dsp TILE 4x8 RAM_KIB 512\n"
                           "  EXAMPLE en-de --weights int6)",
                           &file),
            "");
  EXPECT_EQ(file.board.ram_bytes, 512u * 1024);
}

TEST(BoardFileTest, TheProgramsTakeAFileForABoard) {
  const TempFolder folder;
  const std::string file = folder.path() / "my_board.cmake";
  WriteFile(file,
            "# My board.\nlatimer_board(TRIPLE aarch64-linux-gnu ISAS neon\n"
            "  TILE 8x2s4 RAM_MIB 300 THREADS 2)\n");
  const std::string model = folder.path() / "model.ltm";
  const Outcome convert = RunProgram(
      "latimer-convert",
      {TinyModel("no_scale"), "--no-tokenizer", "--board", file, "-o", model});
  EXPECT_EQ(convert.code, 0) << convert.err;
  const Outcome plan = RunProgram("latimer", {"plan", model, "--board", file});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_THAT(plan.out,
              AllOf(HasSubstr("my_board: fits"), HasSubstr("314572800 there")));
  EXPECT_THAT(ErrorSentence(RunProgram("latimer-convert",
                                       {TinyModel("no_scale"), "--board",
                                        model + ".cmake", "-o", "x"}),
                            2),
              HasSubstr("cannot be read (No such file"));
}

}  // namespace latimer::board_file_test
