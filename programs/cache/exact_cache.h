// Values by exact keys, within a number of bytes: a translation that was made
// of the same text with the same options is the same.
#ifndef LATIMER_CACHE_EXACT_CACHE_H_
#define LATIMER_CACHE_EXACT_CACHE_H_

#include <cstddef>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace latimer {

// One thread uses it at a time. It is ordered and not hashed, so that no keys
// of strangers make it slow.
template <typename Value>
class ExactCache {
 public:
  // What an entry takes beside its key and its value, in bytes.
  static constexpr size_t kOverhead = 160;

  // What was used least recently goes when there are more bytes than these.
  explicit ExactCache(size_t most_bytes) : most_bytes_(most_bytes) {}
  ExactCache(const ExactCache&) = delete;
  ExactCache& operator=(const ExactCache&) = delete;

  // The value of a key; null: it has none. It lives until the next Add.
  const Value* Find(std::string_view key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->value;
  }

  // Adds a value of so many bytes. A key that is there keeps its value, and an
  // entry that is larger than all of the cache is not kept.
  void Add(std::string key, Value value, size_t value_bytes) {
    const size_t bytes = key.size() + value_bytes + kOverhead;
    if (bytes > most_bytes_ || places_.contains(key)) return;
    entries_.push_front({std::move(key), std::move(value), bytes});
    places_.emplace(entries_.front().key, entries_.begin());
    bytes_ += bytes;
    while (bytes_ > most_bytes_) {
      bytes_ -= entries_.back().bytes;
      places_.erase(entries_.back().key);
      entries_.pop_back();
    }
  }

  size_t bytes() const { return bytes_; }
  size_t size() const { return places_.size(); }

 private:
  struct Entry {
    std::string key;
    Value value;
    size_t bytes;
  };

  const size_t most_bytes_;
  size_t bytes_ = 0;
  std::list<Entry> entries_;  // The most recently used first.
  std::map<std::string_view, typename std::list<Entry>::iterator> places_;
};

}  // namespace latimer

#endif  // LATIMER_CACHE_EXACT_CACHE_H_
