// A model that reads speech, and the recordings that it transcribes.
#ifndef LATIMER_SERVER_SPEECH_H_
#define LATIMER_SERVER_SPEECH_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "latimer/hosted_model.h"
#include "latimer/speech_stream.h"

namespace latimer::server {

// As in TranscriptionWord, without space.
struct SpokenWord {
  std::string text;
  double start = 0, end = 0;
};

// What is said from one time to another, as in TranscriptionSegment.
struct SpokenSegment {
  double window = 0;  // Where its window begins.
  double start = 0, end = 0;
  std::string text;
  std::vector<int32_t> tokens;
  float temperature = 0, avg_logprob = 0, compression_ratio = 0;
  float no_speech_prob = 0;
};

struct Spoken {
  std::vector<SpokenSegment> segments;
  std::vector<SpokenWord> words;  // Of all of them, if they were asked for.
  std::string text;      // Of all of them, without the space before it.
  std::string language;  // Of the first window with sound; empty: of no window.
  double seconds = 0;    // Of the recording.
};

struct SpeechRequest {
  std::string language;  // Empty: the model tells.
  std::string prompt;    // Words of the subject.
  bool translate = false;
  bool words = false;
};

class SpeechModel;

// A WAV that a model transcribes while it comes. The model must outlive it. It
// ends with this object at the latest.
class Recording {
 public:
  // Memory of a recording, besides its text.
  static constexpr size_t kBytes = sizeof(SpeechStream) + (size_t{1} << 20);
  // A longer text ends the recording.
  static constexpr size_t kMostTextBytes = size_t{1} << 20;

  struct Work;

  Recording(SpeechModel& model, std::shared_ptr<Work> work)
      : model_(model), work_(std::move(work)) {}
  ~Recording() { Cancel(); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Waits until more bytes may be pushed. False: not in time.
  bool WaitForRoom(std::chrono::milliseconds time);
  // Adds bytes; they are dropped if it has ended.
  void Push(std::string_view bytes);
  // All bytes have come.
  void Finish();
  void Cancel();
  // Whether it has ended, in time.
  bool WaitFor(std::chrono::milliseconds time);

  // Once it has ended: what was said, or why nothing was.
  const Spoken& spoken() const;
  const Status& status() const;

 private:
  SpeechModel& model_;
  const std::shared_ptr<Work> work_;  // Shared with a worker.
};

class SpeechModel {
 public:
  explicit SpeechModel(std::string name) : name_(std::move(name)) {}
  ~SpeechModel();
  SpeechModel(const SpeechModel&) = delete;
  SpeechModel& operator=(const SpeechModel&) = delete;

  // Loads a file, and starts workers, a thread and a workspace each.
  Status Start(const std::string& path, const LoadOptions& options,
               uint32_t workers);

  // Begins a recording. Those of a worker take turns, a window each.
  std::unique_ptr<Recording> Begin(const SpeechRequest& request);

  const std::string& name() const { return name_; }
  const ModelInfo& info() const { return workers_.front().model->model_info(); }

 private:
  friend class Recording;
  using Work = Recording::Work;

  struct Worker {
    HostedModel model;
    std::deque<std::shared_ptr<Work>> turns;  // Of those that have bytes.
    size_t recordings = 0;
    std::thread thread;
  };

  void Run(Worker& worker);
  static Status Feed(Worker& worker, Work& work, const std::string& piece);
  void TakeTurn(Worker& worker, const std::shared_ptr<Work>& work);
  // Precondition: mutex_ is held.
  void Queue(const std::shared_ptr<Work>& work);

  const std::string name_;
  std::deque<Worker> workers_;
  std::mutex mutex_;  // Of what follows, and of all recordings.
  std::condition_variable work_, changed_;
  bool ends_ = false;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_SPEECH_H_
