#include "http_server.h"

#include <fcntl.h>
#include <malloc.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>

#include "ascii.h"
#include "sockets.h"

namespace latimer::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBufferBytes = 16 * 1024;
// The request line and all fields.
constexpr size_t kMaxHeadBytes = 64 * 1024;
constexpr size_t kMaxHeadLines = 128;
// Of a chunk: its size and extensions. Of all chunks: what is not body.
constexpr size_t kMaxChunkLineBytes = 256;
constexpr size_t kMaxFramingBytes = 64 * 1024;
// What a request may take besides kBytesPerBodyByte for each of its bytes, and
// all together if it is more than one may.
constexpr size_t kRequestBytes = size_t{48} << 20;
constexpr size_t kAllBytes = size_t{128} << 20;
// Of each request, what does not count in these, so that others which take all
// do not keep short ones out.
constexpr size_t kUncountedBytes = size_t{32} << 10;
// When requests have freed so much, what is free goes back to the system.
constexpr size_t kFreedBytes = size_t{1} << 20;
// How much of a refused body is read, and how long, so that the client gets to
// read the response.
constexpr size_t kMaxLingerBytes = size_t{4} << 20;
constexpr std::chrono::seconds kLinger(2);
// A response up to this size is sent at once.
constexpr size_t kJoinedBytes = 16 * 1024;
// Of the thread of a connection, whatever the system's default.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kStackBytes = size_t{4} << 20;
#else
constexpr size_t kStackBytes = size_t{512} << 10;
#endif

// The address of the client; "" if it has none.
std::string AddressOf(int socket) {
  sockaddr_storage address = {};
  socklen_t bytes = sizeof(address);
  auto* const peer = reinterpret_cast<sockaddr*>(&address);
  char host[NI_MAXHOST] = {};
  if (getpeername(socket, peer, &bytes) != 0 ||
      getnameinfo(peer, bytes, host, sizeof(host), nullptr, 0,
                  NI_NUMERICHOST) != 0) {
    return "";
  }
  return host;
}

std::string HeadOf(const HttpResponse& response) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head += StatusText(response.status);
  head += "\r\n";
  for (const auto& [name, value] : response.fields) {
    head += name + ": " + value + "\r\n";
  }
  return head + "\r\n";
}

size_t Counted(size_t bytes) {
  return bytes - std::min(bytes, kUncountedBytes);
}

}  // namespace

// A connection, which counts the bytes of each request and watches the time.
class HttpServer::Connection final {
 public:
  Connection(HttpServer& own, int socket)
      : server(own), address(AddressOf(socket)), socket_(socket) {}

  void BeginRequest(const HttpLimits& limits) {
    deadline_ = Clock::now() + std::chrono::seconds(limits.request_seconds);
    send_seconds_ = limits.send_seconds;
    framing_bytes_ = 0;
    reserved = 0;
    // Some clients send an empty line after a request.
    if (has_bytes() || Fill()) {
      const std::string_view bytes(buffer_ + begin_, end_ - begin_);
      if (bytes.starts_with("\r\n")) begin_ += 2;
    }
  }

  // Reads the lines of a request's head, the empty one included. Returns 0, or
  // the status of the refusal; -1 if the connection has ended before it.
  int ReadHead(std::string* head) {
    for (size_t lines = 0, line = 0;;) {
      if (!has_bytes() && !Fill()) return head->empty() ? -1 : Incomplete();
      const bool ended = TakeUntilLineEnd(head);
      if (head->size() > kMaxHeadBytes) return 431;
      if (!ended) continue;
      const std::string_view whole = std::string_view(*head).substr(line);
      if (whole == "\r\n" || whole == "\n") return 0;
      if (++lines > kMaxHeadLines) return 431;
      line = head->size();
    }
  }

  // Reads a line of the body's framing, without its end. Returns 0, or the
  // status of the refusal.
  int ReadLine(std::string* line) {
    line->clear();
    for (bool ended = false; !ended;) {
      if (!has_bytes() && !Fill()) return Incomplete();
      ended = TakeUntilLineEnd(line);
      if (line->size() > kMaxChunkLineBytes) return 400;
    }
    framing_bytes_ += line->size();
    if (framing_bytes_ > kMaxFramingBytes) return 413;
    if (!line->ends_with("\r\n")) return 400;
    line->resize(line->size() - 2);
    return 0;
  }

  // Bytes that have come, at most so many. Empty: no more come, in time.
  std::string_view Take(size_t most) {
    if (!has_bytes() && !Fill()) return "";
    const std::string_view bytes(buffer_ + begin_,
                                 std::min(most, end_ - begin_));
    begin_ += bytes.size();
    return bytes;
  }

  // The refusal of a request that does not go on.
  int Incomplete() const { return Clock::now() < deadline_ ? 400 : 408; }

  bool has_bytes() const { return begin_ < end_; }
  int socket() const { return socket_; }

  HttpServer& server;
  const std::string address;
  // Of this request, and the bytes of memory that it holds.
  BodyLimits body_limits = {};
  size_t reserved = 0;
  // The rest of the request cannot be read.
  bool must_close = false;

  bool HasGone() const { return HasClosed(socket_); }

  // Closes it so that the client can read what was sent.
  void Close() {
    shutdown(socket_, SHUT_WR);
    if (must_close) {
      const auto deadline = Clock::now() + kLinger;
      size_t bytes = 0;
      while (bytes < kMaxLingerBytes &&
             WaitForSocket(socket_, POLLIN, deadline)) {
        const ssize_t count = recv(socket_, buffer_, sizeof(buffer_), 0);
        if (count <= 0) break;
        bytes += static_cast<size_t>(count);
      }
    }
    close(socket_);
  }

  // Whether the client has taken all, in time.
  bool Write(std::string head, std::string_view body) {
    const auto deadline = Clock::now() + std::chrono::seconds(send_seconds_);
    if (body.size() > kJoinedBytes) {
      return SendAll(socket_, head, deadline) &&
             SendAll(socket_, body, deadline);
    }
    head += body;
    return SendAll(socket_, head, deadline);
  }

 private:
  // Appends what has come, at most to the end of the line. Whether that is
  // there.
  bool TakeUntilLineEnd(std::string* to) {
    const char* const from = buffer_ + begin_;
    const void* const end = std::memchr(from, '\n', end_ - begin_);
    const size_t count =
        end == nullptr
            ? end_ - begin_
            : static_cast<size_t>(static_cast<const char*>(end) - from + 1);
    to->append(from, count);
    begin_ += count;
    return end != nullptr;
  }

  bool Fill() {
    for (;;) {
      const ssize_t count = Receive(socket_, buffer_, sizeof(buffer_));
      if (count >= 0) {
        begin_ = 0;
        end_ = static_cast<size_t>(count);
        return count > 0;
      }
      if (!WaitForSocket(socket_, POLLIN, deadline_)) return false;
    }
  }

  const int socket_;
  Clock::time_point deadline_;
  int send_seconds_ = 0;
  size_t framing_bytes_ = 0;
  size_t begin_ = 0, end_ = 0;
  char buffer_[kBufferBytes];
};

thread_local HttpServer::Connection* HttpServer::current_ = nullptr;

HttpServer::HttpServer(const HttpLimits& limits)
    : limits_(limits),
      usual_limits_{limits.body_bytes, kBytesPerBodyByte},
      all_bytes_(std::max(kAllBytes, RequestBytes(usual_limits_))) {
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

HttpServer::~HttpServer() {
  if (listener_ >= 0) close(listener_);
  if (wake_ >= 0) close(wake_);
}

void HttpServer::Handle(const std::string& method, const std::string& path,
                        Handler handler) {
  Handle(method, path, std::move(handler), usual_limits_);
}

void HttpServer::Handle(const std::string& method, const std::string& path,
                        Handler handler, const BodyLimits& body) {
  routes_[path] = {method, std::move(handler), body};
  all_bytes_ = std::max(all_bytes_, RequestBytes(body));
}

size_t HttpServer::RequestBytes(const BodyLimits& body) {
  return body.room_per_byte * body.most_bytes + kRequestBytes;
}

int HttpServer::Bind(const std::string& host, int port, std::string* why) {
  if (wake_ < 0) {
    *why = "there are no more file descriptors";
    return -1;
  }
  int chosen = -1;
  listener_ = Listen(host, port, &chosen, why);
  return listener_ < 0 ? -1 : chosen;
}

void HttpServer::Run() {
  pollfd files[] = {{listener_, POLLIN, 0}, {wake_, POLLIN, 0}};
  // Those that have connected when it drains are accepted, and then no more.
  for (bool last = false; !last;) {
    last = draining_;
    if (!last) poll(files, 2, -1);
    for (;;) {
      const int socket =
          accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (socket >= 0) {
        Begin(socket);
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
                 errno == ENOBUFS) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (last) continue;
        break;
      } else if (errno != EINTR && errno != ECONNABORTED) {
        break;
      }
    }
  }
  close(listener_);
  listener_ = -1;
  std::unique_lock lock(mutex_);
  connection_ended_.wait(lock, [&] { return connections_ == 0; });
}

void HttpServer::Drain() {
  // Run, which ends with this lock, does not end before this does.
  const std::lock_guard lock(mutex_);
  draining_ = true;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof(one));
}

void HttpServer::Begin(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  struct Start {
    HttpServer* server;
    int socket;
  };
  {
    const std::lock_guard lock(mutex_);
    if (connections_ < limits_.connections) {
      ++connections_;
      pthread_t thread;
      pthread_attr_t attributes;
      pthread_attr_init(&attributes);
      pthread_attr_setstacksize(&attributes, kStackBytes);
      pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
      auto start = std::make_unique<Start>(Start{this, socket});
      const auto run = [](void* given) -> void* {
        const std::unique_ptr<Start> own(static_cast<Start*>(given));
        own->server->ServeConnection(own->socket);
        own->server->EndConnection();
        return nullptr;
      };
      const int error = pthread_create(&thread, &attributes, run, start.get());
      pthread_attr_destroy(&attributes);
      if (error == 0) {
        (void)start.release();
        return;
      }
      --connections_;  // No thread can be had.
    }
  }
  HttpResponse response = {503, default_fields_, {}};
  response.Set("Retry-After", "1");
  response.Set("Connection", "close");
  response.SetBody(error_body_("", "The server has too many connections."),
                   "application/json");
  response.Set("Content-Length", std::to_string(response.body.size()));
  const std::string all = HeadOf(response) + response.body;
  [[maybe_unused]] const ssize_t sent =
      send(socket, all.data(), all.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(socket, SHUT_WR);
  char ignored[4096];  // Unread bytes would take the response back.
  while (recv(socket, ignored, sizeof(ignored), MSG_DONTWAIT) > 0) {
  }
  close(socket);
}

void HttpServer::EndConnection() {
  const std::lock_guard lock(mutex_);
  --connections_;
  connection_ended_.notify_all();
}

bool HttpServer::WaitForRequest(Connection& connection) const {
  if (connection.has_bytes()) return true;
  const auto deadline =
      Clock::now() + std::chrono::seconds(limits_.idle_seconds);
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    // A request that has arrived when it drains is answered.
    const bool last = draining_ || left.count() <= 0;
    pollfd files[] = {{connection.socket(), POLLIN, 0}, {wake_, POLLIN, 0}};
    poll(files, 2, last ? 0 : static_cast<int>(left.count()));
    if (files[0].revents != 0) return (files[0].revents & POLLIN) != 0;
    if (last) return false;
  }
}

HttpServer::Room HttpServer::Reserve(Connection& connection, size_t bytes) {
  if (bytes > RequestBytes(connection.body_limits) - connection.reserved) {
    return Room::kNever;
  }
  const size_t counted =
      Counted(connection.reserved + bytes) - Counted(connection.reserved);
  if (counted > 0 && reserved_.fetch_add(counted) + counted > all_bytes_) {
    reserved_ -= counted;
    return Room::kNotNow;
  }
  connection.reserved += bytes;
  return Room::kYes;
}

HttpServer::Room HttpServer::Reserve(size_t bytes) {
  return current_ == nullptr ? Room::kYes
                             : current_->server.Reserve(*current_, bytes);
}

int HttpServer::ReadBytes(Connection& connection, size_t bytes,
                          std::string* body) {
  while (bytes > 0) {
    const std::string_view some = connection.Take(bytes);
    if (some.empty()) return connection.Incomplete();
    switch (Reserve(connection,
                    connection.body_limits.room_per_byte * some.size())) {
      case Room::kYes:
        break;
      case Room::kNever:
        return 413;
      case Room::kNotNow:
        return 503;
    }
    *body += some;
    bytes -= some.size();
  }
  return 0;
}

// Trailers are refused: they would change a head that was acted upon.
int HttpServer::ReadChunks(Connection& connection, std::string* body) {
  std::string line;
  for (;;) {
    size_t bytes = 0;
    int refusal = connection.ReadLine(&line);
    if (refusal != 0) return refusal;
    if (!ParseChunkLine(line, &bytes)) return 400;
    if (bytes > connection.body_limits.most_bytes - body->size()) return 413;
    refusal = ReadBytes(connection, bytes, body);
    if (refusal == 0) refusal = connection.ReadLine(&line);
    if (refusal != 0) return refusal;
    if (!line.empty()) return 400;
    if (bytes == 0) return 0;
  }
}

int HttpServer::ReadBody(Connection& connection, HttpRequest* request) {
  HttpFraming framing;
  const int refusal = FramingOf(*request, &framing);
  if (refusal != 0) return refusal;
  if (!framing.chunked && framing.bytes == 0) return 0;
  if (framing.bytes > connection.body_limits.most_bytes) return 413;
  const std::string coding = request->Field("Content-Encoding");
  if (!coding.empty() && !EqualsIgnoringCase(coding, "identity")) return 415;
  const size_t counted =
      Counted(connection.body_limits.room_per_byte * framing.bytes);
  if (counted > 0 && reserved_ + counted > all_bytes_) return 503;
  // A client that asks first is told before it sends the body.
  if (EqualsIgnoringCase(request->Field("Expect"), "100-continue") &&
      !connection.has_bytes() &&
      !connection.Write("HTTP/1.1 100 Continue\r\n\r\n", "")) {
    return 400;
  }
  return framing.chunked ? ReadChunks(connection, &request->body)
                         : ReadBytes(connection, framing.bytes, &request->body);
}

void HttpServer::Refuse(int status, const std::string& path,
                        const BodyLimits& body, HttpResponse* response) const {
  std::string why(StatusText(status));
  if (status == 413) {
    why = "A request may have at most " + std::to_string(body.most_bytes) +
          " bytes.";
  } else if (status == 431) {
    why = "The headers of the request are too large.";
  } else if (status == 503) {
    why = "The server has too many requests; try later.";
    response->Set("Retry-After", "1");
  }
  response->status = status;
  response->SetBody(error_body_(path, why), "application/json");
}

const HttpServer::Route* HttpServer::FindRoute(const std::string& path) const {
  auto found = routes_.find(path);
  if (found == routes_.end()) {
    const size_t slash = path.rfind('/');
    if (slash != 0 && slash != path.npos) {
      found = routes_.find(std::string_view(path).substr(0, slash + 1));
    }
  }
  return found == routes_.end() ? nullptr : &found->second;
}

void HttpServer::Dispatch(const Route* route, HttpRequest& request,
                          HttpResponse& response) const {
  if (request.method == "OPTIONS") {  // A browser asks for a page's sake.
    response.status = 204;
    response.Set("Access-Control-Allow-Headers", "Authorization, Content-Type");
    response.Set("Access-Control-Allow-Methods", "GET, POST");
    response.Set("Access-Control-Max-Age", "86400");
    return;
  }
  if (route == nullptr) {
    return Refuse(404, request.path, usual_limits_, &response);
  }
  const auto& [method, handler, body] = *route;
  const bool is_head = request.method == "HEAD" && method == "GET";
  if (request.method == method || is_head) return handler(request, response);
  response.status = 405;
  response.Set("Allow", method);
  response.SetBody(
      error_body_(request.path,
                  "The method is not allowed here; use " + method + "."),
      "application/json");
}

bool HttpServer::ServeRequest(Connection& connection) {
  connection.BeginRequest(limits_);
  HttpRequest request;
  HttpResponse response;
  response.fields = default_fields_;
  request.address = connection.address;
  std::string head;
  int refusal = connection.ReadHead(&head);
  if (refusal < 0) return false;
  if (refusal == 0) refusal = ParseHead(head, &request);
  const Route* const route = FindRoute(request.path);
  connection.body_limits = route == nullptr ? usual_limits_ : route->body;
  if (refusal == 0) refusal = ReadBody(connection, &request);
  if (refusal == 0) {
    Dispatch(route, request, response);
  } else {
    connection.must_close = true;
    Refuse(refusal, request.path, connection.body_limits, &response);
  }
  const bool closes = connection.must_close || draining_ || WantsClose(request);
  if (closes) {
    response.Set("Connection", "close");
  } else {
    if (request.is_http_1_0) response.Set("Connection", "keep-alive");
    response.Set(
        "Keep-Alive",
        "timeout=" + std::to_string(limits_.idle_seconds) + ", max=1000000");
  }
  if (response.status != 204) {
    response.Set("Content-Length", std::to_string(response.body.size()));
  }
  const bool has_body = request.method != "HEAD";
  const bool sent =
      connection.Write(HeadOf(response), has_body ? response.body : "");
  if (logger_) logger_(request, response);
  return sent && !closes;
}

// Small objects that stay keep what was freed below them: without this, memory
// is what it was when most requests were under way.
void HttpServer::ReturnFreeMemory(size_t freed_bytes) {
  freed_bytes_ += freed_bytes;
  if (freed_bytes_ < kFreedBytes) return;
  freed_bytes_ = 0;
  malloc_trim(0);
}

void HttpServer::ServeConnection(int socket) {
  Connection connection(*this, socket);
  current_ = &connection;
  bool goes_on = true;
  while (goes_on && WaitForRequest(connection)) {
    try {
      goes_on = ServeRequest(connection);
    } catch (const std::exception& error) {  // Of memory, there is too little.
      std::fprintf(stderr, "latimer-serve: a request failed: %s\n",
                   error.what());
      goes_on = false;
    }
    reserved_ -= Counted(connection.reserved);
    ReturnFreeMemory(connection.reserved);
    connection.reserved = 0;
  }
  current_ = nullptr;
  connection.Close();
}

bool HttpServer::ClientHasGone() {
  return current_ != nullptr && current_->HasGone();
}

}  // namespace latimer::server
