// A model and the workers that translate with it, a thread each. Sentences of
// all requests share their lanes.
#ifndef LATIMER_SERVER_MODEL_H_
#define LATIMER_SERVER_MODEL_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cache/exact_cache.h"
#include "internals.h"
#include "job.h"
#include "latimer/hosted_model.h"
#include "metrics.h"

namespace latimer::server {

class Model {
 public:
  explicit Model(Metrics& metrics) : metrics_(metrics) {}
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Loads a file, and starts workers with a workspace each. Within
  // `cache_bytes`, translations are kept for equal sentences.
  Status Start(const std::string& path, const LoadOptions& options,
               uint32_t workers, size_t cache_bytes);

  // Cancels nothing: translates what was submitted, then ends the workers.
  void Stop();

  // Translates these sentences with a leg of the job that leads to this model.
  // Jobs take turns, a part of a sentence each.
  void Submit(const std::shared_ptr<Job>& job, size_t leg,
              std::vector<size_t> sentences);

  const ModelDescription& info() const {
    return Internals::Describe(translator());
  }
  uint32_t max_beams() const { return translator().max_beams(); }

 private:
  using Clock = std::chrono::steady_clock;

  // A sentence that has begun: a lane translates a part of it, or the next one
  // waits for a lane.
  struct Begun {
    size_t leg = 0;
    size_t sentence = 0;
    TextCursor cursor;
    std::vector<std::string> translations = {};
    std::vector<HtmlPart> parts = {};  // Of HTML.
    // By which its translations are kept; empty: they are not.
    std::string key = {};
  };

  // What this model is to translate of a job. Parts are what takes turns: the
  // job that has the fewest lanes gets the next one.
  struct Turns {
    struct Submitted {
      size_t leg = 0;
      std::vector<size_t> sentences;
      size_t begun = 0;
      Clock::time_point since;
    };
    bool waits() const { return !begun.empty() || !submitted.empty(); }

    std::shared_ptr<Job> job;
    size_t lanes = 0;  // That it has, of all workers.
    std::deque<std::unique_ptr<Begun>> begun = {};  // Whose next parts wait.
    std::deque<Submitted> submitted = {};
  };

  // Of a lane: the sentence of which it translates a part.
  struct Slot {
    std::list<Turns>::iterator turns;
    std::unique_ptr<Begun> begun;  // Null: the lane is free.

    Job& job() const { return *turns->job; }
  };

  struct Worker {
    HostedModel model;
    std::vector<Slot> slots;
    size_t busy_slots = 0;  // mutex_ guards it.
    // Of the parts that have begun since all had their next tokens.
    size_t begun_bytes = 0;
    // A part waits for memory that others have. Those that began behind it
    // would do so, too.
    bool is_full = false;
    std::thread thread;
  };

  const Translator& translator() const {
    return workers_.front().model.translator();
  }
  void Run(Worker& worker);
  void BeginAndAdvance(Worker& worker);
  void FailAll(Worker& worker, const char* why);
  bool Take(Worker& worker, Slot* slot);
  std::unique_ptr<Begun> Begin(Job& job, size_t leg, size_t sentence) const;
  void SetAlternatives(const Job& job, size_t sentence,
                       TranslateOptions* options) const;
  // All that decides a sentence's translations; empty: they are not kept.
  std::string KeyOf(Job& job, size_t leg, size_t sentence) const;
  // Gives a sentence the translations that are kept; false if there are none.
  bool TakeKept(Begun& begun);
  void Keep(const Begun& begun);
  void Finish(Worker& worker, const FinishedTranslation& finished);
  void AddPart(Worker& worker, const Job& job, Begun& begun,
               const Translation& part);
  void AddHtmlPart(Begun& begun, const Translation& part);
  void End(Worker& worker, Slot& slot);

  // Precondition of these: mutex_ is held.
  bool HasWork(const Worker& worker) const;
  // Whether the worker has no more sentences than the others have on average,
  // so that few are shared evenly.
  bool MayTake(const Worker& worker) const;
  // Whose turn it is; the end if nobody waits for a lane that he may have.
  // Drops what was cancelled.
  std::list<Turns>::iterator Next(const Worker& worker);
  void DropWaiting(Turns& turns);
  // The lane is free.
  void Release(Worker& worker, const Slot& slot);
  void EraseIfDone(std::list<Turns>::iterator turns);

  Metrics& metrics_;
  std::deque<Worker> workers_;

  std::mutex kept_mutex_;
  std::optional<ExactCache<std::vector<std::string>>> kept_;

  std::mutex mutex_;
  std::condition_variable work_;
  std::list<Turns> turns_;  // Whose last turn was longest ago first.
  bool ends_ = false;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_MODEL_H_
