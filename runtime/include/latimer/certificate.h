// What packing cost a model: `latimer-convert --certify` translates a text with
// f32 weights and with the packed ones, and stores how they differ.
#ifndef LATIMER_CERTIFICATE_H_
#define LATIMER_CERTIFICATE_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace latimer {

// The first target token of a line, counted from 1, that the packed model
// chooses otherwise; token number `position`, from 0. Of a line that is
// translated in parts, all parts' tokens are counted.
struct Divergence {
  uint32_t line;
  uint32_t position;
  int32_t f32_token;
  int32_t token;
};

// Longest texts, with a zero behind them, that a certificate quotes.
inline constexpr size_t kCertificateTextBytes = 192;

// A line whose translation strayed far. `likeness` is the chrF of the packed
// model's translation against the f32 model's; without a tokenizer the
// percentage of tokens that agree. Texts are zero-terminated, and end with
// U+2026 where they were cut.
struct WorstLine {
  uint32_t line;
  float likeness;
  char source[kCertificateTextBytes];
  char f32_translation[kCertificateTextBytes];
  char translation[kCertificateTextBytes];
};

// Divergences and worst lines that a certificate has room for.
inline constexpr size_t kMaxDivergences = 8;
inline constexpr size_t kMaxWorstLines = 5;

// Views live as long as the image.
struct Certificate {
  // XXH3-64 of the files, as `xxhsum -H3` prints it; 0 without references.
  uint64_t text_hash;
  uint64_t references_hash;
  // Lines of the text, and those whose translations have the same tokens.
  uint32_t lines;
  uint32_t equal_lines;
  // Target tokens of the f32 model, EOS included, and those of them that the
  // packed model chooses too where it has read the f32 model's tokens up to
  // there.
  uint64_t tokens;
  uint64_t agreeing_tokens;
  // Whether there are scores, which need a tokenizer: BLEU (tokenizer 13a) and
  // chrF2, of the whole text, as sacrebleu 2.6.0 computes them by default.
  // Against the references; without these of the packed model's translations
  // against the f32 model's, and 100 of the f32 model's.
  bool scored;
  bool has_references;
  double f32_bleu;
  double f32_chrf;
  double bleu;
  double chrf;
  // Signal to noise in dB, -999 to 999, of what each layer gives and of the
  // logits: 10 log10(sum x^2 / sum (x - y)^2) with x of the f32 model and y of
  // the packed one, which reads the same tokens.
  std::span<const float> encoder_snr;
  std::span<const float> decoder_snr;
  float logits_snr;
  // In the order of the text, the first ones.
  std::span<const Divergence> divergences;
  // The worst first.
  std::span<const WorstLine> worst_lines;

  // 1 without tokens.
  constexpr double agreement() const {
    return tokens == 0 ? 1.0
                       : static_cast<double>(agreeing_tokens) /
                             static_cast<double>(tokens);
  }
};

}  // namespace latimer

#endif  // LATIMER_CERTIFICATE_H_
