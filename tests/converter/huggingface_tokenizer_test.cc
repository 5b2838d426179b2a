// The tokenizers of Hugging Face's families: ids and text equal those of
// transformers.
// Tests converter/readers/huggingface_tokenizer.cc,
// converter/readers/tokenizer_class.cc, converter/readers/tokenizer_config.cc,
// converter/readers/tokenizer_parts.cc,
// converter/readers/huggingface_vocabulary.cc,
// converter/huggingface_tokenizer_builder.cc, runtime/text/byte_words.cc,
// runtime/text/bpe.cc.
#include "converter/readers/huggingface_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "converter/error.h"
#include "converter/readers/huggingface_model.h"
#include "tests/base/growth.h"
#include "tests/converter/model_folder.h"
#include "tests/text/tokenizer_fixture.h"

namespace latimer::huggingface_tokenizer_test {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Each folder with its fixture; returns how many lines.
size_t ExpectFolders(const fs::path& root, size_t folders) {
  size_t count = 0;
  size_t lines = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename().string());
    OwnedTokenizer owned(HuggingFaceTokenizerOf(entry.path()).data);
    const size_t of_folder =
        ForEachLine(entry.path() / "fixture.jsonl",
                    [&](const auto& line) { ExpectLine(owned, line); });
    EXPECT_GT(of_folder, 0u);
    lines += of_folder;
    ++count;
  }
  EXPECT_EQ(count, folders);
  return lines;
}

fs::path Data() {
  return SourceDirectory() / "tests" / "data" / "huggingface_tokenizer";
}

TEST(HuggingFaceTokenizerTest, IdsAndTextEqualThoseOfTransformers) {
  EXPECT_GT(ExpectFolders(Data(), 23), 5000u);
}

TEST(HuggingFaceTokenizerTest, EqualsTransformersOnEachLineOfAGivenFixture) {
  const char* path = std::getenv("LATIMER_HUGGINGFACE_TOKENIZER_FIXTURE");
  if (path == nullptr) {
    GTEST_SKIP() << "LATIMER_HUGGINGFACE_TOKENIZER_FIXTURE names no folder; "
                    "make one with "
                    "tests/reference/huggingface_tokenizer_fixture.py --out";
  }
  std::cout << ExpectFolders(path, 23) << " lines compared\n";
}

TEST(HuggingFaceTokenizerTest, GivesTheIdsOfLanguagesAndTheSpecialTokens) {
  const HuggingFaceTokenizer nllb =
      HuggingFaceTokenizerOf(Data() / "nllb_json");
  EXPECT_EQ(nllb.data.eos_id, 2);
  const int32_t english = nllb.ids.at("eng_Latn");
  OwnedTokenizer owned(nllb.data);
  EXPECT_THAT(owned.Encode("eng_Latn"), ElementsAre(english));
  EXPECT_THAT(nllb.special, Contains("eng_Latn"));
  EXPECT_THAT(nllb.special, Contains("<mask>"));

  const HuggingFaceTokenizer mbart = HuggingFaceTokenizerOf(Data() / "mbart");
  EXPECT_EQ(mbart.ids.at("cs_CZ"), mbart.ids.at("ar_AR") + 1);
  const HuggingFaceTokenizer m2m = HuggingFaceTokenizerOf(Data() / "m2m100");
  EXPECT_EQ(m2m.ids.at("__zu__"), m2m.ids.at("__af__") + 99);
  EXPECT_EQ(m2m.data.eos_id, 2);
  const HuggingFaceTokenizer byt5 = HuggingFaceTokenizerOf(Data() / "byt5");
  EXPECT_EQ(byt5.data.eos_id, 1);
}

TEST(HuggingFaceTokenizerTest, RefusesAModelThatItsIdsDoNotFit) {
  const auto read = [](uint32_t source, uint32_t target, int32_t eos) {
    CanonicalModel model;
    model.architecture.source_vocabulary = source;
    model.architecture.target_vocabulary = target;
    model.generation.eos = eos;
    ReadModelTokenizer(Data() / "m2m100", &model);
  };
  const auto error = [&](uint32_t source, uint32_t target, int32_t eos) {
    return ErrorOf([&] { read(source, target, eos); });
  };
  const auto& ids = HuggingFaceTokenizerOf(Data() / "m2m100").ids;
  const auto own = static_cast<uint32_t>(ids.at("__af__"));
  EXPECT_NO_THROW(read(own + 100, own + 100, 2));
  EXPECT_THAT(error(own + 100, own + 100, 3),
              HasSubstr("the tokenizer's eos_token has the id 2, but the "
                        "model's eos_token_id is 3"));
  EXPECT_THAT(error(own, own + 100, 2),
              AllOf(HasSubstr("the tokenizer's language af"),
                    HasSubstr("but the source's embedding has")));
  EXPECT_THAT(error(own, own, 2),
              AllOf(HasSubstr("vocab.json with its languages"),
                    HasSubstr("rows of the model's embedding")));
}

TEST(HuggingFaceTokenizerTest, RandomTextOfEachKindIsCutWithoutLoss) {
  const std::string_view units[] = {
      "a",  " ",    ". ",     "the ", "\xFF",    "字",   "Tom",
      "\n", "1234", "\u2581", "zz's", "e\u0301", "\r\n", "<mask>"};
  std::mt19937 random(1);
  for (const auto& entry : fs::directory_iterator(Data())) {
    SCOPED_TRACE(entry.path().filename().string());
    OwnedTokenizer owned(HuggingFaceTokenizerOf(entry.path()).data);
    for (int round = 0; round < 20; ++round) {
      std::string text;
      for (int i = 0; i < 200; ++i) text += units[random() % std::size(units)];
      ExpectParts(owned, text, 24 + random() % 40);
    }
  }
}

TEST(HuggingFaceTokenizerTest, ALongTextOfBytePairsTakesItsTurn) {
  OwnedTokenizer bart(HuggingFaceTokenizerOf(Data() / "bart").data);
  std::string text;
  while (text.size() < 200'000) text += "thethe";
  // A merge at a time over the whole text would be 10^10 steps.
  EXPECT_GT(bart.Encode(text).size(), 10'000u);
}

// A folder of a fixture whose tokenizer.json is changed.
class TokenizerJsonTest : public testing::Test {
 protected:
  static std::string ErrorOf(const std::string& name, auto edit,
                             size_t rows = 0) {
    const TempFolder folder;
    fs::copy(
        Data() / name, folder.path(),
        fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const fs::path path = folder.path() / "tokenizer.json";
    nlohmann::json json = nlohmann::json::parse(ReadFile(path));
    edit(json);
    WriteFile(path, json.dump());
    if (rows > 0) {
      const fs::path other = folder.path() / "config.json";
      nlohmann::json config = nlohmann::json::parse(ReadFile(other));
      config["vocab_size"] = rows;
      WriteFile(other, config.dump());
    }
    try {
      (void)HuggingFaceTokenizerOf(folder.path());
    } catch (const ConversionError& error) {
      return error.what();
    }
    return "none";
  }
  static std::string WithNormalizer(const std::string& name,
                                    const std::string& step) {
    return ErrorOf(name, [&](nlohmann::json& json) {
      json["normalizer"] = {
          {"type", "Sequence"},
          {"normalizers", {json["normalizer"], nlohmann::json::parse(step)}}};
    });
  }
  static std::string WithPreTokenizer(const std::string& name,
                                      const std::string& step) {
    return ErrorOf(name, [&](nlohmann::json& json) {
      json["pre_tokenizer"] = nlohmann::json::parse(step);
    });
  }
};

TEST_F(TokenizerJsonTest, ANormalizerThatTheFamilyLacksIsRefused) {
  const std::string replace =
      R"({"type":"Replace","pattern":{"Regex":"a"},"content":"b"})";
  EXPECT_THAT(
      WithNormalizer("t5_json", replace),
      AllOf(HasSubstr("tokenizer.json: its normalizer {\"content\":\"b\""),
            HasSubstr("is not one of this family's tokenizers")));
  for (const char* step :
       {R"({"type":"Lowercase"})", R"({"type":"NFD"})",
        R"({"type":"Prepend","prepend":"\u2581"})",
        R"({"type":"Replace","pattern":{"Regex":" {2,}"},"content":""})",
        R"({"type":"Sequence","normalizers":[{"type":"StripAccents"}]})"}) {
    EXPECT_THAT(WithNormalizer("nllb_json", step), HasSubstr("its normalizer"))
        << step;
  }
  EXPECT_THAT(WithNormalizer("bart_json", R"({"type":"Precompiled"})"),
              HasSubstr("its normalizer"));
  EXPECT_THAT(WithNormalizer("nllb_json", R"("Lowercase")"),
              HasSubstr("a field is not of the type that it must have"));
}

TEST_F(TokenizerJsonTest, APreTokenizerThatTheFamilyLacksIsRefused) {
  for (const char* step :
       {R"({"type":"Digits","individual_digits":true})",
        R"({"type":"ByteLevel"})", R"({"type":"Metaspace","replacement":"_"})",
        R"({"type":"Metaspace","prepend_scheme":"never"})",
        R"({"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
            {"type":"Punctuation"}]})"}) {
    EXPECT_THAT(WithPreTokenizer("t5_json", step),
                HasSubstr("its pre-tokenizer"))
        << step;
  }
  EXPECT_THAT(WithPreTokenizer("bart_json", R"({"type":"Whitespace"})"),
              HasSubstr("its pre-tokenizer"));
  EXPECT_THAT(WithPreTokenizer("bart_json",
                               R"({"type":"ByteLevel","use_regex":false})"),
              HasSubstr("its pre-tokenizer"));
}

TEST_F(TokenizerJsonTest, GemmasHasItsOwnStepsAndAllBytes) {
  EXPECT_THAT(WithNormalizer("gemma", R"({"type":"Prepend","prepend":"a"})"),
              HasSubstr("its normalizer"));
  EXPECT_THAT(WithPreTokenizer("gemma", R"({"type":"Metaspace"})"),
              HasSubstr("its pre-tokenizer"));
  EXPECT_EQ(WithPreTokenizer("gemma", "null"), "none");
  const auto rename = [](const char* from) {
    return ErrorOf("gemma", [&](nlohmann::json& json) {
      nlohmann::json& vocabulary = json["model"]["vocab"];
      vocabulary["<other>"] = vocabulary[from];
      vocabulary.erase(from);
    });
  };
  EXPECT_THAT(rename("<0xE2>"), HasSubstr("has no piece for the byte 226"));
  EXPECT_THAT(rename("\t"), HasSubstr("has no piece for the byte 9"));
  EXPECT_THAT(rename("\u2581"), HasSubstr("has no piece U+2581"));
  EXPECT_THAT(ErrorOf("gemma",
                      [](nlohmann::json& json) {
                        json["model"] = {{"type", "Unigram"},
                                         {"vocab", nlohmann::json::array()}};
                      }),
              HasSubstr("of the type Unigram, but the family's is BPE"));
  EXPECT_THAT(ErrorOf("gemma",
                      [](nlohmann::json& json) {
                        json["post_processor"] = {{"type", "BertProcessing"}};
                      }),
              HasSubstr("its post_processor is not TemplateProcessing"));
}

TEST(HuggingFaceTokenizerTest, GemmasFilesSayWhatStandsAroundAText) {
  using Frame = std::pair<std::vector<int32_t>, std::vector<int32_t>>;
  const auto frame = [](const nlohmann::json& settings) {
    const TempFolder folder;
    fs::copy(Data() / "gemma", folder.path());
    WriteFile(folder.path() / "tokenizer_config.json", settings.dump());
    return HuggingFaceTokenizerOf(folder.path()).frame;
  };
  EXPECT_EQ(frame(nlohmann::json::object()), Frame({2}, {}));
  EXPECT_EQ(frame({{"add_eos_token", true}}), Frame({}, {1}));
  EXPECT_EQ(frame({{"add_bos_token", true}, {"add_eos_token", true}}),
            Frame({2}, {1}));
  EXPECT_EQ(HuggingFaceTokenizerOf(Data() / "t5").frame, std::nullopt);
}

TEST_F(TokenizerJsonTest, TheStepsOfOtherVersionsOfTransformersAreTheSame) {
  for (
      const char* step :
      {R"({"type":"Strip","strip_left":false,"strip_right":true})",
       R"({"type":"Replace","pattern":{"Regex":" {2,}"},"content":"\u2581"})"}) {
    EXPECT_EQ(WithNormalizer("t5_json", step), "none") << step;
  }
  EXPECT_EQ(WithPreTokenizer("nllb_json",
                             R"({"type":"Metaspace","replacement":"\u2581",
                                 "add_prefix_space":true})"),
            "none");
  EXPECT_EQ(WithPreTokenizer("nllb_json", "null"), "none");
}

TEST_F(TokenizerJsonTest, OfAnotherKindThanItsClassHasStepsOfItsOwn) {
  for (const char* step :
       {R"({"type":"Strip","strip_left":false,"strip_right":true})",
        R"({"type":"Lowercase"})", R"({"type":"Precompiled"})"}) {
    EXPECT_THAT(WithNormalizer("t5_bpe_json", step),
                AllOf(HasSubstr("its normalizer"),
                      HasSubstr("is not supported with a model of the type "
                                "BPE; if the SentencePiece model lies beside")))
        << step;
  }
  for (const char* step : {"null", R"({"type":"WhitespaceSplit"})",
                           R"({"type":"Metaspace","split":false})",
                           R"({"type":"Metaspace","prepend_scheme":"first"})",
                           R"({"type":"ByteLevel"})"}) {
    EXPECT_THAT(WithPreTokenizer("t5_bpe_json", step),
                HasSubstr("its pre-tokenizer"))
        << step;
  }
  const auto with = [](const char* name, const nlohmann::json& value) {
    return ErrorOf("t5_bpe_json",
                   [&](nlohmann::json& json) { json["model"][name] = value; });
  };
  EXPECT_THAT(with("byte_fallback", true),
              HasSubstr("its model has byte_fallback true, which is not"));
  EXPECT_THAT(with("end_of_word_suffix", "</w>"),
              HasSubstr("its model has end_of_word_suffix"));
  EXPECT_THAT(with("fuse_unk", false), HasSubstr("does not have fuse_unk"));
  EXPECT_THAT(with("unk_token", nullptr), HasSubstr("has no unknown token"));
  EXPECT_THAT(with("unk_token", "<none>"), HasSubstr("has no piece '<none>'"));
  EXPECT_THAT(with("type", "WordPiece"),
              HasSubstr("of the type WordPiece; Unigram and BPE are"));
  EXPECT_THAT(ErrorOf("t5_bpe_json",
                      [](nlohmann::json& json) { json["decoder"] = nullptr; }),
              HasSubstr("its decoder null is not supported"));
  EXPECT_EQ(with("dropout", nullptr), "none");
}

TEST(HuggingFaceTokenizerTest, AModelOfAnotherKindThanItsClassGivesAWarning) {
  const auto warning = [](const char* name) {
    const std::vector<std::string> warnings =
        HuggingFaceTokenizerOf(Data() / name).warnings;
    return warnings.size() == 1 ? warnings[0] : "";
  };
  EXPECT_THAT(warning("t5_bpe"),
              HasSubstr("spiece.model: is BPE, which transformers' class of "
                        "this family takes for unigram; the ids are those of "
                        "SentencePiece, as in training."));
  EXPECT_THAT(warning("t5_bpe_json"),
              HasSubstr("tokenizer.json: is BPE, which transformers' class of "
                        "this family does not read; the ids are those of the "
                        "library tokenizers."));
  EXPECT_EQ(warning("t5"), "");
  EXPECT_EQ(warning("nllb"), "");
}

TEST(HuggingFaceTokenizerTest, AMissingFileIsNamedWithTheWayOut) {
  const auto error = [](const char* name, const char* missing) {
    const TempFolder folder;
    fs::copy(Data() / name, folder.path());
    fs::remove(folder.path() / missing);
    return ErrorOf([&] { HuggingFaceTokenizerOf(folder.path()); });
  };
  EXPECT_THAT(error("m2m100", "sentencepiece.bpe.model"),
              AllOf(HasSubstr("sentencepiece.bpe.model: cannot be read (No"),
                    HasSubstr("or convert with --no-tokenizer.")));
  EXPECT_THAT(error("bart", "merges.txt"),
              AllOf(HasSubstr("merges.txt: cannot be read (No"),
                    HasSubstr("or convert with --no-tokenizer.")));
  EXPECT_THAT(error("bart", "vocab.json"),
              AllOf(HasSubstr("has neither tokenizer.json nor vocab.json;"),
                    HasSubstr("or convert with --no-tokenizer.")));
  EXPECT_THAT(error("gemma", "tokenizer.json"),
              AllOf(HasSubstr("has no tokenizer.json;"),
                    HasSubstr("or convert with --no-tokenizer.")));
  EXPECT_THAT(error("t5", "spiece.model"),
              AllOf(HasSubstr("has neither tokenizer.json nor spiece.model;"),
                    HasSubstr("or convert with --no-tokenizer.")));
}

TEST_F(TokenizerJsonTest, AnAddedTokensIdIsAnId) {
  // With these, tokenizer_config.json lists no tokens itself.
  const auto with_id = [](const std::string& id) {
    return ErrorOf("bart_json", [&](nlohmann::json& json) {
      json["added_tokens"].push_back(
          {{"id", nlohmann::json::parse(id)}, {"content", "<new>"}});
    });
  };
  for (const char* id : {"-1", "2147483648", "4294967296", "-4294967296",
                         "9223372036854775808", "18446744073709551615"}) {
    EXPECT_THAT(with_id(id), HasSubstr("added token id " + std::string(id) +
                                       " is not within 0 and 2147483647"));
  }
  for (const char* id : {"1e30", "1.5", "\"7\"", "null"}) {
    EXPECT_THAT(with_id(id), HasSubstr("an added token has no id"));
  }
}

TEST_F(TokenizerJsonTest, AHundredThousandAddedTokensTakeNoTime) {
  const std::string error = ErrorOf("bart_json", [](nlohmann::json& json) {
    for (int i = 0; i < 100'000; ++i) {
      json["added_tokens"].push_back(
          {{"id", 10'000 + i}, {"content", "<new" + std::to_string(i) + ">"}});
    }
  });
  EXPECT_NE(error, "none");  // They have no rows.
}

TEST_F(TokenizerJsonTest, TimeGrowsWithTheFile) {
  const auto read = [](const auto& folder_and_edit) {
    const auto& [folder, edit] = folder_and_edit;
    (void)ErrorOf(folder, edit, 1'000'000);
  };
  const auto of = [](const char* folder, const auto& edit) {
    return [folder, edit](size_t n) {
      const auto with = [n, edit](nlohmann::json& json) { edit(json, n); };
      return std::pair(std::string(folder), with);
    };
  };
  for (const char* folder : {"bart_json", "t5_json"}) {
    SCOPED_TRACE(folder);
    const auto pieces = [](nlohmann::json& json, size_t n) {
      nlohmann::json& vocabulary = json["model"]["vocab"];
      const size_t before = vocabulary.size();
      for (size_t i = 0; i < n; ++i) {
        const std::string piece = "a" + std::to_string(i);
        if (vocabulary.is_array()) {
          vocabulary.push_back({piece, -1.0});
        } else {
          vocabulary[piece] = before + i;
        }
      }
    };
    ExpectLinear(1000, of(folder, pieces), read);
    const auto added = [](nlohmann::json& json, size_t n) {
      for (size_t i = 0; i < n; ++i) {
        json["added_tokens"].push_back(
            {{"id", 10'000 + i}, {"content", "<a" + std::to_string(i) + ">"}});
      }
    };
    ExpectLinear(1000, of(folder, added), read);
    const auto steps = [](nlohmann::json& json, size_t n) {
      json["normalizer"] = {
          {"type", "Sequence"},
          {"normalizers", std::vector(n, json["normalizer"])}};
    };
    ExpectLinear(20, of(folder, steps), read);
  }
  const auto merges = [](nlohmann::json& json, size_t n) {
    const nlohmann::json one = json["model"]["merges"][0];
    json["model"]["merges"] = std::vector(n, one);
  };
  ExpectLinear(2000, of("bart_json", merges), read);
}

class PartsTest : public testing::Test {
 protected:
  PartsTest() {
    parts_.name = "parts";
    parts_.model = HuggingFaceTokenizerParts::Model::kBpe;
    parts_.spacing = Spacing::kMetaspace;
    for (const char* piece : {"<unk>", "\u2581", "a", "b", "ab", "\u2581ab"}) {
      parts_.pieces.emplace_back(piece, 0.0f);
    }
    parts_.merges = {{"a", "b"}, {"\u2581", "ab"}};
    parts_.source_rows = parts_.target_rows = 8;
  }

  std::string Error() const {
    try {
      BuildHuggingFaceTokenizer(parts_);
    } catch (const ConversionError& error) {
      return error.what();
    }
    return "none";
  }

  HuggingFaceTokenizerParts parts_;
};

TEST_F(PartsTest, OfEqualPairsTheLastCounts) {
  parts_.merges = {{"\u2581", "a"}, {"a", "b"}, {"a", "b"}};
  parts_.pieces.emplace_back("\u2581a", 0.0f);
  OwnedTokenizer owned(BuildHuggingFaceTokenizer(parts_).data);
  EXPECT_THAT(owned.Encode("ab ab"), ElementsAre(6, 3, 6, 3));
}

TEST_F(PartsTest, AnAddedTokenThatIsNoPieceHasTheNextId) {
  AddedTokenConfig token;
  token.text = "<new>";
  parts_.added = {token};
  const HuggingFaceTokenizer built = BuildHuggingFaceTokenizer(parts_);
  EXPECT_EQ(built.ids.at("<new>"), 6);
  EXPECT_THAT(built.special, IsEmpty());
  OwnedTokenizer owned(built.data);
  EXPECT_THAT(owned.Encode("ab<new>ab"), ElementsAre(5, 6, 5));
  EXPECT_EQ(owned.Decode({5, 6, 5, 7}), "ab<new> ab");
}

TEST_F(PartsTest, WhatDoesNotFitTogetherIsRefused) {
  EXPECT_EQ(Error(), "none");
  parts_.merges.emplace_back("b", "a");
  EXPECT_THAT(Error(), HasSubstr("merge 2, 'b a', is of or to a piece that is "
                                 "not in the vocabulary"));
  parts_.merges.clear();
  parts_.source_rows = 5;
  EXPECT_THAT(Error(), HasSubstr("has 6 pieces, more than the 5 rows"));
  parts_.source_rows = 8;
  AddedTokenConfig token;
  token.text = "ab";
  token.id = 7;
  parts_.added = {token};
  EXPECT_THAT(Error(), HasSubstr("token 'ab' has the id 7 in one file and 4"));
  parts_.added.clear();
  parts_.pieces[1].first = "c";
  EXPECT_THAT(Error(), HasSubstr("has no piece U+2581"));
  parts_.model = HuggingFaceTokenizerParts::Model::kByteBpe;
  EXPECT_THAT(Error(), HasSubstr("has no piece for the byte 0"));
}

}  // namespace latimer::huggingface_tokenizer_test
