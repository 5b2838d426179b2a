// Connections, threads and limits of an HTTP server, which hands requests to
// the handlers of their paths.
#ifndef LATIMER_SERVER_HTTP_SERVER_H_
#define LATIMER_SERVER_HTTP_SERVER_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "http_message.h"

namespace latimer::server {

// A connection has a thread while it lasts: a client that is slow to send or to
// read holds its own, for a limited time.
struct HttpLimits {
  size_t body_bytes = size_t{1} << 20;  // Of a request.
  size_t connections = 256;
  int request_seconds = 30;  // To receive a request.
  int idle_seconds = 30;     // Between requests.
  int send_seconds = 30;     // To send a response.
};

class HttpServer final {
 public:
  using Handler = std::function<void(HttpRequest&, HttpResponse&)>;
  using Logger = std::function<void(const HttpRequest&, const HttpResponse&)>;
  using ErrorBody =
      std::function<std::string(const std::string& path, std::string_view why)>;

  explicit HttpServer(const HttpLimits& limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // ---- Before it serves ----

  // Of the requests of a path: their bodies, and the memory that counts for
  // each byte of one.
  struct BodyLimits {
    size_t most_bytes;
    size_t room_per_byte;
  };

  // What answers a path, with its one method; GET answers HEAD, too. A path
  // such as "/files/" stands for those with one more name, "/files/a". Without
  // limits it has those of HttpLimits.
  void Handle(const std::string& method, const std::string& path,
              Handler handler);
  void Handle(const std::string& method, const std::string& path,
              Handler handler, const BodyLimits& body);
  // Fields of every response.
  void SetDefaultFields(const HttpFields& fields) { default_fields_ = fields; }
  // What writes the JSON of an error for requests of a path; "": the head
  // cannot be read.
  void SetErrorBody(ErrorBody error_body) {
    error_body_ = std::move(error_body);
  }
  // What is called after each response. Of a request whose head cannot be read
  // the path is empty.
  void SetLogger(Logger logger) { logger_ = std::move(logger); }

  // Listens at an address and a port; 0 chooses one. Returns the port, or -1
  // and in `*why` what failed.
  int Bind(const std::string& host, int port, std::string* why);

  // ---- Meanwhile ----

  // Serves until Drain was called and every request that had arrived by then is
  // answered.
  void Run();

  // Serves the requests of a connected socket, which does not block, until the
  // connection ends, and closes it. Run does this in a thread for each.
  void ServeConnection(int socket);

  // Takes no more connections or requests. Any thread may call it.
  void Drain();
  bool draining() const { return draining_; }

  // ---- A handler ----

  // Whether the client has closed the connection whose request this thread
  // handles.
  static bool ClientHasGone();

  // Counts memory for the request that this thread handles, besides that for
  // its body: kBytesPerBodyByte for each byte, unless its path has limits. It
  // counts until the response is sent.
  enum class Room : uint8_t { kYes, kNever, kNotNow };
  static Room Reserve(size_t bytes);
  static constexpr size_t kBytesPerBodyByte = 8;

 private:
  class Connection;
  struct Route {
    std::string method;
    Handler handler;
    BodyLimits body;
  };

  // Null if there is none.
  const Route* FindRoute(const std::string& path) const;
  // Of a request, for its body and what is made of it.
  static size_t RequestBytes(const BodyLimits& body);
  Room Reserve(Connection& connection, size_t bytes);
  bool WaitForRequest(Connection& connection) const;
  // Whether the connection may have another request.
  bool ServeRequest(Connection& connection);
  // These return 0, or the status of the refusal.
  int ReadBody(Connection& connection, HttpRequest* request);
  int ReadBytes(Connection& connection, size_t bytes, std::string* body);
  int ReadChunks(Connection& connection, std::string* body);
  void Refuse(int status, const std::string& path, const BodyLimits& body,
              HttpResponse* response) const;
  void Dispatch(const Route* route, HttpRequest& request,
                HttpResponse& response) const;
  void ReturnFreeMemory(size_t freed_bytes);
  void Begin(int socket);
  void EndConnection();

  // That of the request which this thread handles.
  static thread_local Connection* current_;

  const HttpLimits limits_;
  const BodyLimits usual_limits_;
  size_t all_bytes_;  // Of all requests, as RequestBytes.
  std::map<std::string, Route, std::less<>> routes_;
  HttpFields default_fields_;
  ErrorBody error_body_ = [](const std::string&, std::string_view why) {
    return "{\"error\":\"" + std::string(why) + "\"}";
  };
  Logger logger_;
  int listener_ = -1;
  int wake_ = -1;  // An eventfd, readable once draining_ is set.
  std::atomic<bool> draining_ = false;
  std::atomic<size_t> reserved_ = 0;
  std::atomic<size_t> freed_bytes_ = 0;  // Since ReturnFreeMemory returned it.
  std::mutex mutex_;
  std::condition_variable connection_ended_;
  size_t connections_ = 0;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_HTTP_SERVER_H_
