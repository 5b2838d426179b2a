// --weights auto keeps its promise, whatever types lose.
// Tests converter/choose_types.cc, converter/quantization_report.cc.
#include "converter/choose_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "converter/quantization_report.h"
#include "tests/converter/model_folder.h"

namespace latimer::choose_types_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<MatrixKind> Kinds() {
  return {
      {.name = "encoder.ffn", .matrices = {"a", "b"}, .weights = 30},
      {.name = "output", .matrices = {"o"}, .weights = 20, .looked_up = true},
      {.name = "decoder.ffn", .matrices = {"c"}, .weights = 10},
  };
}

// Each matrix adds a loss of its own for each type to what all lose.
double LossOf(const MatrixTypes& types,
              const std::map<MatrixAs, double>& losses, double floor) {
  double loss = floor;
  for (const auto& [name, type] : types) {
    const auto found = losses.find({name, type});
    if (found != losses.end()) loss += found->second;
  }
  return loss;
}

ChosenTypes Choose(double most, const std::map<MatrixAs, double>& losses,
                   double floor = 0.0, int* trials = nullptr) {
  return ChooseTypes(Kinds(), most, [&](const MatrixTypes& types) {
    EXPECT_EQ(types.size(), 4u);
    if (trials != nullptr) ++*trials;
    return LossOf(types, losses, floor);
  });
}

constexpr WeightType k16 = WeightType::kF16, k8 = WeightType::kInt8,
                     k6 = WeightType::kInt6, k4 = WeightType::kInt4;

std::vector<WeightType> Types(const ChosenTypes& chosen) {
  std::vector<WeightType> types;
  for (const KindChoice& choice : chosen.kinds) types.push_back(choice.type);
  return types;
}

TEST(ChooseTypesTest, WhatLosesNothingGetsTheFewestBitsInThreeTrials) {
  int trials = 0;
  const ChosenTypes chosen = Choose(0.0, {}, 0.0, &trials);
  EXPECT_THAT(Types(chosen), ElementsAre(k4, k6, k4));
  EXPECT_EQ(trials, 3);
  EXPECT_EQ(chosen.types.at("o"), k6);
  EXPECT_EQ(chosen.types.at("b"), k4);
}

TEST(ChooseTypesTest, AKindThatLosesTooMuchKeepsMoreBitsAndSaysWhy) {
  const ChosenTypes chosen =
      Choose(0.10, {{{"o", k6}, 0.20}, {{"a", k4}, 0.05}, {{"c", k4}, 0.06}},
             /*floor=*/0.01);
  EXPECT_THAT(Types(chosen), ElementsAre(k4, k8, k6));
  EXPECT_NEAR(chosen.loss, 0.06, 1e-9);
  EXPECT_EQ(chosen.int8_loss, 0.01);
  EXPECT_FALSE(chosen.kinds[0].refused.has_value());
  EXPECT_NEAR(chosen.kinds[1].refused->loss, 0.21, 1e-9);
  EXPECT_NEAR(chosen.kinds[2].refused->loss, 0.12, 1e-9);
  const std::string text = ChosenText(chosen);
  EXPECT_THAT(text, HasSubstr("6.00 % of 0 tokens differ from f32's, 1.00 % "
                              "with int8 alone; --max-loss allows 10.00 %."));
  EXPECT_THAT(text, HasSubstr("int8; int6 would make it 21.00 %"));
  EXPECT_THAT(text, HasSubstr("int6; int4 would make it 12.00 %"));
  EXPECT_EQ(ChosenJson(chosen)["kinds"]["encoder.ffn"]["type"], "int4");
}

TEST(ChooseTypesTest, IfInt8LosesMoreAKindStaysF16) {
  int trials = 0;
  const ChosenTypes chosen =
      Choose(0.01, {{{"o", k8}, 0.03}, {{"a", k6}, 0.02}, {{"c", k4}, 0.03}},
             /*floor=*/0.0, &trials);
  EXPECT_THAT(Types(chosen), ElementsAre(k8, k16, k6));
  EXPECT_EQ(chosen.types.at("o"), k16);
  EXPECT_EQ(chosen.int8_loss, 0.03);
  EXPECT_EQ(chosen.f16_loss, 0.0);
  EXPECT_EQ(chosen.loss, 0.0);
  EXPECT_EQ(trials, 2 + 3 + 3 + 1);
  const std::string text = ChosenText(chosen);
  EXPECT_THAT(text, HasSubstr("0.00 % of 0 tokens differ from f32's, 3.00 % "
                              "with int8 alone; --max-loss allows 1.00 %."));
  EXPECT_THAT(text, HasSubstr("f16; int8 would make it 3.00 %"));
  EXPECT_THAT(text, HasSubstr("int8; int6 would make it 2.00 %"));
  EXPECT_EQ(ChosenJson(chosen)["kinds"]["output"]["type"], "f16");
}

TEST(ChooseTypesTest, IfEvenF16LosesMoreEverythingStaysInt8) {
  int trials = 0;
  const ChosenTypes chosen = Choose(0.01, {}, /*floor=*/0.02, &trials);
  EXPECT_THAT(Types(chosen), ElementsAre(k8, k8, k8));
  EXPECT_EQ(trials, 2);
  EXPECT_EQ(chosen.loss, 0.02);
  EXPECT_THAT(ChosenText(chosen),
              HasSubstr("Even f16 alone differs in 2.00 %"));
}

TEST(ChooseTypesTest, APatternNamesMatricesOrKinds) {
  const auto like = [](const std::vector<std::string>& patterns) {
    return MatricesLike("f16", patterns, Kinds());
  };
  EXPECT_THAT(like({"encoder.ffn"}), ElementsAre("a", "b"));
  EXPECT_THAT(like({"b", "*coder.ffn"}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(ErrorOf([&] {
                like({"a", "decoder.9.*"});
              }),
              HasSubstr("--keep-f16 decoder.9.*: no matrix has such a name; "
                        "there are a, o, c, and those of more layers."));
  EXPECT_THAT(ErrorOf([&] { like({"*"}); }), HasSubstr("give --weights f16"));
  EXPECT_THAT(ErrorOf([&] {
                (void)MatricesLike("int8", std::vector<std::string>{"*"},
                                   Kinds());
              }),
              HasSubstr("--keep-int8 keeps all matrices; give --weights int8"));
}

PlannedTensor Linear(const std::string& key, uint32_t rows, TensorGroup group) {
  return {.kind = PlannedTensor::Kind::kLinear,
          .key = key,
          .name = key,
          .rows = rows,
          .columns = 2,
          .bytes = 0,
          .group = group};
}

TEST(ChooseTypesTest, KindsAreLayersTogetherAndTheLargestComesFirst) {
  using G = TensorGroup;
  std::vector<PlannedTensor> tensors = {
      Linear("source_embedding", 5, G::kEmbeddings),
      Linear("encoder.0.ffn.in", 3, G::kEncoder),
      Linear("decoder.0.cross_attention.kv", 1, G::kCrossKv),
      Linear("encoder.11.ffn.out", 4, G::kEncoder),
      Linear("decoder.0.cross_attention.query", 1, G::kDecoder)};
  tensors.push_back(tensors.back());
  tensors.back().kind = PlannedTensor::Kind::kGamma;
  const std::vector<MatrixKind> kinds = KindsOf(tensors);
  ASSERT_EQ(kinds.size(), 3u);
  EXPECT_EQ(kinds[0].name, "encoder.ffn");
  EXPECT_THAT(kinds[0].matrices,
              ElementsAre("encoder.0.ffn.in", "encoder.11.ffn.out"));
  EXPECT_FALSE(kinds[0].looked_up);
  EXPECT_EQ(kinds[1].name, "source_embedding");
  EXPECT_TRUE(kinds[1].looked_up);
  EXPECT_EQ(kinds[2].name, "decoder.cross_attention");
  EXPECT_EQ(kinds[2].weights, 4u);
}

}  // namespace latimer::choose_types_test
