#include "job.h"

#include <algorithm>
#include <memory>
#include <span>

namespace latimer::server {

void Job::Add(std::string_view text, const SentenceRules& rules) {
  documents_.push_back({.first_sentence = sentences_.size()});
  switch (format_) {
    case Format::kText:
      AddText(text, rules);
      break;
    case Format::kHtml:
      AddHtml(text, rules);
      break;
  }
  Document& document = documents_.back();
  document.sentences = sentences_.size() - document.first_sentence;
}

void Job::AddHtml(std::string_view html, const SentenceRules& rules) {
  documents_.back().html =
      std::make_unique<Html>(Html{std::string(html), rules});
  for (HtmlSource& source : SentencesOfHtml(html, rules)) {
    AddSentence(
        {.text = std::move(source.text), .kept = std::move(source.kept)});
  }
}

void Job::Push(Sentence sentence) {
  const size_t count = sentences_.size();
  if (count > 0 && count % kGrowth == 0 && on_growth) on_growth(kGrowth);
  sentences_.push_back(std::move(sentence));
}

void Job::AddSentence(Sentence sentence) {
  if (!sentence.text.empty() && with_text_++ == 0) {
    first_with_text_ = sentences_.size();
  }
  Push(std::move(sentence));
}

void Job::AddSpace(std::string_view space) {
  const bool joins = sentences_.size() > documents_.back().first_sentence &&
                     sentences_.back().text.empty();
  if (!joins) Push({});
  sentences_.back().space += space;
}

void Job::AddText(std::string_view text, const SentenceRules& rules) {
  const auto splitter = std::make_unique<SentenceSplitter>(rules);
  const auto take = [&] {
    SourceSentence next;
    while (splitter->Next(&next)) {
      const std::string_view joined = splitter->JoinLines(next);
      if (joined.empty()) {
        AddSpace(next.space);
      } else {
        AddSentence({.text = std::string(joined),
                     .space = std::string(next.space),
                     .end = next.end});
      }
    }
  };
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    while (!line.empty()) {
      line.remove_prefix(splitter->Push(line));
      take();
    }
    splitter->End();
    take();
    if (end != text.npos) AddSpace("\n");
  }
}

std::vector<size_t> Job::SentencesWithText() const {
  std::vector<size_t> indices;
  for (size_t i = 0; i < sentences_.size(); ++i) {
    if (!sentences_[i].text.empty()) indices.push_back(i);
  }
  return indices;
}

void Job::Finish() {
  const std::lock_guard lock(mutex_);
  ++finished_;
  if (finished_ >= with_text_) done_.notify_all();
}

void Job::Fail(const Status& why) {
  Cancel();
  const std::lock_guard lock(mutex_);
  if (error_.ok()) error_ = why;
  done_.notify_all();
}

bool Job::WaitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return done_.wait_for(
      lock, time, [&] { return finished_ >= with_text_ || !error_.ok(); });
}

Status Job::error() {
  const std::lock_guard lock(mutex_);
  return error_;
}

std::span<const Sentence> Job::SentencesOf(const Document& document) const {
  return std::span(sentences_)
      .subspan(document.first_sentence, document.sentences);
}

std::string Job::Joined(const Document& document, size_t choice) const {
  std::string out;
  for (const Sentence& sentence : SentencesOf(document)) {
    std::string_view text;
    if (!sentence.translations.empty()) {
      const size_t last = sentence.translations.size() - 1;
      text = sentence.translations[std::min(choice, last)];
    }
    out += text;
    out += SpaceAfter(text, sentence.space, sentence.end);
  }
  return out;
}

std::string Job::JoinedHtml(const Document& document) const {
  std::vector<std::span<const HtmlPart>> parts;
  parts.reserve(document.sentences);
  for (const Sentence& sentence : SentencesOf(document)) {
    parts.emplace_back(sentence.parts);
  }
  return TranslatedHtml(document.html->text, document.html->rules, parts);
}

std::vector<std::string> Job::Translations(size_t document) const {
  const Document& wanted = documents_[document];
  if (format_ == Format::kHtml) return {JoinedHtml(wanted)};
  std::vector<std::string> all = {Joined(wanted, 0)};
  for (size_t i = 1; i <= alternatives_.count; ++i) {
    std::string next = Joined(wanted, i);
    if (!next.empty() && std::ranges::find(all, next) == all.end()) {
      all.push_back(std::move(next));
    }
  }
  return all;
}

std::vector<Segment> Job::Segments(size_t document) const {
  std::vector<Segment> all;
  for (const Sentence& sentence : SentencesOf(documents_[document])) {
    const std::string& source =
        sentence.source.empty() ? sentence.text : sentence.source;
    if (source.empty()) continue;
    const auto& found = sentence.translations;
    all.push_back({source, found.empty() ? "" : found.front()});
  }
  return all;
}

}  // namespace latimer::server
