#include "service.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include "archive.h"
#include "ascii.h"
#include "detect.h"
#include "documents.h"
#include "http_form.h"
#include "json/bounded_json.h"
#include "languages.h"
#include "latimer/number_check.h"
#include "latimer/version.h"
#include "os/text_lines.h"
#include "server/page.h"
#include "transcript.h"

namespace latimer::server {
namespace {

using Json = nlohmann::json;

constexpr const char* kDownloads = "/download_file/";

// What requests are counted by. Clients must not make up others.
constexpr std::string_view kPaths[] = {"/",
                                       "/translate",
                                       "/detect",
                                       "/languages",
                                       "/health",
                                       "/metrics",
                                       "/suggest",
                                       "/translate_file",
                                       "/spec",
                                       "/docs",
                                       "/frontend/settings",
                                       "/v1/models",
                                       "/v1/audio/transcriptions",
                                       "/v1/audio/translations"};

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Characters of a text. A byte that belongs to none counts as one.
int64_t CountCharacters(const std::string& text) {
  int64_t count = 0;
  int continuations = 0;  // That may follow.
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if ((byte & 0xC0) == 0x80 && continuations > 0) {
      --continuations;
      continue;
    }
    ++count;
    continuations = byte < 0xF8 ? std::max(std::countl_one(byte) - 1, 0) : 0;
  }
  return count;
}

// Lines of a form end with CR LF.
std::string WithPlainLines(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool pair = i + 1 < text.size() && text[i + 1] == '\n';
    if (text[i] != '\r') {
      out += text[i];
    } else if (!pair) {
      out += '\n';
    }
  }
  return out;
}

// Keeps the translations that begin with a prefix and go on with another word,
// or at least the first.
void KeepThoseAfter(std::string_view prefix, std::vector<std::string>* all) {
  const size_t given = prefix.size();
  while (prefix.ends_with(' ')) prefix.remove_suffix(1);
  const bool ends_word = !prefix.empty() && prefix.size() < given;
  const auto goes_on = [&](const std::string& text) {
    if (!text.starts_with(prefix)) return false;
    const char next = text.size() > prefix.size() ? text[prefix.size()] : ' ';
    return !ends_word || next == ' ' ||
           std::ispunct(static_cast<uint8_t>(next));
  };
  if (std::ranges::none_of(*all, goes_on)) {
    all->resize(1);
  } else {
    std::erase_if(*all, std::not_fn(goes_on));
  }
}

Json Stretches(std::string_view text, std::span<const TextRange> ranges) {
  Json all = Json::array();
  for (const TextRange& range : ranges) {
    all.push_back(text.substr(range.begin, range.size()));
  }
  return all;
}

Json SegmentsOf(const Job& job, size_t text) {
  Json all = Json::array();
  for (const Segment& one : job.Segments(text)) {
    Json segment = {{"source", one.source}, {"translation", one.translation}};
    NumberCheck check;
    CheckNumbers(one.source, one.translation, &check);
    if (!check.ok()) {
      segment["numbers"] = {
          {"missing", Stretches(one.source, check.missing())},
          {"surplus", Stretches(one.translation, check.surplus())}};
    }
    all.push_back(std::move(segment));
  }
  return all;
}

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

// Of all translated files that clients have not fetched.
constexpr size_t kFileStoreBytes = size_t{64} << 20;

bool IsUtf8(const std::string& text) {
  try {
    (void)Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

// Without its parameters: "application/json; charset=utf-8".
std::string_view MediaType(std::string_view content_type) {
  return Trimmed(content_type.substr(0, content_type.find(';')));
}

// "application/json" and "application/vnd.api+json".
bool IsJson(std::string_view type) {
  constexpr std::string_view kBegin = "application/", kEnd = "+json";
  return EqualsIgnoringCase(type, "application/json") ||
         (type.size() > kBegin.size() + kEnd.size() &&
          EqualsIgnoringCase(type.substr(0, kBegin.size()), kBegin) &&
          EqualsIgnoringCase(type.substr(type.size() - kEnd.size()), kEnd));
}

std::string Missing(const char* name) {
  return std::string("Invalid request: missing ") + name + " parameter";
}

}  // namespace

struct Service::Parameters {
  // Takes the body.
  Parameters(HttpRequest& request, Origin from,
             std::shared_ptr<const Loaded> used)
      : origin(std::move(from)), loaded(std::move(used)) {
    const std::string body = std::move(request.body);
    const std::string type = request.Field("Content-Type");
    constexpr std::string_view kBearer = "Bearer ";
    bearer = request.Field("Authorization");
    bearer.erase(0,
                 bearer.starts_with(kBearer) ? kBearer.size() : bearer.size());
    is_json = IsJson(MediaType(type));
    Add(ParseForm(request.query));
    if (is_json) {
      Json values_of_body = ParseBody(body);
      if (!values_of_body.is_object()) {
        throw Refusal{400, "Invalid JSON format"};
      }
      for (auto& [name, value] : values_of_body.items()) {
        values[name] = std::move(value);
      }
    } else if (EqualsIgnoringCase(MediaType(type),
                                  "application/x-www-form-urlencoded")) {
      Add(ParseForm(body));
    } else if (EqualsIgnoringCase(MediaType(type), "multipart/form-data")) {
      Add(ParseParts(body, BoundaryOf(type)));
    }
    is_json_without_type =
        !is_json && Trimmed(body).starts_with('{') && !values.contains("q");
  }

  // Of several values of a name the first counts; those of a NAME[] are a list.
  void Add(std::optional<std::vector<FormValue>> form) {
    if (!form.has_value()) {
      throw Refusal{400,
                    "Invalid request: the form cannot be read, or has more "
                    "than " +
                        std::to_string(kMostFormValues) + " values"};
    }
    for (FormValue& one : *form) {
      if (one.name == "file" && file_name.empty()) {
        file_name = SafeFileName(one.file_name);
      }
      if (one.name.ends_with("[]")) {
        values[one.name].push_back(std::move(one.value));
      } else {
        values.try_emplace(std::move(one.name), std::move(one.value));
      }
    }
  }

  static Json ParseBody(const std::string& body) {
    // There is at most one value more than these, each with a name.
    const auto values = static_cast<size_t>(std::ranges::count_if(
        body, [](char c) { return c == ',' || c == '[' || c == '{'; }));
    const size_t counted = HttpServer::kBytesPerBodyByte * body.size();
    (void)ReadJson(body, 64);  // Of brackets alone, it says what is wrong.
    ReserveRoom(std::max(values * kItemBytes, counted) - counted);
    return ReadJson(body, values + 1);
  }

  static Json ReadJson(const std::string& body, size_t most_values) {
    // None needs values in lists in an object.
    BoundedJson read =
        ReadBoundedJson(body, {.depth = 32, .values = most_values});
    if (read.error == JsonError::kTooDeep) {
      throw Refusal{400, "Invalid request: the JSON is nested too deeply"};
    }
    return std::move(read.value);
  }

  // Null if a parameter is not there.
  const Json* Find(const char* name) const {
    const auto found = values.find(name);
    const bool is_there = found != values.end() && !found->second.is_null();
    return is_there ? &found->second : nullptr;
  }
  // "" if there is none.
  std::string Text(const char* name) const {
    const Json* const value = Find(name);
    if (value == nullptr) return "";
    if (value->is_string()) return value->get<std::string>();
    throw Refusal{400, std::string("Invalid request: ") + name +
                           " parameter is not a string"};
  }
  // Whether timestamp_granularities[] has "word".
  bool AsksForWords() const {
    const Json* const given = Find("timestamp_granularities[]");
    if (given == nullptr) return false;
    for (const Json& one : *given) {
      if (one == "word" || one == "segment") continue;
      throw Refusal{400,
                    "Invalid request: timestamp_granularities[] is word or "
                    "segment"};
    }
    return std::ranges::any_of(*given,
                               [](const Json& one) { return one == "word"; });
  }
  int Number(const char* name) const {
    constexpr int kMost = 1'000'000;
    if (Find(name) == nullptr) return 0;
    const Json& value = *Find(name);
    double number = std::nan("");
    if (value.is_number()) {
      number = value.get<double>();
    } else if (value.is_string()) {
      const auto text = value.get<std::string>();
      char* end = nullptr;
      const bool is_decimal =
          text.find_first_not_of(" +-.0123456789") == text.npos;
      const double read = std::strtod(text.c_str(), &end);
      if (is_decimal && end != text.c_str() && *end == '\0') number = read;
    }
    // 2.0 is whole, too.
    if (number == std::trunc(number)) {
      return static_cast<int>(std::clamp<double>(number, 0, kMost));
    }
    throw Refusal{400, std::string("Invalid request: ") + name +
                           " parameter is not a number"};
  }
  bool Flag(const char* name) const {
    if (Find(name) == nullptr) return false;
    const Json& value = *Find(name);
    if (value.is_boolean()) return value.get<bool>();
    const std::string text = value.is_string() ? Text(name) : value.dump();
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0" || text.empty()) return false;
    throw Refusal{400, std::string("Invalid request: ") + name +
                           " parameter is not true or false"};
  }
  // The texts to translate, and whether they came as a list.
  std::vector<std::string> Texts(bool* is_list) const {
    const auto found = values.find("q");
    *is_list = found != values.end() && found->second.is_array();
    if (!*is_list) {
      const std::string text = Text("q");
      if (text.empty() && is_json_without_type) {
        throw Refusal{400, Missing("q") +
                               "; JSON needs Content-Type: "
                               "application/json"};
      }
      if (text.empty()) throw Refusal{400, Missing("q")};
      return {is_json ? text : WithPlainLines(text)};
    }
    std::vector<std::string> texts;
    for (const Json& text : found->second) {
      if (!text.is_string()) {
        throw Refusal{400,
                      "Invalid request: q has something that is no string"};
      }
      texts.push_back(text.get<std::string>());
    }
    if (texts.empty()) throw Refusal{400, Missing("q")};
    return texts;
  }

  std::string Needed(const char* name) const {
    std::string text = Text(name);
    if (text.empty()) throw Refusal{400, Missing(name)};
    return text;
  }

  const Catalog& catalog() const { return loaded->catalog; }

  const Origin origin;
  const std::shared_ptr<const Loaded> loaded;
  std::string file_name;  // Of the part "file".
  std::string bearer;     // A key, as OpenAI's clients send it.
  bool is_json = false, is_json_without_type = false;
  std::map<std::string, Json> values;
};

Service::Service(std::shared_ptr<const Loaded> loaded, Metrics& metrics,
                 const ServiceOptions& options)
    : metrics_(metrics), options_(options), files_(kFileStoreBytes) {
  Use(std::move(loaded));
}

void Service::Use(std::shared_ptr<const Loaded> loaded) {
  Json languages = LanguagesOf(loaded->catalog);
  const std::lock_guard lock(mutex_);
  loaded_.swap(loaded);  // What was there is freed without the lock.
  languages_.swap(languages);
}

void Service::ReserveRoom(size_t bytes) {
  switch (HttpServer::Reserve(bytes)) {
    case HttpServer::Room::kYes:
      return;
    case HttpServer::Room::kNever:
      throw Refusal{
          413,
          "The request has too many values or sentences, or too much text."};
    case HttpServer::Room::kNotNow:
      throw Refusal{503, "The server has too many requests; try later.", 1};
  }
}

void Service::ReserveItems(size_t count) { ReserveRoom(count * kItemBytes); }

// Errors as clients of LibreTranslate or of OpenAI read them.
std::string Service::ErrorBody(const std::string& path, std::string_view why) {
  if (!path.starts_with("/v1/")) return Dump({{"error", why}});
  return Dump({{"error",
                {{"message", why},
                 {"type", "invalid_request_error"},
                 {"param", nullptr},
                 {"code", nullptr}}}});
}

// A handler that turns errors into answers.
template <typename Handler>
auto Service::Answer(Handler handler) {
  return [=, this](HttpRequest& request, HttpResponse& response) {
    const auto refuse = [&](int status, const std::string& why) {
      response.status = status;
      response.SetBody(ErrorBody(request.path, why), "application/json");
    };
    const auto begin = std::chrono::steady_clock::now();
    try {
      handler(Parameters(request, options_.proxies.OriginOf(request), loaded()),
              response);
    } catch (const Refusal& refusal) {
      if (refusal.retry_after > 0) {
        response.Set("Retry-After", std::to_string(refusal.retry_after));
      }
      refuse(refusal.code, refusal.message);
    } catch (const Damaged& damaged) {
      refuse(400, "The document cannot be read: " + damaged.why + ".");
    } catch (const std::exception& error) {
      refuse(500, std::string("Cannot translate text: ") + error.what());
    }
    if (request.method == "POST") {
      metrics_.request_seconds.Observe(SecondsSince(begin));
    }
  };
}

// A handler that gives JSON.
template <typename Handler>
auto Service::Wrap(Handler handler) {
  return Answer(
      [handler](const Parameters& parameters, HttpResponse& response) {
        response.SetBody(Dump(handler(parameters)), "application/json");
      });
}

void Service::Register(HttpServer& server) {
  const auto get = [&](const char* path, auto handler) {
    server.Handle("GET", path, handler);
  };
  const auto post = [&](const char* path, auto handler) {
    server.Handle("POST", path, handler);
  };
  const auto content = [](const char* bytes, const char* type) {
    return [=](HttpRequest&, HttpResponse& response) {
      response.Set(
          "Content-Security-Policy",
          "default-src 'none'; connect-src 'self'; img-src data:; style-src "
          "'unsafe-inline'; script-src 'unsafe-inline'; base-uri "
          "'none'; form-action 'none'; frame-ancestors 'none'");
      response.SetBody(bytes, type);
    };
  };
  post("/translate",
       Wrap([this](const Parameters& p) { return Translate(p); }));
  post("/detect", Wrap([this](const Parameters& p) {
         Admit(ClientOf(p), 1);
         return DetectLanguage(p);
       }));
  get("/languages", Wrap([this](const Parameters&) {
        const std::lock_guard lock(mutex_);
        return languages_;
      }));
  get("/health", Wrap([](const Parameters&) {
        return Json{{"status", "ok"}};
      }));
  get("/frontend/settings",
      Wrap([this](const Parameters& p) { return Settings(p); }));
  get("/spec", content(kSpec, "application/json"));
  post("/translate_file",
       Wrap([this](const Parameters& p) { return TranslateFile(p); }));
  get(kDownloads, [this](HttpRequest& request, HttpResponse& response) {
    const std::string name = request.path.substr(std::strlen(kDownloads));
    std::optional<std::string> bytes = files_.Find(name);
    if (!bytes.has_value()) {
      response.status = 404;
      response.SetBody(
          ErrorBody(request.path, "There is no such file, or no longer."),
          "application/json");
      return;
    }
    response.Set(
        "Content-Disposition",
        "attachment; filename=\"" + name.substr(name.find('.') + 1) + "\"");
    response.SetBody(std::move(*bytes), "application/octet-stream");
  });
  post("/suggest", Wrap([](const Parameters&) -> Json {
         throw Refusal{403, "Suggestions are disabled on this server."};
       }));
  get("/metrics", [this](HttpRequest&, HttpResponse& response) {
    response.SetBody(metrics_.Text(),
                     "text/plain; version=0.0.4; charset=utf-8");
  });
  get("/v1/models", Answer([](const Parameters& p, HttpResponse& response) {
        Json all = Json::array();
        for (const auto& model : p.catalog().speech()) {
          all.push_back({{"id", model->name()},
                         {"object", "model"},
                         {"created", 0},
                         {"owned_by", "latimer"}});
        }
        response.SetBody(Dump({{"object", "list"}, {"data", all}}),
                         "application/json");
      }));
  // The body of a request and its part with the recording are in memory.
  const HttpServer::BodyLimits recording = {options_.sound_bytes, 4};
  for (const bool translates : {false, true}) {
    server.Handle(
        "POST",
        translates ? "/v1/audio/translations" : "/v1/audio/transcriptions",
        Answer([this, translates](const Parameters& p, HttpResponse& response) {
          Transcribe(p, translates, &response);
        }),
        recording);
  }
  if (options_.web_page) {
    get("/", content(kPage, "text/html; charset=utf-8"));
    get("/docs", content(kDocsPage, "text/html; charset=utf-8"));
  }
  server.SetErrorBody(ErrorBody);
  server.SetLogger(
      [this](const HttpRequest& request, const HttpResponse& response) {
        const bool known =
            std::ranges::find(kPaths, request.path) != std::ranges::end(kPaths);
        metrics_.CountRequest(known ? request.path : "other", response.status);
      });
  // Pages of other sites may ask, as with LibreTranslate.
  server.SetDefaultFields({{"Access-Control-Allow-Origin", "*"},
                           {"X-Content-Type-Options", "nosniff"},
                           {"Server", "latimer/" LATIMER_VERSION}});
}

Service::Client Service::ClientOf(const Parameters& parameters,
                                  const std::string& other_key) const {
  Client client = {parameters.origin.address, options_.limits};
  if (!parameters.loaded->keys.has_value()) return client;
  std::string key = parameters.Text("api_key");
  if (key.empty()) key = other_key;
  const ClientLimits* const known = parameters.loaded->keys->Find(key);
  if (known == nullptr && !key.empty()) throw Refusal{403, "Invalid API key"};
  if (known == nullptr && options_.require_key) {
    throw Refusal{400, "Please contact the server operator to get an API key"};
  }
  if (known != nullptr) client = {"key " + key, *known};
  return client;
}

void Service::Admit(const Client& client, int cost) {
  const int most = client.limits.requests_per_minute;
  const std::optional<int> wait = limiter_.Take(client.name, cost, most);
  if (!wait.has_value()) return;
  throw Refusal{429, "Slowdown: " + std::to_string(most) + " per 1 minute",
                *wait};
}

std::shared_ptr<const Job> Service::TranslateTexts(
    const std::vector<std::string>& texts, const std::vector<Leg>& legs,
    const Wording& wording, Alternatives alternatives, bool has_segments) {
  alternatives.count =
      std::min(alternatives.count, legs.back().model->max_beams() - 1);
  auto job = std::make_shared<Job>(legs, wording, std::move(alternatives));
  job->on_growth = ReserveItems;
  for (const std::string& text : texts) {
    job->Add(text, legs.front().model->info().sentence_rules);
  }
  if (has_segments) {  // An object with two names and two values each.
    ReserveItems(job->SentencesWithText().size() * 2);
  }
  Run(job, Deadline());
  return job;
}

// The HTML that one model writes is what the next one reads.
std::vector<std::string> Service::TranslateHtml(std::vector<std::string> texts,
                                                const std::vector<Leg>& legs,
                                                const Wording& wording) {
  const Clock::time_point deadline = Deadline();
  bool admitted = false;
  for (const Leg& leg : legs) {
    const auto job = std::make_shared<Job>(std::vector{leg}, wording,
                                           Alternatives(), Format::kHtml);
    job->on_growth = ReserveItems;
    for (const std::string& html : texts) {
      job->Add(html, leg.model->info().sentence_rules);
    }
    Run(job, deadline, admitted);
    admitted = true;
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i] = job->Translations(i).front();
    }
  }
  return texts;
}

void Service::Run(const std::shared_ptr<Job>& job, Clock::time_point deadline,
                  bool admitted) {
  const std::vector<size_t> sentences = job->SentencesWithText();
  const auto count = static_cast<int64_t>(sentences.size());
  const int64_t before = sentences_->fetch_add(count);
  job->on_end = [all = sentences_, count] { *all -= count; };
  // A request of any size is taken if there is no other, and a short one beside
  // any others, of which connections are the limit.
  constexpr int64_t kShort = 8;
  if (!admitted && before > 0 && count > kShort &&
      before + count > options_.queue) {
    throw Refusal{503, "The server has too many requests; try later.", 1};
  }
  if (sentences.empty()) return;
  job->legs().front().model->Submit(job, 0, sentences);
  while (!job->WaitFor(std::chrono::milliseconds(200))) {
    if (HttpServer::ClientHasGone()) {
      job->Cancel();
      throw Refusal{499, "The client has gone."};
    }
    if (Clock::now() > deadline) {
      job->Cancel();
      throw Refusal{503,
                    "The translation takes more than " +
                        std::to_string(options_.timeout_seconds) + " seconds.",
                    1};
    }
  }
  const Status error = job->error();
  if (error.ok()) return;
  const bool is_clients = error.code() == StatusCode::kInvalidArgument ||
                          error.code() == StatusCode::kTextTooLong;
  throw Refusal{is_clients ? 400 : 500,
                std::string("Cannot translate text: ") + error.message()};
}

std::vector<Detected> Service::DetectServed(const Catalog& catalog,
                                            const std::string& text,
                                            bool is_html) {
  std::vector<Detected> all = Detect(text, is_html);
  std::erase_if(all, [&](const Detected& found) {
    return !catalog.Knows(found.language);
  });
  if (!all.empty()) return all;
  const auto& sources = catalog.sources();
  return {{sources.contains("en") ? "en" : *sources.begin(), 0}};
}

Json Service::Translate(const Parameters& parameters) {
  bool is_list = false;
  const std::vector<std::string> texts = parameters.Texts(&is_list);
  const std::string source = CodeFrom(parameters.Needed("source"));
  const std::string target = CodeFrom(parameters.Needed("target"));
  if (is_list && options_.batch_limit >= 0 &&
      texts.size() > static_cast<size_t>(options_.batch_limit)) {
    throw Refusal{400, "Invalid request: request (" +
                           std::to_string(texts.size()) +
                           ") exceeds text limit (" +
                           std::to_string(options_.batch_limit) + ")"};
  }
  const Client client = ClientOf(parameters);
  const ClientLimits& limits = client.limits;
  Admit(client, static_cast<int>(texts.size()));
  for (const std::string& text : texts) {
    const int64_t characters = CountCharacters(text);
    if (limits.characters >= 0 && characters > limits.characters) {
      throw Refusal{400, "Invalid request: request (" +
                             std::to_string(characters) +
                             ") exceeds text limit (" +
                             std::to_string(limits.characters) + ")"};
    }
  }
  const std::string format = parameters.Text("format");
  const bool is_html = kProfile.alignment && format == "html";
  if (!is_html && !format.empty() && format != "text") {
    throw Refusal{400, format + " format is not supported"};
  }

  const Direction direction =
      FindDirection(parameters, source, target, texts, is_html);
  if (is_list && !direction.detected.is_null()) {  // Each text has a copy.
    ReserveItems(texts.size());
  }
  const Alternatives alternatives =
      AlternativesOf(parameters, !is_list && !is_html, direction.legs);
  const Wording wording = WordingOf(parameters, direction.legs);
  const bool has_segments = parameters.Flag("segments");
  if (has_segments && is_html) {
    throw Refusal{400, "Invalid request: segments are those of plain text"};
  }
  std::vector<std::vector<std::string>> all;
  Json segments = Json::array();
  if (direction.legs.empty()) {
    for (const std::string& text : texts) all.push_back({text});
  } else if (is_html) {
    for (std::string& html : TranslateHtml(texts, direction.legs, wording)) {
      all.push_back({std::move(html)});
    }
  } else {
    const auto job = TranslateTexts(texts, direction.legs, wording,
                                    alternatives, has_segments);
    for (size_t i = 0; i < texts.size(); ++i) {
      all.push_back(job->Translations(i));
      if (has_segments) segments.push_back(SegmentsOf(*job, i));
    }
  }
  if (alternatives.prefix.has_value()) {
    KeepThoseAfter(*alternatives.prefix, &all.front());
  }

  Json best = Json::array(), others = Json::array();
  for (std::vector<std::string>& one : all) {
    best.push_back(std::move(one.front()));
    if (alternatives.count == 0) continue;
    one.erase(one.begin());
    others.push_back(std::move(one));
  }
  const auto answer = [&](Json& list) {
    return std::move(is_list ? list : list.front());
  };
  Json result = Json::object();
  result["translatedText"] = answer(best);
  const Json& detected = direction.detected;
  if (!detected.is_null()) {
    result["detectedLanguage"] =
        is_list ? Json(std::vector<Json>(texts.size(), detected)) : detected;
  }
  if (alternatives.count > 0) result["alternatives"] = answer(others);
  if (!segments.empty()) result["segments"] = answer(segments);
  return result;
}

Alternatives Service::AlternativesOf(const Parameters& parameters,
                                     bool is_plain,
                                     const std::vector<Leg>& legs) const {
  Alternatives wanted = {
      .count = static_cast<uint32_t>(parameters.Number("alternatives"))};
  if (options_.alternatives_limit >= 0 &&
      wanted.count > static_cast<uint32_t>(options_.alternatives_limit)) {
    throw Refusal{400, "Invalid request: alternatives parameter must be <= " +
                           std::to_string(options_.alternatives_limit)};
  }
  if (parameters.Find("target_prefix") == nullptr || legs.empty()) {
    return wanted;
  }
  if (!is_plain) {
    throw Refusal{400,
                  "Invalid request: target_prefix is for q as one plain text"};
  }
  if (!legs.back().model->info().encodes_target) {
    throw Refusal{400,
                  "Invalid request: target_prefix needs a model that can read "
                  "the target; convert it without --no-target-tokenizer"};
  }
  wanted.prefix = parameters.Text("target_prefix");
  return wanted;
}

// The name of one of the server's, or terms: of JSON an object, or lines of a
// source, a tab and a target.
std::shared_ptr<const Glossary> Service::GlossaryOf(
    const Parameters& parameters) const {
  const Json* const given = parameters.Find("terms");
  if (given == nullptr) return nullptr;
  const auto own = std::make_shared<Glossary>();
  const auto refuse = [](const std::string& why) {
    return Refusal{400, "Invalid request: terms: " + why};
  };
  if (given->is_object()) {
    for (const auto& [source, target] : given->items()) {
      const auto* const text = target.get_ptr<const std::string*>();
      if (source.empty() || text == nullptr || text->empty()) {
        throw refuse("give an object of sources and targets, none empty.");
      }
      own->Add(source, *text);
    }
  } else {
    const std::string text = parameters.Text("terms");
    if (text.empty()) return nullptr;
    if (text.find('\t') == text.npos && text.find('\n') == text.npos) {
      const Glossaries& glossaries = parameters.loaded->glossaries;
      const auto found = glossaries.Find(text);
      if (found != nullptr) return found;
      const std::string names = glossaries.Names();
      throw refuse("this server has " +
                   (names.empty() ? "no glossaries." : names + "."));
    }
    const std::string why = own->AddLines(cli::LinesOf(text));
    if (!why.empty()) throw refuse(why);
  }
  if (own->terms().size() > Glossary::kMostTerms ||
      own->bytes() > Glossary::kMostBytes) {
    throw refuse("at most " + std::to_string(Glossary::kMostTerms) +
                 " terms of " + std::to_string(Glossary::kMostBytes) +
                 " bytes are taken.");
  }
  return own;
}

Wording Service::WordingOf(const Parameters& parameters,
                           const std::vector<Leg>& legs) const {
  Wording wording;
  if (parameters.Find("protect") != nullptr) {
    wording.protect = parameters.Flag("protect");
  }
  wording.glossary = GlossaryOf(parameters);
  const bool has_terms =
      wording.glossary != nullptr && !wording.glossary->terms().empty();
  if (!kProfile.phrases && (has_terms || wording.protect.value_or(false))) {
    throw Refusal{400, "This server has no terms and protected spans."};
  }
  if (!has_terms || legs.empty()) return wording;
  if (legs.size() > 1) {
    throw Refusal{400,
                  "Invalid request: terms are for one model, and here two are "
                  "the way"};
  }
  if (!legs.front().model->info().encodes_target) {
    throw Refusal{400,
                  "Invalid request: terms need a model that can read the "
                  "target; convert it without --no-target-tokenizer"};
  }
  return wording;
}

Service::Direction Service::FindDirection(const Parameters& parameters,
                                          std::string source,
                                          const std::string& target,
                                          const std::vector<std::string>& texts,
                                          bool is_html) const {
  Direction direction;
  if (source == "auto") {
    if (!CanDetect()) {
      throw Refusal{400, "This server cannot detect languages; give source."};
    }
    std::string all;
    for (const std::string& text : texts) all += text + "\n";
    const Detected best =
        DetectServed(parameters.catalog(), all, is_html).front();
    source = best.language;
    direction.detected = {{"confidence", best.confidence},
                          {"language", source}};
  }
  for (const std::string& language : {source, target}) {
    if (!parameters.catalog().Knows(language)) {
      throw Refusal{400, language + " is not supported"};
    }
  }
  if (source == target) return direction;
  direction.legs = parameters.catalog().Route(source, target);
  if (direction.legs.empty()) {
    throw Refusal{400, NameOf(target) + " (" + target +
                           ") is not available as a target language from " +
                           NameOf(source) + " (" + source + ")"};
  }
  return direction;
}

Json Service::TranslateFile(const Parameters& parameters) {
  if (!parameters.values.contains("file")) throw Refusal{400, Missing("file")};
  const std::string file = parameters.Text("file");
  const std::string source = CodeFrom(parameters.Needed("source"));
  const std::string target = CodeFrom(parameters.Needed("target"));
  const std::optional<FileFormat> format = FileFormatOf(parameters.file_name);
  if (!format.has_value()) {
    throw Refusal{400, "Invalid request: file format not supported"};
  }
  if (!IsDocument(*format) && !IsUtf8(file)) {
    throw Refusal{400, "The file is not in UTF-8."};
  }
  const std::vector<FileText> texts = TextsOf(*format, file, ReserveItems);
  if (texts.empty()) {
    throw Refusal{400, IsDocument(*format)
                           ? "The document has no text."
                           : "The file has no subtitles: no line with "
                             "\"-->\"."};
  }
  int64_t characters = 0;
  std::vector<std::string> plain, html;
  for (const FileText& text : texts) {
    characters += CountCharacters(text.text);
    (text.format == Format::kHtml ? html : plain).push_back(text.text);
  }
  // As many requests as texts of the most characters it would have been.
  const Client client = ClientOf(parameters);
  const int64_t most = client.limits.characters;
  Admit(client, most > 0
                    ? static_cast<int>(std::max<int64_t>(1, characters / most))
                    : 1);
  const Direction direction = FindDirection(
      parameters, source, target, html.empty() ? plain : html, !html.empty());
  const Wording wording = WordingOf(parameters, direction.legs);
  std::vector<std::string> translations;
  if (direction.legs.empty()) {
    for (const FileText& text : texts) translations.push_back(text.text);
  } else {
    const auto of_plain = TranslateTexts(plain, direction.legs, wording);
    const auto of_html = TranslateHtml(html, direction.legs, wording);
    size_t at_plain = 0, at_html = 0;
    for (const FileText& text : texts) {
      translations.push_back(text.format == Format::kHtml
                                 ? of_html[at_html++]
                                 : of_plain->Translations(at_plain++).front());
    }
  }
  const std::string name = files_.Keep(
      parameters.file_name, WithTranslations(*format, file, translations));
  if (name.empty()) throw Refusal{413, "The translated file is too large."};
  return {{"translatedFileUrl", parameters.origin.url + kDownloads + name}};
}

SpeechModel& Service::SpeechModelOf(const Parameters& parameters) {
  const auto& models = parameters.catalog().speech();
  if (models.empty()) {
    throw Refusal{404, "This server has no model that reads speech."};
  }
  const std::string name = parameters.Text("model");
  // OpenAI's own name stands for any.
  if (name.empty() || name == "whisper-1") return *models.front();
  std::string names = "whisper-1";
  for (const auto& model : models) {
    if (model->name() == name) return *model;
    names += ", " + model->name();
  }
  throw Refusal{404,
                "There is no model " + name + "; give one of " + names + "."};
}

Spoken Service::Hear(SpeechModel& model, const SpeechRequest& request,
                     std::string_view wav) const {
  const Clock::time_point deadline = Deadline();
  const auto recording = model.Begin(request);
  const auto check = [&] {
    if (HttpServer::ClientHasGone()) {
      throw Refusal{499, "The client has gone."};
    }
    if (Clock::now() > deadline) {
      throw Refusal{503,
                    "The transcription takes more than " +
                        std::to_string(options_.timeout_seconds) + " seconds.",
                    1};
    }
  };
  constexpr std::chrono::milliseconds kWait(200);
  constexpr size_t kPiece = size_t{1} << 16;
  for (size_t at = 0; at < wav.size(); at += kPiece) {
    while (!recording->WaitForRoom(kWait)) check();
    recording->Push(wav.substr(at, kPiece));
  }
  recording->Finish();
  while (!recording->WaitFor(kWait)) check();
  const Status& status = recording->status();
  if (status.ok()) return recording->spoken();
  const bool is_servers = status.code() == StatusCode::kResourceUnavailable ||
                          status.code() == StatusCode::kFailedPrecondition;
  throw Refusal{is_servers ? 500 : 400, status.message()};
}

void Service::Transcribe(const Parameters& parameters, bool translates,
                         HttpResponse* response) {
  const Json* const file = parameters.Find("file");
  if (file == nullptr || !file->is_string()) {
    throw Refusal{400, Missing("file")};
  }
  SpeechModel& model = SpeechModelOf(parameters);
  const auto& wav = file->get_ref<const std::string&>();
  const auto format = TranscriptFormatOf(parameters.Text("response_format"));
  if (!format.has_value()) {
    throw Refusal{400,
                  "Invalid request: response_format is json, text, "
                  "verbose_json, srt or vtt"};
  }
  const bool words = parameters.AsksForWords();
  if (words && *format != TranscriptFormat::kVerboseJson) {
    throw Refusal{400,
                  "Invalid request: timestamp_granularities[] needs "
                  "response_format verbose_json"};
  }
  // A recording counts as a request, and one more for each MiB.
  Admit(ClientOf(parameters, parameters.bearer),
        static_cast<int>(1 + (wav.size() >> 20)));
  ReserveRoom(Recording::kBytes);
  const Spoken spoken = Hear(model,
                             {.language = parameters.Text("language"),
                              .prompt = parameters.Text("prompt"),
                              .translate = translates,
                              .words = words},
                             wav);
  ReserveRoom(spoken.segments.size() * kTranscriptSegmentBytes +
              spoken.words.size() * kTranscriptWordBytes);
  response->SetBody(WriteTranscript(*format, spoken, translates, words),
                    MediaTypeOf(*format));
}

Json Service::DetectLanguage(const Parameters& parameters) const {
  bool is_list = false;
  const std::vector<std::string> texts = parameters.Texts(&is_list);
  if (!CanDetect()) {
    throw Refusal{400, "This server cannot detect languages."};
  }
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  Json out = Json::array();
  for (const Detected& found : DetectServed(parameters.catalog(), all)) {
    out.push_back(
        {{"confidence", found.confidence}, {"language", found.language}});
  }
  return out;
}

Json Service::LanguagesOf(const Catalog& catalog) {
  Json out = Json::array();
  for (const std::string& code : catalog.Languages()) {
    out.push_back({{"code", code},
                   {"name", NameOf(code)},
                   {"targets", catalog.Targets(code)}});
  }
  return out;
}

Json Service::Settings(const Parameters& parameters) const {
  const Catalog& catalog = parameters.catalog();
  const bool has_keys = parameters.loaded->keys.has_value();
  const auto& sources = catalog.sources();
  const std::string source =
      sources.contains("en") || sources.empty() ? "en" : *sources.begin();
  std::set<std::string> targets = catalog.Targets(source);
  targets.erase(source);
  const std::string target = targets.empty() ? source : *targets.begin();
  const auto language = [](const std::string& code) {
    return Json{{"code", code}, {"name", NameOf(code)}};
  };
  return {
      {"charLimit", options_.limits.characters},
      {"frontendTimeout", 500},
      {"apiKeys", has_keys},
      {"keyRequired", has_keys && options_.require_key},
      {"suggestions", false},
      {"alternativesLimit", options_.alternatives_limit},
      {"filesTranslation", true},
      {"supportedFilesFormat", FileEndings()},
      {"language",
       {{"source", CanDetect() ? Json{{"code", "auto"}, {"name", "Auto Detect"}}
                               : language(source)},
        {"target", language(target)}}}};
}

}  // namespace latimer::server
