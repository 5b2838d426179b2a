// HostedModel and latimer_open: a model file in one call.
// Tests api/hosted/hosted_model.cc, api/hosted/latimer_c_open.cc.
#include "latimer/hosted_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "internals.h"
#include "latimer/latimer.h"
#include "tests/system/demo_model.h"
#include "tests/system/sized_struct.h"
#include "tests/system/test_workspace.h"
#include "tests/system/tiny_model.h"

namespace latimer::hosted_model_test {

using ::testing::HasSubstr;

constexpr char kText[] = "Where is the station?";

class HostedModelTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteFileAtomically(path_, model_.bytes());
    Translator translator;
    ASSERT_TRUE(translator.Load(model_.bytes(), &test_workspace).ok());
    expected_ = translator.Translate(kText)->text;
  }

  const ModelBytes model_ = ConvertSmallDemo(WeightType::kInt8);
  const TempFolder folder_;
  const std::string path_ = folder_.path() / "model.ltm";
  std::string expected_;
};

TEST_F(HostedModelTest, TranslatesInMemoryOfTheSizeThatItsModelNeeds) {
  ModelDescription info;
  const auto scratch = std::make_unique<InfoScratch>();
  ASSERT_TRUE(ReadModelInfo(model_.bytes(), false, scratch.get(), &info).ok());
  for (const LoadOptions& options :
       {LoadOptions{},
        LoadOptions{.lanes = 1, .attention = false, .scores = false},
        LoadOptions{.lanes = 4}}) {
    HostedModel model;
    EXPECT_FALSE(model.is_open());
    const Status status = model.Open(path_.c_str(), options);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(model.is_open());
    EXPECT_EQ(model->Translate(kText)->text, expected_);
    EXPECT_EQ(model.image().size(), model_.bytes().size());
    const WorkspacePlan plan = PlanWorkspace(info, options);
    EXPECT_EQ(model.workspace_bytes(), plan.roomy_bytes);
    EXPECT_GE(plan.roomy_bytes, plan.bytes);
    EXPECT_EQ(options.lanes == 1, plan.roomy_bytes == plan.bytes);
  }
}

TEST_F(HostedModelTest, ItMovesWithItsTranslator) {
  HostedModel model;
  ASSERT_TRUE(model.Open(path_.c_str(), {.lanes = 1}).ok());
  HostedModel other = std::move(model);
  EXPECT_EQ(other->Translate(kText)->text, expected_);
  HostedModel third;
  third = std::move(other);
  EXPECT_FALSE(other.is_open());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ((*third).Translate(kText)->text, expected_);
  ASSERT_TRUE(third.Open(path_.c_str(), {.lanes = 2}).ok());
  EXPECT_EQ(third->Translate(kText)->text, expected_);
  third.Close();
  EXPECT_FALSE(third.is_open());
}

TEST_F(HostedModelTest, OneMayShareTheImageOfAnother) {
  HostedModel model, other;
  ASSERT_TRUE(model.Open(path_.c_str(), {.lanes = 1}).ok());
  ASSERT_TRUE(other.OpenBeside(model, {.lanes = 2}).ok());
  EXPECT_EQ(other.image().data(), model.image().data());
  EXPECT_EQ(other->Translate(kText)->text, expected_);
  EXPECT_THAT(other.OpenBeside(model, {.threads = 0}).message(),
              HasSubstr("threads 0"));
  EXPECT_EQ(other->Translate(kText)->text, expected_);
  // The image is still there.
  EXPECT_EQ(model->Translate(kText)->text, expected_);
}

TEST_F(HostedModelTest, WhatCannotBeOpenedIsOneSentenceAndKeepsTheModel) {
  HostedModel model;
  const Status none = model.Open((folder_.path() / "none").c_str());
  EXPECT_EQ(none.code(), StatusCode::kResourceUnavailable);
  EXPECT_THAT(none.message(), HasSubstr("there is no such file"));
  ASSERT_TRUE(model.Open(path_.c_str()).ok());
  EXPECT_EQ(model.Open(path_.c_str(), {.cpu = "abacus"}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(model->Translate(kText)->text, expected_);
  const std::string text = folder_.path() / "text";
  WriteFile(text, "no model at all, however long this file may be");
  EXPECT_EQ(model.Open(text.c_str()).code(), StatusCode::kNotAModel);
  EXPECT_EQ(model.Open("none").code(), StatusCode::kResourceUnavailable);
  EXPECT_EQ(model->Translate(kText)->text, expected_);
}

TEST_F(HostedModelTest, InCToo) {
  char message[LATIMER_MESSAGE_BYTES];
  latimer_translator* translator = nullptr;
  auto options = Sized<latimer_load_options>();
  options.lanes = 2;
  for (const latimer_load_options* given :
       {&std::as_const(options), (const latimer_load_options*){}}) {
    ASSERT_EQ(latimer_open(path_.c_str(), given, &translator, message,
                           sizeof(message)),
              LATIMER_OK)
        << message;
    auto out = Sized<latimer_translation>();
    ASSERT_EQ(
        latimer_translate(translator, kText, sizeof(kText) - 1, nullptr, &out),
        LATIMER_OK);
    EXPECT_EQ(std::string(out.text, out.text_bytes), expected_);
    latimer_close(translator);
  }
  EXPECT_EQ(latimer_open((folder_.path() / "none").c_str(), nullptr,
                         &translator, message, sizeof(message)),
            LATIMER_RESOURCE_UNAVAILABLE);
  EXPECT_EQ(translator, nullptr);
  EXPECT_THAT(message, HasSubstr("there is no such file"));
  latimer_close(translator);
  options.cpu = "abacus";
  EXPECT_EQ(latimer_open(path_.c_str(), &options, &translator, message,
                         sizeof(message)),
            LATIMER_INVALID_ARGUMENT);
  EXPECT_EQ(translator, nullptr);
  EXPECT_THAT(message, HasSubstr("abacus"));
}

}  // namespace latimer::hosted_model_test
