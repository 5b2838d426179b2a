#include "sockets.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace latimer::server {
namespace {

int PortOf(int socket) {
  sockaddr_storage address = {};
  socklen_t bytes = sizeof(address);
  auto* const own = reinterpret_cast<sockaddr*>(&address);
  char port[NI_MAXSERV] = {};
  if (getsockname(socket, own, &bytes) != 0 ||
      getnameinfo(own, bytes, nullptr, 0, port, sizeof(port), NI_NUMERICSERV) !=
          0) {
    return -1;
  }
  return std::atoi(port);
}

}  // namespace

bool WaitForSocket(int socket, short event, Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd poll_socket = {socket, event, 0};
    const int count = poll(&poll_socket, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

bool SendAll(int socket, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t count =
        send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN) {
      if (!WaitForSocket(socket, POLLOUT, deadline)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

ssize_t Receive(int socket, char* buffer, size_t bytes) {
  for (;;) {
    const ssize_t count = recv(socket, buffer, bytes, 0);
    if (count >= 0) return count;
    if (errno == EAGAIN) return -1;
    if (errno != EINTR) return 0;
  }
}

bool HasClosed(int socket) {
  pollfd poll_socket = {socket, POLLRDHUP, 0};  // POLLHUP and POLLERR, too.
  return poll(&poll_socket, 1, 0) > 0;
}

int Listen(const std::string& host, int port, int* chosen, std::string* why) {
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
  int listener = -1;
  for (addrinfo* a = found; a != nullptr && listener < 0; a = a->ai_next) {
    const int made =
        ::socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    if (made >= 0 &&
        setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        ::bind(made, a->ai_addr, a->ai_addrlen) == 0 &&
        ::listen(made, SOMAXCONN) == 0) {
      listener = made;
    } else {
      *why = std::strerror(errno);
      if (made >= 0) close(made);
    }
  }
  freeaddrinfo(found);
  if (listener >= 0) *chosen = PortOf(listener);
  return listener;
}

}  // namespace latimer::server
