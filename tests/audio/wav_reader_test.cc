// WAV files of all kinds are read, in pieces of any size; others are refused
// with a sentence.
// Tests runtime/audio/wav_reader.cc.
#include "audio/wav_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <string>

#include "tests/audio/sounds.h"

namespace latimer::wav_reader_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Number(uint64_t value, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) {
    out += static_cast<char>(value >> 8 * i & 0xff);
  }
  return out;
}

struct Format {
  unsigned coding = 1, channels = 1, rate = 16000, bits = 16;
};

std::string Chunk(const std::string& name, const std::string& bytes) {
  return name + Number(bytes.size(), 4) + bytes +
         std::string(bytes.size() % 2, '\0');
}
std::string FormatChunk(const Format& format, const std::string& more = "") {
  const unsigned frame = format.channels * (format.bits / 8);
  return Chunk("fmt ", Number(format.coding, 2) + Number(format.channels, 2) +
                           Number(format.rate, 4) +
                           Number(uint64_t{frame} * format.rate, 4) +
                           Number(frame, 2) + Number(format.bits, 2) + more);
}
std::string Riff(const std::string& chunks) {
  return "RIFF" + Number(4 + chunks.size(), 4) + "WAVE" + chunks;
}
std::string Wav(const Format& format, const std::string& data) {
  return Riff(FormatChunk(format) + Chunk("data", data));
}

struct Heard {
  std::vector<float> samples;
  std::string error;
};

// With pieces of up to `most` bytes and samples; as PCM of that rate, or WAV.
Heard Read(std::string_view bytes, size_t most = 1000000, uint32_t rate = 0) {
  std::mt19937 random(1);
  const auto reader = std::make_unique<WavReader>();
  Heard heard;
  if (rate == 0) {
    reader->StartWav();
  } else if (const Status status = reader->StartPcm(rate); !status.ok()) {
    return {{}, status.message()};
  }
  std::vector<float> room;
  // Whether there may be more.
  const auto take = [&](auto call) {
    room.resize(1 + random() % most);
    const Result<size_t> count = call(std::span(room));
    if (!count.ok()) {
      heard.error = count.status().message();
      return false;
    }
    heard.samples.insert(heard.samples.end(), room.data(),
                         room.data() + *count);
    return *count == room.size();
  };
  while (!bytes.empty() && heard.error.empty()) {
    const size_t count = std::min<size_t>(1 + random() % most, bytes.size());
    // A buffer of its own, for the sanitizers.
    const std::vector<uint8_t> piece(bytes.data(), bytes.data() + count);
    bytes.remove_prefix(count);
    std::span<const uint8_t> part = piece;
    const auto feed = [&](auto to) { return reader->Feed(&part, to); };
    while (take(feed)) {
    }
  }
  const auto finish = [&](auto to) { return reader->Finish(to); };
  while (heard.error.empty() && take(finish)) {
  }
  return heard;
}

TEST(WavReaderTest, FitsItsMemory) {
  EXPECT_LE(sizeof(WavReader), size_t{64} << 10);
}

TEST(WavReaderTest, SamplesOfAllCodingsAreWithinOne) {
  EXPECT_THAT(Read(Wav({.bits = 8}, Number(0x00c0ff80, 4))).samples,
              ElementsAre(0.0f, 127 / 128.0f, 0.5f, -1.0f));
  EXPECT_THAT(
      Read(Wav({}, Number(0x7fff, 2) + Number(0x8000, 2) + Number(1, 2)))
          .samples,
      ElementsAre(32767 / 32768.0f, -1.0f, 1 / 32768.0f));
  EXPECT_THAT(Read(Wav({.bits = 24}, Number(0x7fffff, 3) + Number(0x800000, 3) +
                                         Number(1, 3)))
                  .samples,
              ElementsAre(8388607 / 8388608.0f, -1.0f, 1 / 8388608.0f));
  EXPECT_THAT(Read(Wav({.bits = 32}, Number(0x40000000, 4) +
                                         Number(0x80000000, 4) + Number(1, 4)))
                  .samples,
              ElementsAre(0.5f, -1.0f, 0x1p-31f));
  EXPECT_THAT(Read(Wav({.coding = 3, .bits = 32},
                       Number(std::bit_cast<uint32_t>(0.3f), 4) +
                           Number(std::bit_cast<uint32_t>(-2.5f), 4)))
                  .samples,
              ElementsAre(0.3f, -2.5f));
}

TEST(WavReaderTest, StereoIsMixed) {
  EXPECT_THAT(
      Read(Wav({.channels = 2}, Number(16384, 2) + Number(0, 2) +
                                    Number(0x8000, 2) + Number(0x8000, 2)))
          .samples,
      ElementsAre(0.25f, -1.0f));
}

TEST(WavReaderTest, FloatsThatAreNoNumbersAreSilence) {
  std::string data;
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(),
        -std::numeric_limits<float>::infinity(), 1e9f, 0.25f}) {
    data += Number(std::bit_cast<uint32_t>(value), 4);
  }
  EXPECT_THAT(Read(Wav({.coding = 3, .bits = 32}, data)).samples,
              ElementsAre(0.0f, 0.0f, 0.0f, 0.25f));
}

std::string Extensible(unsigned coding, const std::string& guid) {
  return Riff(FormatChunk({.coding = 0xfffe}, Number(22, 2) + Number(16, 2) +
                                                  Number(4, 4) +
                                                  Number(coding, 2) + guid) +
              Chunk("data", Number(16384, 2)));
}

TEST(WavReaderTest, ExtensibleFormatsAreRead) {
  const std::string guid("\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
  EXPECT_THAT(Read(Extensible(1, guid)).samples, ElementsAre(0.5f));
  EXPECT_THAT(Read(Extensible(1, guid + "more")).samples, ElementsAre(0.5f));
  EXPECT_THAT(Read(Extensible(7, guid)).error, HasSubstr("in coding 7"));
  EXPECT_THAT(Read(Extensible(1, std::string(14, 'x'))).error,
              HasSubstr("in coding 65534"));
}

TEST(WavReaderTest, OtherChunksAreSkipped) {
  const std::string data = Chunk("data", Number(16384, 2));
  const std::string odd = Chunk("LIST", "odd"), empty = Chunk("JUNK", "");
  const std::string format = FormatChunk({}), other = FormatChunk({.bits = 8});
  for (const std::string& chunks :
       {odd + format + data, format + odd + empty + data,
        format + data + odd + data, empty + other + odd + format + data + "x",
        FormatChunk({}, Number(0, 2)) + data,
        FormatChunk({}, Number(3, 2) + "abc") + data}) {
    EXPECT_THAT(Read(Riff(chunks)).samples, ElementsAre(0.5f));
  }
}

TEST(WavReaderTest, AStreamEndsWithItsBytes) {
  const std::string head = Riff(FormatChunk({}));
  for (const uint32_t size : {0u, 0xffffffffu, 0x80000000u, 0x7fffff00u}) {
    EXPECT_THAT(Read(head + "data" + Number(size, 4) + Number(16384, 2) +
                     Number(0x8000, 2))
                    .samples,
                ElementsAre(0.5f, -1.0f));
  }
  // A file that has been cut off, in the middle of a sample.
  EXPECT_THAT(
      Read(head + "data" + Number(100, 4) + Number(16384, 2) + "x").samples,
      ElementsAre(0.5f));
  // Data that ends in the middle of a sample.
  EXPECT_THAT(
      Read(head + "data" + Number(3, 4) + Number(16384, 2) + "xyz").samples,
      ElementsAre(0.5f));
}

TEST(WavReaderTest, PiecesMakeNoDifference) {
  std::mt19937 random(2);
  std::string data;
  for (size_t i = 0; i < 30000; ++i) data += static_cast<char>(random());
  for (const Format& format :
       {Format{.channels = 2, .rate = 44100, .bits = 24},
        Format{.rate = 16000, .bits = 16}, Format{.rate = 11025, .bits = 8},
        Format{.coding = 3, .channels = 2, .rate = 48000, .bits = 32}}) {
    const std::string wav =
        Riff(Chunk("LIST", "odd") + FormatChunk(format) + Chunk("data", data));
    const Heard whole = Read(wav);
    EXPECT_EQ(whole.error, "");
    EXPECT_EQ(whole.samples.size(),
              (data.size() / (format.channels * (format.bits / 8)) * 16000 +
               format.rate - 1) /
                  format.rate);
    for (const size_t most : {1, 3, 100}) {
      ASSERT_EQ(Read(wav, most).samples, whole.samples) << most;
    }
  }
}

TEST(WavReaderTest, PcmIsReadAtTheRateThatTheCallerSays) {
  const std::string pcm = Number(16384, 2) + Number(0x8000, 2) + "x";
  EXPECT_THAT(Read(pcm, 9, 16000).samples, ElementsAre(0.5f, -1.0f));
  EXPECT_EQ(Read(pcm, 9, 8000).samples.size(), 4u);
  EXPECT_THAT(Read("", 9, 16000).samples, IsEmpty());
  EXPECT_THAT(Read(pcm, 9, 7999).error, HasSubstr("7999 samples a second"));
  EXPECT_THAT(Read(pcm, 9, 96000).error, HasSubstr("8000 to 48000"));
}

TEST(WavReaderTest, WhatIsNoSuchWavIsRefusedWithASentence) {
  const std::string data = Chunk("data", Number(1, 2));
  const struct {
    std::string bytes, error;
  } kCases[] = {
      {"", "The sound is empty"},
      {"RIFF", "ends before its samples begin"},
      {Riff(""), "ends before its samples begin"},
      {Riff(FormatChunk({})), "ends before its samples begin"},
      {Riff(FormatChunk({})) + "data", "ends before its samples begin"},
      {"ID3 an MP3 file", "no WAV file"},
      {"RIFF1234AVI LIST", "no WAV file"},
      {"RF64" + Wav({}, "").substr(4), "no WAV file"},
      {Riff(data), "no fmt chunk before its data chunk"},
      {Riff(Chunk("fmt ", "short") + data), "fmt chunk has 5 bytes"},
      {Wav({.coding = 7, .rate = 8000, .bits = 8}, ""), "8 bits in coding 7"},
      {Wav({.bits = 12}, ""), "samples of 12 bits"},
      {Wav({.bits = 64}, ""), "samples of 64 bits"},
      {Wav({.bits = 0}, ""), "samples of 0 bits"},
      {Wav({.coding = 3}, ""), "16 bits in coding 3"},
      {Wav({.channels = 0}, ""), "has 0 channels"},
      {Wav({.channels = 6}, ""), "has 6 channels"},
      {Wav({.rate = 96000}, ""), "96000 samples a second"},
      {Wav({.rate = 0}, ""), "has 0 samples a second"},
      {Riff(Chunk("fmt ", FormatChunk({}).substr(8, 12) + Number(3, 2) +
                              Number(16, 2))),
       "1 channels of 16 bits, but 3 bytes"},
  };
  for (const auto& a : kCases) {
    for (const size_t most : {1, 1000}) {
      const Heard heard = Read(a.bytes, most);
      EXPECT_THAT(heard.error, HasSubstr(a.error));
      EXPECT_EQ(heard.error.back(), '.');
      EXPECT_THAT(heard.samples, IsEmpty());
    }
  }
}

}  // namespace latimer::wav_reader_test
