// The Wyoming protocol, by which Home Assistant and others have speech
// transcribed: events of a line of JSON, data and a payload.
#ifndef LATIMER_SERVER_WYOMING_H_
#define LATIMER_SERVER_WYOMING_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "service.h"

namespace latimer::server {

struct WyomingLimits {
  size_t connections = 16;
  int idle_seconds = 300;  // Between events, and within one.
  int send_seconds = 30;
  int timeout_seconds = 120;  // Of what is left to transcribe.
};

// Of samples of PCM.
struct WyomingAudio {
  uint32_t rate = 0, width = 0, channels = 0;

  bool operator==(const WyomingAudio&) const = default;
};

class WyomingServer {
 public:
  using Models = std::function<std::shared_ptr<const Loaded>()>;

  // `models` returns the models for recordings that begin now.
  WyomingServer(Models models, const WyomingLimits& limits);
  // Ends all connections.
  ~WyomingServer();
  WyomingServer(const WyomingServer&) = delete;
  WyomingServer& operator=(const WyomingServer&) = delete;

  // Listens at an address and a port, and serves in threads; port 0 chooses
  // one. Returns the port, or -1 and in `*why` what failed.
  int Start(const std::string& host, int port, std::string* why);

  // Serves a connected socket, which does not block, until the connection ends,
  // and closes it. Start does this in a thread for each.
  void ServeConnection(int socket);

 private:
  class Connection;

  void Run();
  void Begin(int socket);

  const Models models_;
  const WyomingLimits limits_;
  int listener_ = -1;
  std::thread thread_;
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::condition_variable connection_ended_;
  size_t connections_ = 0;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_WYOMING_H_
