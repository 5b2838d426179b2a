// Times every vector kernel of every instruction set that this CPU has, at the
// shapes of a small translation model. Usage: vector_ops_bench
#include <chrono>
#include <cstdio>
#include <vector>

#include "base/cpu.h"
#include "ops/vector_kernels.h"

namespace latimer {
namespace {

// Starts on a cache line, as the workspace does.
struct AlignedFloats {
  explicit AlignedFloats(size_t n) : lines((n + 15) / 16) {}
  float* data() { return lines.data()->x; }
  const float* data() const { return lines.data()->x; }
  struct alignas(64) Line {
    float x[16];
  };
  std::vector<Line> lines;
};

AlignedFloats Noise(size_t n) {
  AlignedFloats v(n);
  uint32_t state = 1;
  for (size_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    v.data()[i] = static_cast<float>(state >> 8) * (2.0f / 16777216.0f) - 1.0f;
  }
  return v;
}

// Microseconds of the fastest of 25 batches.
template <typename F>
double Time(F f) {
  using Clock = std::chrono::steady_clock;
  int batch = 1;
  double best = 1e30;
  for (int i = 0; i < 25;) {
    const auto start = Clock::now();
    for (int k = 0; k < batch; ++k) f();
    const double us =
        std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    if (us < 2000.0) {
      batch *= 2;
      continue;
    }
    if (us / batch < best) best = us / batch;
    ++i;
  }
  return best;
}

void TimeAttention(const VectorKernels& kernels, size_t rows, size_t kv) {
  constexpr size_t kHeads = 8;
  constexpr size_t kDim = 64;
  constexpr size_t kModel = kHeads * kDim;
  const AlignedFloats q = Noise(rows * kModel);
  const AlignedFloats kv_rows = Noise(kv * 2 * kModel);
  AlignedFloats out(rows * kModel);
  AlignedFloats scratch(AttentionScratchSize(kHeads, kv));
  AlignedFloats packed(AttentionPackedSize(kDim, kv));
  const AttentionArgs args = {.query_rows = rows,
                              .heads = kHeads,
                              .head_dim = kDim,
                              .kv_count = kv,
                              .queries = q.data(),
                              .query_stride = kModel,
                              .keys = kv_rows.data(),
                              .values = kv_rows.data() + kModel,
                              .kv_stride = 2 * kModel,
                              .scale = 0.125f,
                              .scratch = scratch.data(),
                              .out = out.data(),
                              .out_stride = kModel,
                              .packed = packed.data()};
  std::printf("%-7s attend %zu x %-15zu %10.3f us\n", kernels.name, rows, kv,
              Time([&] { kernels.attend(args); }));
}

void TimeAll(const VectorKernels& kernels) {
  const auto print = [&](const char* what, double us) {
    std::printf("%-7s %-24s %10.3f us\n", kernels.name, what, us);
  };
  const AlignedFloats x = Noise(54688);
  const AlignedFloats gamma = Noise(2048);
  AlignedFloats y = Noise(54688);
  print("scale_add 512", Time([&] {
          kernels.scale_add(512, x.data(), 2.0f, gamma.data(), y.data());
        }));
  print("add_layer_norm 512", Time([&] {
          kernels.add_layer_norm(1, 512, x.data(), x.data() + 512, gamma.data(),
                                 gamma.data() + 512, 1e-5f, y.data());
        }));
  const auto activate = [&](const char* what, Activation kind) {
    // From the same input every time. The time includes its copy.
    print(what, Time([&] {
            __builtin_memcpy(y.data(), x.data(), 2048 * sizeof(float));
            kernels.activate(kind, 2048, y.data());
          }));
  };
  activate("relu 2048", Activation::kRelu);
  activate("gelu 2048", Activation::kGelu);
  activate("gelu_tanh 2048", Activation::kGeluTanh);
  activate("swish 2048", Activation::kSwish);
  print("softmax 128", Time([&] { kernels.softmax(128, y.data()); }));
  print("argmax 54688", Time([&] {
          if (kernels.argmax(54688, x.data()) >= 54688) std::printf("?\n");
        }));
  TimeAttention(kernels, 1, 32);
  TimeAttention(kernels, 1, 128);
  TimeAttention(kernels, 1, 1024);
  TimeAttention(kernels, 31, 31);
  TimeAttention(kernels, 32, 32);
  TimeAttention(kernels, 128, 128);
  TimeAttention(kernels, 512, 512);
}

}  // namespace
}  // namespace latimer

int main() {
  const latimer::VectorKernels* tables[latimer::kMaxVectorKernels] = {};
  const size_t count =
      latimer::ListVectorKernels(latimer::DetectCpuFeatures(), tables);
  for (size_t i = 0; i < count; ++i) latimer::TimeAll(*tables[i]);
}
