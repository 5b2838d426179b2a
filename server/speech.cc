#include "speech.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

namespace latimer::server {
namespace {

// Bytes that wait for a worker.
constexpr size_t kMostWaiting = size_t{1} << 19;
// What is pushed at once, so that a window ends a turn.
constexpr size_t kPiece = size_t{1} << 14;

// Appends without the space that the first one begins with.
void Append(std::string_view text, std::string* all) {
  if (all->empty() && text.starts_with(' ')) text.remove_prefix(1);
  *all += text;
}

}  // namespace

// The model's mutex guards all but the stream, which is the worker's.
struct Recording::Work {
  Work(SpeechModel::Worker& own, SpeechRequest asked)
      : worker(own), request(std::move(asked)) {}

  static void Receive(void* context, const Transcription& said) {
    auto& work = *static_cast<Work*>(context);
    Spoken& heard = work.heard;
    if (heard.language.empty()) heard.language = said.language;
    const double window = heard.seconds;
    heard.seconds += static_cast<double>(said.used_samples) /
                     static_cast<double>(Transcriber::kSampleRate);
    for (const TranscriptionSegment& one : said.segments) {
      Append(one.text, &heard.text);
      heard.segments.push_back({window,
                                one.start,
                                one.end,
                                std::string(one.text),
                                {one.tokens.begin(), one.tokens.end()},
                                one.temperature,
                                one.avg_logprob,
                                one.compression_ratio,
                                one.no_speech_prob});
      for (const TranscriptionWord& word : one.words) {
        std::string text;
        Append(word.text, &text);
        heard.words.push_back({std::move(text), word.start, word.end});
      }
    }
    work.has_window = true;
  }

  SpeechModel::Worker& worker;
  const SpeechRequest request;
  std::atomic<bool> cancelled = false;

  std::string waiting;  // Bytes.
  bool finished = false;
  bool is_queued = false;  // It has a turn, or waits for one.
  bool ended = false;
  Status status;

  // The worker's until it has ended.
  std::unique_ptr<SpeechStream> stream;
  Spoken heard;
  bool has_window = false;
};

bool Recording::WaitForRoom(std::chrono::milliseconds time) {
  std::unique_lock lock(model_.mutex_);
  return model_.changed_.wait_for(lock, time, [&] {
    return work_->waiting.size() < kMostWaiting || work_->ended;
  });
}

void Recording::Push(std::string_view bytes) {
  const std::lock_guard lock(model_.mutex_);
  if (work_->ended || work_->finished) return;
  work_->waiting += bytes;
  model_.Queue(work_);
}

void Recording::Finish() {
  const std::lock_guard lock(model_.mutex_);
  work_->finished = true;
  model_.Queue(work_);
}

void Recording::Cancel() {
  work_->cancelled = true;
  Finish();
}

bool Recording::WaitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(model_.mutex_);
  return model_.changed_.wait_for(lock, time, [&] { return work_->ended; });
}

const Spoken& Recording::spoken() const { return work_->heard; }
const Status& Recording::status() const { return work_->status; }

SpeechModel::~SpeechModel() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
  // The first one has the image of all.
  while (!workers_.empty()) workers_.pop_back();
}

Status SpeechModel::Start(const std::string& path, const LoadOptions& options,
                          uint32_t workers) {
  LATIMER_RETURN_IF_ERROR(
      workers_.emplace_back().model.Open(path.c_str(), options));
  while (workers_.size() < workers) {
    LATIMER_RETURN_IF_ERROR(workers_.emplace_back().model.OpenBeside(
        workers_.front().model, options));
  }
  for (Worker& worker : workers_) {
    worker.thread = std::thread(&SpeechModel::Run, this, std::ref(worker));
  }
  return Status();
}

std::unique_ptr<Recording> SpeechModel::Begin(const SpeechRequest& request) {
  const std::lock_guard lock(mutex_);
  Worker& worker = *std::ranges::min_element(workers_, {}, &Worker::recordings);
  auto recording = std::make_unique<Recording>(
      *this, std::make_shared<Work>(worker, request));
  ++worker.recordings;
  return recording;
}

void SpeechModel::Queue(const std::shared_ptr<Work>& work) {
  if (work->is_queued || work->ended) return;
  work->is_queued = true;
  work->worker.turns.push_back(work);
  work_.notify_all();
}

void SpeechModel::Run(Worker& worker) {
  for (;;) {
    std::shared_ptr<Work> work;
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [&] { return ends_ || !worker.turns.empty(); });
      if (worker.turns.empty()) return;
      work = std::move(worker.turns.front());
      worker.turns.pop_front();
    }
    TakeTurn(worker, work);
  }
}

// Pushes a piece; an empty one ends the recording.
Status SpeechModel::Feed(Worker& worker, Work& work, const std::string& piece) {
  if constexpr (kProfile.speech()) {
    if (work.stream == nullptr) {
      work.stream = std::make_unique<SpeechStream>(
          *worker.model,
          TranscribeOptions{.language = work.request.language,
                            .translate = work.request.translate,
                            .prompt = work.request.prompt,
                            .word_timestamps = work.request.words,
                            .cancel = &work.cancelled},
          &Work::Receive, &work);
    }
    if (piece.empty()) return work.stream->Finish();
    return work.stream->Push(std::as_bytes(std::span(piece)));
  } else {
    return Status();  // No model got here.
  }
}

// Transcribes a window, or as much as has come.
void SpeechModel::TakeTurn(Worker& worker, const std::shared_ptr<Work>& work) {
  Status status;
  bool ended = false;
  work->has_window = false;
  try {
    while (!ended && !work->has_window) {
      std::string piece;
      bool last = false;
      {
        const std::lock_guard lock(mutex_);
        piece = work->waiting.substr(0, kPiece);
        work->waiting.erase(0, kPiece);
        last = work->finished;
      }
      changed_.notify_all();
      if (piece.empty() && !last) break;
      if (work->cancelled ||
          work->heard.text.size() > Recording::kMostTextBytes) {
        status = Status::Error(StatusCode::kTextTooLong,
                               "The recording is too long.");
      } else {
        status = Feed(worker, *work, piece);
      }
      ended = piece.empty() || !status.ok();
    }
  } catch (const std::exception&) {
    status = Status::Error(StatusCode::kResourceUnavailable,
                           "The server has too little memory.");
    ended = true;
  }
  if (ended) work->stream.reset();
  {
    const std::lock_guard lock(mutex_);
    work->is_queued = false;
    if (ended) {
      work->status = status;
      work->ended = true;
      work->waiting = {};
      --worker.recordings;
    } else if (!work->waiting.empty() || work->finished) {
      Queue(work);
    }
  }
  changed_.notify_all();
}

}  // namespace latimer::server
