// Connections, threads and limits of an HTTP server. cpp-httplib parses the
// requests and calls the handlers.
#ifndef LATIMER_SERVER_HTTP_SERVER_H_
#define LATIMER_SERVER_HTTP_SERVER_H_

#include <httplib.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>

namespace latimer::server {

// A connection has a thread while it lasts: a client that is slow to send or to
// read holds its own, for a limited time.
struct HttpLimits {
  size_t body_bytes = size_t{1} << 20;         // Of a request.
  size_t all_bodies_bytes = size_t{64} << 20;  // Of all at a time.
  size_t connections = 256;
  int request_seconds = 30;  // To receive a request.
  int idle_seconds = 30;     // Between requests.
  int send_seconds = 30;     // To send a response.
};

class HttpServer final : public httplib::Server {
 public:
  explicit HttpServer(const HttpLimits& limits);
  ~HttpServer() override;

  // Listens at an address and a port; 0 chooses one. Returns the port, or -1
  // and in `*why` what failed.
  int Bind(const std::string& host, int port, std::string* why);

  // Serves until Drain was called and every request that had arrived by then is
  // answered.
  void Run();

  // Serves the requests of a connected socket, which does not block, until the
  // connection ends, and closes it. Run does this in a thread for each.
  void ServeConnection(int socket);

  // Takes no more connections or requests. Any thread may call it.
  void Drain();
  bool draining() const { return draining_; }

  // Whether the client has closed the connection whose request this thread
  // handles.
  static bool ClientHasGone();

 private:
  class Connection;

  bool WaitForRequest(Connection& connection) const;
  // Whether the connection may have another request.
  bool ServeRequest(Connection& connection);
  void Begin(int socket);
  void EndConnection();
  httplib::Server::HandlerResponse CheckBody(const httplib::Request& request,
                                             httplib::Response& response);

  // That of the request which this thread handles.
  static thread_local Connection* current_;

  const HttpLimits limits_;
  int listener_ = -1;
  int wake_ = -1;  // An eventfd, readable once draining_ is set.
  std::atomic<bool> draining_ = false;
  std::atomic<size_t> body_bytes_ = 0;
  std::mutex mutex_;
  std::condition_variable connection_ended_;
  size_t connections_ = 0;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_HTTP_SERVER_H_
