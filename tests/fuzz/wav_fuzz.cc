// Reads any bytes as a WAV or as PCM: the same samples in one piece and in
// small ones, all of them finite, as are their features.
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "audio/log_mel.h"
#include "audio/wav_reader.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/input.h"

namespace latimer {
namespace {

struct Heard {
  bool good = false;
  std::vector<float> samples;
};

// With pieces of `in` bytes and `out` samples.
Heard Read(std::string_view bytes, uint32_t rate, size_t in, size_t out) {
  const auto reader = std::make_unique<WavReader>();
  Heard heard;
  reader->StartWav();
  if (rate != 0) {
    const Status status = reader->StartPcm(rate);
    ExpectSentence(status);
    if (!status.ok()) return heard;
  }
  std::vector<float> room(out);
  const auto take = [&](const Result<size_t>& count) {
    ExpectSentence(count.status());
    heard.good = count.ok();
    if (!count.ok()) return false;
    LATIMER_EXPECT(*count <= out);
    heard.samples.insert(heard.samples.end(), room.data(),
                         room.data() + *count);
    return *count == out;
  };
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, in);
    bytes.remove_prefix(piece.size());
    // Of its own, so that what is read beyond it is found.
    const std::vector<uint8_t> copy(piece.begin(), piece.end());
    std::span<const uint8_t> part = copy;
    while (take(reader->Feed(&part, room))) {
    }
    if (!heard.good) return heard;
    LATIMER_EXPECT(part.empty());
  }
  while (take(reader->Finish(room))) {
  }
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const size_t in = size_t{1} + input.Byte();
  const size_t out = size_t{1} + input.Byte();
  const uint32_t rate = input.Byte() % 2 * input.Take<uint16_t>();
  const std::string_view bytes = input.rest();
  const Heard heard = Read(bytes, rate, bytes.size() + 1, 4096);
  const Heard pieces = Read(bytes, rate, in, out);
  LATIMER_EXPECT(heard.good == pieces.good);
  LATIMER_EXPECT(!heard.good || heard.samples == pieces.samples);
  LATIMER_EXPECT(heard.samples.size() <= 2 * bytes.size() + 1);
  for (const float sample : heard.samples)
    LATIMER_EXPECT(std::isfinite(sample));

  // Any numbers, too, and not only what the reader lets pass.
  std::vector<float> numbers = heard.samples;
  for (size_t i = 0; i + 4 <= bytes.size() && numbers.size() < 4000; i += 4) {
    Input number(reinterpret_cast<const uint8_t*>(bytes.data()) + i, 4);
    numbers.push_back(std::bit_cast<float>(number.Take<uint32_t>()));
  }
  const auto scratch = std::make_unique<LogMelScratch>();
  std::vector<float> features((2 + in % 40) * 80);
  LogMel(numbers, 80, features, scratch.get());
  for (const float feature : features) LATIMER_EXPECT(std::isfinite(feature));
  return 0;
}

}  // namespace latimer
