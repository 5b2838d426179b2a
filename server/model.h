// A model and the workers that translate with it, a thread each. Sentences of
// all requests share their lanes.
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

#include "internals.h"
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

  // Loads a file, and starts workers with a workspace each.
  Status Start(const std::string& path, const LoadOptions& options,
               uint32_t workers);

  // Translates these sentences with a leg of the job that leads to this model.
  // Jobs take turns, a sentence each.
  void Submit(const std::shared_ptr<Job>& job, size_t leg,
              std::vector<size_t> sentences);

  const ModelDescription& info() const {
    return Internals::Describe(translator());
  }
  uint32_t max_beams() const { return translator().max_beams(); }

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

  struct Worker {
    HostedModel model;
    std::vector<Slot> slots;
    size_t busy_slots = 0;  // mutex_ guards it.
    std::thread thread;
  };

  const Translator& translator() const {
    return workers_.front().model.translator();
  }
  void Run(Worker& worker);
  // Precondition of these: mutex_ is held. The second one: whether the worker
  // has no more sentences than the others have on average, so that few are
  // shared evenly.
  bool HasWork(const Worker& worker) const;
  bool MayTake(const Worker& worker) const;
  void BeginAndAdvance(Worker& worker);
  void FailAll(Worker& worker, const char* why);
  bool Take(Worker& worker, Slot* slot);
  void SetAlternatives(const Slot& slot, TranslateOptions* options) const;
  void BeginPart(Worker& worker, size_t ticket);
  void Finish(Worker& worker, const FinishedTranslation& finished);
  void AddPart(Worker& worker, Slot& slot, const Translation& part);
  void AddHtmlPart(Slot& slot, const Translation& part);
  void End(Worker& worker, Slot& slot);
  void Empty(Worker& worker, Slot& slot);

  Metrics& metrics_;
  std::deque<Worker> workers_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Waiting> queue_;
  bool ends_ = false;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_MODEL_H_
