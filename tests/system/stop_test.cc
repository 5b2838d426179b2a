// Why translations end: guards, budgets, cancellation, callbacks.
// Tests runtime/search/scheduler.cc, runtime/search/loop_detector.cc,
// runtime/translator.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "internals.h"
#include "latimer/latimer.h"
#include "search/loop_detector.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/sized_struct.h"
#include "tests/system/tiny_model.h"

namespace latimer::stop_test {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Ids = std::vector<int32_t>;

Ids Copy(std::span<const int32_t> ids) { return {ids.begin(), ids.end()}; }

const ModelBytes& Demo() {
  static const ModelBytes file = ConvertSmallDemo(WeightType::kInt8);
  return file;
}

// Receives all tokens, and stops after `most`.
struct Listener {
  Ids told = {};
  size_t most = SIZE_MAX;
  std::chrono::milliseconds pause{0};

  static bool Tell(void* context, size_t index, int32_t token) {
    auto& self = *static_cast<Listener*>(context);
    EXPECT_EQ(index, self.told.size());
    self.told.push_back(token);
    std::this_thread::sleep_for(self.pause);
    return self.told.size() < self.most;
  }
  void Listen(TranslateOptions* options) {
    options->on_token = Tell;
    options->token_context = this;
  }
};

class StopTest : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = translator_.Load(Demo().bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  Translation Run(std::string_view text, const TranslateOptions& options = {}) {
    const auto result = translator_.Translate(text, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? *result : Translation();
  }
  Ids Plain(std::string_view text, const TranslateOptions& options = {}) {
    Ids ids(text.size() + 8);
    ids.resize(*translator_.Tokenize(text, ids));
    const auto result = translator_.TranslateIds(ids, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return Copy(result->tokens);
  }

  int32_t eos() { return Internals::Describe(translator_).generation.eos; }

  Translator translator_;
};

const std::string kText = "Where is the nearest train station?";

std::vector<std::string> TestLines(size_t count) {
  auto lines = ReadLines(DemoDirectory() / "data" / "test.en");
  lines.resize(count);
  return lines;
}

// More than the longest source holds.
std::string LongText() {
  std::string text;
  for (int i = 0; i < 250; ++i) text += "Tom wants to learn German. ";
  return text;
}

TEST_F(StopTest, GuardsChangeNoUsualTranslation) {
  for (const std::string& line : TestLines(FewerIfSlow(100, 6))) {
    const Ids plain = Plain(line);
    const Translation guarded = Run(line, {.sentences = false});
    EXPECT_THAT(guarded.tokens, ElementsAreArray(plain)) << line;
    EXPECT_EQ(guarded.stop_reason, StopReason::kEos);
    EXPECT_EQ(guarded.generated_tokens, plain.size());
  }
}

// A minimum length that no sentence has makes the model go on: often in a loop.
TEST_F(StopTest, ALoopIsCutToItsFirstCopyUnlessThereAreNoGuards) {
  TranslateOptions endless;
  endless.min_target_tokens = 150;
  size_t loops = 0;
  for (const std::string& line : TestLines(FewerIfSlow(20, 3))) {
    const Ids plain = Plain(line, endless);
    Ids source(line.size() + 8);
    source.resize(*translator_.Tokenize(line, source));
    const size_t allowance = kLoopTokensPerSource * MostRepeatedTokens(source);
    LoopDetector detector;
    size_t kept = 0, count = 0;
    while (kept == 0 && count < plain.size()) {
      detector.Add(plain.data(), ++count);
      kept = detector.EndOfFirstCopy(count, allowance);
    }
    Listener listener;
    TranslateOptions options = endless;
    listener.Listen(&options);
    const Translation guarded = Run(line, options);
    if (kept > 0) {
      ++loops;
      EXPECT_EQ(guarded.stop_reason, StopReason::kLoop) << line;
      EXPECT_EQ(
          Copy(guarded.tokens),
          Ids(plain.begin(), plain.begin() + static_cast<ptrdiff_t>(kept)));
      EXPECT_EQ(guarded.generated_tokens, count);
      EXPECT_EQ(listener.told.size(), count);
    }
    options = endless;
    options.guards = false;
    EXPECT_EQ(Copy(Run(line, options).tokens), plain);
  }
  EXPECT_GT(loops, 0u);
}

TEST_F(StopTest, ATextFarLongerThanItsSourceIsStopped) {
  // EOS is not allowed, and no token may come twice.
  const Ids suppressed = {eos()};
  TranslateOptions options;
  options.suppressed = suppressed;
  options.no_repeat_ngram = 2;
  options.max_target_tokens = 300;
  const Translation stopped = Run(kText, options);
  EXPECT_EQ(stopped.stop_reason, StopReason::kLengthLimit);
  EXPECT_EQ(stopped.tokens.size(), 8 * stopped.source.size() + 64);
  const Ids beginning = Copy(stopped.tokens);
  options.guards = false;
  const Translation plain = Run(kText, options);
  EXPECT_EQ(plain.tokens.size(), 300u);
  EXPECT_THAT(plain.tokens.first(beginning.size()),
              ElementsAreArray(beginning));
}

TEST_F(StopTest, ABudgetOfTokensGivesTheBeginning) {
  const Ids plain = Copy(Run(kText).tokens);
  ASSERT_GT(plain.size(), 4u);
  for (uint32_t budget = 1; budget <= plain.size() + 1; ++budget) {
    TranslateOptions options;
    options.budget_tokens = budget;
    const Translation result = Run(kText, options);
    const bool whole = budget >= plain.size();
    EXPECT_EQ(result.stop_reason,
              whole ? StopReason::kEos : StopReason::kBudget);
    EXPECT_THAT(result.tokens, ElementsAreArray(std::span(plain).first(
                                   std::min<size_t>(budget, plain.size()))));
    EXPECT_EQ(Plain(kText, options).size(), result.tokens.size());
  }
}

TEST_F(StopTest, ABudgetHoldsForAllPartsOfAText) {
  const std::string text = LongText();
  TextCursor cursor(text, {});
  std::string beginning;
  uint32_t tokens = 0;
  size_t bytes = 0;
  for (int i = 0; i < 2; ++i) {
    const auto part = translator_.TranslateNext(cursor);
    ASSERT_TRUE(part.ok());
    ASSERT_FALSE(cursor.done());
    if (i == 0) {
      tokens = static_cast<uint32_t>(part->generated_tokens);
      beginning = std::string(part->text) + " ";
    } else {
      tokens += 2;
    }
    bytes += part->source_bytes;
  }
  TranslateOptions options;
  options.budget_tokens = tokens;
  const Translation result = Run(text, options);
  EXPECT_EQ(result.stop_reason, StopReason::kBudget);
  EXPECT_EQ(result.generated_tokens, tokens);
  EXPECT_EQ(result.source_bytes, bytes);
  EXPECT_THAT(std::string(result.text), StartsWith(beginning));
  // Used up at the end of a part, with text to come.
  options.budget_tokens = tokens - 2;
  const Translation first = Run(text, options);
  EXPECT_EQ(first.stop_reason, StopReason::kBudget);
  EXPECT_EQ(std::string(first.text) + " ", beginning);
  EXPECT_LT(first.source_bytes, bytes);
}

TEST_F(StopTest, ATextHasTheMostSevereReasonOfItsParts) {
  const std::string text = LongText() + "Tom sings.";
  TranslateOptions options;
  std::vector<StopReason> reasons;
  options.max_target_tokens = 5;  // "Tom singt." has fewer.
  TextCursor cursor(text, options);
  while (!cursor.done()) {
    const auto part = translator_.TranslateNext(cursor);
    ASSERT_TRUE(part.ok());
    reasons.push_back(part->stop_reason);
  }
  ASSERT_GT(reasons.size(), 2u);
  const Translation whole = Run(text, options);
  EXPECT_EQ(whole.stop_reason, *std::ranges::max_element(reasons));
  EXPECT_EQ(whole.stop_reason, StopReason::kLengthLimit);
  EXPECT_EQ(whole.source_bytes, text.size());
}

TEST_F(StopTest, TimeThatIsUpEndsASentence) {
  const Ids plain = Plain(kText);
  Listener slow{.pause = std::chrono::milliseconds(30)};
  TranslateOptions options;
  slow.Listen(&options);
  options.budget_ms = 20;
  const Translation result = Run(kText, options);
  EXPECT_EQ(result.stop_reason, StopReason::kBudget);
  EXPECT_LE(result.tokens.size(), 1u);
  options = {};
  options.budget_ms = UINT32_MAX;
  EXPECT_THAT(Run(kText, options).tokens, ElementsAreArray(plain));
  // The part after it does not begin.
  Listener slow_again{.pause = std::chrono::milliseconds(30)};
  slow_again.Listen(&options);
  options.budget_ms = 20;
  const std::string text = LongText();
  const Translation cut = Run(text, options);
  EXPECT_EQ(cut.stop_reason, StopReason::kBudget);
  EXPECT_LT(cut.source_bytes, text.size());
}

TEST_F(StopTest, ACancelledCallGivesNothingAndTheNextOneAll) {
  std::atomic<bool> cancel = true;
  TranslateOptions options;
  options.cancel = &cancel;
  const Translation nothing = Run(kText, options);
  EXPECT_EQ(nothing.stop_reason, StopReason::kCancelled);
  EXPECT_TRUE(nothing.tokens.empty());
  EXPECT_TRUE(nothing.text.empty());
  cancel = false;
  EXPECT_EQ(Run(kText, options).stop_reason, StopReason::kEos);
}

TEST_F(StopTest, AnotherThreadCancels) {
  struct Shared {
    std::atomic<bool> cancel = false;
    std::atomic<int> tokens = 0;
  } shared;
  std::thread other([&shared] {
    while (shared.tokens < 2) std::this_thread::yield();
    shared.cancel = true;
  });
  TranslateOptions options;
  options.cancel = &shared.cancel;
  options.token_context = &shared;
  options.on_token = [](void* context, size_t, int32_t) {
    auto& self = *static_cast<Shared*>(context);
    if (++self.tokens == 2) {
      while (!self.cancel) std::this_thread::yield();
    }
    return true;
  };
  const Translation result = Run(kText, options);
  other.join();
  EXPECT_EQ(result.stop_reason, StopReason::kCancelled);
  EXPECT_EQ(result.tokens.size(), 2u);
}

TEST_F(StopTest, TheCallbackIsToldEachTokenAndMayEndTheSentence) {
  const Ids plain = Plain(kText);
  Listener all;
  TranslateOptions options;
  all.Listen(&options);
  EXPECT_EQ(Run(kText, options).stop_reason, StopReason::kEos);
  EXPECT_EQ(all.told, plain);
  Listener few{.most = 3};
  few.Listen(&options);
  const Translation result = Run(kText, options);
  EXPECT_EQ(result.stop_reason, StopReason::kCancelled);
  EXPECT_THAT(result.tokens, ElementsAreArray(std::span(plain).first(3)));
  // No token was left to generate.
  Listener exactly{.most = plain.size()};
  exactly.Listen(&options);
  EXPECT_EQ(Run(kText, options).stop_reason, StopReason::kEos);
}

TEST_F(StopTest, SentencesSideBySideEndAsTheyDoAlone) {
  const std::vector<std::string> lines = TestLines(FewerIfSlow(48, 6));
  const Ids suppressed = {eos()};
  std::atomic<bool> cancelled = true;
  const auto options_of = [&](size_t i) {
    TranslateOptions options;
    options.max_target_tokens = 90;
    if (i % 6 == 1) options.budget_tokens = 3;
    if (i % 6 == 2) options.suppressed = suppressed;  // Loops, or the limit.
    if (i % 6 == 3) options.cancel = &cancelled;
    if (i % 6 == 4) options.max_target_tokens = 4;
    return options;
  };
  std::vector<std::pair<StopReason, std::string>> alone, found(lines.size());
  std::vector<Listener> listeners(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const Translation result = Run(lines[i], options_of(i));
    alone.emplace_back(result.stop_reason, result.text);
  }
  size_t begun = 0;
  while (begun < lines.size() || translator_.under_way() > 0) {
    for (; begun < lines.size() && translator_.CanBegin(); ++begun) {
      TranslateOptions options = options_of(begun);
      listeners[begun].Listen(&options);
      TextCursor cursor(lines[begun], options);
      ASSERT_TRUE(translator_.Begin(cursor, begun).ok());
    }
    FinishedTranslation out;
    if (!translator_.Advance(&out)) continue;
    ASSERT_TRUE(out.status.ok());
    const Translation& translation = out.translation;
    found[out.ticket] = {translation.stop_reason,
                         std::string(translation.text)};
    EXPECT_EQ(listeners[out.ticket].told.size(), translation.generated_tokens);
  }
  EXPECT_EQ(found, alone);
  for (const auto reason : {StopReason::kEos, StopReason::kLengthLimit,
                            StopReason::kBudget, StopReason::kCancelled}) {
    EXPECT_TRUE(std::ranges::count_if(alone, [&](const auto& one) {
      return one.first == reason;
    })) << static_cast<int>(reason);
  }
}

// The C API, with a workspace on the heap.
TEST(StopCApiTest, ReasonsBudgetsCallbacksAndCancelling) {
  const size_t bytes = latimer_workspace_bytes();
  const std::unique_ptr<void, void (*)(void*)> memory(malloc(bytes), free);
  latimer_translator* translator = nullptr;
  char message[200];
  const std::span<const std::byte> image = Demo().bytes();
  ASSERT_EQ(
      latimer_load(image.data(), image.size(), memory.get(), bytes,
                   /*options=*/nullptr, &translator, message, sizeof(message)),
      LATIMER_OK)
      << message;
  const auto model_defaults = Sized<latimer_options>();
  latimer_options options = model_defaults;
  auto out = Sized<latimer_translation>();
  const auto translate = [&] {
    EXPECT_EQ(latimer_translate(translator, kText.data(), kText.size(),
                                &options, &out),
              LATIMER_OK);
    return out.stop_reason;
  };
  EXPECT_EQ(translate(), LATIMER_EOS);
  const size_t whole = out.token_count;
  Set(&options, "budget_tokens", "2");
  EXPECT_EQ(translate(), LATIMER_BUDGET);
  EXPECT_EQ(out.token_count, 2u);
  options = model_defaults;
  Set(&options, "max_target_tokens", "3");
  EXPECT_EQ(translate(), LATIMER_LENGTH_LIMIT);
  options = model_defaults;
  Listener listener{.most = 4};
  options.on_token = Listener::Tell;
  options.token_context = &listener;
  EXPECT_EQ(translate(), LATIMER_CANCELLED);
  EXPECT_EQ(listener.told.size(), 4u);
  options = model_defaults;
  latimer_set_cancelled(translator, 1);
  EXPECT_EQ(translate(), LATIMER_CANCELLED);
  EXPECT_EQ(out.token_count, 0u);
  latimer_set_cancelled(translator, 0);
  EXPECT_EQ(translate(), LATIMER_EOS);
  EXPECT_EQ(out.token_count, whole);
  Set(&options, "min_target_tokens", "200");
  Set(&options, "guards", "false");
  EXPECT_EQ(translate(), LATIMER_EOS);
  EXPECT_GE(out.token_count, 200u);
  latimer_unload(translator);
}

class StopCliTest : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(model_, std::ios::binary)
        .write(reinterpret_cast<const char*>(Demo().bytes().data()),
               static_cast<std::streamsize>(Demo().bytes().size()));
  }
  Outcome Translate(const std::string& input,
                    std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"translate", model_});
    return RunProgram("latimer", options, input);
  }

  const TempFolder folder_;
  const std::string model_ = folder_.path() / "demo.ltm";
};

TEST_F(StopCliTest, LinesThatDidNotEndByThemselvesAreNamed) {
  const std::string input = "Hi.\n\n" + kText + " " + kText + "\nHello.\n";
  const Outcome all = Translate(input);
  EXPECT_EQ(all.err, "");
  const Outcome cut =
      Translate(input, {"--no-sentences", "--budget-tokens", "9"});
  EXPECT_EQ(cut.code, 0);
  EXPECT_EQ(std::ranges::count(cut.out, '\n'), 4);
  EXPECT_EQ(cut.err,
            "latimer: warning: line 3: --budget-tokens or --budget-ms cut the "
            "translation.\n");
  const Outcome limited =
      Translate(input, {"--no-sentences", "--max-target-tokens", "9"});
  EXPECT_EQ(limited.code, 0);
  EXPECT_EQ(limited.out, cut.out);
  EXPECT_EQ(limited.err,
            "latimer: warning: line 3: the length limit cut the "
            "translation.\n");
  const Outcome ids =
      Translate("22 31 29 0\n", {"--ids", "--max-target-tokens", "1"});
  EXPECT_EQ(ids.code, 0);
  EXPECT_THAT(ids.err, HasSubstr("line 1: the length limit"));
}

TEST_F(StopCliTest, WhatABudgetLeavesOutOfALineIsSaid) {
  const std::string line = LongText() + "The end.";
  const Outcome cut =
      Translate("Hello.\n" + line + "\nHello.\n", {"--budget-tokens", "30"});
  EXPECT_EQ(cut.code, 0);
  EXPECT_THAT(cut.err, HasSubstr("line 2: --budget-tokens or --budget-ms cut"));
  EXPECT_THAT(cut.err, HasSubstr(" of its " + std::to_string(line.size()) +
                                 " bytes were left untranslated."));
  const std::string hello = cut.out.substr(0, cut.out.find('\n') + 1);
  EXPECT_THAT(cut.out, StartsWith(hello));
  EXPECT_TRUE(cut.out.ends_with("\n" + hello)) << cut.out;
  EXPECT_EQ(std::ranges::count(cut.out, '\n'), 3);
  EXPECT_THAT(
      ErrorSentence(Translate("", {"--budget-ms", "0"}), 2),
      HasSubstr("--budget-ms 0: give a whole number from 1 to 2147483647."));
}

TEST_F(StopCliTest, TheBudgetOfASentenceIsThatOfAllItsPartsTogether) {
  // One sentence that exceeds the longest source, as a line and as a paragraph.
  std::string sentence;
  for (int i = 0; i < 200; ++i) sentence += "the cat sat and the dog ran, ";
  sentence += "and it ended.";
  const Outcome line = Translate(sentence + "\n", {"--budget-tokens", "30"});
  const Outcome paragraph = Translate(
      sentence + "\n\nHello.\n", {"--paragraphs", "--budget-tokens", "30"});
  EXPECT_EQ(paragraph.code, 0);
  EXPECT_THAT(paragraph.err,
              HasSubstr("line 1: --budget-tokens or --budget-ms cut"));
  EXPECT_THAT(paragraph.err, HasSubstr("bytes were left untranslated."));
  const std::string hello = Translate("Hello.\n").out;
  EXPECT_EQ(paragraph.out, line.out + "\n" + hello);
}

TEST_F(StopCliTest, ALoopIsNamedUnlessThereAreNoGuards) {
  const std::vector<std::string> endless = {"--min-target-tokens", "150"};
  std::string input;
  for (const std::string& line : TestLines(FewerIfSlow(10, 3))) {
    input += line + "\n";
  }
  const Outcome guarded = Translate(input, endless);
  EXPECT_EQ(guarded.code, 0);
  EXPECT_THAT(guarded.err, HasSubstr("repeated itself without end"));
  const Outcome plain =
      Translate(input, {"--min-target-tokens", "150", "--no-guards"});
  EXPECT_EQ(plain.code, 0);
  EXPECT_EQ(plain.err.find("repeated itself"), std::string::npos);
  EXPECT_GT(plain.out.size(), guarded.out.size());
}

}  // namespace latimer::stop_test
