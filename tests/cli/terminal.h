// A terminal that a program writes its standard error to.
#ifndef LATIMER_TESTS_CLI_TERMINAL_H_
#define LATIMER_TESTS_CLI_TERMINAL_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/system/process.h"

namespace latimer {

// Runs a program of ours with standard error on a terminal and standard output
// in a file, and returns what the terminal got. It must succeed.
inline std::string OnTerminal(const std::string& program,
                              const std::vector<std::string>& arguments,
                              const std::string& output, int input = -1) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  EXPECT_GE(terminal, 0);
  EXPECT_EQ(grantpt(terminal), 0);
  EXPECT_EQ(unlockpt(terminal), 0);
  const int out =
      open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  EXPECT_GE(out, 0);
  Process process(program, arguments,
                  {.in = input, .out = out, .err = ptsname(terminal)});
  close(out);
  std::string text;
  char part[4096];
  // Fails when the program has closed it.
  for (ssize_t bytes; (bytes = read(terminal, part, sizeof(part))) > 0;) {
    text.append(part, static_cast<size_t>(bytes));
  }
  close(terminal);
  EXPECT_EQ(process.Wait(), 0) << text;
  return text;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_CLI_TERMINAL_H_
