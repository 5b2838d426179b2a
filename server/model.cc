#include "model.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

#include "latimer/number_check.h"

namespace latimer::server {
namespace {

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

Status Model::Start(const std::string& path, const LoadOptions& options,
                    uint32_t workers) {
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
    queue_.push_back({job, leg, std::move(sentences), 0, Clock::now()});
  }
  work_.notify_one();
}

// The next sentence; false if none waits, or others are to take it.
bool Model::Take(Worker& worker, Slot* slot) {
  const std::lock_guard lock(mutex_);
  while (!queue_.empty()) {
    if (!MayTake(worker)) {
      work_.notify_one();
      return false;
    }
    Waiting next = std::move(queue_.front());
    queue_.pop_front();
    if (next.job->cancelled()) {
      const size_t rest = next.sentences.size() - next.begun;
      metrics_.waiting -= static_cast<int64_t>(rest);
      metrics_.cancelled += rest;
      continue;
    }
    ++worker.busy_slots;
    slot->job = next.job;
    slot->leg = next.leg;
    slot->sentence = next.sentences[next.begun++];
    --metrics_.waiting;
    ++metrics_.under_way;
    metrics_.wait_seconds.Observe(
        std::chrono::duration<double>(Clock::now() - next.since).count());
    if (next.begun < next.sentences.size()) queue_.push_back(std::move(next));
    return true;
  }
  return false;
}

void Model::BeginPart(Worker& worker, size_t ticket) {
  Slot& slot = worker.slots[ticket];
  slot.begins = false;
  const Status status = worker.model->Begin(*slot.cursor, ticket);
  if (status.ok()) return;
  slot.job->Fail(status);
  End(worker, slot);
}

bool Model::HasWork(const Worker& worker) const {
  return !queue_.empty() || worker.busy_slots > 0;
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
  bool more = true;
  for (size_t i = 0; i < worker.slots.size() && translator.CanBegin(); ++i) {
    Slot& slot = worker.slots[i];
    if (slot.job == nullptr) {
      more = more && Take(worker, &slot);
      if (!more) continue;
      const Leg& leg = slot.job->legs()[slot.leg];
      const bool last = slot.leg + 1 == slot.job->legs().size();
      TranslateOptions options;
      options.source_language = leg.source;
      options.target_language = leg.target;
      options.cancel = &slot.job->cancelled();
      options.alignment = slot.job->format() == Format::kHtml;
      const Wording& wording = slot.job->wording();
      options.protect = wording.protect.value_or(options.protect);
      if (wording.glossary != nullptr) {
        options.terms = wording.glossary->terms();
      }
      if (last) SetAlternatives(slot, &options);
      slot.cursor.emplace(slot.job->sentences()[slot.sentence].text, options);
      slot.begins = true;
    }
    if (slot.begins) BeginPart(worker, i);
  }
  FinishedTranslation finished;
  if (translator.Advance(&finished)) Finish(worker, finished);
}

// Of a sentence in the last model.
void Model::SetAlternatives(const Slot& slot, TranslateOptions* options) const {
  const Alternatives& wanted = slot.job->alternatives();
  const uint32_t count = std::min(max_beams(), wanted.count + 1);
  if (wanted.prefix.has_value()) {
    if (!slot.job->IsFirst(slot.sentence)) return;
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
    if (slot.job != nullptr) {
      slot.job->Fail(
          Status::Error(StatusCode::kResourceUnavailable, "%s.", why));
    }
  }
  FinishedTranslation finished;
  while (worker.model->under_way() > 0) worker.model->Advance(&finished);
  for (Slot& slot : worker.slots) {
    if (slot.job == nullptr) continue;
    Empty(worker, slot);
    ++metrics_.cancelled;
  }
}

void Model::Empty(Worker& worker, Slot& slot) {
  slot = Slot();
  --metrics_.under_way;
  const std::lock_guard lock(mutex_);
  --worker.busy_slots;
}

void Model::Finish(Worker& worker, const FinishedTranslation& finished) {
  Slot& slot = worker.slots[finished.ticket];
  metrics_.tokens += finished.translation.generated_tokens;
  if (!finished.status.ok()) {
    slot.job->Fail(finished.status);
    return End(worker, slot);
  }
  slot.cursor->Finish(finished.translation);
  if (slot.job->format() == Format::kHtml) {
    AddHtmlPart(slot, finished.translation);
  } else {
    AddPart(worker, slot, finished.translation);
  }
  if (slot.cursor->done()) return End(worker, slot);
  if (slot.cursor->space_follows()) {
    for (std::string& translation : slot.translations) translation += ' ';
  }
  slot.begins = true;
}

// Appends a part to the translations. Each of those beyond the best gets the
// part's hypothesis of the same rank.
void Model::AddPart(Worker& worker, Slot& slot, const Translation& part) {
  // The next call overwrites the text.
  std::vector<std::string> texts = {std::string(part.text)};
  const bool last = slot.leg + 1 == slot.job->legs().size();
  const size_t wanted = last ? slot.job->alternatives().count + 1 : 1;
  for (size_t i = 1; i < std::min(wanted, part.hypotheses.size()); ++i) {
    const auto text = worker.model->HypothesisText(i);
    if (text.ok()) texts.emplace_back(*text);
  }
  if (slot.translations.empty()) slot.translations.resize(wanted);
  for (size_t i = 0; i < slot.translations.size(); ++i) {
    slot.translations[i] += texts[std::min(i, texts.size() - 1)];
  }
}

void Model::AddHtmlPart(Slot& slot, const Translation& part) {
  size_t before = 0;
  for (const HtmlPart& one : slot.parts) before += one.source_bytes;
  slot.parts.push_back({.source_bytes = slot.cursor->source_bytes() - before,
                        .space_follows = slot.cursor->space_follows(),
                        .protected_bytes = slot.cursor->protected_bytes(),
                        .text = std::string(part.text),
                        .links = {part.links.begin(), part.links.end()}});
}

// The sentence leaves this model.
void Model::End(Worker& worker, Slot& slot) {
  const std::shared_ptr<Job> job = std::move(slot.job);
  Sentence& sentence = job->sentences()[slot.sentence];
  const size_t next = slot.leg + 1, index = slot.sentence;
  std::vector<std::string> translations = std::move(slot.translations);
  std::vector<HtmlPart> parts = std::move(slot.parts);
  Empty(worker, slot);
  if (job->cancelled()) {
    ++metrics_.cancelled;
    return job->Finish();
  }
  ++metrics_.sentences;
  if (next == job->legs().size()) {
    sentence.translations = std::move(translations);
    sentence.parts = std::move(parts);
    if (HasOtherNumbers(sentence)) ++metrics_.number_mismatches;
    return job->Finish();
  }
  sentence.source = std::exchange(sentence.text, translations.front());
  // A model that gives nothing leaves nothing to translate.
  if (sentence.text.empty()) return job->Finish();
  job->legs()[next].model->Submit(job, next, {index});
}

}  // namespace latimer::server
