#include "model/certificate_file.h"

#include <cstring>

#include "model_generated.h"

namespace latimer {
namespace {

// A vector of FlatBuffers structs in the place of ours, which are laid out
// alike, up to the first that has no line.
template <typename Ours, typename Theirs>
std::span<const Ours> InPlace(const flatbuffers::Vector<const Theirs*>& in) {
  static_assert(sizeof(Ours) == sizeof(Theirs) &&
                alignof(Ours) == alignof(Theirs) && FLATBUFFERS_LITTLEENDIAN);
  const std::span<const Ours> all(reinterpret_cast<const Ours*>(in.Data()),
                                  in.size());
  size_t count = 0;
  while (count < all.size() && all[count].line != 0) ++count;
  return all.first(count);
}

bool IsText(const char (&text)[kCertificateTextBytes]) {
  return std::memchr(text, 0, sizeof(text)) != nullptr;
}

}  // namespace

Status ReadCertificate(const schema::Certificate& in, const Architecture& a,
                       Certificate* out) {
  bool good = in.encoder_snr()->size() == a.encoder_layers &&
              in.decoder_snr()->size() == a.decoder_layers &&
              in.divergences()->size() <= kMaxDivergences &&
              in.worst_lines()->size() <= kMaxWorstLines &&
              in.agreeing_tokens() <= in.tokens() &&
              in.equal_lines() <= in.lines();
  if (good) {
    *out = {
        .text_hash = in.text_hash(),
        .references_hash = in.references_hash(),
        .lines = in.lines(),
        .equal_lines = in.equal_lines(),
        .tokens = in.tokens(),
        .agreeing_tokens = in.agreeing_tokens(),
        .scored = in.scored(),
        .has_references = in.has_references(),
        .f32_bleu = in.f32_bleu(),
        .f32_chrf = in.f32_chrf(),
        .bleu = in.bleu(),
        .chrf = in.chrf(),
        .encoder_snr = {in.encoder_snr()->data(), in.encoder_snr()->size()},
        .decoder_snr = {in.decoder_snr()->data(), in.decoder_snr()->size()},
        .logits_snr = in.logits_snr(),
        .divergences = InPlace<Divergence>(*in.divergences()),
        .worst_lines = InPlace<WorstLine>(*in.worst_lines()),
    };
    for (const WorstLine& line : out->worst_lines) {
      good = good && IsText(line.source) && IsText(line.f32_translation) &&
             IsText(line.translation);
    }
  }
  if (good) return Status();
  return Status::Error(StatusCode::kCorrupt,
                       "The model is damaged: its certificate is none of a "
                       "model like this.");
}

}  // namespace latimer
