// What sockets tell. Tests server/sockets.cc.
#include "server/sockets.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace latimer::server::sockets_test {

TEST(Sockets, SeeThatTheOtherEndHasGoneBehindBytesThatWait) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
  ASSERT_EQ(send(ends[1], "abc", 3, 0), 3);
  EXPECT_FALSE(HasClosed(ends[0]));
  close(ends[1]);
  EXPECT_TRUE(HasClosed(ends[0]));
  char bytes[4];
  EXPECT_EQ(Receive(ends[0], bytes, sizeof(bytes)), 3);
  EXPECT_EQ(Receive(ends[0], bytes, sizeof(bytes)), 0);
  close(ends[0]);
}

}  // namespace latimer::server::sockets_test
