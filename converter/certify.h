// Measures on a text what packing costs a model.
#ifndef LATIMER_CONVERTER_CERTIFY_H_
#define LATIMER_CONVERTER_CERTIFY_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "converter/model_writer.h"
#include "model/certificate.h"

namespace latimer {

struct CertifyOptions {
  // Lines to translate: UTF-8 or, for a model without a tokenizer, token ids.
  std::filesystem::path text;
  // Reference translations, one per line; empty: none.
  std::filesystem::path references;
  // Called with the lines done and the total, by one thread at a time.
  std::function<void(uint64_t done, uint64_t total)> progress;
};

// A certificate that owns its data.
class OwnCertificate {
 public:
  // Views this object.
  Certificate View() const;

  Certificate numbers{};  // Its spans are not set.
  std::vector<float> encoder_snr, decoder_snr;
  std::vector<Divergence> divergences;
  std::vector<WorstLine> worst_lines;
};

// Translates the text with two images of the same model, on all cores. Throws
// ConversionError if a file cannot be read or has nothing to translate, if the
// numbers of lines and references differ, or if a line, which it names, cannot
// be translated.
OwnCertificate Certify(std::span<const std::byte> f32,
                       std::span<const std::byte> packed,
                       const CertifyOptions& options);

// The model with f32 weights, for this CPU. Takes 4 bytes per weight. Throws
// ConversionError, which names the option that needs it, if this CPU cannot run
// it or if it is larger than a model file can be.
ModelBytes WriteF32(
    const CanonicalModel& model, const char* option,
    const std::function<void(uint64_t done, uint64_t total)>& progress);

// Certifies `file`, which was written from `model` with the options `write` and
// with room for a certificate, and stores the certificate there. Calls
// WriteF32. Throws ConversionError as above, or if one of the two cannot run
// here.
OwnCertificate CertifyFile(const CanonicalModel& model,
                           const WriteOptions& write, const ModelBytes& file,
                           const CertifyOptions& options);

// Throws ConversionError if the packed model agrees with the f32 model on a
// smaller share of the tokens of `text` than `least`.
void RequireAgreement(const Certificate& certificate, double least,
                      const std::filesystem::path& text);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_CERTIFY_H_
