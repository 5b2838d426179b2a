#include "model.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "latimer/number_check.h"

namespace latimer::server {
namespace {

// With so many, a worker keeps its last lane for a job that has none, so that a
// short text need not wait until a long one ends a part.
constexpr size_t kLanesOfWhichOneIsKept = 8;
// After so many bytes no more parts begin until those under way have got their
// next tokens: to encode the sources of all lanes may take seconds.
constexpr size_t kMostBegunBytes = 2048;

bool HasOtherNumbers(const Sentence& sentence) {
  std::string html;  // As text.
  for (const HtmlPart& part : sentence.parts) {
    html += part.text;
    if (part.space_follows) html += ' ';
  }
  NumberCheck check;
  CheckNumbers(
      sentence.source.empty() ? sentence.text : sentence.source,
      sentence.translations.empty() ? html : sentence.translations.front(),
      &check);
  return !check.ok();
}

}  // namespace

Model::~Model() {
  Stop();
  for (Turns& turns : turns_) DropWaiting(turns);  // Cancelled meanwhile.
  if (kept_) metrics_.cache_bytes -= static_cast<int64_t>(kept_->bytes());
  // The first one has the image of all.
  while (!workers_.empty()) workers_.pop_back();
}

void Model::Stop() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
}

Status Model::Start(const std::string& path, const LoadOptions& options,
                    uint32_t workers, size_t cache_bytes) {
  if (cache_bytes > 0) kept_.emplace(cache_bytes);
  LATIMER_RETURN_IF_ERROR(
      workers_.emplace_back().model.Open(path.c_str(), options));
  if (!info().has_tokenizer) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the model has no tokenizer and translates ids only.");
  }
  while (workers_.size() < workers) {
    LATIMER_RETURN_IF_ERROR(workers_.emplace_back().model.OpenBeside(
        workers_.front().model, options));
  }
  for (Worker& worker : workers_) {
    worker.slots.resize(options.lanes.value_or(kProfile.lanes));
    worker.thread = std::thread(&Model::Run, this, std::ref(worker));
  }
  return Status();
}

void Model::Submit(const std::shared_ptr<Job>& job, size_t leg,
                   std::vector<size_t> sentences) {
  metrics_.waiting += static_cast<int64_t>(sentences.size());
  {
    const std::lock_guard lock(mutex_);
    auto turns = std::ranges::find(turns_, job, &Turns::job);
    if (turns == turns_.end()) turns = turns_.insert(turns, {.job = job});
    turns->submitted.push_back({leg, std::move(sentences), 0, Clock::now()});
  }
  work_.notify_one();
}

std::list<Model::Turns>::iterator Model::Next(const Worker& worker) {
  auto next = turns_.end();
  for (auto turns = turns_.begin(); turns != turns_.end();) {
    const auto one = turns++;
    if (one->job->cancelled()) {
      DropWaiting(*one);
      EraseIfDone(one);
    } else if (one->waits() &&
               (next == turns_.end() || one->lanes < next->lanes)) {
      next = one;
    }
  }
  if (next == turns_.end() || next->lanes == 0) return next;
  const bool is_last = worker.busy_slots + 1 == worker.slots.size() &&
                       worker.slots.size() >= kLanesOfWhichOneIsKept;
  return is_last || worker.is_full ? turns_.end() : next;
}

void Model::DropWaiting(Turns& turns) {
  for (const Turns::Submitted& one : turns.submitted) {
    const size_t rest = one.sentences.size() - one.begun;
    metrics_.waiting -= static_cast<int64_t>(rest);
    metrics_.cancelled += rest;
  }
  metrics_.under_way -= static_cast<int64_t>(turns.begun.size());
  metrics_.cancelled += turns.begun.size();
  turns.submitted.clear();
  turns.begun.clear();
}

void Model::EraseIfDone(std::list<Turns>::iterator turns) {
  if (turns->lanes == 0 && !turns->waits()) turns_.erase(turns);
}

// Gives a free lane to the next part; false if none waits, or others are to
// take it.
bool Model::Take(Worker& worker, Slot* slot) {
  const std::lock_guard lock(mutex_);
  const auto turns = Next(worker);
  if (turns == turns_.end()) return false;
  if (!MayTake(worker)) {
    work_.notify_one();
    return false;
  }
  if (!turns->begun.empty()) {
    slot->begun = std::move(turns->begun.front());
    turns->begun.pop_front();
  } else {
    Turns::Submitted& from = turns->submitted.front();
    slot->begun = Begin(*turns->job, from.leg, from.sentences[from.begun]);
    --metrics_.waiting;
    ++metrics_.under_way;
    metrics_.wait_seconds.Observe(
        std::chrono::duration<double>(Clock::now() - from.since).count());
    if (++from.begun == from.sentences.size()) turns->submitted.pop_front();
  }
  slot->turns = turns;
  ++turns->lanes;
  ++worker.busy_slots;
  turns_.splice(turns_.end(), turns_, turns);
  return true;
}

void Model::Release(Worker& worker, const Slot& slot) {
  --worker.busy_slots;
  --slot.turns->lanes;
  EraseIfDone(slot.turns);
}

std::unique_ptr<Model::Begun> Model::Begin(Job& job, size_t leg,
                                           size_t sentence) const {
  TranslateOptions options;
  options.sentences = false;  // They are known.
  options.source_language = job.legs()[leg].source;
  options.target_language = job.legs()[leg].target;
  options.cancel = &job.cancelled();
  options.alignment = job.format() == Format::kHtml;
  const Wording& wording = job.wording();
  options.protect = wording.protect.value_or(options.protect);
  if (wording.glossary != nullptr) options.terms = wording.glossary->terms();
  if (leg + 1 == job.legs().size()) SetAlternatives(job, sentence, &options);
  options.protected_ranges = job.sentences()[sentence].kept;
  return std::make_unique<Begun>(
      Begun{.leg = leg,
            .sentence = sentence,
            .cursor = TextCursor(job.sentences()[sentence].text, options),
            .key = KeyOf(job, leg, sentence)});
}

std::string Model::KeyOf(Job& job, size_t leg, size_t sentence) const {
  const bool last = leg + 1 == job.legs().size();
  const Wording& wording = job.wording();
  if (!kept_ || job.format() != Format::kText || wording.glossary != nullptr ||
      (last && job.alternatives().prefix.has_value())) {
    return "";
  }
  std::string key = job.legs()[leg].source;
  key += '\0';
  key += job.legs()[leg].target;
  key += '\0';
  if (wording.protect) key += *wording.protect ? "protect" : "plain";
  key += '\0';
  key += std::to_string(last ? job.alternatives().count : 0);
  key += '\0';
  return key += job.sentences()[sentence].text;
}

bool Model::TakeKept(Begun& begun) {
  if (begun.key.empty() || begun.cursor.parts() > 0) return false;
  const std::lock_guard lock(kept_mutex_);
  const std::vector<std::string>* const kept = kept_->Find(begun.key);
  if (kept == nullptr) {
    ++metrics_.cache_misses;
    return false;
  }
  ++metrics_.cache_hits;
  begun.translations = *kept;
  begun.key.clear();
  return true;
}

void Model::Keep(const Begun& begun) {
  size_t bytes = 0;
  for (const std::string& translation : begun.translations) {
    bytes += sizeof(std::string) + translation.size();
  }
  const std::lock_guard lock(kept_mutex_);
  const size_t before = kept_->bytes();
  kept_->Add(begun.key, begun.translations, bytes);
  metrics_.cache_bytes +=
      static_cast<int64_t>(kept_->bytes()) - static_cast<int64_t>(before);
}

bool Model::HasWork(const Worker& worker) const {
  return worker.busy_slots > 0 || std::ranges::any_of(turns_, &Turns::waits);
}

bool Model::MayTake(const Worker& worker) const {
  size_t others = 0;
  for (const Worker& one : workers_) others += one.busy_slots;
  others -= worker.busy_slots;
  return worker.busy_slots * (workers_.size() - 1) <= others;
}

void Model::Run(Worker& worker) {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [&] { return ends_ || HasWork(worker); });
      if (!HasWork(worker)) return;
    }
    try {
      BeginAndAdvance(worker);
    } catch (const std::exception& error) {
      FailAll(worker, error.what());
    }
  }
}

void Model::BeginAndAdvance(Worker& worker) {
  Translator& translator = *worker.model;
  for (size_t i = 0; i < worker.slots.size() && translator.CanBegin(); ++i) {
    Slot& slot = worker.slots[i];
    if (slot.begun != nullptr) continue;
    if (worker.begun_bytes > kMostBegunBytes || !Take(worker, &slot)) break;
    if (TakeKept(*slot.begun)) {
      End(worker, slot);
      continue;
    }
    TextCursor& cursor = slot.begun->cursor;
    worker.begun_bytes -= cursor.source_bytes();
    Status status = translator.Begin(cursor, i);
    if (status.code() == StatusCode::kTextTooLong && cursor.parts() == 0) {
      TranslateOptions options = cursor.options();
      options.protected_ranges = {};  // A source of fixed length has no room.
      cursor = TextCursor(cursor.rest(), options);
      status = translator.Begin(cursor, i);
    }
    worker.begun_bytes += cursor.source_bytes();
    if (status.ok()) continue;
    slot.job().Fail(status);
    End(worker, slot);
  }
  FinishedTranslation finished;
  if (translator.Advance(&finished)) {
    Finish(worker, finished);
  } else {  // All have their next tokens.
    worker.begun_bytes = 0;
    worker.is_full = Internals::HasQueued(translator);
  }
}

// Of a sentence in the last model.
void Model::SetAlternatives(const Job& job, size_t sentence,
                            TranslateOptions* options) const {
  const Alternatives& wanted = job.alternatives();
  const uint32_t count = std::min(max_beams(), wanted.count + 1);
  if (wanted.prefix.has_value()) {
    if (!job.IsFirst(sentence)) return;
    options->alternatives = count;
    options->target_prefix = *wanted.prefix;
  } else if (count > 1) {
    options->beams =
        std::max(count, std::min(max_beams(), info().generation.search.beams));
  }
}

// After an exception, which says that there is too little memory: nobody waits
// in vain for what is under way.
void Model::FailAll(Worker& worker, const char* why) {
  for (Slot& slot : worker.slots) {
    if (slot.begun != nullptr) {
      slot.job().Fail(
          Status::Error(StatusCode::kResourceUnavailable, "%s.", why));
    }
  }
  FinishedTranslation finished;
  while (worker.model->under_way() > 0) worker.model->Advance(&finished);
  for (Slot& slot : worker.slots) {
    if (slot.begun == nullptr) continue;
    slot.begun.reset();
    --metrics_.under_way;
    ++metrics_.cancelled;
    const std::lock_guard lock(mutex_);
    Release(worker, slot);
  }
}

void Model::Finish(Worker& worker, const FinishedTranslation& finished) {
  Slot& slot = worker.slots[finished.ticket];
  Begun& begun = *slot.begun;
  metrics_.tokens += finished.translation.generated_tokens;
  if (!finished.status.ok()) {
    slot.job().Fail(finished.status);
    return End(worker, slot);
  }
  begun.cursor.Finish(finished.translation);
  if (slot.job().format() == Format::kHtml) {
    AddHtmlPart(begun, finished.translation);
  } else {
    AddPart(worker, slot.job(), begun, finished.translation);
  }
  if (begun.cursor.done()) return End(worker, slot);
  for (std::string& translation : begun.translations) {
    translation += finished.translation.space;
  }
  // Its next part waits for its turn.
  const std::lock_guard lock(mutex_);
  slot.turns->begun.push_back(std::move(slot.begun));
  Release(worker, slot);
}

// Appends a part to the translations. Each of those beyond the best gets the
// part's hypothesis of the same rank.
void Model::AddPart(Worker& worker, const Job& job, Begun& begun,
                    const Translation& part) {
  // The next call overwrites the text.
  std::vector<std::string> texts = {std::string(part.text)};
  const bool last = begun.leg + 1 == job.legs().size();
  const size_t wanted = last ? job.alternatives().count + 1 : 1;
  for (size_t i = 1; i < std::min(wanted, part.hypotheses.size()); ++i) {
    const auto text = worker.model->HypothesisText(i);
    if (text.ok()) texts.emplace_back(*text);
  }
  if (begun.translations.empty()) begun.translations.resize(wanted);
  for (size_t i = 0; i < begun.translations.size(); ++i) {
    begun.translations[i] += texts[std::min(i, texts.size() - 1)];
  }
}

void Model::AddHtmlPart(Begun& begun, const Translation& part) {
  size_t before = 0;
  for (const HtmlPart& one : begun.parts) before += one.source_bytes;
  begun.parts.push_back({.source_bytes = begun.cursor.source_bytes() - before,
                         .space_follows = begun.cursor.space_follows(),
                         .protected_bytes = begun.cursor.protected_bytes(),
                         .text = std::string(part.text),
                         .links = {part.links.begin(), part.links.end()}});
}

// The sentence leaves this model.
void Model::End(Worker& worker, Slot& slot) {
  const std::shared_ptr<Job> job = slot.turns->job;
  if (!slot.begun->key.empty() && !job->cancelled()) Keep(*slot.begun);
  const std::unique_ptr<Begun> begun = std::move(slot.begun);
  --metrics_.under_way;
  {
    const std::lock_guard lock(mutex_);
    Release(worker, slot);
  }
  if (job->cancelled()) {
    ++metrics_.cancelled;
    return job->Finish();
  }
  ++metrics_.sentences;
  Sentence& sentence = job->sentences()[begun->sentence];
  const size_t next = begun->leg + 1;
  if (next == job->legs().size()) {
    sentence.translations = std::move(begun->translations);
    sentence.parts = std::move(begun->parts);
    if (HasOtherNumbers(sentence)) ++metrics_.number_mismatches;
    return job->Finish();
  }
  sentence.source = std::exchange(sentence.text, begun->translations.front());
  // A model that gives nothing leaves nothing to translate.
  if (sentence.text.empty()) return job->Finish();
  job->legs()[next].model->Submit(job, next, {begun->sentence});
}

}  // namespace latimer::server
