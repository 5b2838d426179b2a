#include "report/certificate.h"

#include <cinttypes>
#include <vector>

namespace latimer {

using cli::Format;
using cli::Json;

namespace {

// As `xxhsum -H3` prints it.
std::string HashText(uint64_t hash) { return Format("XXH3_%016" PRIx64, hash); }

Json MetricJson(const Certificate& c, double f32, double packed) {
  if (!c.scored) return nullptr;
  return {{"f32", f32}, {"packed", packed}, {"difference", packed - f32}};
}

std::string MetricText(const char* name, double f32, double packed) {
  return Format("%s %.2f with f32, %.2f packed (%+.2f)", name, f32, packed,
                packed - f32);
}

const char* ScoredAgainst(const Certificate& c) {
  if (!c.scored) return "nothing";
  return c.has_references ? "references" : "the f32 model";
}

std::vector<float> Copy(std::span<const float> values) {
  return {values.begin(), values.end()};
}

std::string NoiseText(std::span<const float> snr) {
  std::string text;
  for (const float value : snr) {
    text += Format("%s%.1f", text.empty() ? "" : " ", double{value});
  }
  return text;
}

}  // namespace

Json CertificateJson(const Certificate& c) {
  Json divergences = Json::array();
  for (const Divergence& d : c.divergences) {
    divergences.push_back({{"line", d.line},
                           {"position", d.position},
                           {"f32_token", d.f32_token},
                           {"token", d.token}});
  }
  Json worst = Json::array();
  for (const WorstLine& line : c.worst_lines) {
    Json entry = {{"line", line.line},
                  {c.scored ? "chrf" : "agreement", line.likeness},
                  {"source", std::string(line.source)}};
    if (c.scored) {
      entry["f32"] = std::string(line.f32_translation);
      entry["packed"] = std::string(line.translation);
    }
    worst.push_back(entry);
  }
  return {
      {"text_hash", HashText(c.text_hash)},
      {"references_hash",
       c.has_references ? Json(HashText(c.references_hash)) : Json()},
      {"lines", c.lines},
      {"equal_lines", c.equal_lines},
      {"tokens", c.tokens},
      {"agreeing_tokens", c.agreeing_tokens},
      {"agreement", c.agreement()},
      {"scored_against", ScoredAgainst(c)},
      {"bleu", MetricJson(c, c.f32_bleu, c.bleu)},
      {"chrf", MetricJson(c, c.f32_chrf, c.chrf)},
      {"snr_db",
       {{"encoder", Copy(c.encoder_snr)},
        {"decoder", Copy(c.decoder_snr)},
        {"logits", c.logits_snr}}},
      {"divergences", divergences},
      {"worst_lines", worst},
  };
}

std::string AgreementText(const Certificate& c) {
  return Format("%.2f %% of %" PRIu64 " tokens", 100.0 * c.agreement(),
                c.tokens);
}

std::string WorstLineText(const Certificate& c) {
  if (c.worst_lines.empty()) return "the text";
  return Format("line %" PRIu32 ", the worst", c.worst_lines.front().line);
}

std::string CertificateText(const Certificate& c) {
  std::string text = Format("Certificate: %s as with f32, %" PRIu32
                            " of %" PRIu32 " lines equal.\n",
                            AgreementText(c).c_str(), c.equal_lines, c.lines);
  if (c.scored) {
    text += Format("  Against %s: %s; %s.\n", ScoredAgainst(c),
                   MetricText("BLEU", c.f32_bleu, c.bleu).c_str(),
                   MetricText("chrF", c.f32_chrf, c.chrf).c_str());
  }
  text +=
      Format("  Signal to noise in dB: encoder %s; decoder %s; logits %.1f.\n",
             NoiseText(c.encoder_snr).c_str(), NoiseText(c.decoder_snr).c_str(),
             double{c.logits_snr});
  for (const WorstLine& line : c.worst_lines) {
    text += Format("  Line %" PRIu32 ", %s %.1f: %s\n", line.line,
                   c.scored ? "chrF" : "agreement", double{line.likeness},
                   line.source);
    if (!c.scored) continue;
    text += Format("    f32     %s\n    packed  %s\n", line.f32_translation,
                   line.translation);
  }
  return text;
}

}  // namespace latimer
