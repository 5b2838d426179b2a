// Phrases that a translation must have: which come next, and when.
// Tests runtime/phrases/phrases.cc.
#include "phrases/phrases.h"

#include <gtest/gtest.h>

#include <vector>

namespace latimer {
namespace {

using Ids = std::vector<int32_t>;

struct Phrases {
  Phrases() {
    EXPECT_TRUE(list.Add({2, 3, first}));
    EXPECT_TRUE(list.Add({4, 6, second}));
    EXPECT_TRUE(list.RequireMissing({0, nullptr, 1}, {}));
  }

  Ids first = {7, 8}, second = {9};
  Ids memory = Ids(64);
  PhraseList list = PhraseList(memory);
};

// Follows a translation.
struct Target {
  void Add(int32_t token) {
    ids.push_back(token);
    progress.Add(list, {0, ids.data(), ids.size() + 1});
  }

  const PhraseList& list;
  PhraseProgress progress = {};
  Ids ids = {};
};

TEST(PhraseListTest, KeepsWhatWasAddedUntilThereIsNoRoom) {
  Phrases phrases;
  Phrase kept;
  kept.source_begin = 4;
  kept.source_end = 8;
  kept.text = "text";
  kept.stand_in = 3;
  kept.space_before = true;
  EXPECT_FALSE(phrases.list.keeps_text());
  ASSERT_TRUE(phrases.list.Add(kept));
  EXPECT_TRUE(phrases.list.keeps_text());
  EXPECT_TRUE(phrases.list.has_terms());
  size_t at = 0;
  Phrase phrase;
  ASSERT_TRUE(phrases.list.Next(&at, &phrase));
  EXPECT_EQ(Ids(phrase.tokens.begin(), phrase.tokens.end()), (Ids{7, 8}));
  EXPECT_EQ(phrase.text, "");
  EXPECT_TRUE(phrase.is_term());
  ASSERT_TRUE(phrases.list.Next(&at, &phrase));
  ASSERT_TRUE(phrases.list.Next(&at, &phrase));
  EXPECT_EQ(phrase.text, "text");
  EXPECT_EQ(phrase.source_end, 8u);
  EXPECT_EQ(phrase.stand_in, 3);
  EXPECT_TRUE(phrase.space_before);
  EXPECT_FALSE(phrase.space_after || phrase.is_unknown || phrase.is_term());
  EXPECT_FALSE(phrases.list.Next(&at, &phrase));
  Ids memory(9);
  PhraseList small(memory);
  const Ids tokens = {1, 2};
  EXPECT_TRUE(small.Add({0, 1, tokens}));
  EXPECT_FALSE(small.Add({0, 1, tokens}));
  EXPECT_EQ(small.count(), 1u);
}

// What a text keeps is not in the search's way.
TEST(PhraseProgressTest, OnlyTermsAreRequired) {
  Ids memory(64);
  PhraseList list(memory);
  Phrase kept;
  kept.text = "text";
  ASSERT_TRUE(list.Add(kept));
  EXPECT_FALSE(list.RequireMissing({0, nullptr, 1}, {}));
  EXPECT_TRUE(PhraseProgress().done(list));
  Target target = {list};
  target.Add(5);
  EXPECT_EQ(target.progress.forced(list), -1);
}

// "word", "s", " nex": the second goes on with a word.
struct Words {
  Words() {
    view.target_kinds = kinds;
    view.piece_offsets = offsets;
    view.piece_text = {reinterpret_cast<const uint8_t*>(text), 9};
  }

  const TargetKind kinds[3] = {TargetKind::kText, TargetKind::kText,
                               TargetKind::kText};
  const uint32_t offsets[4] = {0, 4, 5, 9};
  const char* text = "words nex";
  TokenizerView view = {};
};

TEST(PhraseListTest, RequiresWhatATranslationLacks) {
  const Words words;
  Ids memory(100);
  PhraseList list(memory);
  const Ids tokens = {0};
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(list.Add({0, 1, tokens}));
  }
  EXPECT_TRUE(PhraseProgress().done(list));
  const auto lacks = [&](const Ids& target) {
    return list.RequireMissing({0, target.data(), target.size() + 1},
                               words.view);
  };
  EXPECT_FALSE(lacks({0, 2, 0}));
  EXPECT_EQ(list.required(), 0u);
  // The first stands alone, and the second would be a part of a word.
  EXPECT_TRUE(lacks({0, 2, 0, 1}));
  EXPECT_EQ(list.required(), 2u);
  EXPECT_FALSE(PhraseProgress().done(list));
  EXPECT_FALSE(lacks({0, 2}));
  EXPECT_TRUE(lacks({2}));
  EXPECT_EQ(list.required(), 3u);
  EXPECT_FALSE(lacks({2}));
}

TEST(PhraseProgressTest, APhraseBeginsWhereItsSourceIsAttendedTo) {
  const Phrases phrases;
  Target target = {phrases.list};
  EXPECT_EQ(target.progress.forced(phrases.list), -1);
  target.progress.focus = 3;
  target.progress.Attend(phrases.list);
  EXPECT_EQ(target.progress.forced(phrases.list), -1);
  target.progress.focus = 5;
  target.progress.Attend(phrases.list);
  EXPECT_EQ(target.progress.forced(phrases.list), 9);
  target.Add(9);
  EXPECT_EQ(target.progress.forced(phrases.list), -1);
  EXPECT_FALSE(target.progress.done(phrases.list));
  target.progress.focus = 2;
  target.progress.Attend(phrases.list);
  EXPECT_EQ(target.progress.forced(phrases.list), 7);
  target.Add(7);
  EXPECT_EQ(target.progress.forced(phrases.list), 8);
  EXPECT_FALSE(target.progress.done(phrases.list));
  target.Add(8);
  EXPECT_TRUE(target.progress.done(phrases.list));
  target.progress.Attend(phrases.list);
  EXPECT_EQ(target.progress.forced(phrases.list), -1);
}

TEST(PhraseProgressTest, WhatTheSearchProducesByItselfCounts) {
  const Phrases phrases;
  Target target = {phrases.list};
  for (const int32_t token : {9, 7, 7}) target.Add(token);
  EXPECT_FALSE(target.progress.done(phrases.list));
  target.Add(8);
  EXPECT_TRUE(target.progress.done(phrases.list));
}

TEST(PhraseProgressTest, HurriesWhenAllTokensThatAreLeftAreNeeded) {
  const Phrases phrases;
  Target target = {phrases.list};
  target.progress.ForceIfOutOfRoom(phrases.list, 4);
  EXPECT_EQ(target.progress.forced(phrases.list), -1);
  target.progress.ForceIfOutOfRoom(phrases.list, 3);
  EXPECT_EQ(target.progress.forced(phrases.list), 7);
  target.Add(7);
  target.Add(8);
  target.progress.ForceMissing(phrases.list);
  EXPECT_EQ(target.progress.forced(phrases.list), 9);
}

}  // namespace
}  // namespace latimer
