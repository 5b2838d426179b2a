#include "converter/known_answer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>

#include "base/cpu.h"
#include "converter/error.h"
#include "internals.h"
#include "latimer/translator.h"
#include "model_generated.h"
#include "ops/xnnpack/gemm.h"
#include "report/test_sound.h"

namespace latimer {
namespace {

// Long enough to use every weight, short enough for the slowest board.
constexpr uint32_t kSourceTokens = 12;
constexpr uint32_t kSpeechPositions = 100;  // 2 s.
constexpr uint32_t kTargetTokens = 24;

// Whether some of an int8 model's matrices have this type.
bool HasMatrices(const WriteOptions& options, WeightType type) {
  return options.types != nullptr &&
         std::ranges::any_of(*options.types, [type](const auto& entry) {
           return entry.second == type;
         });
}

// The last bits of f32 and f16 depend on the CPU, and so may an id.
bool IsExact(const WriteOptions& options) {
  return options.weights == WeightType::kInt8 &&
         !HasMatrices(options, WeightType::kF16);
}

bool RunsHere(Tile tile, bool int4) {
  const CpuFeatures cpu = DetectCpuFeatures();
  GemmKernels kernels;
  return SelectGemmKernels(cpu, WeightTypeOf(tile), tile, &kernels).ok() &&
         (!int4 || AddGemmKernels(cpu, WeightType::kInt4, tile, &kernels).ok());
}

// Meaningless ids, the same for every conversion, between the ids that the
// model puts around every text. Of a model that reads speech they count
// positions.
std::vector<int32_t> KnownSource(const CanonicalModel& model) {
  const Architecture& a = model.architecture;
  const CanonicalGeneration& g = model.generation;
  if (a.reads_speech()) {
    return std::vector<int32_t>(std::min(
        {kSpeechPositions, a.source_positions, kProfile.source_rows()}));
  }
  std::vector<int32_t> ids;
  std::mt19937 random;  // The C++ standard defines its output.
  const size_t added = g.source_prefix.size() + g.source_suffix.size();
  const uint32_t longest =
      g.source_length > 0 ? g.source_length : a.source_positions;
  const size_t total =
      std::min({kSourceTokens, longest, kProfile.source_tokens});
  ids = g.source_prefix;
  // At least one.
  const size_t count =
      total > added ? total - g.source_suffix.size() : ids.size() + 1;
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries && ids.size() < count; ++i) {
    const auto id = static_cast<int32_t>(random() % a.source_vocabulary);
    if (id != g.eos && id != g.pad && id != g.decoder_start) ids.push_back(id);
  }
  ids.insert(ids.end(), g.source_suffix.begin(), g.source_suffix.end());
  return ids;
}

uint32_t KnownTargetTokens(const CanonicalModel& model) {
  return std::min({kTargetTokens, model.architecture.target_positions,
                   model.generation.max_target_tokens, kProfile.target_tokens});
}

// Whether the model's own bans leave a token besides EOS, which has no logit
// while a translation may not end: without one all logits are -infinity.
bool HasLogits(const CanonicalModel& model) {
  std::set<int32_t> banned = {model.generation.eos};
  for (const std::vector<int32_t>& sequence :
       model.generation.banned_sequences) {
    if (sequence.size() == 1) banned.insert(sequence.front());
  }
  return banned.size() < model.architecture.target_vocabulary;
}

// A finished model file, loaded.
class LoadedFile {
 public:
  explicit LoadedFile(const ModelBytes& file) {
    const Status loaded = translator_.Load(file.bytes(), workspace_.get(),
                                           {.verify_checksum = false});
    if (!loaded.ok()) {
      FailWith("The finished model does not load: ", loaded.message());
    }
  }

  Translation Translate(std::span<const int32_t> source, uint32_t target_tokens,
                        bool scores) {
    const Result<Translation> translation =
        translator_.TranslateIds(source, {.max_target_tokens = target_tokens,
                                          .min_target_tokens = target_tokens,
                                          .language_code = {},
                                          .beams = 1,
                                          .scores = scores});
    if (!translation.ok()) {
      FailWith("The finished model does not run: ",
               translation.status().message());
    }
    return *translation;
  }

  std::vector<int32_t> Hear(std::span<const float> sound, uint32_t tokens) {
    std::vector<int32_t> heard(tokens);
    const Status status = Internals::HearSound(translator_, sound, heard);
    if (!status.ok()) {
      FailWith("The finished model does not run: ", status.message());
    }
    return heard;
  }

  // Throws ConversionError if a logit is infinite or not a number, which
  // finite weights may lead to.
  void CheckLogits(std::span<const int32_t> source) {
    if (!kProfile.scores) return;
    // The first may be forced, and more may have no token left to choose.
    for (const TokenScore& score :
         Translate(source, /*target_tokens=*/2, /*scores=*/true).scores) {
      if (std::isfinite(score.log_probability)) continue;
      FailWith(
          "The model's logits for a test sentence are not finite, so its "
          "translations would mean nothing: the training has diverged, or the "
          "weights are damaged; convert an earlier checkpoint.");
    }
  }

 private:
  const std::unique_ptr<Workspace> workspace_{new Workspace};  // Not zeroed.
  Translator translator_;
};

}  // namespace

std::optional<Tile> TileForThisCpu(WeightType type, bool int4) {
  // The values are the same; see schema/model.fbs.
  constexpr int kMost = static_cast<int>(schema::Tile::MAX);
  for (int i = 1; i <= kMost; ++i) {
    const auto tile = static_cast<Tile>(i);
    if (WeightTypeOf(tile) == type && RunsHere(tile, int4)) return tile;
  }
  return std::nullopt;
}

std::optional<Tile> TileToRun(const WriteOptions& options) {
  if (options.weights == WeightType::kF16) return Tile::k16x1;
  const bool int4 = HasMatrices(options, WeightType::kInt4);
  return RunsHere(options.tile, int4) ? options.tile
                                      : TileForThisCpu(WeightType::kInt8, int4);
}

RunnableCopy::RunnableCopy(const CanonicalModel& model,
                           const WriteOptions& options, const ModelBytes& file,
                           Tile tile)
    : file_(file) {
  if (tile == options.tile || tile == Tile::k16x1) return;
  if (options.file != nullptr) place_.emplace(options.file->path());
  WriteOptions other = options;
  other.tile = tile;
  other.known_answer = {};
  other.certificate = false;
  other.file = place_ ? &*place_ : nullptr;
  other.progress = {};
  file_ = WriteModel(model, other);
}

ModelBytes WriteModelWithKnownAnswer(const CanonicalModel& model,
                                     const WriteOptions& options,
                                     std::vector<std::string>* warnings) {
  WriteOptions with_answer = options;
  with_answer.known_answer = {};
  const bool reads_speech = model.architecture.reads_speech();
  if (reads_speech && !kProfile.speech()) return WriteModel(model, with_answer);
  const std::vector<int32_t> source = KnownSource(model);
  std::vector<int32_t> target(KnownTargetTokens(model));  // Reserves its place.
  const auto most = static_cast<uint32_t>(target.size());
  if (!IsExact(options)) {
    ModelBytes file = WriteModel(model, with_answer);
    const bool int4 = HasMatrices(options, WeightType::kInt4);
    if (!reads_speech && HasLogits(model) && RunsHere(options.tile, int4)) {
      LoadedFile(file).CheckLogits(source);
    }
    return file;
  }
  const std::optional<Tile> tile = TileToRun(options);
  if (!tile) {
    warnings->push_back(
        "this CPU has no kernels for int8 weights, so the model file gets no "
        "known answer that latimer doctor could compare with; convert on "
        "another computer for one.");
    return WriteModel(model, with_answer);
  }
  with_answer.known_answer = {source, target};
  ModelBytes file = WriteModel(model, with_answer);
  const RunnableCopy copy(model, options, file, *tile);
  LoadedFile loaded(copy.bytes());
  if (reads_speech) {
    SetKnownTarget(file, loaded.Hear(TestSound(source.size()), most));
    return file;
  }
  if (HasLogits(model)) loaded.CheckLogits(source);
  // Shorter if the model's own rules end it: a forced or an only token is EOS.
  const std::span<const int32_t> tokens =
      loaded.Translate(source, most, /*scores=*/false).tokens;
  SetKnownTarget(file, {tokens.begin(), tokens.end()});
  return file;
}

}  // namespace latimer
