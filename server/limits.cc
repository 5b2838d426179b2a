#include "limits.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace latimer::server {

std::string ApiKeys::Read(const std::string& path,
                          const ClientLimits& defaults) {
  std::ifstream file(path);
  if (!file.is_open()) return "cannot read " + path + ".";
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    std::istringstream words(line);
    std::string key, rest;
    ClientLimits limits = defaults;
    if (!(words >> key) || key.starts_with('#')) continue;
    if (words >> limits.requests_per_minute) {
      words >> limits.characters;
    }
    words.clear();
    if (words >> rest) {
      return path + ", line " + std::to_string(number) +
             ": give a key, requests per minute and characters.";
    }
    keys_[key] = limits;
  }
  return keys_.empty() ? path + " has no key." : "";
}

const ClientLimits* ApiKeys::Find(const std::string& key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : &found->second;
}

std::optional<int> RateLimiter::Take(const std::string& client, int cost,
                                     int per_minute, Clock::time_point now) {
  if (per_minute < 0) return std::nullopt;
  using Seconds = std::chrono::duration<double>;
  constexpr std::chrono::minutes kMinute(1);
  const std::lock_guard lock(mutex_);
  if (clients_.size() >= kMaxClients && !clients_.contains(client)) {
    std::erase_if(clients_, [&](const auto& entry) {
      return now - entry.second.begin > 2 * kMinute;
    });
    if (clients_.size() >= kMaxClients) {
      clients_.erase(std::ranges::min_element(
          clients_, {}, [](const auto& entry) { return entry.second.begin; }));
    }
  }
  Window& window = clients_.try_emplace(client, Window{now}).first->second;
  if (now - window.begin >= kMinute) {
    const bool next = now - window.begin < 2 * kMinute;
    window = {next ? window.begin + kMinute : now, 0, next ? window.now : 0};
  }
  const double rest = 1 - Seconds(now - window.begin) / Seconds(kMinute);
  if (window.now + cost + window.before * rest <= per_minute) {
    window.now += cost;
    return std::nullopt;
  }
  // When enough of the minute before has passed, or the next one begins.
  double wait = rest;
  if (window.before > 0 && window.now + cost <= per_minute) {
    wait = rest - (per_minute - window.now - cost) / window.before;
  }
  return std::max(1, static_cast<int>(std::ceil(60 * wait)));
}

}  // namespace latimer::server
