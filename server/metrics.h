// What the server counts, in the text format of Prometheus.
#ifndef LATIMER_SERVER_METRICS_H_
#define LATIMER_SERVER_METRICS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace latimer::server {

class Histogram {
 public:
  void Observe(double seconds);
  // "NAME_bucket{le="0.01"} 3" and so on.
  void Write(const std::string& name, const std::string& help,
             std::string* out) const;

 private:
  static constexpr std::array kBounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                         0.5,   1.0,  2.5,   5.0,  10.0};

  mutable std::mutex mutex_;
  std::array<uint64_t, kBounds.size() + 1> counts_ = {};
  double sum_ = 0;
};

struct Metrics {
  std::atomic<uint64_t> sentences = 0;  // Translated, by each model.
  std::atomic<uint64_t> tokens = 0;     // Generated.
  std::atomic<uint64_t> cancelled = 0;  // Sentences whose client has gone.
  // Sentences whose translation has other numbers, from source to target.
  std::atomic<uint64_t> number_mismatches = 0;
  // Sentences whose translations were kept, and others that may be.
  std::atomic<uint64_t> cache_hits = 0;
  std::atomic<uint64_t> cache_misses = 0;
  std::atomic<int64_t> cache_bytes = 0;
  std::atomic<int64_t> waiting = 0;  // Sentences that have not begun.
  std::atomic<int64_t> under_way = 0;
  Histogram wait_seconds;     // Of sentences, until they begin.
  Histogram request_seconds;  // Of translate and detect.

  void CountRequest(const std::string& path, int code);
  std::string Text() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> requests_;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_METRICS_H_
