// A model and the thread that translates with it. Sentences of all requests
// share its lanes.
#ifndef LATIMER_SERVER_MODEL_H_
#define LATIMER_SERVER_MODEL_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "job.h"
#include "latimer/hosted_model.h"
#include "metrics.h"

namespace latimer::server {

class Model {
 public:
  explicit Model(Metrics& metrics) : metrics_(metrics) {}
  // Cancels nothing: translates what was submitted, then ends.
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Loads a file and starts the thread.
  Status Start(const std::string& path, const LoadOptions& options);

  // Translates these sentences with a leg of the job that leads to this model.
  // Jobs take turns, a sentence each.
  void Submit(const std::shared_ptr<Job>& job, size_t leg,
              std::vector<size_t> sentences);

  const ModelInfo& info() const { return model_->model_info(); }
  uint32_t max_beams() const { return model_->max_beams(); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Waiting {
    std::shared_ptr<Job> job;
    size_t leg = 0;
    std::vector<size_t> sentences;
    size_t begun = 0;
    Clock::time_point since;
  };

  // A sentence that is translated, part by part.
  struct Slot {
    std::shared_ptr<Job> job;
    size_t leg = 0;
    size_t sentence = 0;
    std::optional<TextCursor> cursor;
    std::vector<std::string> translations;
    std::vector<HtmlPart> parts;  // Of HTML.
    bool begins = false;          // Its next part is to begin.
  };

  void Run();
  bool HasWork() const;  // Precondition: mutex_ is held.
  void BeginAndAdvance();
  void FailAll(const char* why);
  bool Take(Slot* slot);
  void BeginPart(size_t ticket);
  void Finish(const FinishedTranslation& finished);
  void AddPart(Slot& slot, const Translation& part);
  void AddHtmlPart(Slot& slot, const Translation& part);
  void End(Slot& slot);

  Metrics& metrics_;
  HostedModel model_;
  std::vector<Slot> slots_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Waiting> queue_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_MODEL_H_
