#include "converter/calibrate.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "converter/error.h"
#include "converter/error_feedback.h"
#include "converter/known_answer.h"
#include "converter/model_writer.h"
#include "converter/observe.h"
#include "converter/readers/text_file.h"
#include "model_generated.h"
#include "transformer/probe.h"

namespace latimer {
namespace {

// The matrices of a file, by the addresses of their weights.
std::map<std::string, const std::byte*> FindWeights(const ModelBytes& file) {
  std::map<std::string, const std::byte*> weights;
  for (const schema::Tensor* tensor :
       *schema::GetModel(file.bytes().data())->tensors()) {
    weights.emplace(tensor->name()->str(),
                    reinterpret_cast<const std::byte*>(tensor->data()->data()));
  }
  return weights;
}

// Gathers the Hessians of some matrices.
class InputProbe final : public Probe {
 public:
  void Expect(const std::byte* weights, Hessian* hessian) {
    hessians_.emplace(weights, hessian);
  }

  void OnInput(const std::byte* weights, std::span<const float> rows) override {
    const auto found = hessians_.find(weights);
    if (found != hessians_.end()) found->second->Add(rows);
  }
  void OnOutput(ProbePoint, uint32_t, std::span<const float>) override {}
  int32_t OnToken(size_t, int32_t chosen) override { return chosen; }

 private:
  std::map<const std::byte*, Hessian*> hessians_;
};

std::vector<std::string> ReadEnoughLines(const std::filesystem::path& text) {
  std::vector<std::string> lines = ReadSourceLines(text);
  const auto used = static_cast<size_t>(
      std::ranges::count_if(lines, [](const std::string& line) {
        return line.find_first_not_of(" \t") != std::string::npos;
      }));
  if (used < kLeastCalibrationLines) {
    FailIn(text, "has only ", used, used == 1 ? " line" : " lines",
           " to translate, which is too few for --calibrate; give at least ",
           kLeastCalibrationLines, ", better some hundreds");
  }
  return lines;
}

// A matrix that is to be quantized.
struct CalibrationJob {
  std::string name;
  std::vector<WeightType> types;
  const CanonicalLinear* linear;
};

std::vector<CalibrationJob> PlanJobs(const std::set<MatrixAs>& wanted,
                                     const CanonicalModel& model) {
  std::vector<CalibrationJob> jobs;
  for (const auto& [name, type] : wanted) {
    const CanonicalLinear& linear = model.linears.at(name);
    if (type == WeightType::kInt8 && linear.is_quantized()) continue;
    if (jobs.empty() || jobs.back().name != name) {
      jobs.push_back({name, {}, &linear});
    }
    jobs.back().types.push_back(type);
  }
  return jobs;
}

// The jobs from `begin` whose Hessians fit into memory; at least one.
size_t EndOfPass(const std::vector<CalibrationJob>& jobs, size_t begin,
                 uint64_t most) {
  uint64_t bytes = 0;
  size_t end = begin;
  for (; end < jobs.size(); ++end) {
    bytes += Hessian::BytesFor(jobs[end].linear->inputs());
    if (bytes > most && end > begin) break;
  }
  return end;
}

}  // namespace

QuantizedMatrices Calibrate(const CalibrateOptions& options,
                            const std::set<MatrixAs>& wanted,
                            const CanonicalModel& model) {
  if (!model.tokenizer) {
    FailWith("--calibrate translates a text, so the model needs a tokenizer.");
  }
  const std::vector<std::string> lines = ReadEnoughLines(options.text);
  const std::optional<Tile> tile = TileForThisCpu();
  if (!tile) {
    FailWith(
        "This CPU has no kernels for int8 weights, with which --calibrate "
        "translates; convert on another computer.");
  }
  const std::vector<CalibrationJob> jobs = PlanJobs(wanted, model);
  std::vector<size_t> ends;
  while (ends.empty() || ends.back() < jobs.size()) {
    ends.push_back(EndOfPass(jobs, ends.empty() ? 0 : ends.back(),
                             options.most_hessian_bytes));
  }
  const uint64_t total = ends.size() * lines.size() + jobs.size();
  uint64_t done = 0;
  const auto advance = [&] {
    if (options.progress) options.progress(++done, total);
  };

  // A pruned argmax does not multiply by all of the output matrix.
  const ModelBytes file = WriteModel(
      model, {.tile = *tile, .pruned_argmax = false, .progress = {}});
  const std::map<std::string, const std::byte*> weights = FindWeights(file);
  QuantizedMatrices matrices;
  size_t begin = 0;
  uint64_t most_tokens = 0;  // That any matrix has multiplied.
  for (const size_t end : ends) {
    std::vector<Hessian> hessians;
    hessians.reserve(end - begin);  // They must not move.
    InputProbe observer;
    for (size_t i = begin; i < end; ++i) {
      observer.Expect(weights.at(jobs[i].name),
                      &hessians.emplace_back(jobs[i].linear->inputs()));
    }
    Observe(file, options.text, lines, &observer,
            [&](uint64_t, uint64_t) { advance(); });
    for (size_t i = begin; i < end; ++i) {
      Hessian& hessian = hessians[i - begin];
      hessian.Finish();
      most_tokens = std::max<uint64_t>(most_tokens, hessian.rows());
      const CalibrationJob& job = jobs[i];
      if (hessian.rows() > 0) {
        const ErrorFeedback feedback(hessian);
        hessian = Hessian(0);  // Frees its memory.
        for (const WeightType type : job.types) {
          matrices.emplace(MatrixAs(job.name, type),
                           feedback.Quantize(type, *job.linear));
        }
      }
      advance();
    }
    begin = end;
  }
  if (most_tokens < kLeastCalibrationTokens) {
    FailIn(options.text, "has only ", most_tokens,
           " tokens, which is too few for --calibrate; give at least ",
           kLeastCalibrationTokens, ", better some thousands");
  }
  return matrices;
}

}  // namespace latimer
