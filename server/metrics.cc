#include "metrics.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace latimer::server {
namespace {

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

void Head(const std::string& name, const char* type, const std::string& help,
          std::string* out) {
  *out +=
      "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void Single(const std::string& name, const char* type, const std::string& help,
            double value, std::string* out) {
  Head(name, type, help, out);
  *out += name + " " + Number(value) + "\n";
}

double ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void Histogram::Observe(double seconds) {
  size_t i = 0;
  while (i < kBounds.size() && seconds > kBounds[i]) ++i;
  const std::lock_guard lock(mutex_);
  ++counts_[i];
  sum_ += seconds;
}

void Histogram::Write(const std::string& name, const std::string& help,
                      std::string* out) const {
  Head(name, "histogram", help, out);
  const std::lock_guard lock(mutex_);
  uint64_t count = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    *out += name + "_bucket{le=\"" +
            (i < kBounds.size() ? Number(kBounds[i]) : "+Inf") + "\"} " +
            std::to_string(count) + "\n";
  }
  *out += name + "_sum " + Number(sum_) + "\n" + name + "_count " +
          std::to_string(count) + "\n";
}

void Metrics::CountRequest(const std::string& path, int code) {
  const std::lock_guard lock(mutex_);
  ++requests_[{path, code}];
}

std::string Metrics::Text() const {
  std::string out;
  Head("latimer_requests_total", "counter", "Requests by path and status code.",
       &out);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, count] : requests_) {
      out += "latimer_requests_total{path=\"" + key.first + "\",code=\"" +
             std::to_string(key.second) + "\"} " + std::to_string(count) + "\n";
    }
  }
  const auto number = [](const auto& value) {
    return static_cast<double>(value.load());
  };
  Single("latimer_sentences_total", "counter",
         "Sentences that a model has translated.", number(sentences), &out);
  Single("latimer_tokens_total", "counter", "Tokens that were generated.",
         number(tokens), &out);
  Single("latimer_cancelled_sentences_total", "counter",
         "Sentences whose client has gone or waited too long.",
         number(cancelled), &out);
  Single("latimer_number_mismatches_total", "counter",
         "Sentences whose translation has other numbers than their source.",
         number(number_mismatches), &out);
  Single("latimer_cache_hits_total", "counter",
         "Sentences whose translation was kept (--cache).", number(cache_hits),
         &out);
  Single("latimer_cache_misses_total", "counter",
         "Sentences whose translation was looked for and not kept.",
         number(cache_misses), &out);
  Single("latimer_cache_bytes", "gauge", "Bytes of kept translations.",
         number(cache_bytes), &out);
  Single("latimer_queue_sentences", "gauge",
         "Sentences that wait to be translated.", number(waiting), &out);
  Single("latimer_under_way_sentences", "gauge",
         "Sentences that are translated side by side.", number(under_way),
         &out);
  wait_seconds.Write("latimer_wait_seconds",
                     "Seconds that a sentence waits before it begins.", &out);
  request_seconds.Write("latimer_request_seconds",
                        "Seconds that a request to translate or detect takes.",
                        &out);
  Single("process_resident_memory_bytes", "gauge", "Resident memory size.",
         ResidentBytes(), &out);
  return out;
}

}  // namespace latimer::server
