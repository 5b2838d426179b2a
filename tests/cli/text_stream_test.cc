// Running text: TextStream, its C API and latimer translate --paragraphs.
// Tests api/text_stream.cc, api/latimer_c_text.cc,
// programs/cli/input.cc, runtime/model/sentence_rules_file.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>

#include "latimer/latimer.h"
#include "latimer/streams.h"
#include "model_generated.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::text_stream_test {

using ::testing::HasSubstr;

Workspace& workspace = test_workspace;

// What the receiver of a stream got.
struct Given {
  std::string text;
  std::vector<std::string> sources;
  std::vector<uint64_t> lines;
  int cuts = 0;

  static void Receive(void* self, const StreamedText& piece) {
    auto* given = static_cast<Given*>(self);
    given->text += piece.text;
    if (piece.source.empty()) return;
    given->sources.emplace_back(piece.source);
    given->lines.push_back(piece.line);
    given->cuts += piece.cut ? 1 : 0;
  }
};

class TextStreamTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    model_ = std::make_unique<ModelBytes>(ConvertSmallDemo(WeightType::kInt8));
    std::ofstream(Path(), std::ios::binary)
        .write(reinterpret_cast<const char*>(model_->bytes().data()),
               static_cast<std::streamsize>(model_->bytes().size()));
  }
  static void TearDownTestSuite() {
    folder_.reset();
    model_.reset();
  }

  void SetUp() override {
    const Status status = translator_.Load(model_->bytes(), &workspace);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  static std::string Path() { return folder_->path() / "demo.ltm"; }

  Given Stream(const std::string& text, size_t chunk,
               const TranslateOptions& options = {}) {
    Given given;
    TextStream stream(translator_, options, &Given::Receive, &given);
    for (size_t at = 0; at < text.size(); at += chunk) {
      const Status status =
          stream.Push(std::string_view(text).substr(at, chunk));
      EXPECT_TRUE(status.ok()) << status.message();
    }
    const Status status = stream.Finish();
    EXPECT_TRUE(status.ok()) << status.message();
    return given;
  }

  std::string One(const std::string& sentence) {
    const Result<Translation> result = translator_.Translate(sentence);
    EXPECT_TRUE(result.ok());
    return std::string(result->text);
  }

  static std::unique_ptr<TempFolder> folder_;
  static std::unique_ptr<ModelBytes> model_;
  Translator translator_;
};
std::unique_ptr<TempFolder> TextStreamTest::folder_;
std::unique_ptr<ModelBytes> TextStreamTest::model_;

// Paragraphs of sentences of the test set, some over several lines.
std::string SomeText(size_t sentences) {
  const std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  std::string text;
  for (size_t i = 0; i < sentences; ++i) {
    std::string line = lines[i];
    if (i % 3 == 0) std::ranges::replace(line, ' ', '\n');
    text += line;
    text += i % 5 == 4 ? "\n\n" : i % 2 == 0 ? " " : "\n";
  }
  return text;
}

TEST_F(TextStreamTest, RangesOfATextAreRefused) {
  const TextRange range = {0, 3};
  TranslateOptions options;
  options.protected_ranges = {&range, 1};
  Given given;
  TextStream stream(translator_, options, &Given::Receive, &given);
  EXPECT_TRUE(stream.Push("Tom is ").ok());
  Status status = stream.Push("here. Go home! ");
  if (status.ok()) status = stream.Finish();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), testing::HasSubstr("Protected ranges"));
  EXPECT_EQ(translator_.under_way(), 0u);
}

TEST_F(TextStreamTest, AfterAnErrorAnotherTextBegins) {
  Given given;
  TextStream stream(translator_, {}, &Given::Receive, &given);
  TextCursor other("Tom is here.", {});
  ASSERT_TRUE(translator_.Begin(other, 0).ok());
  // One sentence at a time: the stream fails while the other one is under way.
  EXPECT_EQ(stream.Push(">>deu<< Go home! Mary is here. She waits").code(),
            StatusCode::kFailedPrecondition);
  FinishedTranslation finished;
  while (translator_.under_way() > 0) translator_.Advance(&finished);
  ASSERT_TRUE(stream.Push("Tom is here.").ok());
  ASSERT_TRUE(stream.Finish().ok());
  EXPECT_THAT(given.sources, ::testing::ElementsAre("Tom is here."));
  EXPECT_THAT(given.lines, ::testing::ElementsAre(1));
  EXPECT_EQ(given.text, One("Tom is here."));
}

TEST_F(TextStreamTest, EachSentenceIsTranslatedByItself) {
  const std::string mister = One("Tom is here.");
  const std::string home = One("Go home!");
  EXPECT_EQ(Stream("  Tom\nis here.  Go\nhome!\n\n \nTom is\nhere.\n", 3).text,
            "  " + mister + "  " + home + "\n\n \n" + mister + "\n");
  const Given given = Stream("Mr. Tom is here. Go home!", 100);
  EXPECT_THAT(given.sources,
              testing::ElementsAre("Mr. Tom is here.", "Go home!"));
}

TEST_F(TextStreamTest, ChunksAndLanesGiveTheSameText) {
  const std::string text = SomeText(FewerIfSlow(120, 8));
  const Given given = Stream(text, text.size());
  EXPECT_EQ(Stream(text, 7).text, given.text);
  for (const char* lanes : {"1", "4"}) {
    const Outcome outcome = RunProgram(
        "latimer", {"translate", Path(), "--paragraphs", "--lanes", lanes},
        text);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, given.text);
    EXPECT_EQ(outcome.err, "");
  }
}

TEST_F(TextStreamTest, AsManySentencesComeOutAsGoIn) {
  const std::string text = SomeText(FewerIfSlow(300, 10));
  SentenceSplitter splitter(translator_.model_info().sentence_rules);
  std::vector<std::string> sentences;
  std::string_view rest = text;
  SourceSentence piece;
  do {
    if (rest.empty()) splitter.End();
    rest.remove_prefix(splitter.Push(rest));
    while (splitter.Next(&piece)) {
      if (piece.sentence.empty()) continue;
      sentences.emplace_back(splitter.JoinLines(piece));
    }
  } while (!rest.empty());
  splitter.End();
  while (splitter.Next(&piece)) {
    sentences.emplace_back(splitter.JoinLines(piece));
  }
  std::erase(sentences, "");
  TranslateOptions options;
  options.max_target_tokens = 8;
  const Given given = Stream(text, 1000, options);
  EXPECT_EQ(given.sources, sentences);
  EXPECT_GE(sentences.size(), FewerIfSlow(300, 10));
  EXPECT_EQ(std::ranges::count(given.text, '\n'),
            2 * static_cast<ptrdiff_t>(FewerIfSlow(60, 2)));
}

TEST_F(TextStreamTest, ATooLongSentenceComesInPartsAndIsReported) {
  std::string sentence = "Tom wants";
  for (int i = 0; i < 700; ++i) sentence += " to learn";
  const std::string text = "Go home!\n\n" + sentence + ".\n";
  TranslateOptions options;
  options.max_target_tokens = 8;
  const Given given = Stream(text, 64, options);
  std::string sources;
  for (const std::string& source : given.sources) sources += source;
  EXPECT_EQ(sources, "Go home!" + sentence + ".");
  EXPECT_GT(given.cuts, 0);
  EXPECT_EQ(given.lines.back(), 3u);
  const Outcome outcome = RunProgram(
      "latimer",
      {"translate", Path(), "--paragraphs", "--max-target-tokens", "8"}, text);
  EXPECT_EQ(outcome.out, given.text);
  EXPECT_THAT(outcome.err, HasSubstr("the sentence at line 3 ("));
}

TEST_F(TextStreamTest, ASentenceThatIsCutIsReportedOnce) {
  const auto warnings = [](const std::string& text) {
    return RunProgram("latimer",
                      {"translate", Path(), "--paragraphs", "--no-guards",
                       "--max-target-tokens", "400"},
                      text)
        .err;
  };
  const std::string spaces(FewerIfSlow(5'000'000, 100'000), ' ');
  EXPECT_EQ(warnings(spaces), "");
  const std::string cut = "exceeds 8192 bytes and was translated in parts.\n";
  EXPECT_EQ(warnings("\nGo" + spaces + "home!\n\nGo home!\n"),
            "latimer: warning: the sentence at line 2 " + cut);
  EXPECT_EQ(warnings("Go" + spaces + "home!\n\nGo" + spaces + "home!"),
            "latimer: warning: the sentence at line 1 " + cut +
                "latimer: warning: the sentence at line 3 " + cut);
}

TEST_F(TextStreamTest, WhiteSpaceOfAnyLengthIsKept) {
  const std::string spaces(30000, ' ');
  EXPECT_EQ(Stream(spaces + "\n\n" + spaces, 4096).text,
            spaces + "\n\n" + spaces);
  EXPECT_EQ(Stream("", 1).text, "");
}

TEST_F(TextStreamTest, APartOfALongLineReadsAsMuchTwiceAsTheTokenizerHolds) {
  constexpr size_t kBytes = 1 << 20;
  void* memory =
      mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  // What comes after may not be read.
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t readable = (2 * kProfile.text_bytes / page + 1) * page;
  ASSERT_LT(readable, kBytes);
  ASSERT_EQ(mprotect(memory, readable, PROT_READ | PROT_WRITE), 0);
  auto* const text = static_cast<char*>(memory);
  TranslateOptions options;
  options.max_target_tokens = 1;
  for (const std::string unit : {">>a b. ", "word", " ", "\u5b57", "<<"}) {
    for (size_t i = 0; i < readable; ++i) text[i] = unit[i % unit.size()];
    if (unit == " ") text[100] = text[readable - 1] = 'x';
    TextCursor cursor({text, kBytes}, options);
    const Result<Translation> part = translator_.TranslateNext(cursor);
    ASSERT_TRUE(part.ok()) << part.status().message();
    EXPECT_GT(part->source_bytes, 0u);
    EXPECT_LE(part->source_bytes, readable);
  }
  munmap(memory, kBytes);
}

TEST_F(TextStreamTest, TheCApiGivesTheSame) {
  const size_t bytes = latimer_workspace_bytes();
  std::vector<std::byte> memory(bytes + latimer_workspace_alignment());
  void* place = memory.data();
  size_t room = memory.size();
  std::align(latimer_workspace_alignment(), bytes, place, room);
  latimer_translator* translator = nullptr;
  ASSERT_EQ(latimer_load(model_->bytes().data(), model_->bytes().size(), place,
                         bytes, nullptr, &translator, nullptr, 0),
            LATIMER_OK);
  std::vector<std::max_align_t> own(
      latimer_text_bytes() / sizeof(std::max_align_t) + 1);
  std::string out;
  const latimer_receiver receive = [](void* to,
                                      const latimer_streamed_text* piece) {
    static_cast<std::string*>(to)->append(piece->text, piece->text_bytes);
  };
  EXPECT_EQ(
      latimer_text_begin(translator, nullptr, receive, &out, own.data(), 10),
      nullptr);
  latimer_text* text = latimer_text_begin(translator, nullptr, receive, &out,
                                          own.data(), latimer_text_bytes());
  ASSERT_NE(text, nullptr);
  const std::string source = "Tom is here. Go\nhome!\n\nTom is here.";
  EXPECT_EQ(latimer_text_push(text, source.data(), source.size()), LATIMER_OK);
  EXPECT_EQ(latimer_text_finish(text), LATIMER_OK);
  latimer_unload(translator);
  EXPECT_EQ(out, Stream(source, 5).text);
}

TEST_F(TextStreamTest, DamagedRulesAreRefused) {
  const std::span<const std::byte> good = model_->bytes();
  std::vector<std::byte> memory(good.size() + 63);
  void* place = memory.data();
  size_t room = memory.size();
  ASSERT_NE(std::align(64, good.size(), place, room), nullptr);
  std::ranges::copy(good, static_cast<std::byte*>(place));
  auto* rules = flatbuffers::GetMutableRoot<schema::Model>(place)
                    ->mutable_sentence_rules();
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(rules->languages()->str(), "en");
  // A leaf with a value of unknown bits; a child outside; an open end.
  auto* words = rules->mutable_words();
  const uint32_t last = words->size() - 1;
  const std::pair<uint32_t, uint32_t> faults[] = {
      {'X', (1u << 23) | 32},
      {'X', last + 1},
      {last, words->Get(last) & ~(1u << 22)}};
  for (const auto& [index, node] : faults) {
    const uint32_t kept = words->Get(index);
    words->Mutate(index, node);
    Translator translator;
    const Status status =
        translator.Load({static_cast<std::byte*>(place), good.size()},
                        &workspace, {.verify_checksum = false});
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << index;
    EXPECT_THAT(status.message(), HasSubstr("trie of sentence words"));
    words->Mutate(index, kept);
  }
}

TEST_F(TextStreamTest, ParagraphsGoWithoutIds) {
  EXPECT_THAT(
      ErrorSentence(
          RunProgram("latimer", {"translate", Path(), "--paragraphs", "--ids"},
                     ""),
          2),
      HasSubstr("--paragraphs goes without --ids"));
}

}  // namespace latimer::text_stream_test
