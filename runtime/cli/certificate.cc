#include "cli/certificate.h"

#include <cstdio>
#include <vector>

namespace latimer {
namespace {

using Json = nlohmann::ordered_json;

std::string Number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

// As `xxhsum -H3` prints it.
std::string HashText(uint64_t hash) {
  char text[32];
  std::snprintf(text, sizeof(text), "XXH3_%016llx",
                static_cast<unsigned long long>(hash));
  return text;
}

Json ScoreJson(const Certificate& c, double f32, double packed) {
  if (!c.scored) return nullptr;
  return {{"f32", f32}, {"packed", packed}, {"difference", packed - f32}};
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
    if (!text.empty()) text += ' ';
    text += Number(value, 1);
  }
  return text;
}

std::string ScoreText(const char* name, double f32, double packed) {
  char text[128];
  std::snprintf(text, sizeof(text), "%s %.2f with f32, %.2f packed (%+.2f)",
                name, f32, packed, packed - f32);
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
      {"bleu", ScoreJson(c, c.f32_bleu, c.bleu)},
      {"chrf", ScoreJson(c, c.f32_chrf, c.chrf)},
      {"snr_db",
       {{"encoder", Copy(c.encoder_snr)},
        {"decoder", Copy(c.decoder_snr)},
        {"logits", c.logits_snr}}},
      {"divergences", divergences},
      {"worst_lines", worst},
  };
}

std::string AgreementText(const Certificate& c) {
  return Number(100.0 * c.agreement(), 2) + " % of " +
         std::to_string(c.tokens) + " tokens";
}

std::string WorstLineText(const Certificate& c) {
  if (c.worst_lines.empty()) return "the text";
  return "line " + std::to_string(c.worst_lines.front().line) + ", the worst";
}

std::string CertificateText(const Certificate& c) {
  std::string text = "Certificate: " + AgreementText(c) + " as with f32, " +
                     std::to_string(c.equal_lines) + " of " +
                     std::to_string(c.lines) + " lines equal.\n";
  if (c.scored) {
    text += "  Against ";
    text += ScoredAgainst(c);
    text += ": " + ScoreText("BLEU", c.f32_bleu, c.bleu) + "; " +
            ScoreText("chrF", c.f32_chrf, c.chrf) + ".\n";
  }
  text += "  Signal to noise in dB: encoder " + NoiseText(c.encoder_snr) +
          "; decoder " + NoiseText(c.decoder_snr) + "; logits " +
          Number(c.logits_snr, 1) + ".\n";
  for (const WorstLine& line : c.worst_lines) {
    text += "  Line " + std::to_string(line.line) + ", " +
            (c.scored ? "chrF " : "agreement ") + Number(line.likeness, 1) +
            ": " + line.source + "\n";
    if (!c.scored) continue;
    text += std::string("    f32     ") + line.f32_translation + "\n";
    text += std::string("    packed  ") + line.translation + "\n";
  }
  return text;
}

}  // namespace latimer
