// The HTTP interface of LibreTranslate.
#ifndef LATIMER_SERVER_SERVICE_H_
#define LATIMER_SERVER_SERVICE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "catalog.h"
#include "detect.h"
#include "http_server.h"
#include "limits.h"
#include "metrics.h"

namespace latimer::server {

struct ServiceOptions {
  ClientLimits limits;  // Of clients without a key.
  bool require_key = false;
  int batch_limit = -1;  // Texts of a request.
  int alternatives_limit = 3;
  int64_t queue = 20'000;  // Sentences that may wait or be under way.
  int timeout_seconds = 120;
  bool web_page = true;
};

class Service {
 public:
  // Borrows its arguments. `keys` may be null.
  Service(Catalog& catalog, Metrics& metrics, const ApiKeys* keys,
          const ServiceOptions& options);

  // Adds the handlers. The service must outlive the server.
  void Register(HttpServer& server);

 private:
  using Json = nlohmann::json;

  // An answer that is an error, thrown by what finds it.
  struct Refusal {
    int code;
    std::string message;
    int retry_after = 0;  // Seconds; 0: none.
  };
  // The parameters of a request, from JSON, a form or the query.
  struct Parameters;

  Json Translate(const Parameters& parameters);
  Json DetectLanguage(const Parameters& parameters) const;
  Json Languages() const;
  Json Settings() const;
  // Throws unless the client may make requests. Returns its limits.
  ClientLimits Admit(const Parameters& parameters, int cost);
  void Run(const std::shared_ptr<Job>& job);
  // What the texts are written in, the likeliest language that is served.
  std::vector<Detected> DetectServed(const std::string& text) const;

  template <typename Handler>
  auto Wrap(Handler handler);

  Catalog& catalog_;
  Metrics& metrics_;
  const ApiKeys* const keys_;
  const ServiceOptions options_;
  RateLimiter limiter_;
  // Not finished; shared with jobs, which may outlive the service.
  const std::shared_ptr<std::atomic<int64_t>> sentences_ =
      std::make_shared<std::atomic<int64_t>>(0);
  Json languages_;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_SERVICE_H_
