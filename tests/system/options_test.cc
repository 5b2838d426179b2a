// Options by name, in C++ and in C: api/options.cc, latimer_c_options.cc.
// Tests api/options.cc, api/latimer_c_options.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "api/latimer_c.h"
#include "named_options.h"
#include "tests/system/sized_struct.h"

namespace latimer::options_test {

using ::testing::HasSubstr;
using T = TranslateOptions;

struct Case {
  const char* name;
  const char* value;
  bool (*is_set)(const TranslateOptions&);
};

constexpr Case kCases[] = {
    {"sentences", "false", [](const T& o) { return !o.sentences; }},
    {"paragraphs", "true", [](const T& o) { return o.paragraphs; }},
    {"source_lang", "eng",
     [](const T& o) { return o.source_language == "eng"; }},
    {"target_lang", "deu",
     [](const T& o) { return o.target_language == "deu"; }},
    {"language_code", ">>de<<",
     [](const T& o) { return o.language_code == ">>de<<"; }},
    {"task", "sum", [](const T& o) { return o.task == "sum"; }},
    {"prefix", "a: ", [](const T& o) { return o.prefix == "a: "; }},
    {"max_target_tokens", "7",
     [](const T& o) { return o.max_target_tokens == 7; }},
    {"min_target_tokens", "8",
     [](const T& o) { return o.min_target_tokens == 8; }},
    {"budget_tokens", "9", [](const T& o) { return o.budget_tokens == 9; }},
    {"budget_ms", "2147483647",
     [](const T& o) { return o.budget_ms == 2147483647; }},
    {"guards", "false", [](const T& o) { return !o.guards; }},
    {"guards", "1", [](const T& o) { return o.guards; }},
    {"protect", "true", [](const T& o) { return o.protect; }},
    {"fold", "false", [](const T& o) { return !o.fold; }},
    {"keep_unknown", "false", [](const T& o) { return !o.keep_unknown; }},
    {"beams", "4", [](const T& o) { return o.beams == 4; }},
    {"alternatives", "5", [](const T& o) { return o.alternatives == 5; }},
    {"length_penalty", "-0.5",
     [](const T& o) { return o.length_penalty == -0.5f; }},
    {"length_penalty", "0", [](const T& o) { return o.length_penalty == 0; }},
    {"early_stopping", "false",
     [](const T& o) { return o.early_stopping == EarlyStopping::kHeuristic; }},
    {"early_stopping", "true",
     [](const T& o) { return o.early_stopping == EarlyStopping::kAlways; }},
    {"early_stopping", "never",
     [](const T& o) { return o.early_stopping == EarlyStopping::kNever; }},
    {"sample", "true", [](const T& o) { return o.sampling.enabled; }},
    {"sample", "0", [](const T& o) { return !o.sampling.enabled; }},
    {"temperature", "1.25",
     [](const T& o) {
       return o.sampling.enabled && o.sampling.temperature == 1.25f &&
              o.sampling.top_p == 1;
     }},
    {"top_k", "5",
     [](const T& o) { return o.sampling.enabled && o.sampling.top_k == 5; }},
    {"top_k", "0", [](const T& o) { return !o.sampling.enabled; }},
    {"min_p", "0.1",
     [](const T& o) {
       return o.sampling.enabled && o.sampling.min_p == 0.1f &&
              o.sampling.top_p == 1;
     }},
    {"top_p", "0.9",
     [](const T& o) {
       return o.sampling.enabled && o.sampling.top_p == 0.9f &&
              o.sampling.temperature == 1;
     }},
    {"seed", "18446744073709551615",
     [](const T& o) {
       return !o.sampling.enabled && o.sampling.seed == UINT64_MAX;
     }},
    {"target_prefix", "Ich",
     [](const T& o) { return o.target_prefix == "Ich"; }},
    {"forced_first_token", "0",
     [](const T& o) { return o.forced_first_token == 0; }},
    {"no_repeat_ngram", "0", [](const T& o) { return o.no_repeat_ngram == 0; }},
    {"repetition_penalty", "1.5",
     [](const T& o) { return o.repetition_penalty == 1.5f; }},
    {"repetition_penalty", "0",
     [](const T& o) { return !o.repetition_penalty.has_value(); }},
    {"beams", "0", [](const T& o) { return !o.beams.has_value(); }},
    {"attention", "decoder",
     [](const T& o) { return o.attention == AttentionKind::kDecoder; }},
    {"attention", "none",
     [](const T& o) { return o.attention == AttentionKind::kNone; }},
    {"scores", "true", [](const T& o) { return o.scores; }},
    {"alignment", "true", [](const T& o) { return o.alignment; }},
};

// The options that a name gives by way of C, and the error.
std::string ByWayOfC(const char* name, const char* value,
                     TranslateOptions* out) {
  const latimer_translator translator;
  auto c = Sized<latimer_options>();
  char message[LATIMER_MESSAGE_BYTES] = "";
  const latimer_code code =
      latimer_set_option(&c, name, value, message, sizeof(message));
  EXPECT_EQ(code, message[0] == '\0' ? LATIMER_OK : LATIMER_INVALID_ARGUMENT);
  EXPECT_TRUE(ReadOptions(&translator, &c, out).ok());
  return message;
}

TEST(OptionsTest, EachNameSetsItsMember) {
  std::set<std::string> names;
  for (const Case& c : kCases) {
    SCOPED_TRACE(std::string(c.name) + " " + c.value);
    names.insert(c.name);
    TranslateOptions cpp, by_way_of_c;
    const Status status = SetOption(&cpp, c.name, c.value);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(c.is_set(cpp));
    EXPECT_EQ(ByWayOfC(c.name, c.value, &by_way_of_c), "");
    EXPECT_TRUE(c.is_set(by_way_of_c));
  }
  size_t place = 0;
  for (const NamedOption& option : NamedOptions()) {
    EXPECT_TRUE(names.contains(option.name)) << option.name;
    EXPECT_STREQ(latimer_option_name(place++), option.name);
    EXPECT_LE(std::string(HelpOf(option)).size(), 52u) << option.name;
  }
  EXPECT_EQ(latimer_option_name(place), nullptr);
  EXPECT_EQ(names.size(), place);
}

TEST(OptionsTest, WhatNoneTakesIsOneSentence) {
  const struct {
    const char* name;
    const char* value;
    const char* message;
  } kWrong[] = {
      {"colour", "red", "colour is no option of a translation."},
      {"beams", nullptr, "beams has no value."},
      {"beams", "", "beams : give a whole number from 0 to 2147483647."},
      {"beams", "-1", "beams -1: give a whole number from 0 to 2147483647."},
      {"beams", "2147483648",
       "beams 2147483648: give a whole number from 0 to 2147483647."},
      {"beams", "4x", "beams 4x: give a whole number from 0 to 2147483647."},
      {"seed", "18446744073709551616",
       "seed 18446744073709551616: give a whole number from 0 to "
       "18446744073709551615."},
      {"temperature", "0", "temperature 0: give a number above 0."},
      {"temperature", "warm", "temperature warm: give a number above 0."},
      {"temperature", "nan", "temperature nan: give a number above 0."},
      {"temperature", "inf", "temperature inf: give a number above 0."},
      {"temperature", "1e39", "temperature 1e39: give a number above 0."},
      {"top_p", "1.01", "top_p 1.01: give a number above 0, up to 1."},
      {"length_penalty", "1,5", "length_penalty 1,5: give a number."},
      {"guards", "no", "guards no: give true or false."},
      {"early_stopping", "soon",
       "early_stopping soon: give false, true or never."},
      {"attention", "self",
       "attention self: give none, cross, encoder or decoder."},
  };
  for (const auto& wrong : kWrong) {
    TranslateOptions options;
    const Status status = SetOption(&options, wrong.name, wrong.value);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_STREQ(status.message(), wrong.message);
    EXPECT_EQ(ByWayOfC(wrong.name, wrong.value, &options), wrong.message);
  }
}

TEST(OptionsTest, ACommandLineHasNoZerosForDefaultsAndItsOwnNames) {
  const auto error = [](const char* name, const char* value) {
    TranslateOptions options;
    return std::string(
        SetOption(&options, name, value, OptionStyle::kCommandLine).message());
  };
  EXPECT_EQ(error("top_k", "0"),
            "--top-k 0: give a whole number from 1 to 2147483647.");
  EXPECT_EQ(error("repetition_penalty", "0"),
            "--repetition-penalty 0: give a number above 0.");
  EXPECT_EQ(error("min_target_tokens", "0"), "");
  EXPECT_EQ(error("no_repeat_ngram", "0"), "");
}

TEST(OptionsTest, NumbersAreThoseOfStrtof) {
  for (const char* text :
       {"0", "1", "+1.5", "-2", ".5", "5.", "0.1", "1e-3", "1E+4",
        "3.4028235e38", "1.17549435e-38", "1e-45", "0.30000000000000004",
        "1e-50", "-0.0", "123456789012345678901234567890",
        "0.00000000000000000000000012345"}) {
    TranslateOptions options;
    ASSERT_TRUE(SetOption(&options, "length_penalty", text).ok()) << text;
    EXPECT_EQ(options.length_penalty, std::strtof(text, nullptr)) << text;
  }
  for (const char* text : {"", ".", "e5", "1e", "1e+", "1 ", " 1", "1.2.3",
                           "0x10", "1e99999", "--1"}) {
    TranslateOptions options;
    EXPECT_FALSE(SetOption(&options, "length_penalty", text).ok()) << text;
  }
}

TEST(OptionsTest, ContradictionsAndWhatHasNoEffectAreRefused) {
  ModelDescription model = {};
  const auto error = [&](const TranslateOptions& options,
                         OptionStyle style = OptionStyle::kPlain) {
    return std::string(CheckOptions(options, model, style).message());
  };
  const TranslateOptions seed = {.sampling = {.seed = 4}};
  EXPECT_EQ(error(seed),
            "seed is for tokens that are drawn; give sample, too.");
  EXPECT_EQ(error(seed, OptionStyle::kCommandLine),
            "--seed is for tokens that are drawn; give --sample, too.");
  EXPECT_EQ(error({.sampling = {.enabled = true, .seed = 4}}), "");
  EXPECT_EQ(error({.beams = 2, .sampling = {.enabled = true}},
                  OptionStyle::kCommandLine),
            "--sample goes without --beams.");
  EXPECT_EQ(error({.beams = 1, .sampling = {.enabled = true}}), "");
  EXPECT_EQ(error({.beams = 2, .alternatives = 3}, OptionStyle::kCommandLine),
            "--alternatives goes without --beams.");
  EXPECT_EQ(error({.alternatives = 3, .sampling = {.enabled = true}}),
            "alternatives goes without sample.");
  EXPECT_THAT(error({.alternatives = 3, .length_penalty = 2}),
              HasSubstr("give beams, too"));
  EXPECT_EQ(error({.alternatives = 3}), "");
  const TranslateOptions penalty = {.length_penalty = 0};
  EXPECT_EQ(error(penalty),
            "length_penalty is for a search with several beams; give beams, "
            "too.");
  EXPECT_THAT(error({.early_stopping = EarlyStopping::kHeuristic}),
              HasSubstr("early_stopping is for a search with several beams"));
  EXPECT_EQ(error({.beams = 2, .length_penalty = 2}), "");
  EXPECT_THAT(error({.beams = 1, .length_penalty = 2}),
              HasSubstr("give beams, too"));
  EXPECT_EQ(error({}), "");
  // The model's own beams, or those of its task.
  model.generation.search.beams = 4;
  EXPECT_EQ(error(penalty), "");
  model.generation.search.beams = 1;
  Task task = {};
  std::strcpy(task.name, "sum");
  const BeamRule rule = {.beams = 4};
  model.generation.tasks = {&task, 1};
  model.generation.task_search = {&rule, 1};
  EXPECT_THAT(error(penalty), HasSubstr("give beams, too"));
  EXPECT_EQ(error({.task = "sum", .length_penalty = 2}), "");
}

TEST(OptionsTest, OptionsOfCAreSetInAnyOrderAndCopied) {
  const latimer_translator translator;
  auto c = Sized<latimer_options>();
  Set(&c, "seed", "7");
  Set(&c, "task", "sum");
  Set(&c, "top_p", "0.5");
  Set(&c, "guards", "false");
  const latimer_options copy = c;
  Set(&c, "seed", "8");
  Set(&c, "guards", "true");
  Set(&c, "beams", "2");
  TranslateOptions read, read_copy;
  ASSERT_TRUE(ReadOptions(&translator, &c, &read).ok());
  EXPECT_EQ(read.sampling.seed, 8u);
  EXPECT_EQ(read.sampling.top_p, 0.5f);
  EXPECT_EQ(read.task, "sum");
  EXPECT_TRUE(read.guards);
  EXPECT_EQ(read.beams, 2u);
  ASSERT_TRUE(ReadOptions(&translator, &copy, &read_copy).ok());
  EXPECT_EQ(read_copy.sampling.seed, 7u);
  EXPECT_EQ(read_copy.sampling.top_p, 0.5f);
  EXPECT_EQ(read_copy.task, "sum");
  EXPECT_FALSE(read_copy.guards);
  EXPECT_FALSE(read_copy.beams.has_value());
}

TEST(OptionsTest, AStructWithoutItsSizeIsNotWritten) {
  latimer_options c = {};
  char message[LATIMER_MESSAGE_BYTES];
  EXPECT_EQ(latimer_set_option(&c, "seed", "1", message, sizeof(message)),
            LATIMER_INVALID_ARGUMENT);
  EXPECT_STREQ(message,
               "struct_bytes is not set; set it to sizeof(latimer_options).");
  EXPECT_TRUE(std::ranges::all_of(c.named, [](uint64_t n) { return n == 0; }));
  // Without what may follow the options by name.
  c.struct_bytes = offsetof(latimer_options, suppressed);
  EXPECT_EQ(latimer_set_option(&c, "top_k", "1", nullptr, 0), LATIMER_OK);
}

}  // namespace latimer::options_test
