#include "model.h"

#include <algorithm>
#include <exception>

namespace latimer::server {
Model::~Model() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status Model::Start(const std::string& path, const LoadOptions& options) {
  LATIMER_RETURN_IF_ERROR(model_.Open(path.c_str(), options));
  if (!info().has_tokenizer) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the model has no tokenizer and translates ids only.");
  }
  slots_.resize(options.lanes);
  thread_ = std::thread(&Model::Run, this);
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

// The next sentence; false if none waits.
bool Model::Take(Slot* slot) {
  const std::lock_guard lock(mutex_);
  while (!queue_.empty()) {
    Waiting next = std::move(queue_.front());
    queue_.pop_front();
    if (next.job->cancelled()) {
      const size_t rest = next.sentences.size() - next.begun;
      metrics_.waiting -= static_cast<int64_t>(rest);
      metrics_.cancelled += rest;
      continue;
    }
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

void Model::BeginPart(size_t ticket) {
  Slot& slot = slots_[ticket];
  slot.begins = false;
  const Status status = model_->Begin(*slot.cursor, ticket);
  if (status.ok()) return;
  slot.job->Fail(status.message());
  End(slot);
}

bool Model::HasWork() const {
  return !queue_.empty() || model_->under_way() > 0 ||
         std::ranges::any_of(slots_, &Slot::begins);
}

void Model::Run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [&] { return ends_ || HasWork(); });
      if (!HasWork()) return;
    }
    try {
      BeginAndAdvance();
    } catch (const std::exception& error) {
      FailAll(error.what());
    }
  }
}

void Model::BeginAndAdvance() {
  bool more = true;
  for (size_t i = 0; i < slots_.size() && model_->CanBegin(); ++i) {
    Slot& slot = slots_[i];
    if (slot.job == nullptr) {
      more = more && Take(&slot);
      if (!more) continue;
      const Leg& leg = slot.job->legs()[slot.leg];
      const bool last = slot.leg + 1 == slot.job->legs().size();
      TranslateOptions options;
      options.source_language = leg.source;
      options.target_language = leg.target;
      options.cancel = &slot.job->cancelled();
      options.alignment = slot.job->format() == Format::kHtml;
      if (last && slot.job->alternatives() > 0) {
        options.beams =
            std::min(max_beams(), std::max(info().generation.search.beams,
                                           slot.job->alternatives() + 1));
      }
      slot.cursor.emplace(slot.job->sentences()[slot.sentence].text, options);
      slot.begins = true;
    }
    if (slot.begins) BeginPart(i);
  }
  FinishedTranslation finished;
  if (model_->Advance(&finished)) Finish(finished);
}

// After an exception, which says that there is too little memory: nobody waits
// in vain for what is under way.
void Model::FailAll(const char* why) {
  for (Slot& slot : slots_) {
    if (slot.job != nullptr) slot.job->Fail(why);
  }
  FinishedTranslation finished;
  while (model_->under_way() > 0) model_->Advance(&finished);
  for (Slot& slot : slots_) {
    if (slot.job == nullptr) continue;
    slot = Slot();
    --metrics_.under_way;
    ++metrics_.cancelled;
  }
}

void Model::Finish(const FinishedTranslation& finished) {
  Slot& slot = slots_[finished.ticket];
  metrics_.tokens += finished.translation.generated_tokens;
  if (!finished.status.ok()) {
    slot.job->Fail(finished.status.message());
    return End(slot);
  }
  slot.cursor->Finish(finished.translation);
  if (slot.job->format() == Format::kHtml) {
    AddHtmlPart(slot, finished.translation);
  } else {
    AddPart(slot, finished.translation);
  }
  if (slot.cursor->done()) return End(slot);
  if (slot.cursor->space_follows()) {
    for (std::string& translation : slot.translations) translation += ' ';
  }
  slot.begins = true;
}

// Appends a part to the translations. Each of those beyond the best gets the
// part's hypothesis of the same rank.
void Model::AddPart(Slot& slot, const Translation& part) {
  // The next call overwrites the text, but not the tokens.
  std::vector<std::string> texts = {std::string(part.text)};
  const bool last = slot.leg + 1 == slot.job->legs().size();
  const size_t wanted = last ? slot.job->alternatives() + 1 : 1;
  for (size_t i = 1; i < std::min(wanted, part.hypotheses.size()); ++i) {
    const auto text = model_->Detokenize(part.hypotheses[i].tokens);
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
                        .text = std::string(part.text),
                        .links = {part.links.begin(), part.links.end()}});
}

// The sentence leaves this model.
void Model::End(Slot& slot) {
  const std::shared_ptr<Job> job = std::move(slot.job);
  Sentence& sentence = job->sentences()[slot.sentence];
  const size_t next = slot.leg + 1, index = slot.sentence;
  std::vector<std::string> translations = std::move(slot.translations);
  std::vector<HtmlPart> parts = std::move(slot.parts);
  slot = Slot();
  --metrics_.under_way;
  if (job->cancelled()) {
    ++metrics_.cancelled;
    return job->Finish();
  }
  ++metrics_.sentences;
  if (next == job->legs().size()) {
    sentence.translations = std::move(translations);
    sentence.parts = std::move(parts);
    return job->Finish();
  }
  sentence.text = std::move(translations.front());
  // A model that gives nothing leaves nothing to translate.
  if (sentence.text.empty()) return job->Finish();
  job->legs()[next].model->Submit(job, next, {index});
}

}  // namespace latimer::server
