// latimer transcribe, with a random Whisper that hears two seconds at once.
// Tests programs/cli/transcribe.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/system/demo_model.h"
#include "tests/system/program.h"
#include "tests/system/tiny_model.h"

namespace latimer::transcribe_test {

using ::testing::HasSubstr;

constexpr uint32_t kRate = 16000;

// Tones of half a second with pauses between, as PCM of 16 bits.
std::string Pcm(double seconds) {
  std::string bytes;
  for (uint32_t i = 0; i < static_cast<uint32_t>(seconds * kRate); ++i) {
    const bool tone = i / (kRate / 2) % 2 == 0;
    const auto sample = static_cast<int16_t>(
        tone ? static_cast<int>(i * 137 % 20000) - 10000 : 0);
    bytes.push_back(static_cast<char>(sample & 0xFF));
    bytes.push_back(static_cast<char>(sample >> 8));
  }
  return bytes;
}

void Append(uint32_t value, size_t bytes, std::string* out) {
  for (size_t i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  }
}

std::string Wav(const std::string& pcm) {
  std::string wav = "RIFF";
  Append(static_cast<uint32_t>(36 + pcm.size()), 4, &wav);
  wav += "WAVEfmt ";
  Append(16, 4, &wav);
  Append(1, 2, &wav);  // PCM
  Append(1, 2, &wav);  // Channels.
  Append(kRate, 4, &wav);
  Append(2 * kRate, 4, &wav);
  Append(2, 2, &wav);
  Append(16, 2, &wav);
  wav += "data";
  Append(static_cast<uint32_t>(pcm.size()), 4, &wav);
  return wav + pcm;
}

class TranscribeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    for (const char* name : {"english", "languages"}) {
      const ModelBytes model = WriteForThisCpu(
          OpenModel(TestData("tiny_whisper") / name, true), WeightType::kF32);
      WriteFile(Path(std::string(name) + ".ltm"),
                {reinterpret_cast<const char*>(model.bytes().data()),
                 model.bytes().size()});
    }
    WriteFile(Path("short.wav"), Wav(Pcm(1.5)));
    WriteFile(Path("long.wav"), Wav(Pcm(5)));
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }
  static Outcome Transcribe(const char* model,
                            std::vector<std::string> arguments,
                            const std::string& input = "") {
    arguments.insert(
        arguments.begin(),
        // What random weights write is too unlikely otherwise.
        {"transcribe", Path(model + std::string(".ltm")), "--no-fallback"});
    return RunProgram("latimer", arguments, input);
  }
  static std::vector<nlohmann::json> Segments(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<nlohmann::json> segments;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
      segments.push_back(nlohmann::json::parse(line));
    }
    return segments;
  }

  static std::unique_ptr<TempFolder> folder_;
};
std::unique_ptr<TempFolder> TranscribeTest::folder_;

TEST_F(TranscribeTest, AFileAPipeAndRawPcmSayTheSame) {
  const Outcome file = Transcribe("english", {Path("short.wav")});
  EXPECT_EQ(file.code, 0) << file.err;
  EXPECT_FALSE(file.out.empty());
  EXPECT_EQ(Transcribe("english", {}, Wav(Pcm(1.5))).out, file.out);
  EXPECT_EQ(Transcribe("english", {"--pcm-rate", "16000"}, Pcm(1.5)).out,
            file.out);
  const Outcome twice =
      Transcribe("english", {Path("short.wav"), Path("short.wav")});
  EXPECT_EQ(twice.out, file.out + file.out);
}

TEST_F(TranscribeTest, LongSpeechIsCutInPauses) {
  const auto windows = Segments(
      Transcribe("english", {"--json", "--no-timestamps", Path("long.wav")}));
  ASSERT_GE(windows.size(), 3u);
  double end = 0;
  size_t id = 0;
  for (const nlohmann::json& window : windows) {
    EXPECT_EQ(window["id"].get<size_t>(), id++);
    EXPECT_EQ(window["start"].get<double>(), end);
    end = window["end"].get<double>();
    EXPECT_LE(end - window["start"].get<double>(), 2.0);
    // The second half of each second is silent.
    const double part = end - static_cast<int>(end);
    EXPECT_TRUE(part >= 0.5 || part == 0.0) << end;
    EXPECT_GE(window["no_speech_prob"].get<double>(), 0.0);
    EXPECT_FALSE(window.contains("language"));
  }
  EXPECT_EQ(end, 5.0);
}

TEST_F(TranscribeTest, SubtitlesHaveTheSegmentsOfJson) {
  const auto segments =
      Segments(Transcribe("english", {"--json", Path("long.wav")}));
  ASSERT_GE(segments.size(), 3u);
  const Outcome srt = Transcribe("english", {"--srt", Path("long.wav")});
  EXPECT_EQ(srt.code, 0) << srt.err;
  EXPECT_EQ(srt.out.substr(0, 8), "1\n00:00:");
  const Outcome vtt = Transcribe("english", {"--vtt", Path("long.wav")});
  EXPECT_EQ(vtt.out.substr(0, 8), "WEBVTT\n\n");
  double end = 0;
  std::string text;
  for (const nlohmann::json& segment : segments) {
    EXPECT_GE(segment["start"].get<double>(), end);
    end = segment["end"].get<double>();
    for (const char* field :
         {"tokens", "temperature", "avg_logprob", "compression_ratio"}) {
      EXPECT_TRUE(segment.contains(field)) << field;
    }
    char time[40];
    const auto ms = static_cast<int>(end * 1000 + 0.5);
    std::snprintf(time, sizeof(time), " --> 00:00:%02d", ms / 1000);
    const std::string ends(time);
    std::snprintf(time, sizeof(time), "%03d\n", ms % 1000);
    EXPECT_THAT(srt.out, HasSubstr(ends + "," + time));
    EXPECT_THAT(vtt.out, HasSubstr(ends + "." + time));
  }
  EXPECT_LE(end, 5.0);
  EXPECT_EQ(std::ranges::count(srt.out, '>'), segments.size());
  EXPECT_EQ(std::ranges::count(vtt.out, '>'), segments.size());
}

TEST_F(TranscribeTest, JsonHasWords) {
  const auto segments =
      Segments(Transcribe("english", {"--json", "--words", Path("long.wav")}));
  ASSERT_GE(segments.size(), 3u);
  for (const nlohmann::json& segment : segments) {
    ASSERT_FALSE(segment["words"].empty());
    std::string text;
    for (const nlohmann::json& word : segment["words"]) {
      text += word["word"].get<std::string>();
      EXPECT_LE(word["start"].get<double>(), word["end"].get<double>());
      EXPECT_GE(word["probability"].get<double>(), 0.0);
    }
    EXPECT_THAT(text, HasSubstr(segment["text"].get<std::string>()));
  }
}

TEST_F(TranscribeTest, TheLanguageIsNamedOrDetected) {
  const auto detected =
      Segments(Transcribe("languages", {"--json", Path("short.wav")}));
  ASSERT_GE(detected.size(), 1u);
  const auto language = detected[0]["language"].get<std::string>();
  EXPECT_LT(detected[0]["language_probability"].get<double>(), 1.0);
  const auto given = Segments(Transcribe(
      "languages", {"--json", "--language", language, Path("short.wav")}));
  EXPECT_EQ(given[0]["text"], detected[0]["text"]);
  EXPECT_EQ(given[0]["language_probability"].get<double>(), 1.0);
  EXPECT_NE(Transcribe("languages", {"--language", language, "--task",
                                     "translate", Path("short.wav")})
                .out,
            Transcribe("languages", {"--language", language, "--task",
                                     "transcribe", Path("short.wav")})
                .out);
}

TEST_F(TranscribeTest, ASecondModelTranslatesWhatWasSaid) {
  const std::string demo = Path("demo.ltm");
  const ModelBytes model = ConvertSmallDemo(WeightType::kInt8);
  WriteFile(demo, {reinterpret_cast<const char*>(model.bytes().data()),
                   model.bytes().size()});
  const auto segments = Segments(
      Transcribe("english", {"--json", "--then", demo, Path("short.wav")}));
  const auto said =
      Segments(Transcribe("english", {"--json", Path("short.wav")}));
  ASSERT_FALSE(said.empty());
  ASSERT_EQ(segments.size(), said.size());
  for (size_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(segments[i]["said"], said[i]["text"]);
    EXPECT_TRUE(segments[i].contains("text"));
  }
}

TEST_F(TranscribeTest, WhatIsWrongIsSaidInOneSentence) {
  const auto error = [](const Outcome& outcome, int code) {
    return ErrorSentence(outcome, code);
  };
  EXPECT_THAT(
      error(Transcribe("english", {}, "This is a text and no sound."), 1),
      HasSubstr("RIFF"));
  EXPECT_THAT(error(Transcribe("english", {"--task", "sing"}), 2),
              HasSubstr("transcribe or translate"));
  EXPECT_THAT(
      error(Transcribe("english", {"--language", "de", Path("short.wav")}), 1),
      HasSubstr("English alone"));
  EXPECT_THAT(
      error(Transcribe("languages", {"--language", "xx", Path("short.wav")}),
            1),
      HasSubstr("xx"));
  EXPECT_THAT(error(Transcribe("english", {"--srt", "--json"}), 2),
              HasSubstr("--vtt"));
  EXPECT_THAT(error(Transcribe("english",
                               {"--srt", Path("short.wav"), Path("long.wav")}),
                    2),
              HasSubstr("one recording"));
  EXPECT_THAT(error(Transcribe("english", {"--words"}), 2),
              HasSubstr("--json"));
  EXPECT_THAT(error(Transcribe("english", {"--pcm-rate", "1"}), 2),
              HasSubstr("8000"));
  EXPECT_THAT(error(Transcribe("english", {Path("missing.wav")}), 1),
              HasSubstr("missing.wav"));
}

TEST_F(TranscribeTest, ASecondModelThatReadsSpeechIsRefusedBeforeAnyWindow) {
  const std::string second = Path("languages.ltm");
  // No input is read, or its error would come first.
  EXPECT_THAT(ErrorSentence(Transcribe("english", {"--then", second},
                                       "This is a text and no sound."),
                            1),
              HasSubstr(second + ": it reads speech; --then takes a model "
                                 "that translates text."));
}

TEST_F(TranscribeTest, NoWindowIsTranslatedAfterAnError) {
  // Without a tokenizer it translates no text.
  const std::string ids = Path("ids.ltm");
  const ModelBytes model = WriteForThisCpu(
      ReadHuggingFaceBart(TinyModel("no_scale"), /*with_tokenizer=*/false),
      WeightType::kF32);
  WriteFile(ids, {reinterpret_cast<const char*>(model.bytes().data()),
                  model.bytes().size()});
  const Outcome outcome =
      Transcribe("english", {"--then", ids, Path("long.wav")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  const size_t error = outcome.err.find("has no tokenizer");
  ASSERT_NE(error, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("latimer: ", error), std::string::npos)
      << outcome.err;
}

TEST_F(TranscribeTest, NoSoundIsNoText) {
  EXPECT_EQ(Segments(Transcribe("english", {"--json"}, Wav(""))).size(), 0u);
}

}  // namespace latimer::transcribe_test
