// latimer-serve: models behind LibreTranslate's HTTP interface, and OpenAI's
// and Wyoming's for speech.

#include <malloc.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "detect.h"
#include "http_server.h"
#include "latimer/version.h"
#include "service.h"
#include "wyoming.h"

namespace latimer::server {
namespace {

struct Options {
  std::vector<std::string> models;
  std::string host = "127.0.0.1";
  int port = 5000;
  std::string wyoming;
  std::string api_keys;
  std::vector<std::string> terms, proxies;
  LoadOptions load;
  uint32_t lanes = kProfile.lanes;
  uint32_t beams = 0;
  uint32_t workers = 1;
  uint32_t cache_mib = 0;
  HttpLimits http;
  ServiceOptions service;
};

void Define(CLI::App& app, Options* o) {
  const auto minus_one_or_more = CLI::Range(-1, 1'000'000'000);
  const auto one_or_more = CLI::Range(1, 1'000'000'000);
  app.set_version_flag("--version", "latimer-serve " LATIMER_VERSION);
  app.add_option("MODEL", o->models,
                 "model files, as en-de.ltm, en-de=FILE.ltm or tiny.en.ltm")
      ->required();
  app.add_option("--host", o->host, "address to listen at")
      ->capture_default_str();
  app.add_option("--port", o->port, "port; 0 chooses one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--wyoming", o->wyoming,
                 "HOST:PORT for the Wyoming protocol, by which Home Assistant "
                 "has speech transcribed; port 0 chooses one");
  app.add_option("--workers", o->workers,
                 "threads of each model that translate side by side, each "
                 "with lanes and memory of its own")
      ->check(CLI::Range(1u, 64u))
      ->capture_default_str();
  app.add_option("--threads", o->load.threads,
                 "threads of each worker, which share the work of a step")
      ->check(CLI::Range(1u, kProfile.threads))
      ->capture_default_str();
  app.add_option("--lanes", o->lanes,
                 "sentences that a worker translates side by side")
      ->check(CLI::Range(1u, kProfile.lanes))
      ->capture_default_str();
  app.add_option("--beams", o->beams,
                 "room for this many beams (default: what alternatives need)")
      ->check(CLI::Range(1u, kProfile.beams));
  app.add_option("--cache", o->cache_mib,
                 "MiB of translations that are kept for equal sentences, of "
                 "all models; 0: none")
      ->check(CLI::Range(0u, 2047u))
      ->capture_default_str();
  app.add_option("--char-limit", o->service.limits.characters,
                 "characters of a text; -1: no limit")
      ->check(minus_one_or_more)
      ->capture_default_str();
  app.add_option("--req-limit", o->service.limits.requests_per_minute,
                 "requests of a client in a minute; -1: no limit")
      ->check(minus_one_or_more)
      ->capture_default_str();
  app.add_option("--batch-limit", o->service.batch_limit,
                 "texts of a request; -1: no limit")
      ->check(minus_one_or_more)
      ->capture_default_str();
  app.add_option("--alternatives-limit", o->service.alternatives_limit,
                 "most alternatives of a translation")
      ->check(CLI::Range(0, static_cast<int>(kProfile.beams) - 1))
      ->capture_default_str();
  app.add_option("--api-keys", o->api_keys,
                 "file of keys: KEY [REQUESTS-PER-MINUTE [CHARACTERS]]");
  app.add_flag("--require-api-key", o->service.require_key,
               "refuse requests without a key");
  app.add_option("--terms", o->terms,
                 "NAME=FILE of terms that requests may ask for by name; lines "
                 "of a source, a tab and a target")
      ->allow_extra_args(false);
  app.add_option("--trust-proxy", o->proxies,
                 "ADDRESS or NETWORK/BITS of a proxy whose X-Forwarded-For, "
                 "-Proto, -Host or Forwarded say who asks and where")
      ->allow_extra_args(false);
  app.add_option("--body-limit", o->http.body_bytes, "bytes of a request")
      ->check(one_or_more)
      ->capture_default_str();
  app.add_option("--sound-limit", o->service.sound_bytes,
                 "bytes of a request with a recording")
      ->check(one_or_more)
      ->capture_default_str();
  app.add_option("--connections", o->http.connections,
                 "connections at a time, a thread each")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--queue", o->service.queue,
                 "sentences that may wait, of all requests")
      ->check(one_or_more)
      ->capture_default_str();
  app.add_option("--timeout", o->service.timeout_seconds,
                 "seconds that a translation may take")
      ->check(one_or_more)
      ->capture_default_str();
  bool* const page = &o->service.web_page;
  app.add_flag_callback(
      "--disable-web-ui", [page] { *page = false; }, "have no page at /");
}

int Fail(const std::string& why) {
  std::fprintf(stderr, "latimer-serve: %s\n", why.c_str());
  return 1;
}

// Reads what the options name. Null: `*why` says what is wrong.
std::shared_ptr<const Loaded> Load(const Options& options, Metrics& metrics,
                                   std::string* why) {
  auto loaded = std::make_shared<Loaded>(metrics);
  if (!options.api_keys.empty()) {
    *why =
        loaded->keys.emplace().Read(options.api_keys, options.service.limits);
    if (!why->empty()) *why = "--api-keys: " + *why;
  }
  for (const std::string& terms : options.terms) {
    if (!why->empty()) return nullptr;
    *why = loaded->glossaries.Add(terms);
    if (!why->empty()) *why = "--terms " + *why;
  }
  for (const std::string& model : options.models) {
    if (!why->empty()) return nullptr;
    *why = loaded->catalog.Add(
        model, options.load, options.workers,
        (size_t{options.cache_mib} << 20) / options.models.size());
  }
  return why->empty() ? loaded : nullptr;
}

void LoadAnew(const Options& options, Metrics& metrics, Service& service) {
  std::string why;
  try {
    std::shared_ptr<const Loaded> loaded = Load(options, metrics, &why);
    if (loaded != nullptr) service.Use(std::move(loaded));
  } catch (const std::exception& error) {
    why = error.what();
  }
  if (why.empty()) {
    std::fputs("latimer-serve: opened the files anew.\n", stderr);
  } else {
    std::fprintf(stderr,
                 "latimer-serve: %s\nlatimer-serve: goes on as before.\n",
                 why.c_str());
  }
}

// Serves until SIGTERM or SIGINT. A second one ends the program at once.
int Serve(HttpServer& server, const sigset_t& signals,
          const std::function<void()>& on_hangup) {
  std::thread waits([&] {
    const auto next = [&] {
      int signal = 0;
      sigwait(&signals, &signal);
      return signal;
    };
    while (next() == SIGHUP) on_hangup();
    std::fputs("latimer-serve: answering what was begun.\n", stderr);
    server.Drain();
    int signal = 0;
    while ((signal = next()) == SIGHUP) continue;
    std::_Exit(128 + signal);
  });
  waits.detach();
  server.Run();
  return 0;
}

// Serves the Wyoming protocol at "HOST:PORT". Returns what is wrong; empty:
// nothing.
std::string StartWyoming(const std::string& address, WyomingServer& server) {
  const std::string prefix = "--wyoming " + address + ": ";
  const size_t colon = std::min(address.rfind(':'), address.size());
  const char* const end = address.data() + address.size();
  int number = -1;
  if (colon > 0 && colon < address.size()) {
    const auto read = std::from_chars(&address[colon] + 1, end, number);
    if (read.ptr != end || read.ec != std::errc()) number = -1;
  }
  if (number < 0 || number > 65535) {
    return prefix + "give a host and a port, as in 127.0.0.1:10300.";
  }
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  std::string why;
  number = server.Start(host, number, &why);
  if (number < 0) return prefix + "cannot listen there (" + why + ").";
  std::fprintf(stderr, "latimer-serve: wyoming tcp://%s:%d\n",
               address.substr(0, colon).c_str(), number);
  return "";
}

int Run(int argc, char** argv) {
  CLI::App app("Translates for clients of LibreTranslate's HTTP interface.",
               "latimer-serve");
  Options options;
  Define(app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  // Threads of connections come and go; each arena would keep memory.
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
  // What reads a page takes more than the default of 128 KiB, and to map and
  // unmap it for each text of a list took more time than the work.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  if (options.service.require_key && options.api_keys.empty()) {
    return Fail("--require-api-key needs --api-keys FILE.");
  }
  for (const std::string& proxy : options.proxies) {
    if (!options.service.proxies.Add(proxy)) {
      return Fail("--trust-proxy " + proxy +
                  ": give an address or a network, as in 10.0.0.0/8.");
    }
  }
  const uint32_t beams =
      std::max(options.beams,
               static_cast<uint32_t>(options.service.alternatives_limit) + 1);
  options.load.lanes = options.lanes;
  options.load.beams = std::min(beams, options.lanes);
  options.load.attention = options.load.scores = false;

  Metrics metrics;
  std::string why;
  std::shared_ptr<const Loaded> loaded = Load(options, metrics, &why);
  if (loaded == nullptr) return Fail(why);
  Service service(std::move(loaded), metrics, options.service);
  HttpServer server(options.http);
  service.Register(server);
  const int port = server.Bind(options.host, options.port, &why);
  if (port < 0) {
    return Fail("cannot listen at " + options.host + ":" +
                std::to_string(options.port) + " (" + why + ").");
  }
  if (!options.wyoming.empty() && service.loaded()->catalog.speech().empty()) {
    return Fail("--wyoming needs a model that reads speech.");
  }
  const bool six = options.host.find(':') != std::string::npos;
  std::fprintf(stderr, "latimer-serve: http://%s%s%s:%d/%s\n", six ? "[" : "",
               options.host.c_str(), six ? "]" : "", port,
               CanDetect() ? "" : " (does not detect languages)");
  WyomingLimits limits;
  limits.timeout_seconds = options.service.timeout_seconds;
  WyomingServer wyoming([&] { return service.loaded(); }, limits);
  if (!options.wyoming.empty()) {
    why = StartWyoming(options.wyoming, wyoming);
    if (!why.empty()) return Fail(why);
  }
  return Serve(server, signals, [&] { LoadAnew(options, metrics, service); });
}

}  // namespace
}  // namespace latimer::server

int main(int argc, char** argv) { return latimer::server::Run(argc, argv); }
