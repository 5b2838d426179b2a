#include "wyoming.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include "json/bounded_json.h"
#include "latimer/version.h"
#include "sockets.h"

namespace latimer::server {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// Of an event: its line or its data, and its payload.
constexpr size_t kMostJsonBytes = size_t{64} << 10;
constexpr size_t kMostPayloadBytes = size_t{1} << 20;
constexpr JsonLimits kJsonLimits = {.depth = 16, .values = 2000};
// How often a connection that waits sees that the server ends.
constexpr std::chrono::milliseconds kTick(500);

struct Event {
  std::string type;
  Json data = Json::object();
  std::string payload;
};

// What is wrong with an event; the connection ends.
struct Wrong {
  std::string why;
};

void Append(uint32_t value, size_t bytes, std::string* out) {
  for (size_t i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  }
}

// The beginning of a WAV of any length.
std::string WavHeader(const WyomingAudio& format) {
  std::string wav("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\1\0", 22);
  const uint32_t frame_bytes = format.channels * format.width;
  Append(format.channels, 2, &wav);
  Append(format.rate, 4, &wav);
  Append(format.rate * frame_bytes, 4, &wav);
  Append(frame_bytes, 2, &wav);
  Append(format.width * 8, 2, &wav);
  return wav + std::string("data\0\0\0\0", 8);
}

uint32_t Number(const Json& data, const char* name) {
  const auto found = data.find(name);
  if (found == data.end() || !found->is_number_integer() ||
      found->get<int64_t>() < 0 || found->get<int64_t>() > 1'000'000) {
    throw Wrong{std::string("audio: ") + name +
                " must be a whole number from 0 to 1000000."};
  }
  return found->get<uint32_t>();
}

WyomingAudio FormatOf(const Json& data) {
  const WyomingAudio format = {Number(data, "rate"), Number(data, "width"),
                               Number(data, "channels")};
  // The reader of WAVs says what is wrong with other numbers.
  if (format.width > 255 || format.channels > 255) {
    throw Wrong{"audio: width and channels may be at most 255."};
  }
  return format;
}

std::string Text(const Json& data, const char* name) {
  const auto found = data.find(name);
  return found == data.end() || !found->is_string() ? ""
                                                    : found->get<std::string>();
}

Json Attribution() { return {{"name", "Latimer"}, {"url", ""}}; }

Json InfoOf(const Catalog& catalog) {
  Json models = Json::array();
  for (const auto& model : catalog.speech()) {
    Json languages = Json::array();
    for (const Language& language : model->info().languages) {
      languages.push_back(language.code);
    }
    if (languages.empty()) languages.push_back("en");
    models.push_back({{"name", model->name()},
                      {"attribution", Attribution()},
                      {"installed", true},
                      {"description", std::string(model->info().source)},
                      {"version", LATIMER_VERSION},
                      {"languages", std::move(languages)}});
  }
  Json info = {{"asr",
                {{{"name", "latimer"},
                  {"attribution", Attribution()},
                  {"installed", true},
                  {"description", "Speech to text on small machines"},
                  {"version", LATIMER_VERSION},
                  {"models", std::move(models)},
                  {"supports_transcript_streaming", false}}}}};
  for (const char* other : {"tts", "handle", "intent", "wake", "mic", "snd"}) {
    info[other] = Json::array();
  }
  return info;
}

}  // namespace

class WyomingServer::Connection {
 public:
  Connection(const WyomingServer& server, int socket)
      : server_(server), socket_(socket) {}

  void Serve() {
    try {
      Event event;
      while (Read(&event)) Answer(event);
    } catch (const Wrong& wrong) {
      Send("error", {{"text", wrong.why}});
    }
  }

 private:
  // ---- Reading ----

  // False: the connection has ended, or the client is silent.
  bool Read(Event* event) {
    const auto deadline =
        Clock::now() + std::chrono::seconds(server_.limits_.idle_seconds);
    std::string line;
    if (!ReadLine(deadline, &line)) return false;
    Json head = Parse(line);
    *event = Event();
    event->type = Text(head, "type");
    if (event->type.empty()) throw Wrong{"The event has no type."};
    if (head.contains("data") && head["data"].is_object()) {
      event->data = std::move(head["data"]);
    }
    std::string more;
    if (!ReadBytes(Length(head, "data_length", kMostJsonBytes), deadline,
                   &more)) {
      return false;
    }
    if (!more.empty()) event->data.update(Parse(more));
    return ReadBytes(Length(head, "payload_length", kMostPayloadBytes),
                     deadline, &event->payload);
  }

  static Json Parse(const std::string& text) {
    BoundedJson read = ReadBoundedJson(text, kJsonLimits);
    if (!read.value.is_object()) {
      throw Wrong{"The event is no object of JSON, or has too many values."};
    }
    return std::move(read.value);
  }

  static size_t Length(const Json& head, const char* name, size_t most) {
    const auto found = head.find(name);
    if (found == head.end() || found->is_null()) return 0;
    if (!found->is_number_unsigned() || found->get<uint64_t>() > most) {
      throw Wrong{std::string(name) + " must be a whole number of at most " +
                  std::to_string(most) + "."};
    }
    return found->get<size_t>();
  }

  bool ReadLine(Deadline deadline, std::string* line) {
    for (;;) {
      const std::string_view some(buffer_ + begin_, end_ - begin_);
      const size_t end = some.find('\n');
      line->append(some.substr(0, end));
      begin_ += std::min(some.size(), end == some.npos ? end : end + 1);
      if (line->size() > kMostJsonBytes) {
        throw Wrong{"The line of an event may have at most " +
                    std::to_string(kMostJsonBytes) + " bytes."};
      }
      if (end != some.npos) return true;
      if (!Fill(deadline)) return false;
    }
  }

  bool ReadBytes(size_t count, Deadline deadline, std::string* bytes) {
    while (count > 0) {
      if (begin_ == end_ && !Fill(deadline)) return false;
      const size_t some = std::min(count, end_ - begin_);
      bytes->append(buffer_ + begin_, some);
      begin_ += some;
      count -= some;
    }
    return true;
  }

  bool Fill(Deadline deadline) {
    for (;;) {
      const ssize_t count = Receive(socket_, buffer_, sizeof(buffer_));
      if (count >= 0) {
        begin_ = 0;
        end_ = static_cast<size_t>(count);
        return count > 0;
      }
      while (!WaitForSocket(socket_, POLLIN,
                            std::min(deadline, Clock::now() + kTick))) {
        if (server_.ends_ || Clock::now() >= deadline) return false;
      }
    }
  }

  // ---- Answering ----

  void Answer(const Event& event) {
    if (event.type == "describe") {
      Send("info", InfoOf(server_.models_()->catalog));
    } else if (event.type == "ping") {
      Send("pong", {{"text", Text(event.data, "text")}});
    } else if (event.type == "transcribe") {
      model_ = Text(event.data, "name");
      // "de-DE" is German.
      language_ = Text(event.data, "language");
      language_ = language_.substr(0, language_.find_first_of("-_"));
    } else if (event.type == "audio-start") {
      Begin(FormatOf(event.data));
    } else if (event.type == "audio-chunk") {
      const WyomingAudio format = FormatOf(event.data);
      if (recording_ == nullptr) Begin(format);
      if (format != format_) {
        throw Wrong{"The format of the audio has changed."};
      }
      Push(event.payload);
    } else if (event.type == "audio-stop") {
      Finish();
    }  // Others are for other programs.
  }

  void Begin(const WyomingAudio& format) {
    recording_.reset();
    loaded_ = server_.models_();
    const auto& models = loaded_->catalog.speech();
    if (models.empty()) {
      throw Wrong{"This server has no model that reads speech."};
    }
    const auto found = std::ranges::find(models, model_, &SpeechModel::name);
    if (!model_.empty() && found == models.end()) {
      throw Wrong{"There is no model " + model_ + "."};
    }
    SpeechModel& model = model_.empty() ? *models.front() : **found;
    recording_ = model.Begin({.language = language_, .prompt = {}});
    format_ = format;
    recording_->Push(WavHeader(format));
  }

  void Push(std::string_view bytes) {
    constexpr size_t kPiece = size_t{1} << 16;
    const auto deadline = TranscriptionDeadline();
    for (; !bytes.empty();
         bytes.remove_prefix(std::min(kPiece, bytes.size()))) {
      while (!recording_->WaitForRoom(kTick)) {
        if (server_.ends_) throw Wrong{"The server ends."};
        Check(deadline);
      }
      recording_->Push(bytes.substr(0, kPiece));
    }
  }

  void Finish() {
    if (recording_ == nullptr) throw Wrong{"audio-stop without audio."};
    recording_->Finish();
    const auto deadline = TranscriptionDeadline();
    // Also if the server ends meanwhile.
    while (!recording_->WaitFor(kTick)) Check(deadline);
    const Status status = recording_->status();
    const Spoken spoken = recording_->spoken();
    recording_.reset();
    loaded_.reset();
    model_.clear();
    language_.clear();
    if (!status.ok()) throw Wrong{status.message()};
    Json answer = {{"text", spoken.text}};
    if (!spoken.language.empty()) answer["language"] = spoken.language;
    Send("transcript", answer);
  }

  Deadline TranscriptionDeadline() const {
    return Clock::now() + std::chrono::seconds(server_.limits_.timeout_seconds);
  }

  void Check(Deadline deadline) const {
    if (HasClosed(socket_)) throw Wrong{"The connection has ended."};
    if (Clock::now() < deadline) return;
    throw Wrong{"The transcription takes more than " +
                std::to_string(server_.limits_.timeout_seconds) + " seconds."};
  }

  void Send(const char* type, const Json& data) const {
    const auto dump = [](const Json& json) {
      return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    const std::string body = dump(data);
    const std::string head =
        dump({{"type", type}, {"version", "1"}, {"data_length", body.size()}});
    (void)SendAll(
        socket_, head + "\n" + body,
        Clock::now() + std::chrono::seconds(server_.limits_.send_seconds));
  }

  const WyomingServer& server_;
  const int socket_;
  size_t begin_ = 0, end_ = 0;
  char buffer_[16 * 1024];

  std::string model_, language_;          // Of the next recording.
  std::shared_ptr<const Loaded> loaded_;  // Outlives the recording.
  std::unique_ptr<Recording> recording_;
  WyomingAudio format_;
};

WyomingServer::WyomingServer(Models models, const WyomingLimits& limits)
    : models_(std::move(models)), limits_(limits) {}

WyomingServer::~WyomingServer() {
  ends_ = true;
  if (listener_ >= 0) shutdown(listener_, SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
  if (listener_ >= 0) close(listener_);
  std::unique_lock lock(mutex_);
  connection_ended_.wait(lock, [&] { return connections_ == 0; });
}

int WyomingServer::Start(const std::string& host, int port, std::string* why) {
  int chosen = -1;
  listener_ = Listen(host, port, &chosen, why);
  if (listener_ < 0) return -1;
  thread_ = std::thread(&WyomingServer::Run, this);
  return chosen;
}

void WyomingServer::Run() {
  while (!ends_) {
    if (!WaitForSocket(listener_, POLLIN, Clock::now() + kTick)) continue;
    const int socket =
        accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket >= 0) {
      Begin(socket);
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

void WyomingServer::Begin(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const std::lock_guard lock(mutex_);
  if (connections_ == limits_.connections) {
    close(socket);
    return;
  }
  try {
    std::thread([this, socket] {
      ServeConnection(socket);
      const std::lock_guard lock_of_end(mutex_);
      --connections_;
      connection_ended_.notify_all();
    }).detach();
    ++connections_;
  } catch (const std::exception&) {  // No thread can be had.
    close(socket);
  }
}

void WyomingServer::ServeConnection(int socket) {
  try {
    std::make_unique<Connection>(*this, socket)->Serve();
  } catch (const std::exception&) {  // There is too little memory.
  }
  shutdown(socket, SHUT_WR);
  close(socket);
}

}  // namespace latimer::server
