#include "cli/workers.h"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace latimer::cli {
namespace {

using Round = SharedWork::Round;

class Workers {
 public:
  Workers(std::span<Translator* const> translators, uint32_t lanes,
          SharedWork& work)
      : lanes_(lanes), work_(work) {
    for (Translator* translator : translators) {
      workers_.push_back({this, translator});
    }
  }

  Round Run() {
    {
      // Threads take memory to start, so none begins before all are there.
      const std::lock_guard lock(mutex_);
      for (Worker& worker : std::span(workers_).subspan(1)) {
        worker.started =
            pthread_create(&worker.thread, nullptr, &Main, &worker) == 0;
      }
    }
    Work(workers_.front());
    for (const Worker& worker : workers_) {
      if (worker.started) pthread_join(worker.thread, nullptr);
    }
    return end_;
  }

 private:
  struct Worker {
    Workers* all;
    Translator* translator;
    pthread_t thread = {};
    bool started = false;
    // Of the translator, as the others may read it: while it advances, they may
    // not ask it.
    size_t under_way = 0;
  };

  static void* Main(void* worker) {
    auto* const self = static_cast<Worker*>(worker);
    self->all->Work(*self);
    return nullptr;
  }

  size_t UnderWayInOthers(const Worker& self) const {
    size_t sum = 0;
    for (const Worker& worker : workers_) {
      if (&worker != &self) sum += worker.under_way;
    }
    return sum;
  }

  void Work(Worker& self) {
    Translator& translator = *self.translator;
    std::unique_lock lock(mutex_);
    while (end_ == Round::kWorked) {
      const size_t others = UnderWayInOthers(self);
      const size_t fair =
          workers_.size() == 1 ? lanes_ : others / (workers_.size() - 1) + 1;
      const Round round = work_.Begin(
          translator, static_cast<uint32_t>(std::min<size_t>(lanes_, fair)),
          /*wait=*/true);
      self.under_way = translator.under_way();
      if (round == Round::kEnded || round == Round::kFailed) {
        end_ = round;
        break;
      }
      if (self.under_way == 0) {
        // Whoever is at work calls when it has looked for input.
        if (others > 0) Rest(lock);
        continue;
      }
      if (resting_ > 0) changed_.notify_one();
      lock.unlock();
      FinishedTranslation finished;
      const bool has_finished = translator.Advance(&finished);
      lock.lock();
      if (has_finished) work_.Finish(translator, finished);
      self.under_way = translator.under_way();
    }
    changed_.notify_all();
  }

  void Rest(std::unique_lock<std::mutex>& lock) {
    ++resting_;
    changed_.wait(lock);
    --resting_;
  }

  const uint32_t lanes_;
  SharedWork& work_;
  std::vector<Worker> workers_;
  // Held by a worker, except while its translator advances.
  std::mutex mutex_;
  std::condition_variable changed_;
  uint32_t resting_ = 0;
  Round end_ = Round::kWorked;
};

}  // namespace

Round RunWorkers(std::span<Translator* const> translators, uint32_t lanes,
                 SharedWork& work) {
  return Workers(translators, lanes, work).Run();
}

}  // namespace latimer::cli
