#include <cstring>

#include "model/errors.h"
#include "model/tables.h"
#include "model/views.h"
#include "model_generated.h"

namespace latimer {
namespace {

// The entries before the first one without a line.
template <typename Entry>
std::span<const Entry> UsedOf(std::span<const Entry> all) {
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
        .encoder_snr = ViewOf(in.encoder_snr()),
        .decoder_snr = ViewOf(in.decoder_snr()),
        .logits_snr = in.logits_snr(),
        .divergences = UsedOf(StructsOf<Divergence>(in.divergences())),
        .worst_lines = UsedOf(StructsOf<WorstLine>(in.worst_lines())),
    };
    for (const WorstLine& line : out->worst_lines) {
      good = good && IsText(line.source) && IsText(line.f32_translation) &&
             IsText(line.translation);
    }
  }
  return good ? Status() : Damaged("its certificate", "is of another model");
}

}  // namespace latimer
