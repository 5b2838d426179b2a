// Bytes of a recording, in pieces of any size, give what the transcriber makes
// of its samples, in C++ and in C.
// Tests api/speech_stream.cc, api/latimer_c_speech.cc.
#include "latimer/speech_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "latimer/latimer.h"
#include "tests/system/sized_struct.h"
#include "tests/system/tiny_model.h"

namespace latimer::speech_stream_test {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint32_t kRate = 16000;

// Noise of half a second with pauses between.
std::vector<int16_t> Sound(double seconds) {
  std::vector<int16_t> samples;
  for (uint32_t i = 0; i < static_cast<uint32_t>(seconds * kRate); ++i) {
    const bool speaks = i / (kRate / 2) % 2 == 0;
    samples.push_back(static_cast<int16_t>(
        speaks ? static_cast<int>(i * 137 % 20000) - 10000 : 0));
  }
  return samples;
}

std::string Pcm(const std::vector<int16_t>& samples) {
  std::string bytes;
  for (const int16_t sample : samples) {
    bytes.push_back(static_cast<char>(sample & 0xFF));
    bytes.push_back(static_cast<char>(sample >> 8));
  }
  return bytes;
}

std::string Wav(const std::vector<int16_t>& samples) {
  // Of one channel at 16 kHz; a size of 0 ends with the bytes.
  const char header[] =
      "RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80\x3E\0\0\0\x7D\0\0\2\0\x10\0"
      "data\0\0\0\0";
  return std::string(header, sizeof(header) - 1) + Pcm(samples);
}

struct Said {
  double start, end;
  std::string text;
  std::vector<int32_t> tokens;
  std::string language;

  bool operator==(const Said&) const = default;
};

void Add(const Transcription& said, std::vector<Said>* all) {
  for (const TranscriptionSegment& segment : said.segments) {
    all->push_back({segment.start,
                    segment.end,
                    std::string(segment.text),
                    {segment.tokens.begin(), segment.tokens.end()},
                    std::string(said.language)});
  }
}

class SpeechStreamTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ = std::make_unique<ModelBytes>(
        WriteForThisCpu(OpenModel(TestData("tiny_whisper") / "languages", true),
                        WeightType::kF32));
  }
  static void TearDownTestSuite() { model_.reset(); }

  SpeechStreamTest() {
    const Status status = translator_.Load(model_->bytes(), &test_workspace);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  // What the transcriber makes of all samples.
  std::vector<Said> Expected(const std::vector<int16_t>& samples,
                             TranscribeOptions options = {}) {
    options.fallback = false;
    std::vector<float> sound;
    for (const int16_t sample : samples) {
      sound.push_back(static_cast<float>(sample) / 32768.0f);
    }
    Transcriber transcriber(translator_);
    std::vector<Said> all;
    for (std::span<const float> rest = sound; !rest.empty();) {
      const Result<Transcription> said = transcriber.Transcribe(rest, options);
      EXPECT_TRUE(said.ok()) << said.status().message();
      if (!said.ok()) break;
      Add(*said, &all);
      rest = rest.subspan(said->used_samples);
    }
    return all;
  }

  // Without what leaves out an unlikely text, which is all of a random model's.
  std::unique_ptr<SpeechStream> Begin(TranscribeOptions options = {},
                                      uint32_t pcm_rate = 0) {
    options.fallback = false;
    const auto receive = [](void* context, const Transcription& said) {
      Add(said, static_cast<std::vector<Said>*>(context));
    };
    return std::make_unique<SpeechStream>(translator_, options, receive,
                                          &received_, pcm_rate);
  }

  // What a stream gives for bytes in pieces.
  std::vector<Said> Transcribe(SpeechStream& stream, const std::string& bytes,
                               size_t piece) {
    received_.clear();
    for (size_t at = 0; at < bytes.size(); at += piece) {
      const std::string some = bytes.substr(at, piece);
      const Status status = stream.Push(std::as_bytes(std::span(some)));
      EXPECT_TRUE(status.ok()) << status.message();
    }
    const Status status = stream.Finish();
    EXPECT_TRUE(status.ok()) << status.message();
    return received_;
  }

  static std::unique_ptr<ModelBytes> model_;
  Translator translator_;
  std::vector<Said> received_;
};

std::unique_ptr<ModelBytes> SpeechStreamTest::model_;

TEST_F(SpeechStreamTest, PiecesOfAnySizeGiveWhatTheTranscriberGives) {
  const auto sound = Sound(5);
  const std::vector<Said> expected = Expected(sound);
  EXPECT_GE(expected.size(), 3u);  // It hears two seconds at once.
  EXPECT_GT(expected.back().start, 2.0);
  const auto stream = Begin();
  for (const size_t piece : {1001, 64'000, 1'000'000}) {
    EXPECT_EQ(Transcribe(*stream, Wav(sound), piece), expected) << piece;
  }
  EXPECT_EQ(Transcribe(*Begin({}, kRate), Pcm(sound), 4096), expected);
}

TEST_F(SpeechStreamTest, WindowsThatAreJustFullAreNotLost) {
  const auto stream = Begin({}, kRate);
  for (const double seconds : {0.01, 2.0, 2.0 + 1.0 / kRate, 4.0}) {
    const auto sound = Sound(seconds);
    EXPECT_EQ(Transcribe(*stream, Pcm(sound), 4096), Expected(sound))
        << seconds;
  }
}

TEST_F(SpeechStreamTest, AfterAnErrorAnotherRecordingBegins) {
  const auto stream = Begin();
  const std::string no_wav = "ID3 and something else than a WAV.";
  EXPECT_THAT(stream->Push(std::as_bytes(std::span(no_wav))).message(),
              HasSubstr("WAV"));
  EXPECT_FALSE(stream->Finish().ok());  // Of no bytes.
  const auto sound = Sound(1);
  EXPECT_EQ(Transcribe(*stream, Wav(sound), 999), Expected(sound));
}

TEST_F(SpeechStreamTest, OptionsHoldForAllWindows) {
  const TranscribeOptions options = {.language = "de"};
  const auto sound = Sound(5);
  const auto said = Transcribe(*Begin(options), Wav(sound), 64'000);
  EXPECT_EQ(said, Expected(sound, options));
  for (const Said& one : said) EXPECT_EQ(one.language, "de");
  const std::string bytes = Pcm(sound);
  EXPECT_THAT(Begin({.language = "fr"}, kRate)
                  ->Push(std::as_bytes(std::span(bytes)))
                  .message(),
              HasSubstr("fr"));
  EXPECT_THAT(Begin({}, 7999)->Push(std::as_bytes(std::span(bytes))).message(),
              HasSubstr("7999"));
}

TEST_F(SpeechStreamTest, CancelledSpeechIsDropped) {
  std::atomic<bool> cancel = true;
  const auto stream = Begin({.cancel = &cancel});
  EXPECT_THAT(Transcribe(*stream, Wav(Sound(5)), 4096), IsEmpty());
  cancel = false;
  const auto sound = Sound(1);
  EXPECT_EQ(Transcribe(*stream, Wav(sound), 4096), Expected(sound));
}

TEST_F(SpeechStreamTest, AModelThatReadsTextIsRefused) {
  const ModelBytes file =
      ConvertModel(TestData("tiny_marian") / "bad_words", WeightType::kF32);
  ASSERT_TRUE(translator_.Load(file.bytes(), &test_workspace).ok());
  EXPECT_THAT(Begin()->Finish().message(), HasSubstr("reads text"));
}

// ---- C ----

class CSpeechTest : public SpeechStreamTest {
 protected:
  CSpeechTest() { Load(model_->bytes()); }
  ~CSpeechTest() override { latimer_unload(c_); }

  void Load(std::span<const std::byte> image) {
    if (c_ != nullptr) latimer_unload(c_);
    workspace_.reset(new char[latimer_workspace_bytes()]);
    char message[LATIMER_MESSAGE_BYTES];
    EXPECT_EQ(latimer_load(image.data(), image.size(), workspace_.get(),
                           latimer_workspace_bytes(), nullptr, &c_, message,
                           sizeof(message)),
              LATIMER_OK)
        << message;
  }

  static void Receive(void* context, const latimer_segment* segment) {
    EXPECT_EQ(segment->struct_bytes, sizeof(latimer_segment));
    static_cast<std::vector<Said>*>(context)->push_back(
        {segment->start,
         segment->end,
         std::string(segment->text, segment->text_bytes),
         {segment->tokens, segment->tokens + segment->token_count},
         segment->language});
  }

  latimer_speech* BeginC(const latimer_speech_options* options) {
    return latimer_speech_begin(c_, options, &Receive, &received_,
                                memory_.get(), latimer_speech_bytes());
  }

  latimer_translator* c_ = nullptr;
  std::unique_ptr<char[]> workspace_;
  std::unique_ptr<char[]> memory_{new char[latimer_speech_bytes()]};
};

TEST_F(CSpeechTest, SegmentsAreThoseOfCpp) {
  const auto sound = Sound(5);
  const std::string wav = Wav(sound);
  auto options = Sized<latimer_speech_options>();
  options.no_fallback = 1;
  options.language = "de";
  latimer_speech* speech = BeginC(&options);
  ASSERT_NE(speech, nullptr) << latimer_message(c_);
  ASSERT_EQ(latimer_speech_push(speech, wav.data(), wav.size()), LATIMER_OK)
      << latimer_message(c_);
  ASSERT_EQ(latimer_speech_finish(speech), LATIMER_OK) << latimer_message(c_);
  EXPECT_EQ(received_, Expected(sound, {.language = "de"}));

  received_.clear();
  const std::string pcm = Pcm(sound);
  options.pcm_rate = kRate;
  options.translate = 1;
  options.max_tokens = 5;
  options.short_window = 1;
  speech = BeginC(&options);
  ASSERT_EQ(latimer_speech_push(speech, pcm.data(), pcm.size()), LATIMER_OK);
  ASSERT_EQ(latimer_speech_finish(speech), LATIMER_OK);
  EXPECT_EQ(received_, Expected(sound, {.language = "de",
                                        .translate = true,
                                        .short_window = true,
                                        .max_tokens = 5}));
}

TEST_F(CSpeechTest, WordsJoinToTheirSegment) {
  const std::string wav = Wav(Sound(5));
  auto options = Sized<latimer_speech_options>();
  options.no_fallback = 1;
  options.word_timestamps = 1;
  size_t words = 0;
  const auto receive = [](void* context, const latimer_segment* segment) {
    std::string text;
    for (size_t i = 0; i < segment->word_count; ++i) {
      const latimer_word& word = segment->words[i];
      text.append(word.text, word.text_bytes);
      EXPECT_LE(word.start, word.end);
    }
    EXPECT_EQ(text, std::string(segment->text, segment->text_bytes));
    *static_cast<size_t*>(context) += segment->word_count;
  };
  latimer_speech* const speech = latimer_speech_begin(
      c_, &options, receive, &words, memory_.get(), latimer_speech_bytes());
  ASSERT_NE(speech, nullptr) << latimer_message(c_);
  ASSERT_EQ(latimer_speech_push(speech, wav.data(), wav.size()), LATIMER_OK);
  ASSERT_EQ(latimer_speech_finish(speech), LATIMER_OK) << latimer_message(c_);
  EXPECT_GT(words, 3u);
}

TEST_F(CSpeechTest, WhatIsWrongIsRefusedWithASentence) {
  latimer_speech* const speech = BeginC(nullptr);
  ASSERT_NE(speech, nullptr) << latimer_message(c_);
  EXPECT_EQ(latimer_speech_push(speech, "no WAV, but text", 16),
            LATIMER_INVALID_ARGUMENT);
  EXPECT_THAT(latimer_message(c_), HasSubstr("WAV"));
  EXPECT_EQ(latimer_speech_push(speech, nullptr, 3), LATIMER_INVALID_ARGUMENT);
  EXPECT_THAT(latimer_message(c_), HasSubstr("NULL"));
  EXPECT_EQ(latimer_speech_begin(c_, nullptr, &Receive, &received_,
                                 memory_.get(), latimer_speech_bytes() - 1),
            nullptr);
  EXPECT_THAT(latimer_message(c_), HasSubstr("latimer_speech_bytes()"));
  latimer_speech_options options = {};
  EXPECT_EQ(BeginC(&options), nullptr);
  EXPECT_THAT(latimer_message(c_), HasSubstr("struct_bytes"));

  latimer_set_cancelled(c_, 1);
  const std::string wav = Wav(Sound(5));
  EXPECT_EQ(latimer_speech_push(speech, wav.data(), wav.size()), LATIMER_OK);
  EXPECT_EQ(latimer_speech_finish(speech), LATIMER_OK);
  EXPECT_THAT(received_, IsEmpty());

  const ModelBytes file =
      ConvertModel(TestData("tiny_marian") / "bad_words", WeightType::kF32);
  Load(file.bytes());
  EXPECT_EQ(BeginC(nullptr), nullptr);
  EXPECT_THAT(latimer_message(c_), HasSubstr("reads text"));
}

}  // namespace latimer::speech_stream_test
