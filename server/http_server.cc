#include "http_server.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>
#include <thread>

namespace latimer::server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBufferBytes = 16 * 1024;
// The request line and all headers. What the parser makes of a line takes many
// times the bytes of a short one.
constexpr size_t kMaxHeadBytes = 64 * 1024;
constexpr size_t kMaxHeadLines = 128;
// What sizes and ends of chunks may add to a body.
constexpr size_t kMaxFramingBytes = 64 * 1024;
// How much of a refused body is read, and how long, so that the client gets to
// read the response.
constexpr size_t kMaxLingerBytes = size_t{4} << 20;
constexpr std::chrono::seconds kLinger(2);

std::string Error(const std::string& message) {
  return "{\"error\":\"" + message + "\"}";
}

// A whole response, for what does not come to the parser.
std::string Response(const std::string& status, const std::string& message) {
  const std::string body = Error(message);
  return "HTTP/1.1 " + status +
         "\r\nConnection: close\r\nContent-Type: application/json\r\n"
         "Content-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Ranges are for files. cpp-httplib would apply them to each response, as often
// as a request asks for.
bool IsRange(std::string_view line) {
  constexpr std::string_view kName = "range:";
  return line.size() >= kName.size() &&
         strncasecmp(line.data(), kName.data(), kName.size()) == 0;
}

// Waits for an event on a socket. False at the deadline.
bool WaitFor(int socket, short event, Clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd poll_socket = {socket, event, 0};
    const int count = poll(&poll_socket, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

}  // namespace

// A connection, which counts the bytes of each request and watches the time.
class HttpServer::Connection final : public httplib::Stream {
 public:
  explicit Connection(int socket) : socket_(socket) {}

  void BeginRequest(const HttpLimits& limits) {
    const auto now = Clock::now();
    deadline_ = now + std::chrono::seconds(limits.request_seconds);
    send_seconds_ = limits.send_seconds;
    bytes_left_ = limits.body_bytes + kMaxFramingBytes;
    reserved = 0;
  }

  // Takes the lines of a request's head, which the parser reads then, but for
  // ranges. False if there are too many; if they do not end, the parser says
  // so.
  bool ReadHead() {
    head_.clear();
    head_read_ = 0;
    for (size_t bytes = 0, lines = 0, line = 0;;) {
      if (!has_bytes() && !Fill()) return true;
      const char* const from = buffer_ + begin_;
      const void* const end = std::memchr(from, '\n', end_ - begin_);
      const size_t count =
          end == nullptr
              ? end_ - begin_
              : static_cast<size_t>(static_cast<const char*>(end) - from + 1);
      bytes += count;
      if (bytes > kMaxHeadBytes) return false;
      head_.append(from, count);
      begin_ += count;
      if (end == nullptr) continue;
      const std::string_view whole = std::string_view(head_).substr(line);
      if (whole == "\r\n") return true;
      if (++lines > kMaxHeadLines) return false;
      if (IsRange(whole)) head_.resize(line);
      line = head_.size();
    }
  }

  bool has_bytes() const { return begin_ < end_; }
  bool exceeded() const { return bytes_left_ == 0; }

  // Bytes of all_bodies_bytes that this request holds.
  size_t reserved = 0;
  // The rest of the request cannot be read.
  bool must_close = false;

  bool HasGone() const {
    char byte;
    const ssize_t count = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
  }

  // Closes it so that the client can read what was sent.
  void Close() {
    shutdown(socket_, SHUT_WR);
    if (must_close) {
      const auto deadline = Clock::now() + kLinger;
      size_t bytes = 0;
      while (bytes < kMaxLingerBytes && WaitFor(socket_, POLLIN, deadline)) {
        const ssize_t count = recv(socket_, buffer_, sizeof(buffer_), 0);
        if (count <= 0) break;
        bytes += static_cast<size_t>(count);
      }
    }
    close(socket_);
  }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override {
    if (head_read_ < head_.size()) {
      size = head_.copy(to, size, head_read_);
      head_read_ += size;
      return static_cast<ssize_t>(size);
    }
    if (bytes_left_ == 0) return -1;
    if (!has_bytes() && !Fill()) return -1;
    size = std::min({size, end_ - begin_, bytes_left_});
    std::memcpy(to, buffer_ + begin_, size);
    begin_ += size;
    bytes_left_ -= size;
    return static_cast<ssize_t>(size);
  }
  ssize_t write(const char* from, size_t size) override {
    if (!responds_) {
      responds_ = true;
      deadline_ = Clock::now() + std::chrono::seconds(send_seconds_);
    }
    for (;;) {
      const ssize_t count = send(socket_, from, size, MSG_NOSIGNAL);
      if (count >= 0) return count;
      if (errno == EAGAIN) {
        if (!WaitFor(socket_, POLLOUT, deadline_)) return -1;
      } else if (errno != EINTR) {
        return -1;
      }
    }
  }
  void WriteAll(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = write(text.data(), text.size());
      if (count < 0) return;
      text.remove_prefix(static_cast<size_t>(count));
    }
  }
  void EndRequest() { responds_ = false; }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    httplib::detail::get_remote_ip_and_port(socket_, ip, port);
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    httplib::detail::get_local_ip_and_port(socket_, ip, port);
  }
  socket_t socket() const override { return socket_; }

 private:
  bool Fill() {
    for (;;) {
      const ssize_t count = recv(socket_, buffer_, sizeof(buffer_), 0);
      if (count > 0) {
        begin_ = 0;
        end_ = static_cast<size_t>(count);
        return true;
      }
      if (count == 0 || (errno != EAGAIN && errno != EINTR)) return false;
      if (!WaitFor(socket_, POLLIN, deadline_)) return false;
    }
  }

  const int socket_;
  Clock::time_point deadline_;
  int send_seconds_ = 0;
  bool responds_ = false;
  std::string head_;
  size_t head_read_ = 0;
  size_t bytes_left_ = 0;  // Of the body.
  size_t begin_ = 0, end_ = 0;
  char buffer_[kBufferBytes];
};

thread_local HttpServer::Connection* HttpServer::current_ = nullptr;

HttpServer::HttpServer(const HttpLimits& limits) : limits_(limits) {
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  set_payload_max_length(limits.body_bytes);
  // What the header Keep-Alive says.
  set_keep_alive_timeout(limits.idle_seconds);
  set_keep_alive_max_count(1'000'000);
  set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        return CheckBody(request, response);
      });
  // A client that asks first is told before it sends the body.
  set_expect_100_continue_handler([this](const httplib::Request& request,
                                         httplib::Response& response) {
    return request.get_header_value_u64("Content-Length") > limits_.body_bytes
               ? (CheckBody(request, response), response.status)
               : 100;
  });
  set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (current_ != nullptr && response.status == 400) {
      current_->must_close = true;  // The request may have more bytes.
      if (current_->exceeded()) response.status = 413;
    }
    if (!response.body.empty()) return;
    response.set_content(Error(httplib::status_message(response.status)),
                         "application/json");
  });
  set_post_routing_handler(
      [this](const httplib::Request&, httplib::Response& response) {
        const bool says_so = response.has_header("Connection");
        if ((draining_ || current_->must_close) && !says_so) {
          response.set_header("Connection", "close");
        }
      });
}

HttpServer::~HttpServer() {
  if (listener_ >= 0) close(listener_);
  if (wake_ >= 0) close(wake_);
}

int HttpServer::Bind(const std::string& host, int port, std::string* why) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    *why = gai_strerror(error);
    return -1;
  }
  for (addrinfo* a = found; a != nullptr && listener_ < 0; a = a->ai_next) {
    const int made =
        ::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (made >= 0 && ::bind(made, a->ai_addr, a->ai_addrlen) == 0 &&
        ::listen(made, SOMAXCONN) == 0) {
      listener_ = made;
    } else {
      *why = std::strerror(errno);
      if (made >= 0) close(made);
    }
  }
  freeaddrinfo(found);
  if (listener_ < 0) return -1;
  std::string ip;
  int bound = -1;
  httplib::detail::get_local_ip_and_port(listener_, ip, bound);
  return bound;
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
  {
    const std::lock_guard lock(mutex_);
    if (connections_ < limits_.connections) {
      ++connections_;
      try {
        std::thread([this, socket] {
          ServeConnection(socket);
          EndConnection();
        }).detach();
        return;
      } catch (const std::exception&) {  // No thread can be had.
        --connections_;
      }
    }
  }
  const std::string response =
      Response("503 Service Unavailable\r\nRetry-After: 1",
               "The server has too many connections.");
  [[maybe_unused]] const ssize_t sent = send(
      socket, response.data(), response.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
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

bool HttpServer::ServeRequest(Connection& connection) {
  connection.BeginRequest(limits_);
  if (!connection.ReadHead()) {
    connection.must_close = true;
    connection.WriteAll(Response("431 Request Header Fields Too Large",
                                 "The headers of the request are too large."));
    return false;
  }
  std::string ip[2];
  int port[2] = {};
  connection.get_remote_ip_and_port(ip[0], port[0]);
  connection.get_local_ip_and_port(ip[1], port[1]);
  bool closes = false;
  const bool served =
      process_request(connection, ip[0], port[0], ip[1], port[1], draining_,
                      closes, [](httplib::Request& request) {
                        // Without a length there is no body (RFC 9112,
                        // section 6.3).
                        if (!request.has_header("Transfer-Encoding") &&
                            !request.has_header("Content-Length")) {
                          request.set_header("Content-Length", "0");
                        }
                      });
  return served && !closes && !connection.must_close;
}

void HttpServer::ServeConnection(int socket) {
  Connection connection(socket);
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
    body_bytes_ -= connection.reserved;
    connection.EndRequest();
  }
  current_ = nullptr;
  connection.Close();
}

// Before a body is read: whether it may be.
httplib::Server::HandlerResponse HttpServer::CheckBody(
    const httplib::Request& request, httplib::Response& response) {
  if (request.method == "OPTIONS") {  // A browser asks for a page's sake.
    response.status = 204;
    response.set_header("Access-Control-Allow-Headers",
                        "Authorization, Content-Type");
    response.set_header("Access-Control-Allow-Methods", "GET, POST");
    response.set_header("Access-Control-Max-Age", "86400");
    return HandlerResponse::Handled;
  }
  const bool chunked = request.has_header("Transfer-Encoding");
  const bool sized = request.has_header("Content-Length");
  if (!chunked && !sized) return HandlerResponse::Unhandled;
  // Of these, no body is read.
  const auto bytes = request.get_header_value_u64("Content-Length");
  if (request.method != "POST" && (chunked || bytes > 0)) {
    current_->must_close = true;
  }
  const auto refuse = [&](int status, const std::string& body) {
    current_->must_close = true;
    response.status = status;
    response.set_content(body, "application/json");
    return HandlerResponse::Handled;
  };
  if (chunked && sized) return refuse(400, Error("Bad Request"));
  if (bytes > limits_.body_bytes) {
    return refuse(413, Error("A request may have at most " +
                             std::to_string(limits_.body_bytes) + " bytes."));
  }
  current_->reserved =
      chunked ? limits_.body_bytes : static_cast<size_t>(bytes);
  if (body_bytes_.fetch_add(current_->reserved) + current_->reserved <=
      limits_.all_bodies_bytes) {
    return HandlerResponse::Unhandled;
  }
  response.set_header("Retry-After", "1");
  return refuse(503, Error("The server has too many requests; try later."));
}

bool HttpServer::ClientHasGone() {
  return current_ != nullptr && current_->HasGone();
}

}  // namespace latimer::server
