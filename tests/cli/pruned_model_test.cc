// A pruned model translates like the whole model with the removed tokens
// suppressed.
// Tests converter/vocabulary_pruning.cc, converter/pruning_report.cc,
// converter/token_choice.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "converter/known_answer.h"
#include "converter/pruning_report.h"
#include "converter/vocabulary_pruning.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/recurrent_models.h"
#include "tests/system/tiny_model.h"

namespace latimer::pruned_model_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ids = std::vector<int32_t>;

constexpr WeightType kWeightTypes[] = {WeightType::kInt8, WeightType::kF32};

// The whole model with each removed target token banned.
CanonicalModel WithBans(CanonicalModel model, const KeptTokens& kept) {
  for (uint32_t id = 0; id < model.architecture.target_vocabulary; ++id) {
    if (!std::ranges::binary_search(kept.target, id)) {
      model.generation.banned_sequences.push_back({static_cast<int32_t>(id)});
    }
  }
  return model;
}

CanonicalModel Pruned(CanonicalModel model, const KeptTokens& kept) {
  PruneVocabulary(kept, &model);
  return model;
}

// Nothing if an id was removed.
std::optional<Ids> Mapped(const Ids& ids, const std::vector<uint32_t>& kept) {
  Ids mapped;
  for (const int32_t id : ids) {
    const auto at = std::ranges::lower_bound(kept, static_cast<uint32_t>(id));
    if (at == kept.end() || *at != static_cast<uint32_t>(id)) return {};
    mapped.push_back(static_cast<int32_t>(at - kept.begin()));
  }
  return mapped;
}

std::vector<Ids> TranslateAll(const ModelBytes& file,
                              const std::vector<Ids>& sources) {
  Translator translator;
  const Status status = translator.Load(file.bytes(), &test_workspace);
  EXPECT_TRUE(status.ok()) << status.message();
  std::vector<Ids> all;
  for (const Ids& source : sources) {
    const auto result = translator.TranslateIds(
        source, {.max_target_tokens = 40, .language_code = {}, .beams = 1});
    EXPECT_TRUE(result.ok()) << result.status().message();
    all.emplace_back(result->tokens.begin(), result->tokens.end());
  }
  return all;
}

// Translates with both models the sources whose tokens are all kept; returns
// how many these are.
size_t ExpectSameTranslations(const CanonicalModel& model,
                              const KeptTokens& kept,
                              const std::vector<Ids>& sources,
                              WeightType weights) {
  std::vector<Ids> whole, mapped;
  for (const Ids& source : sources) {
    if (const std::optional<Ids> ids = Mapped(source, kept.source)) {
      whole.push_back(source);
      mapped.push_back(*ids);
    }
  }
  const std::vector<Ids> expected =
      TranslateAll(WriteForThisCpu(WithBans(model, kept), weights), whole);
  const std::vector<Ids> got =
      TranslateAll(WriteForThisCpu(Pruned(model, kept), weights), mapped);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(got[i], Mapped(expected[i], kept.target)) << i;
  }
  return expected.size();
}

// The first sentences of the demo's test texts, as a file.
class DemoText {
 public:
  explicit DemoText(size_t lines) {
    std::string text;
    for (const char* name : {"test.en", "test.de"}) {
      const auto all = ReadLines(DemoDirectory() / "data" / name);
      for (size_t i = 0; i < lines; ++i) text.append(all.at(i)).append("\n");
    }
    WriteFile(path(), text);
  }
  std::filesystem::path path() const { return folder_.path() / "keep.txt"; }

 private:
  TempFolder folder_;
};

TEST(PrunedDemoTest, TextsThatLackOneOfTheLanguagesAreReported) {
  const TempFolder folder;
  const auto warnings = [&](std::initializer_list<const char*> names) {
    TokensToKeep keep;
    for (const char* name : names) {
      auto lines = ReadLines(DemoDirectory() / "data" / name);
      lines.resize(200);
      keep.texts.push_back(folder.path() / name);
      WriteFile(keep.texts.back(), Joined(lines, {}, "\n"));
    }
    CanonicalModel model = OpenModel(DemoDirectory(), true);
    model.warnings.clear();
    const auto report = PruneAndReport(
        keep, {}, {.tile = UsableTile(), .progress = {}}, &model);
    EXPECT_GT(report["lines_like_source"].get<size_t>() +
                  report["lines_like_target"].get<size_t>(),
              100u);
    return model.warnings;
  };
  EXPECT_THAT(warnings({"test.en"}),
              ElementsAre(HasSubstr("seem to lack the target language")));
  EXPECT_THAT(warnings({"test.de"}),
              ElementsAre(HasSubstr("seem to lack the source language")));
  EXPECT_THAT(warnings({"test.en", "test.de"}), IsEmpty());
}

TEST(PrunedDemoTest, TranslatesAsTheWholeModelWithoutTheLeftOutTokens) {
  const CanonicalModel model = OpenModel(SmallDemoDirectory(), true);
  const DemoText text(150);
  const KeptTokens kept = ChooseTokens(model, {.texts = {text.path()}});
  EXPECT_LT(kept.target.size(), 2000u);
  std::vector<Ids> sources;
  for (const FixtureRow& row : ReadDemoFixture(SmallDemoDirectory())) {
    if (sources.size() < FewerIfSlow(120, 20)) sources.push_back(row.source);
  }
  for (const WeightType weights : kWeightTypes) {
    EXPECT_GE(ExpectSameTranslations(model, kept, sources, weights),
              FewerIfSlow(30, 5));
  }
}

TEST(PrunedDemoTest, TheTextIsTheWholeModelsWhereThatNeedsNothingElse) {
  const CanonicalModel model = OpenModel(DemoDirectory(), true);
  const DemoText text(1500);
  const KeptTokens kept = ChooseTokens(model, {.texts = {text.path()}});
  size_t same = 0;
  for (const WeightType weights : kWeightTypes) {
    const ModelBytes whole = WriteForThisCpu(model, weights);
    const ModelBytes pruned = WriteForThisCpu(Pruned(model, kept), weights);
    EXPECT_LT(pruned.bytes().size(), whole.bytes().size() * 9 / 10);
    std::vector<std::pair<std::string, std::string>> expected;
    Translator translator;
    ASSERT_TRUE(translator.Load(whole.bytes(), &test_workspace).ok());
    const auto lines = ReadLines(DemoDirectory() / "data" / "test.en");
    constexpr size_t kLines = FewerIfSlow(50, 6);
    for (size_t i = 1500 - kLines; i < 1500 + kLines; ++i) {
      const Result<Translation> result = translator.Translate(lines[i]);
      ASSERT_TRUE(result.ok());
      const Ids target(result->tokens.begin(), result->tokens.end());
      // The source is kept up to line 1500.
      if (i < 1500 && Mapped(target, kept.target)) {
        expected.emplace_back(lines[i], result->text);
      }
    }
    ASSERT_TRUE(translator.Load(pruned.bytes(), &test_workspace).ok());
    for (const auto& [source, target] : expected) {
      EXPECT_EQ(translator.Translate(source)->text, target);
    }
    same += expected.size();
  }
  EXPECT_GT(same, FewerIfSlow(60, 5));
}

TEST(PrunedDemoTest, AShortlistAllowsTheSameOfWhatIsLeft) {
  CanonicalModel model = OpenModel(SmallDemoDirectory(), true);
  const Architecture& a = model.architecture;
  for (const bool copies_source : {false, true}) {
    CanonicalShortlist& list = model.shortlist.emplace();
    list.first = 300;
    list.copies_source = copies_source;
    for (uint32_t id = 0; id < a.source_vocabulary; ++id) {
      list.offsets.push_back(static_cast<uint32_t>(list.tokens.size()));
      for (uint32_t i = 0; i < 40; ++i) {
        list.tokens.push_back(
            static_cast<uint16_t>((id * 31 + i * 257) % a.target_vocabulary));
      }
    }
    list.offsets.push_back(static_cast<uint32_t>(list.tokens.size()));
    const DemoText text(300);
    const KeptTokens kept = ChooseTokens(model, {.texts = {text.path()}});
    std::vector<Ids> sources;
    for (const FixtureRow& row : ReadDemoFixture(SmallDemoDirectory())) {
      if (sources.size() < FewerIfSlow(60, 15)) sources.push_back(row.source);
    }
    EXPECT_GE(ExpectSameTranslations(model, kept, sources, WeightType::kInt8),
              FewerIfSlow(15, 3));
  }
}

TEST(PrunedDemoTest, ItsKnownAnswerIsItsOwn) {
  CanonicalModel model = OpenModel(SmallDemoDirectory(), true);
  const DemoText text(100);
  PruneVocabulary(ChooseTokens(model, {.texts = {text.path()}}), &model);
  std::vector<std::string> warnings;
  const ModelBytes file = WriteModelWithKnownAnswer(
      model, {.tile = UsableTile(), .progress = {}}, &warnings);
  const auto& answer = *schema::GetModel(file.bytes().data())->known_answer();
  Translator translator;
  ASSERT_TRUE(translator.Load(file.bytes(), &test_workspace).ok());
  const Ids source(answer.source()->begin(), answer.source()->end());
  const auto result = translator.TranslateIds(
      source, {.max_target_tokens = answer.target()->size(),
               .min_target_tokens = answer.target()->size(),
               .language_code = {}});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(Ids(result->tokens.begin(), result->tokens.end()),
            Ids(answer.target()->begin(), answer.target()->end()));
}

// Every second token, and those that the generation config names; the same on
// both sides if they share rows.
KeptTokens EverySecond(const CanonicalModel& model) {
  const CanonicalGeneration& g = model.generation;
  std::set<int32_t> source, target;
  target.insert({g.decoder_start, g.eos, g.pad, g.forced_eos, g.forced_first});
  for (const Language& language : g.languages) {
    source.insert(language.token);
    target.insert(language.token);
  }
  for (const auto& sequence : g.banned_sequences) {
    target.insert(sequence.begin(), sequence.end());
  }
  source.insert(g.source_prefix.begin(), g.source_prefix.end());
  source.insert(g.source_suffix.begin(), g.source_suffix.end());
  if (g.source_length > 0) source.insert(g.source_pad);
  const Architecture& a = model.architecture;
  for (uint32_t i = 0; i < a.source_vocabulary; i += 2) {
    source.insert(static_cast<int32_t>(i));
  }
  for (uint32_t i = 0; i < a.target_vocabulary; i += 2) {
    target.insert(static_cast<int32_t>(i));
  }
  if (a.source_vocabulary == a.target_vocabulary) {
    source.insert(target.begin(), target.end());
    target.insert(source.begin(), source.end());
  }
  KeptTokens kept;
  for (const int32_t id : source) {
    if (id >= 0) kept.source.push_back(static_cast<uint32_t>(id));
  }
  for (const int32_t id : target) {
    if (id >= 0) kept.target.push_back(static_cast<uint32_t>(id));
  }
  return kept;
}

// Sources of tokens that are kept.
std::vector<Ids> SourcesOf(const CanonicalModel& model,
                           const KeptTokens& kept) {
  std::vector<Ids> sources;
  for (size_t row = 0; row < 8; ++row) {
    Ids& source = sources.emplace_back(model.generation.source_prefix);
    for (size_t i = 0; i < 3 + row; ++i) {
      const size_t at = (row * 7 + i * 11 + 3) % kept.source.size();
      source.push_back(static_cast<int32_t>(kept.source[at]));
    }
    const Ids& suffix = model.generation.source_suffix;
    source.insert(source.end(), suffix.begin(), suffix.end());
  }
  return sources;
}

void ExpectHalfAModelToTranslate(const CanonicalModel& model) {
  const KeptTokens kept = EverySecond(model);
  for (const WeightType weights : kWeightTypes) {
    EXPECT_EQ(
        ExpectSameTranslations(model, kept, SourcesOf(model, kept), weights),
        8u);
  }
}

class PrunedTinyModelTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, PrunedTinyModelTest,
                         ::testing::ValuesIn(TinyModelNames()),
                         [](const auto& model) { return model.param; });

TEST_P(PrunedTinyModelTest, TranslatesAsTheWholeModel) {
  ExpectHalfAModelToTranslate(OpenModel(TinyModel(GetParam()), false));
}

// "tiny_families/bart_bin" and the like.
std::vector<std::string> FamilyModels() {
  const auto data =
      std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" / "data";
  std::vector<std::string> names;
  for (const char* folder : {"tiny_families", "t5"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(data / folder)) {
      if (entry.is_directory()) {
        names.push_back(std::filesystem::relative(entry.path(), data).string());
      }
    }
  }
  std::ranges::sort(names);
  return names;
}

class PrunedFamilyTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, PrunedFamilyTest,
                         ::testing::ValuesIn(FamilyModels()),
                         [](const auto& model) {
                           std::string name = model.param;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

TEST_P(PrunedFamilyTest, TranslatesAsTheWholeModel) {
  ExpectHalfAModelToTranslate(OpenModel(
      std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" / "data" / GetParam(),
      false));
}

class PrunedRecurrentTest : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, PrunedRecurrentTest,
                         ::testing::ValuesIn(RecurrentNames()),
                         [](const auto& model) { return model.param; });

TEST_P(PrunedRecurrentTest, TranslatesAsTheWholeModel) {
  ExpectHalfAModelToTranslate(RecurrentModel(GetParam()).Read());
}

TEST(PrunedNativeModelTest, AStudentOfIntegersTranslatesAsTheWholeModel) {
  for (const char* name : {"student", "student_shortlist", "separate"}) {
    ExpectHalfAModelToTranslate(
        OpenModel(std::filesystem::path(LATIMER_SOURCE_DIR) / "tests" / "data" /
                      "tiny_native" / name,
                  false));
  }
}

TEST(PruningCliTest, SaysWhatIsKeptAndWhatIsUnreachable) {
  const TempFolder folder;
  const DemoText keep(200), other(400);
  const std::string output = folder.path() / "out.ltm";
  std::vector<std::string> arguments = {
      SmallDemoDirectory(), "-o",        output, "--keep-vocab", keep.path(),
      "--unreachable",      other.path()};
  const Outcome text = RunProgram("latimer-convert", arguments);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out,
              AllOf(HasSubstr(" of 4000 source tokens kept, "),
                    HasSubstr(" bytes saved."), HasSubstr("as source: "),
                    HasSubstr("as target: "), HasSubstr(" times  ")));
  arguments.emplace_back("--json");
  const Outcome json = RunProgram("latimer-convert", arguments);
  EXPECT_EQ(json.code, 0) << json.err;
  const auto report = nlohmann::json::parse(json.out)["vocabulary"];
  EXPECT_EQ(report["source"]["of"], 4000);
  EXPECT_LT(report["source"]["kept"], 2000);
  EXPECT_GT(report["bytes_saved"], 200'000);
  ASSERT_EQ(report["unreachable"].size(), 2u);
  const auto& source = report["unreachable"][0];
  EXPECT_EQ(source["side"], "source");
  EXPECT_EQ(source["lines"], 800);
  EXPECT_GT(source["lost"], source["different"]);
  EXPECT_EQ(source["examples"].size(), 10u);
  const Outcome inspected = RunProgram("latimer", {"inspect", output});
  EXPECT_THAT(inspected.out, HasSubstr(" of 4000 source tokens"));
}

TEST(PruningCliTest, WhatIsWrongGetsOneSentenceAndLeavesNoFile) {
  const TempFolder folder;
  const std::string output = folder.path() / "out.ltm";
  const auto error = [&](std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.begin(), {SmallDemoDirectory(), "-o", output});
    const std::string message =
        ErrorSentence(RunProgram("latimer-convert", arguments), code);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    return message;
  };
  EXPECT_THAT(error({"--unreachable", "x.txt"}, 2),
              HasSubstr("--unreachable needs --keep-vocab or --keep-scripts"));
  EXPECT_THAT(error({"--keep-scripts", "Latin"}, 1),
              HasSubstr("Script 'Latin' is unknown; the codes are "));
  EXPECT_THAT(error({"--keep-scripts", ""}, 1), HasSubstr("Script ''"));
  EXPECT_THAT(error({"--keep-vocab", "no_such.txt"}, 1),
              HasSubstr("no_such.txt: cannot be read"));
  EXPECT_THAT(error({"--keep-scripts", "Latn", "--unreachable", "none.txt"}, 1),
              HasSubstr("none.txt: cannot be read"));
  EXPECT_THAT(error({"--keep-scripts", "Latn", "--no-tokenizer"}, 1),
              HasSubstr("without the model's tokenizer"));
}

}  // namespace latimer::pruned_model_test
