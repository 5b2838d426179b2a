#include "markup/tag_placement.h"

#include <algorithm>

#include "base/check.h"
#include "markup/words.h"
#include "text/slice.h"

namespace latimer {

// ---- Words of the translation ----

// Tokens that end within a word belong to one word. A token that the source has
// too is aligned character by character, so that "(" and ")" part if there was
// something between, and so do the letters of a word. Without links, words are
// what white space separates.
void TagPlacer::FindWords() {
  word_count_ = 0;
  for (size_t i = 0; i < std::min<size_t>(links_.size(), kNone); ++i) {
    TextRange text = links_[i].target;
    const uint32_t end =
        word_count_ == 0 ? 0 : words_[word_count_ - 1].text.end;
    if (text.begin < end || text.begin >= text.end ||
        text.end > translation_.size()) {
      continue;
    }
    const TextRange source = links_[i].source;
    const bool is_same = source.end <= sentence_.text.size() &&
                         source.size() == text.size() &&
                         Slice(translation_, text.begin, text.size()) ==
                             Slice(sentence_.text, source.begin, source.size());
    if (!is_same) {
      AddWords(text, i);
      continue;
    }
    for (uint32_t begin = text.begin; begin < text.end;) {
      uint32_t next = begin + 1;
      while (next < text.end && JoinsWords(translation_, next) &&
             !IsMarked(source.begin + (next - text.begin))) {
        ++next;
      }
      AddWord({begin, next},
              {source.begin + (begin - text.begin),
               source.begin + (next - text.begin)},
              i);
      begin = next;
    }
  }
  if (!links_.empty()) return;
  for (size_t at = 0; at < translation_.size();) {
    if (IsHtmlSpace(translation_[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < translation_.size() && !IsHtmlSpace(translation_[at])) ++at;
    AddWords({static_cast<uint32_t>(begin), static_cast<uint32_t>(at)}, 0);
  }
}

// Adds a token. Placeholders are words of their own.
void TagPlacer::AddWords(TextRange text, size_t link) {
  uint32_t begin = text.begin;
  for (uint32_t at = begin; at < text.end; ++at) {
    const uint32_t end = at + KeptPlaceholder::kBytes;
    if (end > text.end || !HasPlaceholder(at)) continue;
    if (begin < at) AddWord({begin, at}, {}, link);
    AddWord({at, end}, {}, link);
    begin = end;
  }
  if (begin < text.end) AddWord({begin, text.end}, {}, link);
}

bool TagPlacer::IsMarked(uint32_t offset) const {
  return std::ranges::any_of(sentence_.marks, [offset](const Mark& mark) {
    return mark.offset == offset;
  });
}

// Adds a token, or a part of one that is a copy of `same`.
void TagPlacer::AddWord(TextRange text, TextRange same, size_t link) {
  const Word* const before =
      word_count_ > 0 ? &words_[word_count_ - 1] : nullptr;
  // A tag within a word goes where it was if the word was copied.
  const bool parts = before != nullptr && same.size() > 0 &&
                     before->same.size() > 0 &&
                     before->same.end == same.begin && IsMarked(same.begin);
  const bool joins = before != nullptr && text.begin == before->text.end &&
                     JoinsWords(translation_, text.begin) && !parts;
  if (!joins && word_count_ < std::size(words_)) {
    const auto next = static_cast<uint16_t>(link + (same.size() > 0 ? 1 : 0));
    words_[word_count_++] = {text, {}, next, next, 0};
  }
  Word& word = words_[word_count_ - 1];
  word.text.end = text.end;
  if (same.size() == 0) {
    word.end_link = static_cast<uint16_t>(link + 1);
  } else {
    if (word.same.size() == 0) word.same = same;
    word.same.end = std::max(word.same.end, same.end);
  }
}

// Without links, a word is taken to come from the same portion of the source.
TagPlacer::Votes TagPlacer::VotesOf(const Word& word, TextRange source) const {
  Votes votes;
  const auto count = [&](TextRange from) {
    if (from.size() == 0) return;
    if (from.end <= source.begin) {
      ++votes.before;
    } else if (from.begin >= source.end) {
      ++votes.after;
    } else {
      ++votes.in;
    }
  };
  if (links_.empty()) {
    const uint64_t middle = (uint64_t{word.text.begin} + word.text.end) / 2;
    const auto at = static_cast<uint32_t>(middle * sentence_.text.size() /
                                          translation_.size());
    count({at, at + 1});
  } else {
    count(word.same);
    for (size_t i = word.first_link; i < word.end_link; ++i) {
      if (links_[i].target.size() > 0) count(links_[i].source);
    }
  }
  return votes;
}

// ---- The tree of the source ----

bool TagPlacer::IsBlank(uint32_t begin, uint32_t end) const {
  for (uint32_t i = begin; i < end; ++i) {
    if (!IsHtmlSpace(sentence_.text[i])) return false;
  }
  return true;
}

uint16_t TagPlacer::AddNode(uint16_t parent, uint32_t offset) {
  LATIMER_CHECK(node_count_ < std::size(nodes_));
  nodes_[node_count_] = {};
  nodes_[node_count_].parent = parent;
  nodes_[node_count_].source = {offset, offset};
  return static_cast<uint16_t>(node_count_++);
}

void TagPlacer::BuildTree() {
  const auto size = static_cast<uint32_t>(sentence_.text.size());
  node_count_ = 0;
  AddNode(kNone, 0);
  nodes_[0].source.end = size;
  uint16_t inner = 0;  // The element at hand.
  // Elements that were opened before the sentence hold what it begins with.
  size_t open = 0;
  for (const Mark& mark : sentence_.marks) {
    if (mark.kind == Mark::Kind::kOpen) ++open;
    if (mark.kind != Mark::Kind::kClose) continue;
    if (open > 0) {
      --open;
    } else {
      inner = AddNode(inner, 0);
      nodes_[inner].from_start = true;
    }
  }
  const auto mark_count = static_cast<uint16_t>(sentence_.marks.size());
  for (uint16_t i = 0; i < mark_count; ++i) {
    const Mark& mark = sentence_.marks[i];
    if (mark.kind == Mark::Kind::kClose) {
      nodes_[inner].close = i;
      nodes_[inner].source.end = mark.offset;
      inner = nodes_[inner].parent;
      continue;
    }
    const uint16_t node = AddNode(inner, mark.offset);
    nodes_[node].open = i;
    if (mark.kind == Mark::Kind::kOpen) {
      inner = node;
    } else if (mark.kind == Mark::Kind::kKept &&
               KeptPlaceholder::IsAt(sentence_.text, mark.offset)) {
      nodes_[node].kept = true;
      nodes_[node].source.end += KeptPlaceholder::kBytes;
    } else {
      nodes_[node].point = true;
    }
  }
  for (; inner != 0; inner = nodes_[inner].parent) {
    nodes_[inner].to_end = true;
    nodes_[inner].source.end = size;
  }
  for (size_t i = 0; i < node_count_; ++i) {
    nodes_[i].empty = IsBlank(nodes_[i].source.begin, nodes_[i].source.end);
  }
}

// Whether its parent has no other text.
bool TagPlacer::CoversParent(const Node& node) const {
  const TextRange all = nodes_[node.parent].source;
  return IsBlank(all.begin, node.source.begin) &&
         IsBlank(node.source.end, all.end);
}

TextRange TagPlacer::WordBefore(uint32_t offset) const {
  uint32_t end = offset;
  while (end > 0 && IsHtmlSpace(sentence_.text[end - 1])) --end;
  uint32_t begin = end;
  while (begin > 0 && !IsHtmlSpace(sentence_.text[begin - 1])) --begin;
  return {begin, end};
}

TextRange TagPlacer::WordAfter(uint32_t offset) const {
  const auto size = static_cast<uint32_t>(sentence_.text.size());
  uint32_t begin = offset;
  while (begin < size && IsHtmlSpace(sentence_.text[begin])) ++begin;
  uint32_t end = begin;
  while (end < size && !IsHtmlSpace(sentence_.text[end])) ++end;
  return {begin, end};
}

// ---- Where elements go ----

// The run of words of the parent's own, within [begin, end), with the largest
// sum of weights. More of its first and last word is aligned with the element
// than with other text; if that holds for no word, the best is one word, part
// of which is. False if there is none.
bool TagPlacer::BestRun(const Node& node, size_t begin, size_t end,
                        Run* out) const {
  bool found = false;
  bool has_run = false;
  Run run;   // The best that ends at the word at hand.
  Run word;  // The best of those of which only a part is aligned.
  for (size_t i = begin; i < end; ++i) {
    const bool is_free = words_[i].owner == node.parent;
    const Votes votes = VotesOf(words_[i], node.source);
    const int32_t weight = votes.weight();
    if (is_free && votes.in > 0 &&
        (word.end == word.begin || weight > word.score)) {
      word = {weight, i, i + 1};
    }
    if (!is_free || !has_run || run.score < 0) {
      has_run = is_free && weight > 0;
      run = {0, i, i};
    }
    if (!has_run) continue;
    run.score += weight;
    run.end = i + 1;
    if (weight <= 0) continue;
    const bool extends = found && run.begin == out->begin;
    if (!found || run.score > out->score ||
        (extends && run.score == out->score)) {
      *out = run;
      found = true;
    }
  }
  if (!found) *out = word;
  return out->end > out->begin;
}

// Where the run of an element begins, if not with a hyphen that ties a word to
// the one before it: "visite-o <i>hoje</i>". Its own hyphen stays, and so does
// the word if it is all there is: "Git-<b>Paket</b>".
size_t TagPlacer::AfterTiedWord(const Node& node, const Run& run) const {
  const auto is_tied = [this](size_t word) {
    return word > 0 && words_[word].text.begin == words_[word - 1].text.end;
  };
  const auto begins_with_hyphen = [](std::string_view text, uint32_t at) {
    return at < text.size() && text[at] == '-';
  };
  const uint32_t at = words_[run.begin].text.begin;
  if (!is_tied(run.begin) || !begins_with_hyphen(translation_, at) ||
      !EndsWord(Slice(translation_, 0, at)) ||
      begins_with_hyphen(sentence_.text, node.source.begin)) {
    return run.begin;
  }
  size_t begin = run.begin + 1;
  while (begin < run.end && is_tied(begin)) ++begin;
  if (begin < run.end) return begin;
  return run.begin + 1 < run.end ? run.begin + 1 : run.begin;
}

// For an element that goes on from the beginning of its parent, or to its end:
// where in [begin, end] the other end is.
size_t TagPlacer::BestEdge(const Node& node, size_t begin, size_t end) const {
  if (CoversParent(node)) return node.from_start ? end : begin;
  if (begin == end) return begin;
  // It has text, so it has a word.
  int32_t sum = 0, most = 0;
  size_t best = 0;
  for (size_t count = 1; count <= end - begin; ++count) {
    const size_t word = node.from_start ? begin + count - 1 : end - count;
    sum += VotesOf(words_[word], node.source).weight();
    if (best != 0 && sum <= most) continue;
    most = sum;
    best = count;
  }
  return node.from_start ? begin + best : end - best;
}

// For what has no text: the place in [least, end] that most of what comes
// before it in the source is before, and most of what comes after it after.
size_t TagPlacer::BestBoundary(const Node& node, size_t least,
                               size_t end) const {
  const Node& parent = nodes_[node.parent];
  const TextRange here = {node.source.begin, node.source.begin};
  if (IsBlank(parent.source.begin, here.begin)) return least;
  if (IsBlank(here.end, parent.source.end)) return end;
  const TextRange left = WordBefore(here.begin);
  const TextRange right = WordAfter(here.end);
  int32_t score = 0, most = 0;
  size_t best = end;
  for (size_t i = least; i <= end; ++i) {
    if (i > least) {
      const Votes votes = VotesOf(words_[i - 1], here);
      score += votes.before - votes.after;
    }
    const bool splits = i > least && i < end &&
                        words_[i - 1].owner == words_[i].owner &&
                        words_[i].owner != node.parent;
    if (splits) continue;
    int32_t beside = 0;
    if (i > least && VotesOf(words_[i - 1], left).in > 0) ++beside;
    if (i < end && VotesOf(words_[i], right).in > 0) ++beside;
    if (i == least || score + beside > most) {
      most = score + beside;
      best = i;
    }
  }
  return best;
}

void TagPlacer::Settle(uint16_t index, size_t begin, size_t end) {
  Node& node = nodes_[index];
  node.placed = true;
  node.begin = static_cast<uint16_t>(begin);
  node.end = static_cast<uint16_t>(end);
  for (size_t i = begin; i < end; ++i) words_[i].owner = index;
  // In the order of the translation; what has no words comes first.
  const auto comes_before = [&](uint16_t other) {
    const Node& o = nodes_[other];
    if (o.begin != node.begin) return o.begin < node.begin;
    if (o.end != node.end) return o.end < node.end;
    return other < index;
  };
  uint16_t* link = &nodes_[node.parent].first_child;
  while (*link != kNone && comes_before(*link)) link = &nodes_[*link].next;
  node.next = *link;
  *link = index;
}

void TagPlacer::PlaceChildren(uint16_t parent) {
  size_t begin = nodes_[parent].begin;
  size_t end = nodes_[parent].end;
  const auto for_each_left = [&](const auto& visit) {
    for (size_t i = size_t{parent} + 1; i < node_count_; ++i) {
      if (nodes_[i].parent == parent && !nodes_[i].placed) {
        visit(static_cast<uint16_t>(i));
      }
    }
  };
  // What goes on beyond the sentence.
  for_each_left([&](uint16_t i) {
    if (!nodes_[i].from_start) return;
    const size_t edge =
        nodes_[i].empty ? begin : BestEdge(nodes_[i], begin, end);
    Settle(i, begin, edge);
    begin = edge;
  });
  for_each_left([&](uint16_t i) {
    if (!nodes_[i].to_end) return;
    const size_t edge = nodes_[i].empty ? end : BestEdge(nodes_[i], begin, end);
    Settle(i, edge, end);
    end = edge;
  });
  // What is kept goes where its placeholder is.
  for_each_left([&](uint16_t i) {
    const Node& node = nodes_[i];
    if (!node.kept) return;
    const std::string_view placeholder =
        Slice(sentence_.text, node.source.begin, node.source.size());
    for (size_t word = begin; word < end; ++word) {
      const TextRange text = words_[word].text;
      if (words_[word].owner == parent &&
          Slice(translation_, text.begin, text.size()) == placeholder) {
        return Settle(i, word, word + 1);
      }
    }
  });
  // The surest first.
  for (;;) {
    uint16_t best = kNone;
    Run run;
    for_each_left([&](uint16_t i) {
      if (nodes_[i].empty || nodes_[i].kept) return;
      Run own;
      if (CoversParent(nodes_[i])) {
        own = {0, begin, end};
      } else if (!BestRun(nodes_[i], begin, end, &own)) {
        return;
      }
      if (best != kNone && own.score <= run.score) return;
      best = i;
      run = own;
    });
    if (best == kNone) break;
    Settle(best, AfterTiedWord(nodes_[best], run), run.end);
  }
  // What has no text, or none that was translated, in the order of the source.
  size_t least = begin;
  for_each_left([&](uint16_t i) {
    least = BestBoundary(nodes_[i], least, end);
    Settle(i, least, least);
  });
}

// ---- Writing ----

// White space between the words before and after the place at hand.
std::string_view TagPlacer::Gap() const {
  const size_t begin = at_ == 0 ? 0 : words_[at_ - 1].text.end;
  const size_t end =
      at_ < word_count_ ? words_[at_].text.begin : translation_.size();
  return Slice(translation_, begin, end - begin);
}

// Whether a placeholder of the sentence is at translation_[at].
bool TagPlacer::HasPlaceholder(size_t at) const {
  if (!KeptPlaceholder::IsAt(translation_, at)) return false;
  const std::string_view found =
      Slice(translation_, at, KeptPlaceholder::kBytes);
  return std::ranges::any_of(sentence_.marks, [&](const Mark& mark) {
    return mark.kind == Mark::Kind::kKept &&
           From(sentence_.text, mark.offset).starts_with(found);
  });
}

// Writes translation_[begin, end) without placeholders, which stand for what
// is written elsewhere.
void TagPlacer::WriteText(size_t begin, size_t end, HtmlWriter& writer) {
  for (size_t at = begin; at < end; ++at) {
    if (!HasPlaceholder(at)) continue;
    writer.WriteText(translation_, begin, at, sentence_.style);
    begin = at + KeptPlaceholder::kBytes;
  }
  writer.WriteText(translation_, begin, end, sentence_.style);
}

void TagPlacer::WriteGap(HtmlWriter& writer) {
  if (!gap_written_) {
    const std::string_view gap = Gap();
    const size_t begin = at_ == 0 ? 0 : words_[at_ - 1].text.end;
    WriteText(begin, begin + gap.size(), writer);
    gap_written_ = true;
    if (!gap.empty()) owes_space_ = after_word_ = false;
  }
  if (owes_space_) {
    writer.Write(" ");
    after_word_ = false;
  }
  owes_space_ = false;
}

void TagPlacer::WriteUntil(size_t word, HtmlWriter& writer) {
  for (; at_ < word; ++at_) {
    WriteGap(writer);
    const TextRange text = words_[at_].text;
    WriteText(text.begin, text.end, writer);
    after_word_ = EndsWord(Slice(translation_, 0, text.end));
    gap_written_ = false;
    object_ = nullptr;
  }
}

void TagPlacer::WriteTag(uint16_t mark, HtmlWriter& writer) {
  if (mark == kNone) return;
  const Mark& m = sentence_.marks[mark];
  writer.Write(Slice(sentence_.raw, m.raw_begin, m.raw_bytes));
}

// What an element begins with, if that is an object.
const Mark* TagPlacer::FirstObject(const Node& element) const {
  uint16_t child = element.first_child;
  while (child != kNone && nodes_[child].begin == element.begin) {
    const Node& node = nodes_[child];
    const Mark* const mark =
        node.open == kNone ? nullptr : &sentence_.marks[node.open];
    if (node.point || (node.kept && node.begin == node.end)) {
      return mark->kind == Mark::Kind::kObject ||
                     mark->kind == Mark::Kind::kKept
                 ? mark
                 : nullptr;
    }
    child = node.first_child;
  }
  return nullptr;
}

// Writes white space before an object if it had some. It is kept apart from
// words, and from another object, unless it was not.
void TagPlacer::WriteSpaceBefore(const Mark& object, HtmlWriter& writer) {
  if (object_ != nullptr && object_->offset == object.offset) return;
  const bool parts = after_word_ && !object.word_before;
  if (object.space_before || parts) WriteGap(writer);
  if (!parts || !after_word_) return;
  writer.Write(" ");
  after_word_ = false;
}

// Writes what has no text, with white space around it if it had some.
void TagPlacer::WritePoint(const Mark& mark, HtmlWriter& writer) {
  const bool object =
      mark.kind == Mark::Kind::kObject || mark.kind == Mark::Kind::kKept;
  const bool before_word =
      at_ < word_count_ &&
      BeginsWord(From(translation_, words_[at_].text.begin));
  if (object) {
    WriteSpaceBefore(mark, writer);
  } else if (mark.space_before) {
    WriteGap(writer);
  }
  writer.Write(Slice(sentence_.raw, mark.raw_begin, mark.raw_bytes));
  if (object) {
    object_ = &mark;
    after_word_ = true;
    owes_space_ = before_word && !mark.word_after;
  } else {
    owes_space_ = gap_written_ && mark.space_after && !Gap().empty();
  }
}

void TagPlacer::WriteAll(HtmlWriter& writer) {
  at_ = 0;
  gap_written_ = owes_space_ = after_word_ = false;
  object_ = nullptr;
  uint16_t inner = 0;  // The element at hand.
  uint16_t next = nodes_[0].first_child;
  while (next != kNone || inner != 0) {
    if (next == kNone) {
      WriteUntil(nodes_[inner].end, writer);
      WriteTag(nodes_[inner].close, writer);
      next = nodes_[inner].next;
      inner = nodes_[inner].parent;
      continue;
    }
    const Node& node = nodes_[next];
    WriteUntil(node.begin, writer);
    if (node.kept && node.begin < node.end) {
      WriteGap(writer);
      WriteTag(node.open, writer);
      at_ = node.end;
      after_word_ = true;
      gap_written_ = false;
      object_ = nullptr;
      next = node.next;
      continue;
    }
    if (node.point || node.kept) {
      WritePoint(sentence_.marks[node.open], writer);
      next = node.next;
      continue;
    }
    if (node.open != kNone) {
      if (const Mark* const object = FirstObject(node); object != nullptr) {
        WriteSpaceBefore(*object, writer);
      } else {
        WriteGap(writer);
      }
      WriteTag(node.open, writer);
    }
    inner = next;
    next = node.first_child;
  }
  WriteUntil(word_count_, writer);
  WriteGap(writer);
}

void TagPlacer::Place(const TaggedSentence& sentence,
                      std::string_view translation,
                      std::span<const TokenLink> links, HtmlWriter& writer) {
  LATIMER_CHECK(sentence.marks.size() <= kMostMarks);
  sentence_ = sentence;
  translation_ = translation;
  links_ = links;
  if (sentence.marks.empty()) {
    return writer.WriteText(translation, 0, translation.size(), sentence.style);
  }
  // What the model could not read is as it was, and has no tokens.
  const auto size = static_cast<uint32_t>(translation.size());
  const TokenLink whole = {.target = {0, size}, .source = {0, size}};
  if (links.empty() && translation == sentence.text) links_ = {&whole, 1};
  FindWords();
  BuildTree();
  nodes_[0].end = static_cast<uint16_t>(word_count_);
  for (size_t i = 0; i < node_count_; ++i) {
    PlaceChildren(static_cast<uint16_t>(i));
  }
  WriteAll(writer);
}

}  // namespace latimer
