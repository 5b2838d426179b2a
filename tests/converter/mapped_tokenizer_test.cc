// Vocabularies that do not belong to the model, or to its map.
// Tests converter/readers/mapped_tokenizer.cc.
#include "converter/readers/mapped_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/converter/own_model.h"

namespace latimer::mapped_tokenizer_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using Json = nlohmann::json;

// The model of words with another source vocabulary.
class WordsTest : public ::testing::Test {
 protected:
  WordsTest()
      : vocabulary_(Json::parse(ReadFile(model_.folder / "source.json"))) {}

  std::string Error(const std::vector<std::string>& more = {}) const {
    WriteFile(folder_.path() / "words.json", vocabulary_.dump());
    std::vector<std::string> settings = {
        "source_vocabulary.file=" + (folder_.path() / "words.json").string()};
    settings.insert(settings.end(), more.begin(), more.end());
    return ErrorOf([&] { (void)model_.Read(settings, true); });
  }

  TempFolder folder_;
  OwnModel model_{"encoder_layers_words"};
  Json vocabulary_;
};

std::string WithoutTheLast(const Json& vocabulary) {
  Json shorter = vocabulary;
  for (const auto& [word, id] : vocabulary.items()) {
    if (id == vocabulary.size() - 1) shorter.erase(word);
  }
  return shorter.dump();
}

TEST_F(WordsTest, OfMoreIdsThanTheEmbeddingHasRowsAreRefused) {
  const std::string rows = std::to_string(vocabulary_.size());
  const std::string more = std::to_string(vocabulary_.size() + 1);
  const Json target = Json::parse(ReadFile(model_.folder / "target.json"));
  vocabulary_["zebra"] = vocabulary_.size();
  WriteFile(folder_.path() / "short.json", WithoutTheLast(target));
  // Both sides are in the message.
  EXPECT_THAT(
      Error({"target_vocabulary.file=" +
             (folder_.path() / "short.json").string()}),
      AllOf(HasSubstr("words.json has " + more +
                      " pieces and the source embedding " + rows + " rows; "),
            HasSubstr("short.json has " + std::to_string(target.size() - 1) +
                      " pieces and the target embedding"),
            HasSubstr("cannot have more pieces than rows")));
}

TEST_F(WordsTest, OfFewerIdsAreTakenAndTheOtherRowsBanned) {
  const Json target = Json::parse(ReadFile(model_.folder / "target.json"));
  WriteFile(folder_.path() / "words.json", WithoutTheLast(vocabulary_));
  WriteFile(folder_.path() / "short.json", WithoutTheLast(target));
  const CanonicalModel model = model_.Read(
      {"source_vocabulary.file=" + (folder_.path() / "words.json").string(),
       "target_vocabulary.file=" + (folder_.path() / "short.json").string()},
      true);
  ASSERT_TRUE(model.tokenizer.has_value());
  EXPECT_THAT(model.warnings,
              Contains(AllOf(HasSubstr("words.json has"), HasSubstr("; "),
                             HasSubstr("short.json has"),
                             HasSubstr("banned as outputs"))));
  const auto last = static_cast<int32_t>(target.size()) - 1;
  EXPECT_THAT(model.generation.banned_sequences,
              ElementsAre(ElementsAre(last)));
}

TEST_F(WordsTest, WithAnotherIdOfASpecialTokenAreNotThoseOfTheMap) {
  for (const char* sos : {"<sos>", "<BOS>", "<s>", "[start]"}) {
    Json changed = vocabulary_;
    changed.erase("<pad>");
    changed.erase("<sos>");
    changed["<pad>"] = 1;
    changed[sos] = 0;
    std::swap(vocabulary_, changed);
    EXPECT_THAT(Error(), HasSubstr("'<pad>' has the id 1, but in the map "
                                   "source_ids.pad is 0; --set "
                                   "source_ids.pad=1"));
    EXPECT_THAT(Error({"source_ids.pad=1"}),
                HasSubstr(std::string(sos) + "' has the id 0, but in the map "
                                             "source_ids.sos is 1"));
    std::swap(vocabulary_, changed);
  }
}

TEST_F(WordsTest, NeedAFileThatIsThereAndAnUnknownWord) {
  EXPECT_THAT(ErrorOf([&] {
                (void)model_.Read({"source_vocabulary.file=none.json"}, true);
              }),
              HasSubstr("none.json"));
  EXPECT_THAT(Error({"source_ids.unk=null"}),
              HasSubstr("source_ids has no unk"));
  EXPECT_TRUE(
      model_
          .Read({"source_ids.unk=null", "source_vocabulary.unknown=skip"}, true)
          .tokenizer.has_value());
  EXPECT_THAT(Error({"target_vocabulary.file="}),
              HasSubstr("target_vocabulary.file is missing"));
}

// As in the vocabulary of Keras' TextVectorization.
TEST_F(WordsTest, AnEmptyEntryForPadsIsNoMistake) {
  vocabulary_[""] = vocabulary_["<pad>"];
  vocabulary_.erase("<pad>");
  WriteFile(folder_.path() / "words.json", vocabulary_.dump());
  const std::string file =
      "source_vocabulary.file=" + (folder_.path() / "words.json").string();
  EXPECT_THAT(model_.Read({file}, true).warnings, IsEmpty());
}

TEST_F(WordsTest, ThatNoTextCanReachAreNamed) {
  std::vector<std::string> words;
  for (const auto& [word, id] : vocabulary_.items()) {
    if (id > 3) words.push_back(word);
  }
  const auto rename = [&](size_t from, const std::string& to) {
    vocabulary_[to] = vocabulary_[words.at(from)];
    vocabulary_.erase(words[from]);
  };
  rename(0, "Zebra");
  rename(1, "two words");
  rename(2, "ÉTÉ");
  const std::string size = std::to_string(vocabulary_.size());
  WriteFile(folder_.path() / "words.json", vocabulary_.dump());
  const std::string file =
      "source_vocabulary.file=" + (folder_.path() / "words.json").string();
  EXPECT_THAT(
      model_.Read({file}, true).warnings,
      UnorderedElementsAre(
          AllOf(HasSubstr("words.json: no text can reach 2 of the " + size +
                          " entries, such as "),
                HasSubstr("\"Zebra\""), HasSubstr("\"ÉTÉ\""),
                HasSubstr("in lower case, as preset:encoder_layers says; if "
                          "the model's code keeps capitals, --set "
                          "source_vocabulary.lower_case=false.")),
          AllOf(HasSubstr("reach 1 of the " + size +
                          " entries, such as \"two "
                          "words\": a text is split at white space."))));
  EXPECT_THAT(
      model_.Read({file, "source_vocabulary.lower_case=false"}, true).warnings,
      ElementsAre(HasSubstr("\"two words\"")));
  // With pieces each entry is read as itself.
  EXPECT_THAT(model_
                  .Read({file, "source_vocabulary.lower_case=false",
                         "source_vocabulary.kind=pieces"},
                        true)
                  .warnings,
              IsEmpty());
}

TEST_F(WordsTest, AreNoCharacters) {
  const auto warnings =
      model_.Read({"source_vocabulary.kind=characters"}, true).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("each character is an entry of its own; "
                                     "if the model's code takes the longest"));
  // Five of them, in quotes.
  EXPECT_EQ(std::ranges::count(warnings[0], '"'), 10);
}

// Of a model that is read as it was trained, none is.
TEST(OwnVocabulariesTest, AreReachedEntryByEntry) {
  for (const std::string& name : OwnModelNames()) {
    EXPECT_THAT(OwnModel(name).Read({}, true).warnings,
                Not(Contains(HasSubstr("no text can reach"))))
        << name;
  }
}

TEST_F(WordsTest, MayBeLeftOutOrAway) {
  const std::vector<std::string> none = {"source_vocabulary.file=",
                                         "target_vocabulary.file="};
  const CanonicalModel ids = model_.Read(none, true);
  EXPECT_FALSE(ids.tokenizer.has_value());
  EXPECT_THAT(ids.warnings, Contains(HasSubstr("translates ids only")));
  EXPECT_THAT(model_.Read({}, false).warnings, IsEmpty());
  EXPECT_TRUE(model_.Read({}, true).tokenizer.has_value());
}

}  // namespace latimer::mapped_tokenizer_test
