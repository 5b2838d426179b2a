// Sockets that do not block, with deadlines.
#ifndef LATIMER_SERVER_SOCKETS_H_
#define LATIMER_SERVER_SOCKETS_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace latimer::server {

using Deadline = std::chrono::steady_clock::time_point;

// Waits for an event on a socket. False at the deadline.
bool WaitForSocket(int socket, short event, Deadline deadline);

// Whether the other end has taken all, in time.
bool SendAll(int socket, std::string_view bytes, Deadline deadline);

// Reads what has come. Returns its bytes; 0: the connection has ended; -1:
// nothing has come yet.
ssize_t Receive(int socket, char* buffer, size_t bytes);

// Whether the other end has closed the connection, or sends no more, even if
// what it has sent is not read yet.
bool HasClosed(int socket);

// Listens at an address and a port; 0 chooses one. Returns the socket and sets
// `*chosen`, or returns -1 and says in `*why` what failed.
int Listen(const std::string& host, int port, int* chosen, std::string* why);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_SOCKETS_H_
