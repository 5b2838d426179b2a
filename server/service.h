// The HTTP interface of LibreTranslate, and OpenAI's for speech.
#ifndef LATIMER_SERVER_SERVICE_H_
#define LATIMER_SERVER_SERVICE_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog.h"
#include "detect.h"
#include "files.h"
#include "forwarded.h"
#include "http_server.h"
#include "limits.h"
#include "metrics.h"
#include "speech.h"
#include "wording.h"

namespace latimer::server {

struct ServiceOptions {
  ClientLimits limits;  // Of clients without a key.
  bool require_key = false;
  int batch_limit = -1;  // Texts of a request.
  int alternatives_limit = 3;
  int64_t queue = 20'000;  // Sentences that may wait or be under way.
  int timeout_seconds = 120;
  bool web_page = true;
  size_t sound_bytes = size_t{25} << 20;  // Of a recording.
  Proxies proxies = {};                   // That are believed.
};

// What was read from files.
struct Loaded {
  explicit Loaded(Metrics& metrics) : catalog(metrics) {}

  Catalog catalog;
  Glossaries glossaries;
  std::optional<ApiKeys> keys;
};

class Service {
 public:
  // Borrows `metrics`.
  Service(std::shared_ptr<const Loaded> loaded, Metrics& metrics,
          const ServiceOptions& options);

  // Adds the handlers. The service must outlive the server.
  void Register(HttpServer& server);

  // Requests that begin from now on use this; the others keep what they have,
  // and the last of them frees it. Any thread may call it.
  void Use(std::shared_ptr<const Loaded> loaded);

  // What requests that begin now use. Any thread may call it.
  std::shared_ptr<const Loaded> loaded() {
    const std::lock_guard lock(mutex_);
    return loaded_;
  }

 private:
  using Json = nlohmann::json;
  using Clock = std::chrono::steady_clock;

  // An answer that is an error, thrown by what finds it.
  struct Refusal {
    int code;
    std::string message;
    int retry_after = 0;  // Seconds; 0: none.
  };
  // The parameters of a request, from JSON, a form or the query.
  struct Parameters;

  // Who asks, by address or key, and how much.
  struct Client {
    std::string name;
    ClientLimits limits;
  };

  // What a request translates from and to. No legs: it is the same language.
  struct Direction {
    Json detected;  // Null unless the source was "auto".
    std::vector<Leg> legs;
  };

  // Counts memory for the request at hand; throws if there is too little.
  static void ReserveRoom(size_t bytes);
  static void ReserveItems(size_t count);
  Json Translate(const Parameters& parameters);
  Json TranslateFile(const Parameters& parameters);
  // `texts` are what "auto" is detected in.
  Direction FindDirection(const Parameters& parameters, std::string source,
                          const std::string& target,
                          const std::vector<std::string>& texts,
                          bool is_html) const;
  // Answers with what is said in a recording; `translates`: in English.
  void Transcribe(const Parameters& parameters, bool translates,
                  HttpResponse* response);
  Spoken Hear(SpeechModel& model, const SpeechRequest& request,
              std::string_view wav) const;
  static SpeechModel& SpeechModelOf(const Parameters& parameters);
  Json DetectLanguage(const Parameters& parameters) const;
  Json Settings(const Parameters& parameters) const;
  // By its key: the parameter, or the other one. Throws if it is wrong, or
  // missing though the client must have one.
  Client ClientOf(const Parameters& parameters,
                  const std::string& other_key = "") const;
  // Throws if it has made too many requests.
  void Admit(const Client& client, int cost);
  // When a translation that begins now takes too long.
  Clock::time_point Deadline() const {
    return Clock::now() + std::chrono::seconds(options_.timeout_seconds);
  }
  // Throws if there are more than the server gives, or a prefix that no
  // translation can have.
  Alternatives AlternativesOf(const Parameters& parameters, bool is_plain,
                              const std::vector<Leg>& legs) const;
  // Throws if the terms are none, or not for these models.
  Wording WordingOf(const Parameters& parameters,
                    const std::vector<Leg>& legs) const;
  std::shared_ptr<const Glossary> GlossaryOf(
      const Parameters& parameters) const;
  // A job that is done.
  std::shared_ptr<const Job> TranslateTexts(
      const std::vector<std::string>& texts, const std::vector<Leg>& legs,
      const Wording& wording, Alternatives alternatives = {},
      bool has_segments = false);
  std::vector<std::string> TranslateHtml(std::vector<std::string> texts,
                                         const std::vector<Leg>& legs,
                                         const Wording& wording);
  // Waits until the job is done, at most until the deadline. `admitted`: room
  // in the queue was found for the request that it is part of.
  void Run(const std::shared_ptr<Job>& job, Clock::time_point deadline,
           bool admitted = false);
  // What the texts are written in, the likeliest language that is served.
  static std::vector<Detected> DetectServed(const Catalog& catalog,
                                            const std::string& text,
                                            bool is_html = false);
  static Json LanguagesOf(const Catalog& catalog);

  static std::string ErrorBody(const std::string& path, std::string_view why);
  template <typename Handler>
  auto Wrap(Handler handler);
  template <typename Handler>
  auto Answer(Handler handler);

  Metrics& metrics_;
  const ServiceOptions options_;
  RateLimiter limiter_;
  // Not finished; shared with jobs, which may outlive the service.
  const std::shared_ptr<std::atomic<int64_t>> sentences_ =
      std::make_shared<std::atomic<int64_t>>(0);
  FileStore files_;

  std::mutex mutex_;  // Of what follows.
  std::shared_ptr<const Loaded> loaded_;
  Json languages_;  // Those of loaded_.
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_SERVICE_H_
