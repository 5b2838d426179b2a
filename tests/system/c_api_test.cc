// The C API gives what the C++ API gives, from a program in C99 as well as to
// callers that were compiled with an older or newer header.
// Tests api/latimer_c.cc, api/latimer_c_cursor.cc,
// api/latimer_c_html.cc, api/latimer_c_info.cc,
// api/latimer_c_text.cc, api/translator_info.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>

#include "internals.h"
#include "latimer/latimer.h"
#include "latimer/streams.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/process.h"
#include "tests/system/program.h"
#include "tests/system/sized_struct.h"
#include "tests/system/tiny_model.h"

namespace latimer::c_api_test {

using ::testing::HasSubstr;

constexpr char kText[] = "Where is the station, and is Tom here?";

std::string Format(const char* format, auto... arguments) {
  char text[512];
  std::snprintf(text, sizeof(text), format, arguments...);
  return text;
}

// A model that the C API has loaded into as much memory as it asked for.
class Loaded {
 public:
  explicit Loaded(std::span<const std::byte> image,
                  const latimer_load_options* options = nullptr) {
    std::vector<char> scratch(latimer_scratch_bytes() + 1);
    size_t bytes = 0;
    // Neither memory is aligned.
    EXPECT_EQ(
        latimer_plan_workspace(image.data(), image.size(), options,
                               scratch.data() + 1, scratch.size() - 1, &bytes,
                               nullptr, message_, sizeof(message_)),
        LATIMER_OK)
        << message_;
    workspace_.reset(new char[bytes + 1]);
    EXPECT_EQ(
        latimer_load(image.data(), image.size(), workspace_.get() + 1, bytes,
                     options, &translator_, message_, sizeof(message_)),
        LATIMER_OK)
        << message_;
  }
  ~Loaded() {
    if (translator_ != nullptr) latimer_unload(translator_);
  }

  latimer_translator* get() const { return translator_; }
  std::string message() const { return latimer_message(translator_); }

 private:
  char message_[LATIMER_MESSAGE_BYTES] = {};
  std::unique_ptr<char[]> workspace_;
  latimer_translator* translator_ = nullptr;
};

class CApiTest : public testing::Test {
 protected:
  void SetUp() override {
    const Status status = cpp_.Load(model_.bytes(), &test_workspace);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_NE(c_.get(), nullptr);
  }

  latimer_code Translate(const latimer_options* options,
                         latimer_translation* out) const {
    return latimer_translate(c_.get(), kText, sizeof(kText) - 1, options, out);
  }

  const ModelBytes model_ = ConvertSmallDemo(WeightType::kInt8);
  Loaded c_{model_.bytes()};
  Translator cpp_;
};

TEST(CApiModelTest, TheModelHasAVersionOfItsOwn) {
  CanonicalModel model = OpenModel(TinyModel("no_scale"), false);
  model.version = "1.2";
  const ModelBytes file = WriteForThisCpu(model, WeightType::kInt8);
  const Loaded c(file.bytes());
  auto info = Sized<latimer_model_info>();
  ASSERT_EQ(latimer_get_model_info(c.get(), &info), LATIMER_OK);
  EXPECT_EQ(std::string_view(info.model_version, info.model_version_bytes),
            "1.2");
}

// ---- The examples ----

// What examples/tour.c should print.
std::string Tour(Translator& translator, const std::string& text) {
  const ModelDescription& info = Internals::Describe(translator);
  std::string out =
      "Latimer " LATIMER_VERSION ", compiled with " LATIMER_VERSION "\n";
  out +=
      Format("model: %s, tile %s, %" PRIu64 " bytes, checksum %016" PRIx64 "\n",
             info.weights, info.tile, info.sizes.file, info.checksum);
  out += Format("licence: %zu bytes\n", info.license.size());
  out += Format(
      "vocabularies: %u source, %u target; at most %u and %u tokens\n",
      info.architecture.source_vocabulary, info.architecture.target_vocabulary,
      translator.max_source_tokens(), translator.max_target_tokens());
  int32_t ids[256];
  char piece[Translator::kMaxPieceBytes];
  const size_t count = *translator.Tokenize(text, ids);
  for (size_t i = 0; i < count; ++i) {
    out += Format("source token: %d ", ids[i]);
    out += std::string(translator.SourcePiece(ids[i], piece)) + "\n";
  }
  const Translation t =
      *translator.Translate(text, {.language_code = {},
                                   .attention = AttentionKind::kCross,
                                   .scores = true});
  const std::string translated(t.text);
  out += "translation: " + translated + "\n";
  out += Format(
      "stop reason %d after %zu tokens, of which the callback saw "
      "%zu\n",
      static_cast<int>(t.stop_reason), t.generated_tokens, t.generated_tokens);
  for (size_t row = 0; row < t.tokens.size(); ++row) {
    out += Format("target token: %d ", t.tokens[row]);
    out += std::string(translator.TargetPiece(t.tokens[row]));
    out += Format(", score %.4f", double{t.scores[row].log_probability});
    size_t best = 0;
    double best_weight = -1;
    for (size_t column = 0; column < t.source.size(); ++column) {
      double weight = 0;
      for (uint32_t layer = 0; layer < t.attention.layers; ++layer) {
        for (uint32_t head = 0; head < t.attention.heads; ++head) {
          weight += double{t.attention.Row(layer, head, row)[column]};
        }
      }
      if (weight > best_weight) {
        best = column;
        best_weight = weight;
      }
    }
    if (row < t.attention.rows) {
      out += ", from ";
      out += translator.SourcePiece(t.source[best], piece);
    }
    out += "\n";
  }
  out += "detokenized: " + translated + "\n";
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    out += "word: " + std::string(translator.Translate(word)->text) + "\n";
  }
  out += "part: " + translated + "\n";
  out += Format("stop reason 0 after %zu bytes\n", text.size());
  out += "streamed: ";
  TextStream stream(
      translator, {},
      [](void* to, const StreamedText& portion) {
        *static_cast<std::string*>(to) += portion.text;
      },
      &out);
  EXPECT_TRUE(stream.Push(text).ok());
  EXPECT_TRUE(stream.Finish().ok());
  return out + "\n";
}

TEST_F(CApiTest, TheTourInCPrintsWhatCppFinds) {
  const TempFolder folder;
  const std::string path = folder.path() / "model.ltm";
  WriteFileAtomically(path, model_.bytes());
  const std::string text = "Where is the station?";
  const Outcome tour = RunProgram("tests/example_tour_c", {path, text});
  EXPECT_EQ(tour.code, 0) << tour.err;
  EXPECT_EQ(tour.out, Tour(cpp_, text));
  const Outcome none = RunProgram("tests/example_tour_c", {"none", text});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("there is no such file"));
}

TEST_F(CApiTest, TheSmallExamplesTakeNoMoreThanTheModelNeeds) {
  const TempFolder folder;
  const std::string path = folder.path() / "model.ltm";
  WriteFileAtomically(path, model_.bytes());
  const std::string expected = std::string(cpp_.Translate(kText)->text) + "\n";
  ModelDescription info;
  auto scratch = std::make_unique<InfoScratch>();
  ASSERT_TRUE(ReadModelInfo(model_.bytes(), false, scratch.get(), &info).ok());
  const uint64_t workspace =
      PlanWorkspace(info, {.lanes = 1, .attention = false, .scores = false})
          .bytes;
  for (const std::string name :
       {"example_translate_cc", "example_translate_c"}) {
    const Outcome outcome = RunProgram("tests/" + name, {path, kText});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, expected);
    if (kEmulated || kSanitized) continue;  // They reserve memory themselves.
    Process process("tests/" + name, {path, kText},
                    {.memory = model_.bytes().size() + workspace + 8'000'000,
                     .err = folder.path() / "err"});
    EXPECT_EQ(process.Wait(), 0) << ReadFile(folder.path() / "err");
  }
}

// ---- The same as in C++ ----

TEST_F(CApiTest, AttentionAndScoresAreThoseOfCpp) {
  for (const auto& [name, kind] :
       {std::pair("cross", AttentionKind::kCross),
        std::pair("encoder", AttentionKind::kEncoder),
        std::pair("decoder", AttentionKind::kDecoder)}) {
    auto options = Sized<latimer_options>();
    Set(&options, "attention", name);
    Set(&options, "scores", "true");
    auto got = Sized<latimer_translation>();
    ASSERT_EQ(Translate(&options, &got), LATIMER_OK) << c_.message();
    const Translation expected = *cpp_.Translate(
        kText, {.language_code = {}, .attention = kind, .scores = true});
    ASSERT_EQ(got.token_count, expected.tokens.size());
    ASSERT_NE(got.scores, nullptr);
    for (size_t i = 0; i < got.token_count; ++i) {
      EXPECT_EQ(got.scores[i].log_probability,
                expected.scores[i].log_probability);
      EXPECT_EQ(got.scores[i].margin, expected.scores[i].margin);
    }
    const AttentionWeights& weights = expected.attention;
    ASSERT_EQ(got.attention_rows, weights.rows);
    ASSERT_GT(weights.rows, 0u);
    EXPECT_EQ(std::vector(got.source, got.source + got.source_count),
              std::vector(expected.source.begin(), expected.source.end()));
    EXPECT_EQ(got.attention_layers, weights.layers);
    EXPECT_EQ(got.attention_heads, weights.heads);
    size_t columns = 0;
    const float* const first =
        latimer_attention_row(c_.get(), 0, 0, 0, &columns);
    for (size_t row = 0; row < weights.rows; ++row) {
      for (uint32_t layer = 0; layer < weights.layers; ++layer) {
        for (uint32_t head = 0; head < weights.heads; ++head) {
          const float* found =
              latimer_attention_row(c_.get(), layer, head, row, &columns);
          const std::span<const float> row_of_cpp =
              weights.Row(layer, head, row);
          EXPECT_TRUE(
              std::ranges::equal(std::span(found, columns), row_of_cpp));
          EXPECT_EQ(found - first, row_of_cpp.data() - weights.weights);
        }
      }
    }
    EXPECT_EQ(latimer_attention_row(c_.get(), weights.layers, 0, 0, &columns),
              nullptr);
    EXPECT_EQ(latimer_attention_row(c_.get(), 0, weights.heads, 0, &columns),
              nullptr);
    EXPECT_EQ(latimer_attention_row(c_.get(), 0, 0, weights.rows, &columns),
              nullptr);
    EXPECT_EQ(columns, 0u);
  }
}

TEST_F(CApiTest, HypothesesAreThoseOfCpp) {
  auto load = Sized<latimer_load_options>();
  load.beams = 3;
  const Loaded c(model_.bytes(), &load);
  const auto translate = [&](const latimer_options* options,
                             latimer_translation* out) {
    return latimer_translate(c.get(), kText, sizeof(kText) - 1, options, out);
  };
  auto options = Sized<latimer_options>();
  const float penalty = 0.5f;
  Set(&options, "beams", "3");
  Set(&options, "length_penalty", "0.5");
  Set(&options, "early_stopping", "never");
  auto got = Sized<latimer_translation>();
  ASSERT_EQ(translate(&options, &got), LATIMER_OK) << c.message();
  const Translation expected =
      *cpp_.Translate(kText, {.language_code = {},
                              .beams = 3,
                              .length_penalty = penalty,
                              .early_stopping = EarlyStopping::kNever});
  ASSERT_EQ(got.hypothesis_count, 3u);
  ASSERT_EQ(expected.hypotheses.size(), 3u);
  const int32_t* tokens = nullptr;
  size_t count = 0;
  float score = 0;
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(latimer_hypothesis(c.get(), i, &tokens, &count, &score), 1);
    EXPECT_TRUE(std::ranges::equal(std::span(tokens, count),
                                   expected.hypotheses[i].tokens));
    EXPECT_EQ(score, expected.hypotheses[i].score);
    const char* text = nullptr;
    size_t bytes = 0;
    ASSERT_EQ(latimer_hypothesis_text(c.get(), i, &text, &bytes), LATIMER_OK);
    EXPECT_EQ(std::string(text, bytes),
              *cpp_.Detokenize(expected.hypotheses[i].tokens));
    EXPECT_EQ(latimer_hypothesis_text(c.get(), 3, &text, &bytes),
              LATIMER_INVALID_ARGUMENT);
    EXPECT_EQ(text, nullptr);
  }
  EXPECT_EQ(latimer_hypothesis(c.get(), 3, &tokens, &count, &score), 0);
  // They are of the last call.
  ASSERT_EQ(translate(nullptr, &got), LATIMER_OK) << c.message();
  EXPECT_EQ(latimer_hypothesis(c.get(), 0, &tokens, &count, &score), 0);
}

TEST_F(CApiTest, PrefixesBannedTokensAndWordScoresAreThoseOfCpp) {
  const Translation plain = *cpp_.Translate(kText);
  ASSERT_GT(plain.tokens.size(), 2u);
  const int32_t prefix[] = {plain.tokens[1], plain.tokens[1]};
  const int32_t banned[] = {plain.tokens[0], plain.tokens[2]};
  const uint32_t ends[] = {1, 2};
  auto options = Sized<latimer_options>();
  options.target_prefix_ids = prefix;
  options.target_prefix_count = 2;
  options.banned_tokens = banned;
  options.banned_ends = ends;
  options.banned_count = 2;
  Set(&options, "scores", "true");
  auto got = Sized<latimer_translation>();
  ASSERT_EQ(
      latimer_translate(c_.get(), kText, sizeof(kText) - 1, &options, &got),
      LATIMER_OK)
      << c_.message();
  TranslateOptions cpp;
  cpp.target_prefix_ids = prefix;
  cpp.banned = {banned, ends};
  cpp.scores = true;
  const Translation expected = *cpp_.Translate(kText, cpp);
  EXPECT_TRUE(std::ranges::equal(std::span(got.tokens, got.token_count),
                                 expected.tokens));
  EXPECT_EQ(got.tokens[0], prefix[0]);
  EXPECT_EQ(got.mean_score,
            static_cast<double>(expected.mean_score.value_or(0)));
  EXPECT_LT(got.mean_score, 0.0);
  std::vector<WordScore> words(expected.tokens.size());
  const size_t count = *cpp_.ScoreWords(expected, words);
  std::vector<latimer_word_score> found(got.token_count);
  size_t found_count = 0;
  ASSERT_EQ(
      latimer_score_words(c_.get(), found.data(), found.size(), &found_count),
      LATIMER_OK)
      << c_.message();
  ASSERT_EQ(found_count, count);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(found[i].begin, words[i].begin);
    EXPECT_EQ(found[i].end, words[i].end);
    EXPECT_EQ(found[i].log_probability, words[i].log_probability);
  }
  // The model has no tokenizer of its target.
  int32_t ids[8];
  size_t id_count = 1;
  EXPECT_EQ(latimer_tokenize_target(c_.get(), "Haus", 4, ids, 8, &id_count),
            LATIMER_INVALID_ARGUMENT);
  EXPECT_EQ(id_count, 0u);
  options.target_prefix_ids = nullptr;
  options.target_prefix_count = 0;
  Set(&options, "target_prefix", "Haus");
  EXPECT_EQ(
      latimer_translate(c_.get(), kText, sizeof(kText) - 1, &options, &got),
      LATIMER_INVALID_ARGUMENT);
  EXPECT_THAT(c_.message(), HasSubstr("--no-target-tokenizer"));
}

TEST_F(CApiTest, LinksAreThoseOfCpp) {
  auto options = Sized<latimer_options>();
  Set(&options, "alignment", "true");
  auto got = Sized<latimer_translation>();
  ASSERT_EQ(Translate(&options, &got), LATIMER_OK) << c_.message();
  TranslateOptions cpp;
  cpp.alignment = true;
  const Translation expected = *cpp_.Translate(kText, cpp);
  ASSERT_EQ(got.link_count, got.token_count);
  ASSERT_EQ(got.link_count, expected.links.size());
  size_t aligned = 0;
  for (size_t i = 0; i < got.link_count; ++i) {
    const TokenLink& link = expected.links[i];
    EXPECT_EQ(got.links[i].target.begin, link.target.begin);
    EXPECT_EQ(got.links[i].target.end, link.target.end);
    EXPECT_EQ(got.links[i].source.begin, link.source.begin);
    EXPECT_EQ(got.links[i].source.end, link.source.end);
    aligned += link.source.size() > 0 ? 1 : 0;
  }
  EXPECT_GT(aligned, 0u);
  ASSERT_EQ(Translate(nullptr, &got), LATIMER_OK);
  EXPECT_EQ(got.link_count, 0u);
}

TEST_F(CApiTest, ACountWithoutAPointerIsRefused) {
  const auto message = [&](void (*edit)(latimer_options&)) -> std::string {
    auto options = Sized<latimer_options>();
    edit(options);
    auto got = Sized<latimer_translation>();
    EXPECT_EQ(Translate(&options, &got), LATIMER_INVALID_ARGUMENT);
    return c_.message();
  };
  using O = latimer_options;
  EXPECT_THAT(
      message([](O& o) { o.suppressed_count = 2; }),
      HasSubstr("latimer_options.suppressed is NULL, but its length is 2."));
  EXPECT_THAT(message([](O& o) { o.target_prefix_count = 1; }),
              HasSubstr("target_prefix_ids is NULL"));
  EXPECT_THAT(message([](O& o) { o.banned_count = 1; }),
              HasSubstr("banned_ends is NULL"));
  static constexpr uint32_t kEnd = 1;
  EXPECT_THAT(message([](O& o) {
                o.banned_ends = &kEnd;
                o.banned_count = 1;
              }),
              HasSubstr("banned_tokens is NULL"));
  EXPECT_THAT(message([](O& o) { o.term_count = 1; }),
              HasSubstr("terms is NULL"));
  static constexpr latimer_term kNoSource = {nullptr, 3, "x", 1};
  static constexpr latimer_term kNoTarget = {"x", 1, nullptr, 3};
  EXPECT_THAT(message([](O& o) {
                o.terms = &kNoSource;
                o.term_count = 1;
              }),
              HasSubstr("A term's source is NULL"));
  EXPECT_THAT(message([](O& o) {
                o.terms = &kNoTarget;
                o.term_count = 1;
              }),
              HasSubstr("A term's target is NULL"));
  EXPECT_THAT(message([](O& o) { o.protected_range_count = 1; }),
              HasSubstr("protected_ranges is NULL"));
}

TEST_F(CApiTest, ALengthWithoutASourceIsRefused) {
  latimer_translator* const c = c_.get();
  auto got = Sized<latimer_translation>();
  int32_t ids[1];
  size_t count = 0, text_bytes = 0;
  const char* text = nullptr;
  std::vector<std::byte> memory(
      std::max(latimer_text_bytes(), latimer_html_bytes()));
  const std::function<latimer_code()> calls[] = {
      [&] { return latimer_translate(c, nullptr, 5, nullptr, &got); },
      [&] { return latimer_translate_ids(c, nullptr, 5, nullptr, &got); },
      [&] {
        EXPECT_EQ(latimer_cursor_begin(c, nullptr, 5, nullptr, memory.data(),
                                       memory.size()),
                  nullptr);
        return LATIMER_INVALID_ARGUMENT;
      },
      [&] { return latimer_begin_ids(c, nullptr, 5, nullptr, 1); },
      [&] { return latimer_tokenize(c, nullptr, 5, ids, 1, &count); },
      [&] { return latimer_tokenize_target(c, nullptr, 5, ids, 1, &count); },
      [&] { return latimer_count_tokens(c, nullptr, 5, &count); },
      [&] { return latimer_detokenize(c, nullptr, 5, &text, &text_bytes); },
      [&] {
        latimer_text* const stream = latimer_text_begin(
            c, nullptr, [](void*, const latimer_streamed_text*) {}, nullptr,
            memory.data(), memory.size());
        return latimer_text_push(stream, nullptr, 5);
      },
      [&] {
        latimer_html* const stream = latimer_html_begin(
            c, nullptr, [](void*, const char*, size_t) {}, nullptr,
            memory.data(), memory.size());
        return latimer_html_push(stream, nullptr, 5);
      }};
  for (const auto& call : calls) {
    // The message of the call before.
    EXPECT_NE(latimer_tokenize(c, kText, 5, ids, 0, &count), LATIMER_OK);
    EXPECT_EQ(call(), LATIMER_INVALID_ARGUMENT);
    EXPECT_EQ(c_.message(), "The source is NULL, but its length is 5.");
  }
  EXPECT_EQ(latimer_under_way(c), 0u);
  EXPECT_EQ(latimer_language_code_bytes(c, nullptr, 5), 0u);
  EXPECT_EQ(latimer_translate(c, nullptr, 0, nullptr, &got), LATIMER_OK)
      << c_.message();
}

// ---- Parts ----

// A part of a translation.
struct Part {
  std::string text;
  size_t source_bytes;
  std::string space;
  bool operator==(const Part&) const = default;
};

void PrintTo(const Part& part, std::ostream* out) {
  *out << part.source_bytes << " \"" << part.text << "\"";
}

struct Parts {
  std::vector<Part> parts;
  int stop_reason = 0;
  size_t source_bytes = 0;
};

// What TextCursor gives.
Parts PartsOfCpp(Translator& translator, std::string_view text,
                 const TranslateOptions& options) {
  TextCursor cursor(text, options);
  Parts all;
  while (!cursor.done()) {
    const auto part = translator.TranslateNext(cursor);
    EXPECT_TRUE(part.ok()) << part.status().message();
    if (!part.ok()) break;
    all.parts.push_back({std::string(part->text), part->source_bytes,
                         std::string(part->space)});
  }
  all.stop_reason = static_cast<int>(cursor.stop_reason());
  all.source_bytes = cursor.source_bytes();
  return all;
}

// Each part of the text lies in memory of its own, and is gone when it has
// finished.
Parts PartsOfC(const Loaded& c, std::string text,
               const latimer_options& options, bool side_by_side) {
  std::vector<std::byte> memory(latimer_cursor_bytes());
  latimer_cursor* const cursor =
      latimer_cursor_begin(c.get(), text.data(), text.size(), &options,
                           memory.data(), memory.size());
  EXPECT_NE(cursor, nullptr) << c.message();
  Parts all;
  auto part = Sized<latimer_translation>();
  while (!latimer_cursor_done(cursor)) {
    std::string window = text.substr(0, latimer_cursor_window_bytes());
    text.erase(0, window.size());
    latimer_cursor_move(cursor, window.data(), window.size());
    EXPECT_EQ(latimer_cursor_can_begin(cursor), 1);
    const size_t before = latimer_cursor_source_bytes(cursor);
    latimer_code code;
    if (side_by_side) {
      code = latimer_begin_next(c.get(), cursor, 7, &part);
      EXPECT_EQ(part.source_bytes,
                latimer_cursor_source_bytes(cursor) - before);
      int finished = 0;
      uint64_t ticket = 0;
      while (code == LATIMER_OK && finished == 0) {
        code = latimer_advance(c.get(), &finished, &ticket, &part);
      }
      EXPECT_EQ(ticket, 7u);
      latimer_cursor_finish(cursor, &part);
    } else {
      code = latimer_translate_next(c.get(), cursor, &part);
    }
    EXPECT_EQ(code, LATIMER_OK) << c.message();
    if (code != LATIMER_OK) break;
    const size_t bytes = latimer_cursor_source_bytes(cursor) - before;
    all.parts.push_back({{part.text, part.text_bytes},
                         bytes,
                         std::string(part.space, part.space_bytes)});
    text.insert(0, window, bytes, window.npos);
  }
  EXPECT_EQ(latimer_cursor_can_begin(cursor), 0);
  EXPECT_EQ(latimer_translate_next(c.get(), cursor, &part),
            LATIMER_FAILED_PRECONDITION);
  EXPECT_THAT(c.message(), HasSubstr("latimer_cursor_can_begin"));
  all.stop_reason = latimer_cursor_stop_reason(cursor);
  all.source_bytes = latimer_cursor_source_bytes(cursor);
  return all;
}

TEST_F(CApiTest, PartsAreThoseOfCpp) {
  std::string text;
  std::vector<TextRange> ranges;
  for (int i = 100; i < 180; ++i) {
    text += "Tom likes ";
    const auto begin = static_cast<uint32_t>(text.size());
    text += "<x" + std::to_string(i) + ">";
    ranges.push_back({begin, static_cast<uint32_t>(text.size())});
    text += " and my book.  ";
  }
  const int32_t prefix[] = {*cpp_.Translate("house")->tokens.data()};
  for (const bool side_by_side : {false, true}) {
    for (const uint32_t budget : {0u, 200u}) {
      auto options = Sized<latimer_options>();
      Set(&options, "temperature", "1");
      Set(&options, "seed", "5");
      options.stream = 2;
      Set(&options, "budget_tokens", budget);
      options.target_prefix_ids = prefix;
      options.target_prefix_count = 1;
      options.protected_ranges =
          reinterpret_cast<const latimer_text_range*>(ranges.data());
      options.protected_range_count = ranges.size();
      TranslateOptions cpp;
      cpp.sampling = {.enabled = true, .seed = 5, .stream = 2};
      if (budget > 0) cpp.budget_tokens = budget;
      cpp.target_prefix_ids = prefix;
      cpp.protected_ranges = ranges;
      const Parts expected = PartsOfCpp(cpp_, text, cpp);
      const Parts found = PartsOfC(c_, text, options, side_by_side);
      EXPECT_GT(expected.parts.size(), 1u);
      EXPECT_EQ(found.parts, expected.parts);
      EXPECT_EQ(found.stop_reason, expected.stop_reason);
      EXPECT_EQ(found.source_bytes, expected.source_bytes);
      EXPECT_EQ(found.stop_reason == LATIMER_BUDGET, budget > 0);
    }
  }
  auto options = Sized<latimer_options>();
  EXPECT_EQ(PartsOfC(c_, "", options, false).parts, (std::vector<Part>{{}}));
}

TEST_F(CApiTest, ATextMayBeLongerThanTheWindowThatItGoesThrough) {
  if (kEmulated || kSanitized) return;  // It has many parts.
  std::string text = "Hello there. ";
  while (text.size() < latimer_cursor_window_bytes() * 5 / 4) text += text;
  auto options = Sized<latimer_options>();
  Set(&options, "max_target_tokens", "1");
  const latimer_text_range range = {static_cast<uint32_t>(text.size()) - 13,
                                    static_cast<uint32_t>(text.size()) - 8};
  options.protected_ranges = &range;
  options.protected_range_count = 1;
  TranslateOptions cpp = {.max_target_tokens = 1};
  const TextRange same = {range.begin, range.end};
  cpp.protected_ranges = {&same, 1};
  const Parts expected = PartsOfCpp(cpp_, text, cpp);
  EXPECT_EQ(PartsOfC(c_, text, options, false).parts, expected.parts);
  EXPECT_EQ(expected.source_bytes, text.size());
}

TEST_F(CApiTest, TheCodeOfATextIsThatOfAllItsParts) {
  std::string text = ">>deu<< ";
  for (int i = 0; i < 80; ++i) text += "The weather is nice in Berlin today. ";
  const auto options = Sized<latimer_options>();
  const Parts expected = PartsOfCpp(cpp_, text, {});
  EXPECT_GT(expected.parts.size(), 1u);
  EXPECT_EQ(PartsOfC(c_, text, options, false).parts, expected.parts);
  EXPECT_EQ(PartsOfC(c_, text, options, true).parts, expected.parts);
}

TEST_F(CApiTest, ACursorNeedsMemoryAndOptionsThatAreRight) {
  std::vector<std::byte> memory(latimer_cursor_bytes());
  EXPECT_EQ(latimer_cursor_begin(c_.get(), kText, 5, nullptr, memory.data(),
                                 memory.size() - 1),
            nullptr);
  EXPECT_THAT(c_.message(), HasSubstr("latimer_cursor_bytes()"));
  const latimer_options options = {};
  EXPECT_EQ(latimer_cursor_begin(c_.get(), kText, 5, &options, memory.data(),
                                 memory.size()),
            nullptr);
  EXPECT_THAT(c_.message(), HasSubstr("struct_bytes"));
}

TEST_F(CApiTest, DrawnTokensAreThoseOfCpp) {
  const float temperature = 2.0f, top_p = 0.9f, min_p = 0.02f;
  auto options = Sized<latimer_options>();
  Set(&options, "temperature", "2");
  Set(&options, "top_p", "0.9");
  Set(&options, "min_p", "0.02");
  Set(&options, "top_k", "9");
  Set(&options, "seed", "3");
  options.stream = 4;
  auto got = Sized<latimer_translation>();
  ASSERT_EQ(Translate(&options, &got), LATIMER_OK) << c_.message();
  TranslateOptions cpp;
  cpp.sampling = {.enabled = true,
                  .temperature = temperature,
                  .top_k = 9,
                  .top_p = top_p,
                  .min_p = min_p,
                  .seed = 3,
                  .stream = 4};
  const Translation expected = *cpp_.Translate(kText, cpp);
  EXPECT_TRUE(std::ranges::equal(std::span(got.tokens, got.token_count),
                                 expected.tokens));
}

TEST_F(CApiTest, ProtectedSpansComeOut) {
  constexpr char kCode[] = "Where is {name}? It is in <a>.";
  const latimer_text_range range = {26, 29};
  auto options = Sized<latimer_options>();
  Set(&options, "protect", "true");
  options.protected_ranges = &range;
  options.protected_range_count = 1;
  auto got = Sized<latimer_translation>();
  ASSERT_EQ(
      latimer_translate(c_.get(), kCode, sizeof(kCode) - 1, &options, &got),
      LATIMER_OK)
      << c_.message();
  const std::string_view text(got.text, got.text_bytes);
  EXPECT_THAT(std::string(text), HasSubstr("{name}"));
  EXPECT_THAT(std::string(text), HasSubstr("<a>"));
}

TEST_F(CApiTest, WithoutInsightThereIsNoRoomForIt) {
  auto load = Sized<latimer_load_options>();
  load.lanes = 1;
  load.room_for = "alignment";
  const Loaded small(model_.bytes(), &load);
  auto out = Sized<latimer_translation>();
  EXPECT_EQ(latimer_translate(small.get(), kText, 5, nullptr, &out),
            LATIMER_OK);
  EXPECT_EQ(out.scores, nullptr);
  EXPECT_EQ(out.attention_rows, 0u);
  auto options = Sized<latimer_options>();
  Set(&options, "scores", "true");
  EXPECT_NE(latimer_translate(small.get(), kText, 5, &options, &out),
            LATIMER_OK);
  EXPECT_THAT(small.message(), HasSubstr("token scores"));
}

TEST_F(CApiTest, TokensThatDoNotFitAreRefused) {
  int32_t ids[64];
  size_t count = 0, tokenized = 0;
  ASSERT_EQ(latimer_count_tokens(c_.get(), kText, sizeof(kText) - 1, &count),
            LATIMER_OK);
  EXPECT_EQ(count, *cpp_.CountTokens(kText));
  EXPECT_EQ(latimer_tokenize(c_.get(), kText, sizeof(kText) - 1, ids, count,
                             &tokenized),
            LATIMER_OK);
  EXPECT_EQ(tokenized, count);
  EXPECT_EQ(latimer_tokenize(c_.get(), kText, sizeof(kText) - 1, ids, count - 1,
                             &tokenized),
            LATIMER_TEXT_TOO_LONG);
  EXPECT_EQ(tokenized, 0u);
  EXPECT_NE(c_.message(), "");
  char piece[LATIMER_PIECE_BYTES] = "x";
  EXPECT_EQ(latimer_source_piece(c_.get(), -1, piece), 0u);
  EXPECT_STREQ(piece, "");
  EXPECT_EQ(latimer_target_piece(c_.get(), INT32_MAX, piece), 0u);
  EXPECT_STREQ(piece, "");
}

TEST_F(CApiTest, TheModelIsDescribed) {
  auto info = Sized<latimer_model_info>();
  ASSERT_EQ(latimer_get_model_info(c_.get(), &info), LATIMER_OK);
  const ModelDescription& expected = Internals::Describe(cpp_);
  EXPECT_EQ(info.format_version, expected.format_version);
  EXPECT_EQ(info.checksum, expected.checksum);
  EXPECT_EQ(info.file_bytes, expected.sizes.file);
  EXPECT_STREQ(info.weights, expected.weights);
  EXPECT_STREQ(info.tile, expected.tile);
  EXPECT_EQ(std::string_view(info.source, info.source_bytes), expected.source);
  EXPECT_EQ(std::string_view(info.license, info.license_bytes),
            expected.license);
  EXPECT_EQ(info.model_version_bytes, 0u);
  EXPECT_EQ(info.source_vocabulary, expected.architecture.source_vocabulary);
  EXPECT_EQ(info.target_vocabulary, expected.architecture.target_vocabulary);
  EXPECT_EQ(info.max_source_tokens, cpp_.max_source_tokens());
  EXPECT_EQ(info.max_target_tokens, cpp_.max_target_tokens());
  EXPECT_EQ(info.eos, expected.generation.eos);
  EXPECT_EQ(info.has_tokenizer, 1);
  EXPECT_EQ(info.threads, 1u);
  EXPECT_EQ(info.language_count, 0u);
  EXPECT_EQ(info.task_count, 0u);
  EXPECT_EQ(info.certified_share, 0.0);
  EXPECT_EQ(latimer_language(c_.get(), 0, nullptr), nullptr);
  EXPECT_EQ(latimer_task(c_.get(), 0, nullptr), nullptr);
}

TEST(CApiFamiliesTest, LanguagesAndTasksCanBeListedAndNamed) {
  for (const std::string name : {"m2m100", "t5"}) {
    const TempFolder folder;
    namespace fs = std::filesystem;
    fs::copy(TestData("huggingface_tokenizer") / name, folder.path());
    fs::copy(
        TestData("family_texts") / name, folder.path(),
        fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const ModelBytes file = WriteForThisCpu(
        OpenModel(folder.path(), /*with_tokenizer=*/true), WeightType::kF32);
    const Loaded c(file.bytes());
    Translator cpp;
    ASSERT_TRUE(cpp.Load(file.bytes(), &test_workspace).ok());
    const GenerationConfig& config = Internals::Describe(cpp).generation;
    EXPECT_GT(config.languages.size() + config.tasks.size(), 0u);
    size_t i = 0;
    int32_t token = 0;
    const char* prefix = nullptr;
    for (; const char* code = latimer_language(c.get(), i, &token); ++i) {
      EXPECT_STREQ(code, config.languages[i].code);
      EXPECT_EQ(token, config.languages[i].token);
    }
    EXPECT_EQ(i, config.languages.size());
    for (i = 0; const char* task = latimer_task(c.get(), i, &prefix); ++i) {
      EXPECT_STREQ(task, config.tasks[i].name);
      EXPECT_STREQ(prefix, config.tasks[i].prefix);
    }
    EXPECT_EQ(i, config.tasks.size());

    auto options = Sized<latimer_options>();
    TranslateOptions same;
    if (!config.languages.empty()) {
      same.source_language = latimer_language(c.get(), 0, nullptr);
      same.target_language = latimer_language(c.get(), 1, nullptr);
      Set(&options, "source_lang", same.source_language.data());
      Set(&options, "target_lang", same.target_language.data());
    } else {
      same.task = latimer_task(c.get(), 0, nullptr);
      Set(&options, "task", same.task.data());
    }
    auto out = Sized<latimer_translation>();
    ASSERT_EQ(latimer_translate(c.get(), kText, 5, &options, &out), LATIMER_OK)
        << c.message();
    const auto expected = cpp.Translate(std::string_view(kText, 5), same);
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ(std::string_view(out.text, out.text_bytes), expected->text);
  }
}

// ---- Callers with another header ----

TEST_F(CApiTest, ACallerWithAnOlderHeaderSetsLessAndGetsLess) {
  // As if `terms` and what follows it were not invented yet: there is something
  // else in the caller's memory.
  latimer_options options;
  std::memset(static_cast<void*>(&options), 0x7f, sizeof(options));
  constexpr size_t kOldOptions = offsetof(latimer_options, terms);
  std::memset(static_cast<void*>(&options), 0, kOldOptions);
  options.struct_bytes = kOldOptions;
  Set(&options, "max_target_tokens", "3");
  latimer_translation out;
  constexpr size_t kOldTranslation = offsetof(latimer_translation, source);
  std::memset(static_cast<void*>(&out), 0x7f, sizeof(out));
  out.struct_bytes = kOldTranslation;
  ASSERT_EQ(Translate(&options, &out), LATIMER_OK) << c_.message();
  EXPECT_EQ(out.struct_bytes, kOldTranslation);
  EXPECT_EQ(out.token_count, 3u);
  EXPECT_EQ(out.stop_reason, LATIMER_LENGTH_LIMIT);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&out);
  for (size_t i = kOldTranslation; i < sizeof(out); ++i) {
    ASSERT_EQ(bytes[i], 0x7f) << i;
  }
  latimer_model_info info;
  std::memset(static_cast<void*>(&info), 0x7f, sizeof(info));
  info.struct_bytes = offsetof(latimer_model_info, eos);
  ASSERT_EQ(latimer_get_model_info(c_.get(), &info), LATIMER_OK);
  EXPECT_EQ(info.file_bytes, model_.bytes().size());
  EXPECT_EQ(reinterpret_cast<const unsigned char*>(&info.eos)[0], 0x7f);
}

TEST_F(CApiTest, ACallerWithANewerHeaderIsToldWhatIsNotKnown) {
  struct Newer {
    latimer_options known;
    uint64_t invented_later;
  } options = {};
  options.known.struct_bytes = sizeof(options);
  Set(&options.known, "max_target_tokens", "3");
  struct {
    latimer_translation known;
    uint64_t invented_later;
  } out = {};
  out.known.struct_bytes = sizeof(out);
  out.invented_later = 7;
  ASSERT_EQ(Translate(&options.known, &out.known), LATIMER_OK);
  EXPECT_EQ(out.known.token_count, 3u);
  EXPECT_EQ(out.invented_later, 7u);
  options.invented_later = 1;
  EXPECT_EQ(Translate(&options.known, &out.known), LATIMER_INVALID_ARGUMENT);
  EXPECT_THAT(c_.message(), HasSubstr("latimer_options has a member that this "
                                      "older library does not know"));
}

TEST_F(CApiTest, ASizeThatIsNotSetIsRefused) {
  latimer_options options = {};
  auto out = Sized<latimer_translation>();
  EXPECT_EQ(Translate(&options, &out), LATIMER_INVALID_ARGUMENT);
  EXPECT_EQ(c_.message(),
            "struct_bytes is not set; set it to sizeof(latimer_options).");
  out.struct_bytes = 0;
  EXPECT_EQ(Translate(nullptr, &out), LATIMER_INVALID_ARGUMENT);
  EXPECT_THAT(c_.message(), HasSubstr("sizeof(latimer_translation)"));
  latimer_model_info info = {};
  EXPECT_EQ(latimer_get_model_info(c_.get(), &info), LATIMER_INVALID_ARGUMENT);
  const latimer_load_options load = {};
  latimer_translator* translator = c_.get();
  char message[LATIMER_MESSAGE_BYTES];
  char memory[64];
  EXPECT_EQ(latimer_load(model_.bytes().data(), model_.bytes().size(), memory,
                         sizeof(memory), &load, &translator, message,
                         sizeof(message)),
            LATIMER_INVALID_ARGUMENT);
  EXPECT_EQ(translator, nullptr);
  EXPECT_THAT(message, HasSubstr("sizeof(latimer_load_options)"));
  EXPECT_EQ(latimer_text_begin(c_.get(), &options, nullptr, nullptr, memory,
                               sizeof(memory)),
            nullptr);
}

TEST_F(CApiTest, RoomIsForWhatIsNamed) {
  auto load = Sized<latimer_load_options>();
  std::vector<char> scratch(latimer_scratch_bytes());
  char message[LATIMER_MESSAGE_BYTES];
  const auto bytes = [&](const char* room_for) {
    load.room_for = room_for;
    size_t planned = 0;
    const latimer_code code = latimer_plan_workspace(
        model_.bytes().data(), model_.bytes().size(), &load, scratch.data(),
        scratch.size(), &planned, nullptr, message, sizeof(message));
    EXPECT_EQ(code, planned > 0 ? LATIMER_OK : LATIMER_INVALID_ARGUMENT);
    return planned;
  };
  const size_t all = bytes(nullptr);
  EXPECT_EQ(bytes("alignment,attention,scores"), all);
  for (const char* one : {"attention", "scores", "alignment"}) {
    EXPECT_GT(bytes(one), bytes("")) << one;
    EXPECT_LT(bytes(one), all) << one;
  }
  for (const char* wrong : {"phrases", "scores,,alignment", "scores, alignment",
                            "Scores", ",", "scores,", "scores,scores"}) {
    EXPECT_EQ(bytes(wrong), 0u) << wrong;
    EXPECT_THAT(message, HasSubstr("give attention, scores or alignment"));
  }
}

TEST_F(CApiTest, AFileThatIsTrustedIsNotSearchedForDamage) {
  std::vector<std::max_align_t> damaged(
      model_.bytes().size() / sizeof(std::max_align_t) + 8);
  const size_t skipped =
      (64 - reinterpret_cast<uintptr_t>(damaged.data()) % 64) % 64;
  auto* const image = reinterpret_cast<std::byte*>(damaged.data()) + skipped;
  std::ranges::copy(model_.bytes(), image);
  image[model_.bytes().size() / 2] ^= std::byte{1};
  std::vector<char> workspace(latimer_workspace_bytes());
  auto load = Sized<latimer_load_options>();
  for (const int trusted : {0, 1}) {
    load.trust_file = trusted;
    latimer_translator* translator = nullptr;
    EXPECT_EQ(latimer_load(image, model_.bytes().size(), workspace.data(),
                           workspace.size(), &load, &translator, nullptr, 0),
              trusted == 1 ? LATIMER_OK : LATIMER_CORRUPT);
    if (translator != nullptr) latimer_unload(translator);
  }
}

TEST(CApiNamesTest, CodesAndReasonsHaveTheNamesOfTheirEnumerators) {
  EXPECT_STREQ(latimer_strcode(LATIMER_OK), "OK");
  EXPECT_STREQ(latimer_strcode(LATIMER_TILE_NOT_IN_BUILD), "TILE_NOT_IN_BUILD");
  EXPECT_STREQ(latimer_strcode(LATIMER_RESOURCE_UNAVAILABLE),
               "RESOURCE_UNAVAILABLE");
  EXPECT_STREQ(latimer_strcode(static_cast<latimer_code>(12)), "UNKNOWN");
  EXPECT_STREQ(latimer_stop_reason_name(LATIMER_LENGTH_LIMIT), "length_limit");
  EXPECT_STREQ(latimer_stop_reason_name(LATIMER_CANCELLED), "cancelled");
  EXPECT_STREQ(latimer_stop_reason_name(static_cast<latimer_stop_reason>(5)),
               "unknown");
}

}  // namespace latimer::c_api_test
