#include "cli/progress.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cli/timing.h"
#include "os/system.h"

namespace latimer::cli {
namespace {

constexpr std::chrono::milliseconds kBetween(200);

struct Progress {
  uint64_t bytes = 0;  // 0: nothing is shown.
  const char* units = "";
  Clock::time_point begin = {};
  Clock::time_point shown = {};
  bool visible = false;
};
Progress progress;

void Write(Clock::time_point now, uint64_t bytes, uint64_t count) {
  const auto ms = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now -
                                                            progress.begin)
          .count());
  // Numbers with a point would not be as sure to take no memory.
  const uint64_t tenths = 10'000 * count / std::max<uint64_t>(ms, 1);
  std::fprintf(stderr, "\rlatimer: %u %%, %llu %s, %llu.%u %s/s\033[K",
               static_cast<unsigned>(100 * std::min(bytes, progress.bytes) /
                                     progress.bytes),
               static_cast<unsigned long long>(count), progress.units,
               static_cast<unsigned long long>(tenths / 10),
               static_cast<unsigned>(tenths % 10), progress.units);
  progress.shown = now;
  progress.visible = true;
}

}  // namespace

void BeginProgress(uint64_t bytes, const char* units) {
  if (!IsTerminal(2) || IsTerminal(1)) return;
  progress = {.bytes = bytes, .units = units, .begin = Clock::now()};
}

void ShowProgress(uint64_t bytes, uint64_t count) {
  if (progress.bytes == 0) return;
  const Clock::time_point now = Clock::now();
  if (now - progress.shown >= kBetween) Write(now, bytes, count);
}

void HideProgress() {
  if (progress.visible) std::fputs("\r\033[K", stderr);
  progress.visible = false;
}

void EndProgress(uint64_t bytes, uint64_t count) {
  if (progress.bytes == 0) return;
  Write(Clock::now(), bytes, count);
  std::fputc('\n', stderr);
  progress = {};
}

}  // namespace latimer::cli
