// What quantization cost a model: `latimer-convert --certify` translates a text
// with f32 weights and with the packed ones and stores how the results differ.
#ifndef LATIMER_MODEL_CERTIFICATE_H_
#define LATIMER_MODEL_CERTIFICATE_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

// The first target token of a line that the packed model chooses differently.
// Lines count from 1, `position` from 0 through the tokens of all parts of the
// line.
struct Divergence {
  uint32_t line;
  uint32_t position;
  int32_t f32_token;
  int32_t token;
};

// Most bytes of a quoted text, with its terminating zero.
inline constexpr size_t kCertificateTextBytes = 192;

// A line whose translation differs much. `likeness` is the chrF of the packed
// model's translation against the f32 model's, or, without a tokenizer, the
// percentage of equal tokens. Texts are zero-terminated; one that was cut ends
// with U+2026.
struct WorstLine {
  uint32_t line;
  float likeness;
  char source[kCertificateTextBytes];
  char f32_translation[kCertificateTextBytes];
  char translation[kCertificateTextBytes];
};

// Most divergences and worst lines of a certificate.
inline constexpr size_t kMaxDivergences = 8;
inline constexpr size_t kMaxWorstLines = 5;

// The views live as long as the image.
struct Certificate {
  // XXH3-64 of the files, as `xxhsum -H3` prints it; 0 without references.
  uint64_t text_hash;
  uint64_t references_hash;
  // Lines of the text, and lines whose two translations have the same tokens.
  uint32_t lines;
  uint32_t equal_lines;
  // Target tokens of the f32 model, including EOS, and how many of them the
  // packed model also chooses, given the f32 model's tokens before them.
  uint64_t tokens;
  uint64_t agreeing_tokens;
  // Whether there are BLEU (tokenizer 13a) and chrF2, which need a tokenizer:
  // of the whole text, as sacrebleu 2.6.0 computes them by default, against the
  // references. Without references, the packed model's translations are
  // compared with the f32 model's, whose own figures are 100.
  bool scored;
  bool has_references;
  double f32_bleu;
  double f32_chrf;
  double bleu;
  double chrf;
  // Signal-to-noise ratio in dB, -999 to 999, of each layer's output and of the
  // logits: 10 log10(sum x^2 / sum (x - y)^2) with x from the f32 model and y
  // from the packed model, which reads the same tokens.
  std::span<const float> encoder_snr;
  std::span<const float> decoder_snr;
  float logits_snr;
  // The first ones, in the order of the text.
  std::span<const Divergence> divergences;
  // The worst one first.
  std::span<const WorstLine> worst_lines;

  // The share of agreeing tokens; 1 if there are no tokens.
  constexpr double agreement() const {
    return tokens == 0 ? 1.0
                       : static_cast<double>(agreeing_tokens) /
                             static_cast<double>(tokens);
  }
};

}  // namespace latimer

#endif  // LATIMER_MODEL_CERTIFICATE_H_
