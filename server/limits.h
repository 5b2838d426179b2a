// Who may translate how much.
#ifndef LATIMER_SERVER_LIMITS_H_
#define LATIMER_SERVER_LIMITS_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace latimer::server {

// -1: no limit.
struct ClientLimits {
  int requests_per_minute = -1;
  int characters = -1;  // Of a text.
};

// A file with a line for each key: the key, and optionally requests per minute
// and characters, -1 for no limit. Lines that begin with # are comments.
class ApiKeys {
 public:
  // Returns what is wrong with the file; empty: nothing.
  std::string Read(const std::string& path, const ClientLimits& defaults);

  const ClientLimits* Find(const std::string& key) const;

 private:
  std::map<std::string, ClientLimits> keys_;
};

// Counts the requests of each client in the last minute: those of this minute
// by the clock, and of the one before as many as its share of the last 60 s.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  // Accounts for `cost` requests. If they are too many, takes none and returns
  // in how many seconds to try again.
  std::optional<int> Take(const std::string& client, int cost, int per_minute,
                          Clock::time_point now = Clock::now());

  // Clients that are remembered; those beyond are forgotten, oldest first.
  static constexpr size_t kMaxClients = 10'000;

 private:
  struct Window {
    Clock::time_point begin;
    double now = 0, before = 0;
  };

  std::mutex mutex_;
  std::map<std::string, Window> clients_;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_LIMITS_H_
