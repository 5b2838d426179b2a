// The words of --room-for, and the RAM that each takes.
// Tests programs/report/room_for.cc, api/room_words.h.
#include "report/room_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "converter/model_writer.h"
#include "converter/readers/open_model.h"
#include "model/model_file.h"
#include "report/bill.h"
#include "tests/converter/model_folder.h"

namespace latimer::room_for_test {

using cli::Json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kGive[] =
    "; give one or more of attention, scores, alignment, phrases, sampling and "
    "beams=N, with commas between them.";

ProfileLimits Read(const std::string& list) {
  ProfileLimits limits;
  EXPECT_EQ(ReadRoomFor(list, &limits), "") << list;
  return limits;
}

TEST(RoomForTest, EachWordIsRead) {
  EXPECT_TRUE(Read("attention").attention);
  EXPECT_TRUE(Read("scores").scores);
  EXPECT_TRUE(Read("alignment").alignment);
  EXPECT_TRUE(Read("phrases").phrases);
  EXPECT_TRUE(Read("sampling").sampling);
  EXPECT_EQ(Read("scores").beams, 1u);
  EXPECT_EQ(Read("beams=1").beams, 1u);
  EXPECT_EQ(Read("beams=64").beams, 64u);
  EXPECT_FALSE(Read("scores").attention);
}

TEST(RoomForTest, WordsStandInAnyOrder) {
  const ProfileLimits all =
      Read("sampling,beams=4,attention,phrases,alignment,scores");
  EXPECT_TRUE(all.attention && all.scores && all.alignment && all.phrases &&
              all.sampling);
  EXPECT_EQ(all.beams, 4u);
  EXPECT_EQ(RoomWords(), "attention,scores,alignment,phrases,sampling,beams=N");
}

TEST(RoomForTest, WhatIsWrongIsOneSentenceWithAllWords) {
  const std::pair<const char*, const char*> kCases[] = {
      {"", "nothing is named"},
      {"colour", "\"colour\" is none of its words"},
      {"Scores", "\"Scores\" is none of its words"},
      {"scores, phrases", "\" phrases\" is none of its words"},
      {"scores,", "a word is missing"},
      {",scores", "a word is missing"},
      {"scores,,phrases", "a word is missing"},
      {"scores=4", "only beams has a number, so \"scores=4\" is wrong"},
      {"scores=", "only beams has a number, so \"scores=\" is wrong"},
      {"scores,phrases,scores", "scores is named twice"},
      {"beams=2,beams=2", "beams is named twice"},
      {"beams=1,beams=2", "beams is named twice"},
      {"beams", "\"beams\" has no number from 1 to 64, as beams=4 has"},
      {"beams=", "\"beams=\" has no number from 1 to 64, as beams=4 has"},
      {"beams=0", "\"beams=0\" has no number from 1 to 64, as beams=4 has"},
      {"beams=65", "\"beams=65\" has no number from 1 to 64, as beams=4 has"},
      {"beams=-1", "\"beams=-1\" has no number from 1 to 64, as beams=4 has"},
      {"beams=4x", "\"beams=4x\" has no number from 1 to 64, as beams=4 has"},
      {"beams=99999999999",
       "\"beams=99999999999\" has no number from 1 to 64, as beams=4 has"}};
  for (const auto& [list, what] : kCases) {
    ProfileLimits limits;
    EXPECT_EQ(ReadRoomFor(list, &limits),
              std::string("--room-for: ") + what + kGive);
  }
}

TEST(RoomForTest, TheOptionsOfOlderVersionsAreAnswered) {
  EXPECT_EQ(RoomForInsteadOf("--attention"),
            "--attention is --room-for attention now.");
  EXPECT_EQ(RoomForInsteadOf("--sampling"),
            "--sampling is --room-for sampling now.");
  EXPECT_EQ(RoomForInsteadOf("--beams"), "--beams is --room-for beams=N now.");
  EXPECT_EQ(RoomForInsteadOf("--beams=4"),
            "--beams is --room-for beams=N now.");
  for (const char* other : {"--beam", "--room-for", "scores", "--", ""}) {
    EXPECT_EQ(RoomForInsteadOf(other), "") << other;
  }
}

TEST(RoomForTest, EachWordTakesWhatIsLeftWithoutIt) {
  const ModelBytes file =
      WriteModel(ReadHuggingFaceBart(TinyModelsFolder() / "no_scale", false),
                 {.progress = {}});
  const auto model = std::make_unique<Model>();
  ASSERT_TRUE(ReadModelFile(file.bytes(), true, model.get()).ok());
  const auto ram = [&](const ProfileLimits& limits) {
    return RamBytes(*ExactProfile(model->info, limits, ""));
  };
  const ProfileLimits all =
      Read("attention,scores,alignment,phrases,sampling,beams=4");
  const Json bytes = RoomBytes(model->info, all);
  ASSERT_EQ(bytes.size(), 6u);
  EXPECT_EQ(bytes["scores"], ram(all) - ram(Read("attention,alignment,phrases,"
                                                 "sampling,beams=4")));
  EXPECT_EQ(
      bytes["beams"],
      ram(all) - ram(Read("attention,scores,alignment,phrases,sampling")));
  EXPECT_GT(bytes["attention"], 0);
  EXPECT_GT(bytes["alignment"], 0);
  EXPECT_EQ(bytes["phrases"], 0);
  EXPECT_EQ(bytes["sampling"], 0);

  Json bill = MakeBill(model->info, *ExactProfile(model->info, all, "tiny"));
  AddRoom(model->info, all, &bill);
  EXPECT_EQ(bill["room_for"], bytes);
  const std::string text = BillText(bill);
  EXPECT_THAT(text, HasSubstr("What --room-for takes of that\n  attention "));
  EXPECT_THAT(text, HasSubstr("  phrases                         0 bytes"));
}

TEST(RoomForTest, ABillOfPlainTranslationsHasNone) {
  const ModelBytes file =
      WriteModel(ReadHuggingFaceBart(TinyModelsFolder() / "no_scale", false),
                 {.progress = {}});
  const auto model = std::make_unique<Model>();
  ASSERT_TRUE(ReadModelFile(file.bytes(), true, model.get()).ok());
  Json bill = MakeBill(model->info, *ExactProfile(model->info, {}, "tiny"));
  AddRoom(model->info, {}, &bill);
  EXPECT_FALSE(bill.contains("room_for"));
  EXPECT_THAT(BillText(bill), Not(HasSubstr("--room-for")));
}

}  // namespace latimer::room_for_test
