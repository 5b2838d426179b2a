// A program under adverse conditions: limits, signals, pipes.
#ifndef LATIMER_TESTS_SYSTEM_PROCESS_H_
#define LATIMER_TESTS_SYSTEM_PROCESS_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace latimer {

// The conditions in which a program starts.
struct Conditions {
  int in = -1, out = -1;  // Standard input and output; -1: /dev/null.
  uint64_t memory = 0;    // RLIMIT_AS in bytes; 0: none.
  bool limits_files = false;
  uint64_t file_bytes = 0;  // RLIMIT_FSIZE where limits_files.
  int ignored_signal = 0;   // 0: none.
  std::string err = {};     // A file; empty: /dev/null.
};

class Process {
 public:
  Process(const std::string& program, std::vector<std::string> arguments,
          const Conditions& conditions) {
    arguments.insert(arguments.begin(),
                     std::string(LATIMER_BINARY_DIR) + "/" + program);
    std::istringstream emulator(LATIMER_EMULATOR);
    arguments.insert(arguments.begin(),
                     std::istream_iterator<std::string>(emulator),
                     std::istream_iterator<std::string>());
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& word : arguments) argv.push_back(word.data());
    argv.push_back(nullptr);
    id_ = fork();
    EXPECT_GE(id_, 0);
    if (id_ == 0) Become(argv, conditions);
  }
  ~Process() {
    if (id_ > 0) {
      Send(SIGKILL);
      Wait();
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return id_; }

  void Send(int signal) const { EXPECT_EQ(kill(id_, signal), 0); }

  // Its exit code; 128 and more: the signal that ended it.
  int Wait() {
    int status = 0;
    EXPECT_EQ(waitpid(id_, &status, 0), id_);
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  bool IsRunning() {
    siginfo_t info{};
    EXPECT_EQ(waitid(P_PID, static_cast<id_t>(id_), &info,
                     WEXITED | WNOHANG | WNOWAIT),
              0);
    return info.si_pid == 0;
  }

 private:
  [[noreturn]] static void Become(const std::vector<char*>& argv,
                                  const Conditions& c) {
    const auto redirect = [](int from, int to) {
      dup2(from >= 0 ? from : open("/dev/null", O_RDWR), to);
    };
    redirect(c.in, STDIN_FILENO);
    redirect(c.out, STDOUT_FILENO);
    redirect(c.err.empty()
                 ? -1
                 : open(c.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
             STDERR_FILENO);
    const auto limit = [](auto what, uint64_t bytes) {
      const struct rlimit both = {static_cast<rlim_t>(bytes),
                                  static_cast<rlim_t>(bytes)};
      setrlimit(what, &both);
    };
    if (c.ignored_signal != 0) std::signal(c.ignored_signal, SIG_IGN);
    if (c.memory > 0) limit(RLIMIT_AS, c.memory);
    if (c.limits_files) limit(RLIMIT_FSIZE, c.file_bytes);
    execvp(argv[0], argv.data());
    _exit(127);
  }

  pid_t id_ = 0;
};

// Two ends, closed with the object or before.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0); }
  ~Pipe() {
    CloseReader();
    CloseWriter();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void CloseReader() { Close(&ends_[0]); }
  void CloseWriter() { Close(&ends_[1]); }

  void Write(const std::string& text) const {
    EXPECT_EQ(write(writer(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  // At most `most` bytes; empty at the end.
  std::string ReadSome(size_t most) const {
    std::string text(most, '\0');
    const ssize_t bytes = read(reader(), text.data(), most);
    EXPECT_GE(bytes, 0);
    text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    return text;
  }
  std::string ReadLine() const {
    std::string line;
    while (line.empty() || line.back() != '\n') {
      const std::string byte = ReadSome(1);
      if (byte.empty()) break;
      line += byte;
    }
    return line;
  }
  std::string ReadAll() const {
    std::string all;
    for (std::string part = ReadSome(1 << 16); !part.empty();
         part = ReadSome(1 << 16)) {
      all += part;
    }
    return all;
  }

 private:
  static void Close(int* end) {
    if (*end >= 0) close(std::exchange(*end, -1));
  }

  int ends_[2] = {-1, -1};
};

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_PROCESS_H_
