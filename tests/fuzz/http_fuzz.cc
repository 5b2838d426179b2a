// Sends the input to latimer-serve as the bytes of a connection: one request or
// several. Whatever they are, the answers are HTTP, their bodies JSON, and the
// server goes on.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "server/http_server.h"
#include "server/service.h"
#include "tests/fuzz/base_models.h"
#include "tests/fuzz/expect.h"

namespace {

using namespace latimer::server;

constexpr size_t kMostBytes = 60'000;  // Of a socket's buffer.

// A model that the server has as from English to German and back.
std::string ModelFile() {
  const latimer::BaseModel& model = *latimer::BaseModelsOfText().front();
  const auto path = std::filesystem::temp_directory_path() /
                    ("latimer_http_fuzz." + std::to_string(getpid()) + ".ltm");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(model.file().data()),
             static_cast<std::streamsize>(model.file().size()));
  return path;
}

struct Fixture {
  Fixture() {
    const std::string file = ModelFile();
    for (const char* pair : {"en-de=", "de-en="}) {
      LATIMER_EXPECT(
          loaded->catalog.Add(pair + file, {.lanes = 4, .beams = 2}, 2)
              .empty());
    }
    std::filesystem::remove(file);  // It is mapped.
    service.Register(server);
  }

  Metrics metrics;
  std::shared_ptr<Loaded> loaded = std::make_shared<Loaded>(metrics);
  Service service{
      loaded,
      metrics,
      {.limits = {}, .alternatives_limit = 1, .timeout_seconds = 5}};
  // A client that does not read is not waited for.
  HttpServer server{{.body_bytes = 32'768,
                     .request_seconds = 1,
                     .idle_seconds = 1,
                     .send_seconds = 0}};
};

std::string Answers(HttpServer& server, std::string_view request) {
  std::array<int, 2> ends = {};
  LATIMER_EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const int size = 1 << 22;
  setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
  setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  const ssize_t sent = send(ends[0], request.data(), request.size(), 0);
  LATIMER_EXPECT(sent == static_cast<ssize_t>(request.size()));
  shutdown(ends[0], SHUT_WR);
  server.ServeConnection(ends[1]);
  std::string answers;
  std::array<char, 65'536> some;
  for (;;) {
    const ssize_t count = recv(ends[0], some.data(), some.size(), 0);
    if (count <= 0) break;
    answers.append(some.data(), static_cast<size_t>(count));
  }
  close(ends[0]);
  return answers;
}

std::string_view Header(std::string_view head, std::string_view name) {
  const size_t at = head.find(name);
  if (at == head.npos) return "";
  const size_t begin = at + name.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

// The last answer may be cut, since the client does not read meanwhile.
void ExpectHttp(std::string_view answers) {
  while (!answers.empty()) {
    LATIMER_EXPECT(answers.starts_with("HTTP/1.1 ") ||
                   std::string_view("HTTP/1.1 ").starts_with(answers));
    const size_t end = answers.find("\r\n\r\n");
    if (end == answers.npos) return;
    const std::string_view head = answers.substr(0, end + 2);
    const std::string_view rest = answers.substr(end + 4);
    if (head.substr(9, 3) == "100") {
      answers = rest;
      continue;
    }
    const std::string length(Header(head, "\r\nContent-Length: "));
    const size_t bytes = length.empty() ? 0 : std::stoul(length);
    if (bytes > rest.size()) return;
    if (Header(head, "\r\nContent-Type: ") == "application/json") {
      LATIMER_EXPECT(nlohmann::json::accept(rest.substr(0, bytes)));
    }
    answers = rest.substr(bytes);
  }
}

}  // namespace

// Before the clock of the first input runs.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  (void)latimer::BaseModelsOfText();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Fixture* const fixture = new Fixture;
  const std::string_view request(reinterpret_cast<const char*>(data),
                                 std::min(size, kMostBytes));
  ExpectHttp(Answers(fixture->server, request));
  return 0;
}
