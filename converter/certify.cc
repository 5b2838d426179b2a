#include "converter/certify.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "converter/all_cores.h"
#include "converter/error.h"
#include "converter/known_answer.h"
#include "converter/loaded_model.h"
#include "converter/model_pair.h"
#include "converter/readers/text_file.h"
#include "converter/text_metrics.h"
#include "model/model_file.h"
#include "report/certificate.h"

namespace latimer {
namespace {

// The lines of a text, including empty ones, and its hash.
struct Text {
  std::vector<std::string> lines;
  uint64_t hash = 0;
};

Text ReadHashed(const std::filesystem::path& path) {
  const std::string bytes = ReadText(path);
  Text text;
  text.hash = XXH3_64bits(bytes.data(), bytes.size());
  const std::vector<std::string_view> lines = SplitLines(bytes);
  text.lines.assign(lines.begin(), lines.end());
  return text;
}

// A line and its share of the text's metrics.
struct ScoredLine {
  ComparedLine compared;
  BleuCounts f32_bleu, bleu;
  ChrfCounts f32_chrf, chrf;
  double likeness = 100.0;  // As WorstLine's.
};

void Score(const std::string* reference, bool has_text, ScoredLine* line) {
  const ComparedLine& c = line->compared;
  if (!has_text) {
    if (c.tokens > 0) {
      line->likeness = 100.0 * static_cast<double>(c.agreeing) /
                       static_cast<double>(c.tokens);
    }
    return;
  }
  if (c.f32_translation != c.translation) {
    line->likeness = Chrf(CountChrf(c.translation, c.f32_translation));
  }
  const std::string& expected =
      reference != nullptr ? *reference : c.f32_translation;
  line->f32_bleu = CountBleu(c.f32_translation, expected);
  line->f32_chrf = CountChrf(c.f32_translation, expected);
  line->bleu = CountBleu(c.translation, expected);
  line->chrf = CountChrf(c.translation, expected);
}

// Compares all lines; each thread has its own two models.
std::vector<ScoredLine> CompareLines(std::span<const std::byte> f32,
                                     std::span<const std::byte> packed,
                                     const Text& text, const Text* references,
                                     const CertifyOptions& options) {
  std::vector<ScoredLine> lines(text.lines.size());
  std::mutex mutex;
  uint64_t done = 0;
  RunOnAllCores(lines.size(), kMostLoadedModels, [&] {
    return [&, models = std::make_shared<ModelPair>(f32, packed)](size_t i) {
      try {
        lines[i].compared = models->Compare(text.lines[i]);
      } catch (const ConversionError& error) {
        FailWith(options.text, ", line ", i + 1, ": ", error.what());
      }
      Score(references == nullptr ? nullptr : &references->lines[i],
            models->info().has_tokenizer, &lines[i]);
      const std::scoped_lock lock(mutex);
      if (options.progress) options.progress(++done, lines.size());
    };
  });
  return lines;
}

// In dB; see certificate.h.
float SignalToNoise(const PowerSums& sums) {
  constexpr double kMost = 999.0;
  if (!std::isfinite(sums.signal) || !std::isfinite(sums.noise)) return -kMost;
  if (sums.noise == 0) return kMost;
  if (sums.signal == 0) return -kMost;
  return static_cast<float>(
      std::clamp(10.0 * std::log10(sums.signal / sums.noise), -kMost, kMost));
}

void Quote(std::string_view text, char (&out)[kCertificateTextBytes]) {
  constexpr std::string_view kEllipsis = "\u2026";
  const bool whole = text.size() < kCertificateTextBytes;
  size_t bytes = text.size();
  if (!whole) {
    bytes = kCertificateTextBytes - 1 - kEllipsis.size();
    // Does not split a character.
    while (bytes > 0 && (text[bytes] & 0xC0) == 0x80) --bytes;
  }
  std::memset(out, 0, sizeof(out));
  std::memcpy(out, text.data(), bytes);
  if (!whole) std::memcpy(out + bytes, kEllipsis.data(), kEllipsis.size());
}

void AddWorstLines(const Text& text, const std::vector<ScoredLine>& lines,
                   OwnCertificate* certificate) {
  std::vector<size_t> strayed;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].likeness < 100.0) strayed.push_back(i);
  }
  std::ranges::stable_sort(strayed, [&](size_t a, size_t b) {
    return lines[a].likeness < lines[b].likeness;
  });
  strayed.resize(std::min(strayed.size(), kMaxWorstLines));
  for (const size_t i : strayed) {
    WorstLine& worst = certificate->worst_lines.emplace_back();
    worst.line = static_cast<uint32_t>(i + 1);
    worst.likeness = static_cast<float>(lines[i].likeness);
    Quote(text.lines[i], worst.source);
    Quote(lines[i].compared.f32_translation, worst.f32_translation);
    Quote(lines[i].compared.translation, worst.translation);
  }
}

void AddOutputs(const Architecture& a, const std::vector<ScoredLine>& lines,
                OwnCertificate* certificate) {
  std::vector<PowerSums> sums(a.encoder_layers + a.decoder_layers + 1);
  for (const ScoredLine& line : lines) {
    const std::vector<PowerSums>& outputs = line.compared.outputs;
    for (size_t i = 0; i < outputs.size(); ++i) sums[i] += outputs[i];
  }
  for (size_t i = 0; i + 1 < sums.size(); ++i) {
    (i < a.encoder_layers ? certificate->encoder_snr : certificate->decoder_snr)
        .push_back(SignalToNoise(sums[i]));
  }
  certificate->numbers.logits_snr = SignalToNoise(sums.back());
}

void AddScores(const std::vector<ScoredLine>& lines, Certificate* numbers) {
  BleuCounts f32_bleu, bleu;
  ChrfCounts f32_chrf, chrf;
  for (const ScoredLine& line : lines) {
    f32_bleu += line.f32_bleu;
    bleu += line.bleu;
    f32_chrf += line.f32_chrf;
    chrf += line.chrf;
  }
  numbers->f32_bleu = Bleu(f32_bleu);
  numbers->bleu = Bleu(bleu);
  numbers->f32_chrf = Chrf(f32_chrf);
  numbers->chrf = Chrf(chrf);
}

}  // namespace

Certificate OwnCertificate::View() const {
  Certificate view = numbers;
  view.encoder_snr = encoder_snr;
  view.decoder_snr = decoder_snr;
  view.divergences = divergences;
  view.worst_lines = worst_lines;
  return view;
}

OwnCertificate Certify(std::span<const std::byte> f32,
                       std::span<const std::byte> packed,
                       const CertifyOptions& options) {
  const Text text = ReadHashed(options.text);
  std::optional<Text> references;
  if (!options.references.empty()) {
    references = ReadHashed(options.references);
    if (references->lines.size() != text.lines.size()) {
      FailWith(
          options.references, " has ", references->lines.size(), " lines, but ",
          options.text, " has ", text.lines.size(),
          "; each line must be the translation of the same line of the text.");
    }
  }
  // Both models share it.
  const ModelDescription info = ReadInfo(packed, /*verify_checksum=*/false);
  if (references && !info.has_tokenizer) {
    FailWith(
        "--references needs a model with a tokenizer, whose output is text.");
  }
  const std::vector<ScoredLine> lines = CompareLines(
      f32, packed, text, references ? &*references : nullptr, options);

  OwnCertificate certificate;
  Certificate& numbers = certificate.numbers;
  numbers.text_hash = text.hash;
  numbers.has_references = references.has_value();
  numbers.references_hash = references ? references->hash : 0;
  numbers.lines = static_cast<uint32_t>(lines.size());
  numbers.scored = info.has_tokenizer;
  for (size_t i = 0; i < lines.size(); ++i) {
    const ComparedLine& line = lines[i].compared;
    numbers.tokens += line.tokens;
    numbers.agreeing_tokens += line.agreeing;
    if (line.equal) ++numbers.equal_lines;
    if (line.divergence && certificate.divergences.size() < kMaxDivergences) {
      certificate.divergences.push_back(*line.divergence);
      certificate.divergences.back().line = static_cast<uint32_t>(i + 1);
    }
  }
  if (numbers.tokens == 0) FailIn(options.text, "nothing to translate");
  if (numbers.scored) AddScores(lines, &numbers);
  AddOutputs(info.architecture, lines, &certificate);
  AddWorstLines(text, lines, &certificate);
  return certificate;
}

ModelBytes WriteF32(
    const CanonicalModel& model, const char* option,
    const std::function<void(uint64_t done, uint64_t total)>& progress) {
  const std::optional<Tile> tile = TileForThisCpu(WeightType::kF32);
  if (!tile) {
    FailWith("This CPU has no kernels for f32 weights, with which ", option,
             " compares; convert on another computer, or without ", option,
             ".");
  }
  const WriteOptions write = {
      .weights = WeightType::kF32, .f32_tile = *tile, .progress = progress};
  if (DataBytes(model, write) > kMaxFileBytes) {
    FailWith("With f32 weights, which ", option,
             " compares with, the model is larger than a model file can be; "
             "convert without ",
             option,
             ", or leave out tokens with --keep-vocab or --keep-scripts.");
  }
  return WriteModel(model, write);
}

OwnCertificate CertifyFile(const CanonicalModel& model,
                           const WriteOptions& write, const ModelBytes& file,
                           const CertifyOptions& options) {
  const std::optional<Tile> tile = TileToRun(write);
  if (!tile) {
    FailWith(
        "This CPU has no kernels to run the model with, so it cannot be "
        "certified here; convert on another computer, or without --certify.");
  }
  const RunnableCopy packed(model, write, file, *tile);
  const ModelBytes f32 = WriteF32(model, "--certify", write.progress);
  OwnCertificate certificate =
      Certify(f32.bytes(), packed.bytes().bytes(), options);
  SetCertificate(file, certificate.View());
  return certificate;
}

void RequireAgreement(const Certificate& certificate, double least,
                      const std::filesystem::path& text) {
  if (certificate.agreement() >= least) return;
  FailWith("The packed model chooses ", AgreementText(certificate), " of ",
           text,
           " as the f32 model does, which is less than --min-agreement; keep "
           "f32 weights, or look at ",
           WorstLineText(certificate), ".");
}

}  // namespace latimer
