// Measures what packing costs a model, by a text.
#ifndef LATIMER_CONVERTER_CERTIFY_H_
#define LATIMER_CONVERTER_CERTIFY_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "converter/model_writer.h"
#include "latimer/certificate.h"

namespace latimer {

struct CertifyOptions {
  // Lines to be translated: UTF-8; of a model without a tokenizer token ids.
  std::filesystem::path text;
  // Their translations, as many lines; empty: none.
  std::filesystem::path references;
  // Called with the lines that are done and all, by one thread at a time.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

// A certificate with what it views.
class OwnCertificate {
 public:
  // Views this object.
  Certificate View() const;

  Certificate numbers{};  // Without its spans.
  std::vector<float> encoder_snr, decoder_snr;
  std::vector<Divergence> divergences;
  std::vector<WorstLine> worst_lines;
};

// Translates the text with both models, which are the same one, on all cores.
// Throws ConversionError if a file cannot be read or has nothing to translate,
// if there are not as many references as lines, or if a line cannot be
// translated, and names it.
OwnCertificate Certify(std::span<const std::byte> f32,
                       std::span<const std::byte> packed,
                       const CertifyOptions& options);

// Certifies `file`, which was written of `model` with `write` and with room for
// a certificate, and puts it there. Packs the model with f32 weights into
// memory, 4 bytes for each weight. Throws ConversionError as above, or if one
// of the two cannot be run here.
OwnCertificate CertifyFile(const CanonicalModel& model,
                           const WriteOptions& write, const ModelBytes& file,
                           const CertifyOptions& options);

// Throws ConversionError if the packed model agrees with f32 on less than this
// share of the tokens of `text`.
void RequireAgreement(const Certificate& certificate, double least,
                      const std::filesystem::path& text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CERTIFY_H_
