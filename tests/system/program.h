// Runs one of our programs as a user would.
#ifndef LATIMER_TESTS_SYSTEM_PROGRAM_H_
#define LATIMER_TESTS_SYSTEM_PROGRAM_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/converter/model_folder.h"

extern char** environ;

namespace latimer {

struct Outcome {
  int code = -1;  // 128 and more: ended by a signal.
  std::string out;
  std::string err;
};

// Runs a command, such as the compiler, with this standard input.
inline Outcome RunCommand(std::vector<std::string> words,
                          const std::string& input = "") {
  const TempFolder folder;
  const std::string in = folder.path() / "in", out = folder.path() / "out",
                    err = folder.path() / "err";
  WriteFile(in, input);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, in.c_str(), O_RDONLY,
                                   0);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), kWrite,
                                   0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), kWrite,
                                   0600);
  pid_t process = 0;
  EXPECT_EQ(
      posix_spawnp(&process, argv[0], &files, nullptr, argv.data(), environ), 0)
      << argv[0];
  posix_spawn_file_actions_destroy(&files);
  int status = 0;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          ReadFile(out), ReadFile(err)};
}

// Runs build/.../bin/<name> with these arguments and standard input.
inline Outcome RunProgram(
    const std::string& name, const std::vector<std::string>& arguments,
    const std::string& input = "",
    const std::string& emulator_command = LATIMER_EMULATOR) {
  std::vector<std::string> words;
  std::istringstream emulator(emulator_command);
  for (std::string word; emulator >> word;) words.push_back(word);
  words.push_back(std::string(LATIMER_BINARY_DIR) + "/" + name);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return RunCommand(words, input);
}

// Expects exit code `code`, nothing on standard output, and one sentence on
// standard error, which is returned.
inline std::string ErrorSentence(const Outcome& outcome, int code) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::string& text = outcome.err;
  EXPECT_TRUE(text.starts_with("latimer")) << text;
  EXPECT_TRUE(text.ends_with('\n')) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  return text;
}

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_PROGRAM_H_
