// A build with a profile reserves what the converter's bill and profile say,
// and such a build translates like the build for any model.
// Tests runtime/plan/plan.cc, converter/profile_header.cc,
// runtime/transformer/buffers.cc, runtime/model/errors.cc.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "converter/profile_header.h"
#include "internals.h"
#include "latimer/translator.h"
#include "model/model.h"
#include "report/bill.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/recurrent_models.h"
#include "tests/system/tiny_model.h"

#define kProfile kGruProfile
#include "tests/data/gru_profile.h"
#undef kProfile
#define kProfile kIdsOnlyProfile
#include "tests/data/ids_only_profile.h"
#undef kProfile
#define kProfile kT5Profile
#include "tests/data/t5_profile.h"
#undef kProfile

namespace latimer::exact_profile_test {

namespace fs = std::filesystem;

Workspace& workspace = test_workspace;

class ExactProfileTest : public testing::Test {
 protected:
  ExactProfileTest() : bytes_(ConvertDemo(WeightType::kInt8)) {
    ModelDescription info;
    EXPECT_TRUE(ReadModelInfo(bytes_.bytes(), true, &workspace, &info).ok());
    profile_ = *ExactProfile(info, {}, "en_de");
  }

  const ModelBytes bytes_;
  Profile profile_;
};

TEST_F(ExactProfileTest, TheProfileOfTheBuildIsWhatTheConverterWrites) {
  const fs::path path = fs::path(LATIMER_BINARY_DIR).parent_path() /
                        "generated" / "models" / "en_de.h";
  std::ifstream file(path);
  const std::string compiled{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(compiled, ProfileHeader(profile_));
}

TEST_F(ExactProfileTest, ABuildWithItReservesTheBillAndTranslatesTheSame) {
  Translator translator;
  const Status status = translator.Load(bytes_.bytes(), &workspace);
  ASSERT_TRUE(status.ok()) << status.message();

  const TempFolder folder;
  WriteFileAtomically(folder.path() / "model.ltm", bytes_.bytes());
  std::string input;
  std::string expected =
      std::to_string(MakeBill(Internals::Describe(translator), profile_)
                         .at("workspace_bytes")
                         .get<uint64_t>()) +
      "\n";
  const std::vector<FixtureRow> rows = ReadDemoFixture();
  for (size_t i = 0; i < FewerIfSlow(rows.size(), 20); ++i) {
    const FixtureRow& row = rows[i];
    input += row.source_text + "\n";
    const auto result = translator.Translate(row.source_text);
    ASSERT_TRUE(result.ok());
    expected += std::string(result->text) + "\n";
  }
  const Outcome outcome = RunProgram("tests/exact_en_de_profile_program",
                                     {folder.path() / "model.ltm"}, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected);
}

// Rounded keys and values change a translation of f32 weights where two tokens
// are about as good.
TEST_F(ExactProfileTest, ABuildWithF16CachesTranslatesNearlyTheSame) {
  Profile profile = profile_;  // As in tests/data/f16_caches_profile.h.
  profile.lanes = 6;
  profile.int8_weights = false;
  profile.f32_weights = true;
  const uint64_t self_kv = BufferBytes(profile, Buffer::kSelfKv);
  profile.f16_caches = true;
  EXPECT_EQ(2 * BufferBytes(profile, Buffer::kSelfKv), self_kv);
  const ModelBytes model = ConvertDemo(WeightType::kF32);
  Translator translator;
  ASSERT_TRUE(translator.Load(model.bytes(), &workspace).ok());
  const TempFolder folder;
  WriteFileAtomically(folder.path() / "model.ltm", model.bytes());
  std::string input;
  std::vector<std::string> expected;
  const std::vector<FixtureRow> rows = ReadDemoFixture();
  for (size_t i = 0; i < FewerIfSlow(rows.size(), 20); ++i) {
    input += rows[i].source_text + "\n";
    const auto result = translator.Translate(rows[i].source_text);
    ASSERT_TRUE(result.ok());
    expected.emplace_back(result->text);
  }
  const Outcome outcome = RunProgram("tests/exact_f16_caches_profile_program",
                                     {folder.path() / "model.ltm"}, input);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, std::to_string(WorkspaceBytes(profile)));
  size_t different = 0;
  for (const std::string& text : expected) {
    ASSERT_TRUE(std::getline(lines, line));
    different += line == text ? 0 : 1;
  }
  EXPECT_LE(different, expected.size() / 100);
}

void ExpectRefusal(const ModelBytes& model, const std::string& weights) {
  const TempFolder folder;
  const std::string path = folder.path() / "model.ltm";
  WriteFileAtomically(path, model.bytes());
  const Outcome outcome =
      RunProgram("tests/exact_en_de_profile_program", {path});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "The model has " + weights +
                             " weights, which profile \"en_de\" of this build "
                             "leaves out; build with a profile for this "
                             "model (latimer-convert --profile).\n");
}

TEST_F(ExactProfileTest, ABuildWithItRefusesInt4Weights) {
  ExpectRefusal(ConvertDemoToInt4(UsableTile()), "int4");
}

TEST_F(ExactProfileTest, ABuildWithItRefusesInt6Weights) {
  ExpectRefusal(ConvertDemoToInt6(UsableTile()), "int6");
}

TEST_F(ExactProfileTest, ABuildWithItRefusesF16Weights) {
  ExpectRefusal(ConvertDemo(WeightType::kF16), "f16");
}

TEST_F(ExactProfileTest, ACallerWithTheHeaderOfASmallerProfileIsRefused) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers' builds leave this profile out.";
  const TempFolder folder;
  const fs::path path = folder.path() / "model.ltm";
  WriteFileAtomically(path, bytes_.bytes());
  const Outcome outcome =
      RunProgram("tests/smaller_profile_program", {path}, "Hello.\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.err.starts_with("The workspace has ")) << outcome.err;
  const std::string remedy =
      std::string("compile the caller with profile \"") + kProfile.name + '"';
  EXPECT_NE(outcome.err.find(remedy), std::string::npos) << outcome.err;
  const Outcome info =
      RunProgram("tests/smaller_profile_program", {path, "info"});
  EXPECT_EQ(info.code, 1);
  EXPECT_TRUE(info.err.starts_with("There are ")) << info.err;
  EXPECT_NE(info.err.find(remedy), std::string::npos) << info.err;
}

TEST_F(ExactProfileTest, ACallerWithTheHeaderOfALargerProfileIsServed) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers' builds leave this profile out.";
  const TempFolder folder;
  const fs::path path = folder.path() / "model.ltm";
  WriteFileAtomically(path, bytes_.bytes());
  // Of many tokens: no more than the library's buffers hold are read at once.
  std::string input;
  for (int i = 0; i < 300; ++i) input += "Tom wants to learn German. ";
  input += "\nHello.\n";
  const auto translations = [&](const std::string& program) {
    const Outcome outcome = RunProgram(program, {path}, input);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out.substr(outcome.out.find('\n'));  // without the size
  };
  const std::string expected =
      translations("tests/exact_en_de_profile_program");
  EXPECT_GT(expected.size(), 300u);
  EXPECT_EQ(translations("tests/larger_profile_program"), expected);
  EXPECT_EQ(
      RunProgram("tests/larger_profile_program", {path, "info"}).out,
      RunProgram("tests/exact_en_de_profile_program", {path, "info"}).out);
}

// Expects the build with `profile` to reserve the RAM of its bill and to
// translate the rows of `fixture` like the build for any model.
void ExpectExactBuild(const std::string& program, const fs::path& path,
                      const ModelBytes& bytes, const Profile& profile,
                      const nlohmann::json& fixture) {
  Translator translator;
  ASSERT_TRUE(translator.Load(bytes.bytes(), &workspace).ok());
  std::string input;
  std::string expected = std::to_string(WorkspaceBytes(profile)) + "\n";
  for (const auto& row : fixture["sequences"]) {
    const auto ids = row["src_ids"].get<std::vector<int32_t>>();
    for (const int32_t id : ids) input += std::to_string(id) + " ";
    input += "\n";
    const auto result = translator.TranslateIds(
        ids, {.max_target_tokens = profile.target_tokens, .language_code = {}});
    ASSERT_TRUE(result.ok());
    for (const int32_t id : result->tokens) {
      expected += std::to_string(id) + " ";
    }
    expected += "\n";
  }
  const Outcome outcome = RunProgram(program, {path}, input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected);
}

class ExactGruProfileTest : public testing::Test {
 protected:
  ExactGruProfileTest() {
    ModelDescription info;
    EXPECT_TRUE(ReadModelInfo(bytes_.bytes(), true, &workspace, &info).ok());
    profile_ = *ExactProfile(info, {}, "gru");
    WriteFileAtomically(model_, bytes_.bytes());
  }

  const ModelBytes bytes_ = ConvertRecurrent("bahdanau", WeightType::kInt8);
  const TempFolder folder_;
  const fs::path model_ = folder_.path() / "model.ltm";
  Profile profile_;
};

TEST_F(ExactGruProfileTest, TheCommittedProfileIsWhatTheConverterWrites) {
  EXPECT_EQ(ProfileHeader(kGruProfile), ProfileHeader(profile_));
}

TEST_F(ExactGruProfileTest, ABuildWithItReservesTheBillAndTranslatesTheSame) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers' builds leave this profile out.";
  ExpectExactBuild("tests/exact_gru_profile_program", model_, bytes_, profile_,
                   RecurrentModel("bahdanau").fixture);
}

TEST_F(ExactGruProfileTest, ABuildWithoutGrusSaysWhatItLacks) {
  const Outcome outcome =
      RunProgram("tests/exact_en_de_profile_program", {model_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "The model's decoder has a GRU, which profile \"en_de\" of this "
            "build leaves out; build with a profile for this model "
            "(latimer-convert --profile).\n");
}

TEST_F(ExactGruProfileTest, ABuildWithoutLstmsSaysWhatItLacks) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers' builds leave this profile out.";
  WriteFileAtomically(
      model_, ConvertRecurrent("lstm_energy", WeightType::kInt8).bytes());
  const Outcome outcome =
      RunProgram("tests/exact_gru_profile_program", {model_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err,
            "The model's decoder has an LSTM, which profile \"gru\" of this "
            "build leaves out; build with a profile for this model "
            "(latimer-convert --profile).\n");
}

TEST_F(ExactGruProfileTest, ABuildWithoutTransformersSaysWhatItLacks) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers' builds leave this profile out.";
  WriteFileAtomically(
      model_,
      ConvertModel(TinyModel("heads_1_relu"), WeightType::kInt8).bytes());
  const Outcome outcome =
      RunProgram("tests/exact_gru_profile_program", {model_});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("profile \"gru\" of this build"),
            std::string::npos)
      << outcome.err;
}

TEST(ExactIdsOnlyProfileTest, ABuildWithoutAnyOptionTranslatesTheSame) {
  const fs::path folder = TinyModel("lengths");
  const ModelBytes bytes = ConvertModel(folder, WeightType::kInt8);
  ModelDescription info;
  ASSERT_TRUE(ReadModelInfo(bytes.bytes(), true, &workspace, &info).ok());
  const Profile profile = *ExactProfile(info, {}, "ids_only");
  EXPECT_EQ(ProfileHeader(kIdsOnlyProfile), ProfileHeader(profile));
  const TempFolder temporary;
  const fs::path path = temporary.path() / "model.ltm";
  WriteFileAtomically(path, bytes.bytes());
  ExpectExactBuild("tests/exact_ids_only_profile_program", path, bytes, profile,
                   ReadFixture(folder));
}

class ExactT5ProfileTest : public testing::Test {
 protected:
  // Its feed-forward is twice as wide inside as any other row, so that the
  // longest source goes through it in parts.
  ExactT5ProfileTest()
      : t5_(TestData("t5") / "gated_silu"),
        bytes_(ConvertModel(t5_, WeightType::kInt8)) {
    ModelDescription info;
    EXPECT_TRUE(ReadModelInfo(bytes_.bytes(), true, &workspace, &info).ok());
    profile_ =
        *ExactProfile(info, {.source_tokens = 60, .target_tokens = 60}, "t5");
    WriteFileAtomically(model_, bytes_.bytes());
  }

  const fs::path t5_;
  const ModelBytes bytes_;
  const TempFolder folder_;
  const fs::path model_ = folder_.path() / "model.ltm";
  Profile profile_;
};

TEST_F(ExactT5ProfileTest, TheCommittedProfileIsWhatTheConverterWrites) {
  EXPECT_EQ(ProfileHeader(kT5Profile), ProfileHeader(profile_));
}

TEST_F(ExactT5ProfileTest, ABuildWithItReservesTheBillAndTranslatesTheSame) {
  if (kSanitized) GTEST_SKIP() << "Sanitizers' builds leave this profile out.";
  const nlohmann::json fixture = ReadFixture(t5_);
  size_t longest = 0;
  for (const auto& row : fixture["sequences"]) {
    longest = std::max(longest, row["src_ids"].size());
  }
  const uint64_t inside = uint64_t{longest} * 2 * profile_.d_ffn;
  EXPECT_GT(inside * sizeof(float), BufferBytes(profile_, Buffer::kProjection));
  ExpectExactBuild("tests/exact_t5_profile_program", model_, bytes_, profile_,
                   fixture);
}

TEST_F(ExactT5ProfileTest, ABuildWithoutItsPartsSaysWhatItLacks) {
  const std::string end =
      ", which profile \"en_de\" of this build leaves out; build with a "
      "profile for this model (latimer-convert --profile).\n";
  CanonicalModel model = OpenModel(t5_, /*with_tokenizer=*/false);
  const auto refusal = [&] {
    WriteFileAtomically(
        model_,
        WriteModel(model, {.tile = UsableTile(), .progress = {}}).bytes());
    const Outcome outcome =
        RunProgram("tests/exact_en_de_profile_program", {model_});
    EXPECT_EQ(outcome.code, 1);
    return outcome.err;
  };
  EXPECT_EQ(refusal(), "The model has RMS norms" + end);
  model.architecture.norm_kind = NormKind::kLayerNorm;
  EXPECT_EQ(refusal(), "The model has gated feed-forwards" + end);
  model.architecture.gated_ffn = false;
  for (auto& [name, linear] : model.linears) {
    if (!name.ends_with("ffn.in")) continue;
    linear.weights.pop_back();
    linear.biases.pop_back();
  }
  EXPECT_EQ(refusal(), "The model has attention by relative positions" + end);
  Architecture& a = model.architecture;
  a.relative_attention = false;
  a.logit_cap = 30.0f;
  EXPECT_EQ(refusal(), "The model has capped logits" + end);
  a.norm_position = NormPosition::kBoth;
  for (const auto& [name, norm] : std::map(model.norms)) {
    const size_t end_of_name = name.rfind(".norm");
    if (name.find_first_of("0123456789") == name.npos) continue;
    model.norms[name.substr(0, end_of_name) + ".output_norm"] = norm;
  }
  EXPECT_EQ(refusal(), "The model has norms of what sublayers give" + end);
  // Where they are left out, they take no memory.
  EXPECT_EQ(sizeof(SublayerNorms<false>), sizeof(Norm));
}

}  // namespace latimer::exact_profile_test
