// No public function takes more stack than kStackBytes.
//
// From above: the deepest path through the call graph that the compiler wrote
// with the object files of the library and of XNNPACK's kernels. From below: a
// thread whose stack was painted, and how much of the paint is left.
//
// Recursion, alloca and unknown calls fail the test; the tables below say what
// a pointer may call and what the C library takes. The bound excludes signal
// handlers, the token callback, and inline functions of the headers, which are
// part of the caller's frame.

#include <gtest/gtest.h>
#include <pthread.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/cpu_table.h"
#include "latimer/latimer.h"
#include "latimer/translator.h"
#include "tests/system/call_graph.h"
#include "tests/system/demo_model.h"
#include "tests/system/sized_struct.h"

namespace latimer::stack_bound_test {

// Any kernel of any instruction set: XNNPACK's, and ours, each in the namespace
// of its own.
const std::string kAnyKernel = [] {
  std::string isas;
  for (int i = 0; i < kIsaCount; ++i) {
    isas.append(i == 0 ? "" : "|").append(kIsas[i].name);
  }
  return "xnn_|latimer::(" + isas + ")::";
}();

// What a call through a pointer may reach; the first line that matches counts.
const IndirectCall kIndirectCalls[] = {
    // A task of the pool: the functions that ForEachShard makes of lambdas.
    {"latimer::ThreadPool::[A-Za-z]+\\(", "ForEachShard<.*::_FUN\\("},
    // The receiver of a text is the caller's; a function without calls stands
    // for it.
    {"latimer::TextStream::", "latimer_text::Receive\\("},
    {"latimer_text::Receive\\(", "latimer_workspace_alignment\\("},
    {"latimer::Html(Stream|Text|Writer)::", "latimer_html::Receive\\("},
    {"latimer_html::Receive\\(", "latimer_workspace_alignment\\("},
    {"latimer::SpeechStream::", "latimer_speech::Receive\\("},
    {"latimer_speech::Receive\\(", "latimer_workspace_alignment\\("},
    // All others call tables of kernels (or TranslateOptions::on_token, which
    // is the caller's).
    {".", kAnyKernel.c_str()},
};

// The functions of the C library in use take a few hundred bytes, but the first
// call of each goes through the dynamic linker, which saves all registers: up
// to 2.7 KB on x86-64 with AVX-512, 0.5 KB on ARM. Measured with painted stacks
// on Debian 12, glibc 2.36, x86-64, aarch64 and armv7.
#ifdef __x86_64__
constexpr uint64_t kFirstCall = 3 * 1024;
// Functions without calls may use memory below the stack pointer.
constexpr uint64_t kRedZone = 128;
#else
constexpr uint64_t kFirstCall = 1024;
constexpr uint64_t kRedZone = 0;
#endif
// Measured: 1.6 KB for integers and text; no message has a floating number,
// which would take 2.7 KB.
constexpr uint64_t kPrintf = 3 * 1024;
// Measured: 3 KB, pthread_join included.
constexpr uint64_t kCreateThread = 4 * 1024;

constexpr Allowance kAllowances[] = {
    {"mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp)", kFirstCall},
    {"sqrtf|logf|lrintf|__(aeabi|aarch64)_[a-z0-9_]+|getauxval", kFirstCall},
    {"v?snprintf|pthread_setname_np", kPrintf},
    {"fputs|fwrite|abort", kFirstCall},
    {"syscall|sched_get(affinity|cpu)|__sched_cpucount|"
     "(__)?clock_gettime(64)?",
     kFirstCall},
    {"pthread_(self|setaffinity_np|attr_[a-z]+)", kFirstCall},
    {"pthread_(create|join)", kCreateThread},
    {"open(64)?|close|fstat(64)?|__fstat64_time64|mmap(64)?|munmap|"
     "madvise|"
     "__errno_location",
     kFirstCall},
};

// Everything that a caller can call: the classes, functions and C API of
// runtime/include/latimer. Private functions count as well.
constexpr const char* kRoots[] = {
    "latimer::Translator::",      "latimer::SentenceSplitter::",
    "latimer::TextStream::",      "latimer::SpaceAfter\\(",
    "latimer::HtmlText::",        "latimer::HtmlStream::",
    "latimer::MappedFile::",      "latimer::ReadModelInfo\\(",
    "latimer::PlanWorkspace\\(",  "latimer::ExactProfile\\(",
    "latimer::ParsePublicKey\\(", "latimer::VerifySignature\\(",
    "latimer::SignedBytes\\(",    "latimer::TextCursor::",
    "latimer::WavReader::",       "latimer::Resampler::",
    "latimer::LogMel\\(",         "latimer_[a-z_]+\\(",
};

struct Library {
  const char* name;
  const char* objects;  // Lists the object files; "" if there is no graph.
  bool threads;
  bool speech;
};

// Names of tests are made from it.
void PrintTo(const Library& library, std::ostream* out) {
  *out << library.name;
}

class StackBoundTest : public testing::TestWithParam<Library> {
 protected:
  void SetUp() override {
#ifndef __OPTIMIZE__
    GTEST_SKIP() << "THE STACK BOUND IS NOT CHECKED: it is that of optimized "
                    "builds.";
#endif
    if (*GetParam().objects == '\0') {
      GTEST_SKIP() << "THE STACK BOUND IS NOT CHECKED in this build: it takes "
                      "GCC 10 or newer, and no sanitizers.";
    }
    ASSERT_GT(ReadGraphsOf(LATIMER_KERNEL_OBJECTS), 0u);
    ASSERT_GT(ReadGraphsOf(GetParam().objects), 20u) << GetParam().objects;
    ASSERT_GT(ReadGraphsOf(LATIMER_SIGNATURE_OBJECTS), 0u);
    ASSERT_GT(ReadGraphsOf(LATIMER_AUDIO_OBJECTS), 0u);
    // Empty if signatures are left out.
    const size_t sodium = ReadGraphsOf(LATIMER_SODIUM_OBJECTS);
    ASSERT_EQ(sodium > 0, *LATIMER_SODIUM_OBJECTS != '\0');
  }

  // Adds the graphs of all object files in a list; returns how many there are.
  size_t ReadGraphsOf(const char* list) {
    std::ifstream objects(list);
    size_t count = 0;
    for (std::string object; std::getline(objects, object); ++count) {
      ReadGraphOf(object);
    }
    return count;
  }

  // The graph is next to the object file: x.cc.ci next to x.cc.o.
  void ReadGraphOf(const std::filesystem::path& object) {
    std::filesystem::path file = object;
    file.replace_extension(".ci");
    ASSERT_TRUE(std::filesystem::exists(file) &&
                std::filesystem::last_write_time(object) -
                        std::filesystem::last_write_time(file) <
                    std::chrono::minutes(1))
        << file << " is not of the compilation that made the object file: a "
        << "compiler cache has left it out, so build without one.";
    graph_.Read(file);
  }

  CallGraph::Path DeepestFrom(const char* root) {
    const std::vector<std::string> symbols = graph_.Find(root);
    EXPECT_FALSE(symbols.empty()) << "no function " << root;
    CallGraph::Path deepest;
    for (const std::string& symbol : symbols) {
      const CallGraph::Path& path = graph_.Deepest(symbol);
      if (path.bytes > deepest.bytes) deepest = path;
    }
    deepest.bytes += kRedZone;
    return deepest;
  }

  static void Print(const CallGraph::Path& path) {
    std::cout << GetParam().name << ": " << path.bytes << " bytes\n";
    for (const std::string& call : path.calls) {
      std::cout << "    " << call << "\n";
    }
  }

  CallGraph graph_{kIndirectCalls, kAllowances};
};

TEST_P(StackBoundTest, NoPublicFunctionTakesMore) {
  CallGraph::Path deepest;
  const auto add = [&](const char* root) {
    const CallGraph::Path path = DeepestFrom(root);
    if (path.bytes > deepest.bytes) deepest = path;
  };
  for (const char* root : kRoots) add(root);
  if (GetParam().speech) {
    add("latimer::Transcriber::");
    add("latimer::SpeechStream::");
  }
  Print(deepest);
  EXPECT_LE(deepest.bytes, kStackBytes);
  EXPECT_GT(deepest.bytes, 1000u) << "the graph is not whole";
}

TEST_P(StackBoundTest, NoThreadOfThePoolTakesMore) {
  if (!GetParam().threads) GTEST_SKIP() << "this library creates no thread";
  const CallGraph::Path deepest =
      DeepestFrom("latimer::ThreadPool::WorkerMain\\(");
  Print(deepest);
  EXPECT_LE(deepest.bytes, kStackBytes);
}

INSTANTIATE_TEST_SUITE_P(
    Libraries, StackBoundTest,
    testing::Values(Library{"latimer_runtime", LATIMER_OBJECTS,
                            kProfile.threads > 1, kProfile.speech()},
                    Library{"latimer_runtime_en_de", LATIMER_EN_DE_OBJECTS,
                            false, false}),
    [](const auto& library) { return std::string(library.param.name); });

// ---- The same from below ----------------------------------------------------

Workspace& workspace = test_workspace;
constexpr std::byte kPaint{0xa5};
constexpr size_t kPaintedBytes = 4 * kStackBytes;

// Paints the stack below its caller, calls `function` and returns how many
// bytes of it were used.
template <typename F>
[[gnu::noinline]] size_t UsedStack(F&& function) {
  auto* const top = static_cast<std::byte*>(__builtin_frame_address(0));
  // This function's own frame is left alone.
  volatile std::byte* at = top - 512;
  volatile std::byte* const bottom = top - kPaintedBytes;
  while (at > bottom) *--at = kPaint;
  function();
  at = bottom;
  while (*at == kPaint) ++at;
  return static_cast<size_t>(top - const_cast<std::byte*>(at));
}

struct Work {
  std::span<const std::byte> image;
  std::vector<std::string> lines;
  size_t used = 0;
};

void UseEverything(Work& work) {
  Translator translator;
  const auto use = [&](auto&& function) {
    work.used = std::max(work.used, UsedStack(function));
  };
  use([&] { (void)translator.Load(work.image.first(5000), &workspace); });
  use([&] { (void)translator.Load(work.image, &workspace, {.cpu = "none"}); });
  use([&] {
    if (!translator.Load(work.image, &workspace).ok()) abort();
  });
  TranslateOptions few;  // A few tokens go as deep as many.
  few.max_target_tokens = 4;
  for (const std::string& line : work.lines) {
    use([&] { (void)translator.Translate(line, few); });
  }
  int32_t ids[64];
  use([&] { (void)translator.Tokenize(work.lines[0], ids); });
  use([&] { (void)translator.CountTokens(work.lines[0]); });
  use([&] { (void)translator.Detokenize(std::span(ids).first(3)); });
  use([&] { (void)translator.TranslateIds({}); });
  const size_t bytes = latimer_workspace_bytes();
  void* memory = aligned_alloc(latimer_workspace_alignment(), bytes);
  latimer_translator* c_translator = nullptr;
  char message[400];
  const auto load = [&](size_t image_bytes) {
    return latimer_load(work.image.data(), image_bytes, memory, bytes, nullptr,
                        &c_translator, message, sizeof(message));
  };
  use([&] { (void)load(5000); });
  use([&] {
    if (load(work.image.size()) != LATIMER_OK) abort();
  });
  use([&] {
    auto translation = Sized<latimer_translation>();
    (void)latimer_translate(c_translator, work.lines[0].data(),
                            work.lines[0].size(), /*options=*/nullptr,
                            &translation);
  });
  latimer_unload(c_translator);
  free(memory);
}

TEST(StackUseTest, NoCallUsesMoreThanTheBound) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    !defined(__OPTIMIZE__)
  GTEST_SKIP() << "sanitizers change the stack, and so does -O0";
#endif
  for (const WeightType weights : {WeightType::kInt8, WeightType::kF32}) {
    const ModelBytes model = ConvertDemo(weights);
    Work work{.image = model.bytes(),
              .lines = ReadLines(DemoDirectory() / "data" / "test.en")};
    work.lines.resize(3);
    work.lines.push_back("\xff broken \xc3 bytes");
    std::string long_line;
    for (int i = 0; i < 100; ++i) long_line += "Tom wants to learn German. ";
    work.lines.push_back(long_line);
    // On a fresh thread: nothing of its stack belongs to the test.
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, 1 << 20), 0);
    pthread_t thread;
    ASSERT_EQ(pthread_create(
                  &thread, &attributes,
                  [](void* argument) -> void* {
                    UseEverything(*static_cast<Work*>(argument));
                    return nullptr;
                  },
                  &work),
              0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    std::cout << (weights == WeightType::kInt8 ? "int8: " : "f32: ")
              << work.used << " bytes used, the bound is " << kStackBytes
              << "\n";
    EXPECT_LE(work.used, kStackBytes);
    EXPECT_GT(work.used, 1000u) << "nothing was measured";
  }
}

}  // namespace latimer::stack_bound_test
