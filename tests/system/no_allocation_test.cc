// From Load to the end of 1,000 translations nothing allocates.
//
// Every allocating function of the C library, operator new (through malloc)
// and mmap are replaced in this program; while armed, a call aborts with its
// name. With several threads, Load may allocate to create them. f32, whose
// kernels alone are others, translates fewer.
// Tests runtime/translator.cc.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "latimer/streams.h"
#include "latimer/translator.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/recurrent_models.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LATIMER_CAN_REPLACE_MALLOC 0
#else
#define LATIMER_CAN_REPLACE_MALLOC 1
#endif

namespace {

std::atomic<bool> armed{false};
std::atomic<long> calls_seen{0};

[[maybe_unused]] void Note(const char* function) {
  calls_seen.fetch_add(1, std::memory_order_relaxed);
  if (!armed.load(std::memory_order_relaxed)) return;
  armed = false;
  (void)!write(STDERR_FILENO, function, strlen(function));
  (void)!write(STDERR_FILENO, " was called while translating\n", 30);
  abort();
}

}  // namespace

#if LATIMER_CAN_REPLACE_MALLOC
// glibc's own names of the replaced functions, or the linker's of wrapped ones.
#ifdef __GLIBC__
#define LATIMER_ORIGINAL(function) __libc_##function
#define LATIMER_REPLACED(function) function
#else
#define LATIMER_ORIGINAL(function) __real_##function
#define LATIMER_REPLACED(function) __wrap_##function
#endif

extern "C" {
void* LATIMER_ORIGINAL(malloc)(size_t);
void* LATIMER_ORIGINAL(calloc)(size_t, size_t);
void* LATIMER_ORIGINAL(realloc)(void*, size_t);
void* LATIMER_ORIGINAL(memalign)(size_t, size_t);

void* LATIMER_REPLACED(malloc)(size_t bytes) {
  Note("malloc");
  return LATIMER_ORIGINAL(malloc)(bytes);
}
void* LATIMER_REPLACED(calloc)(size_t count, size_t bytes) {
  Note("calloc");
  return LATIMER_ORIGINAL(calloc)(count, bytes);
}
void* LATIMER_REPLACED(realloc)(void* block, size_t bytes) {
  Note("realloc");
  return LATIMER_ORIGINAL(realloc)(block, bytes);
}
void* LATIMER_REPLACED(memalign)(size_t alignment, size_t bytes) {
  Note("memalign");
  return LATIMER_ORIGINAL(memalign)(alignment, bytes);
}
void* LATIMER_REPLACED(aligned_alloc)(size_t alignment, size_t bytes) {
  Note("aligned_alloc");
  return LATIMER_ORIGINAL(memalign)(alignment, bytes);
}
int LATIMER_REPLACED(posix_memalign)(void** block, size_t alignment,
                                     size_t bytes) {
  Note("posix_memalign");
  *block = LATIMER_ORIGINAL(memalign)(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}
void* LATIMER_REPLACED(mmap)(void* address, size_t length, int protection,
                             int flags, int file, off_t offset) {
  Note("mmap");
#ifdef SYS_mmap2
  const long result = syscall(SYS_mmap2, address, length, protection, flags,
                              file, offset >> 12);
#else
  const long result =
      syscall(SYS_mmap, address, length, protection, flags, file, offset);
#endif
  return reinterpret_cast<void*>(result);
}
}
#endif

namespace latimer::no_allocation_test {

Workspace& workspace = test_workspace;

class NoAllocationTest : public testing::TestWithParam<WeightType> {
 protected:
  void SetUp() override {
    if (!LATIMER_CAN_REPLACE_MALLOC) {
      GTEST_SKIP() << "a sanitizer has replaced malloc already";
    }
  }
};

constexpr size_t TranslationsOf(WeightType weights) {
  return FewerIfSlow(weights == WeightType::kF32 ? 200 : 1000, 8);
}
// 0: only the model's limit, which long texts reach.
constexpr uint32_t kMaxTargetTokens = FewerIfSlow(0, 16);

// Sentences, and a few texts that need repair or cutting.
void TranslateMuch(Translator& translator,
                   const std::vector<std::string>& lines, size_t translations) {
  size_t bytes = 0;
  TranslateOptions options;
  if (kMaxTargetTokens > 0) options.max_target_tokens = kMaxTargetTokens;
  for (size_t i = 0; i < translations; ++i) {
    const auto result = translator.Translate(
        lines[lines.size() - 1 - i % lines.size()], options);
    if (!result.ok()) {
      std::fputs(result.status().message(), stderr);
      abort();
    }
    bytes += result->text.size();
  }
  if (bytes == 0) abort();
}

TEST_P(NoAllocationTest, LoadAndManyTranslationsOnOneThread) {
  const ModelBytes bytes = ConvertSmallDemo(GetParam());
  std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  lines.resize(980);
  lines.push_back("\xff\xfe broken \xc3 bytes");
  lines.push_back(std::string("a\0b", 3));
  std::string long_text;
  for (int i = 0; i < 100; ++i) long_text += "Tom wants to learn German. ";
  lines.push_back(long_text);
  lines.push_back(std::string(FewerIfSlow(3000, 600), 'x'));
  {
    Translator translator;
    armed = true;
    const Status status = translator.Load(bytes.bytes(), &workspace);
    if (status.ok()) {
      TranslateMuch(translator, lines, TranslationsOf(GetParam()));
    }
    armed = false;
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_GT(calls_seen.load(), 0) << "the replacements are not in use";
}

TEST_P(NoAllocationTest, ManyTranslationsOnThreeThreads) {
  const ModelBytes bytes = ConvertSmallDemo(GetParam());
  const std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  Translator translator;
  LoadOptions options;
  options.threads = 3;
  const Status status = translator.Load(bytes.bytes(), &workspace, options);
  ASSERT_TRUE(status.ok()) << status.message();
  armed = true;
  TranslateMuch(translator, lines, TranslationsOf(GetParam()));
  armed = false;
}

TEST_P(NoAllocationTest, ManyTranslationsSideBySide) {
  const ModelBytes bytes = ConvertSmallDemo(GetParam());
  const std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  Translator translator;
  const Status status = translator.Load(bytes.bytes(), &workspace);
  ASSERT_TRUE(status.ok()) << status.message();
  TranslateOptions options;
  if (kMaxTargetTokens > 0) options.max_target_tokens = kMaxTargetTokens;
  // Checks everything that may end a sentence.
  const std::atomic<bool> cancel = false;
  size_t told = 0;
  options.budget_ms = UINT32_MAX;
  options.budget_tokens = UINT32_MAX;
  options.cancel = &cancel;
  options.token_context = &told;
  options.on_token = [](void* context, size_t, int32_t) {
    ++*static_cast<size_t*>(context);
    return true;
  };
  const size_t translations = TranslationsOf(GetParam());
  size_t begun = 0, finished = 0;
  bool ok = true;
  armed = true;
  while (ok && finished < translations) {
    while (ok && begun < translations && translator.CanBegin()) {
      TextCursor cursor(lines[begun % lines.size()], options);
      ok = translator.Begin(cursor, begun).ok();
      ++begun;
    }
    FinishedTranslation out;
    if (!translator.Advance(&out)) continue;
    ok = ok && out.status.ok();
    ++finished;
  }
  armed = false;
  EXPECT_TRUE(ok);
  EXPECT_EQ(translator.under_way(), 0u);
  EXPECT_GE(told, finished);
}

TEST_P(NoAllocationTest, ATextInManyChunks) {
  const ModelBytes bytes = ConvertSmallDemo(GetParam());
  const std::vector<std::string> lines =
      ReadLines(DemoDirectory() / "data" / "test.en");
  Translator translator;
  const Status loaded = translator.Load(bytes.bytes(), &workspace);
  ASSERT_TRUE(loaded.ok()) << loaded.message();
  TranslateOptions options;
  options.max_target_tokens = 16;
  size_t sentences = 0;
  Status status;
  armed = true;
  {
    TextStream stream(
        translator, options,
        [](void* count, const StreamedText& text) {
          *static_cast<size_t*>(count) += text.source.empty() ? 0 : 1;
        },
        &sentences);
    for (size_t i = 0; status.ok() && i < FewerIfSlow(200, 6); ++i) {
      status = stream.Push(lines[i]);
      if (status.ok()) status = stream.Push(i % 5 == 0 ? "\n\n" : "\n");
    }
    if (status.ok()) status = stream.Finish();
  }
  armed = false;
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_GE(sentences, FewerIfSlow(200, 6));
}

TEST_P(NoAllocationTest, AModelThatIsRefusedDoesNotAllocateEither) {
  const ModelBytes bytes = ConvertSmallDemo(GetParam());
  Translator translator;
  armed = true;
  const Status status = translator.Load(
      bytes.bytes().first(bytes.bytes().size() / 2), &workspace);
  armed = false;
  EXPECT_EQ(status.code(), StatusCode::kTruncated);
}

TEST_P(NoAllocationTest, LoadAndManyTranslationsByGrus) {
  const ModelBytes bytes = ConvertRecurrent("bahdanau", GetParam());
  const int32_t source[] = {2, 22, 31, 29, 3};
  const size_t translations = TranslationsOf(GetParam());
  Translator translator;
  armed = true;
  const Status status = translator.Load(bytes.bytes(), &workspace);
  size_t tokens = 0;
  for (size_t i = 0; status.ok() && i < translations; ++i) {
    const auto result = translator.TranslateIds(source);
    if (result.ok()) tokens += result->tokens.size();
  }
  armed = false;
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_GE(tokens, translations);
}

TEST(NoAllocationDeathTest, TheReplacementsSeeAnAllocation) {
  if (!LATIMER_CAN_REPLACE_MALLOC) {
    GTEST_SKIP() << "a sanitizer has replaced malloc already";
  }
  EXPECT_DEATH(
      {
        armed = true;
        void* volatile block = std::malloc(1000);
        armed = block == nullptr;
      },
      "was called while translating");
}

INSTANTIATE_TEST_SUITE_P(Weights, NoAllocationTest,
                         testing::Values(WeightType::kF32, WeightType::kInt8),
                         [](const auto& weights) {
                           return weights.param == WeightType::kF32 ? "F32"
                                                                    : "Int8";
                         });

}  // namespace latimer::no_allocation_test
