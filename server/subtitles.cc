#include "subtitles.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "ascii.h"
#include "latimer/profile_config.h"

namespace latimer::server {
namespace {

// Takes a line with its end off the beginning.
std::string_view TakeLine(std::string_view* text) {
  size_t end = text->find_first_of("\r\n");
  if (end != text->npos) {
    end += text->substr(end).starts_with("\r\n") ? 2 : 1;
  }
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(line.size());
  return line;
}

std::string_view WithoutEnd(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) {
    line.remove_suffix(1);
  }
  return line;
}

bool HasTimes(std::string_view line) { return line.find("-->") != line.npos; }

// Whether a cue begins here, whose number may stand before its times.
bool BeginsCue(std::string_view file) {
  std::string_view line = WithoutEnd(TakeLine(&file));
  if (!line.empty() && std::ranges::all_of(line, [](char c) {
        return std::isdigit(static_cast<uint8_t>(c)) != 0;
      })) {
    line = TakeLine(&file);
  }
  return HasTimes(line);
}

// Something in a cue that is no text: a tag of SubRip or WebVTT, such as <i>
// and <v Ann>, a time of WebVTT, or a block of SubStation Alpha, such as {\i1}.
struct Mark {
  enum class Kind : uint8_t { kNone, kBreak, kOpens, kCloses, kPoint };
  Kind kind = Kind::kNone;
  size_t bytes = 0;
};

constexpr size_t kMostMarkBytes = 1000;

Mark TagAt(std::string_view text) {
  const size_t end = text.find_first_of("<>", 1);
  if (end == text.npos || text[end] != '>') return {};
  const std::string_view inside = text.substr(1, end - 1);
  const bool closes = inside.starts_with('/');
  std::string_view name = inside.substr(closes ? 1 : 0);
  name = name.substr(0, name.find_first_of(" /."));
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<uint8_t>(c)) != 0;
  };
  const bool is_time = inside.find_first_not_of("0123456789:.") == inside.npos;
  if (name.empty() || (!is_letter(name.front()) && !is_time)) return {};
  Mark::Kind kind = closes ? Mark::Kind::kCloses : Mark::Kind::kOpens;
  if (is_time || inside.ends_with('/')) kind = Mark::Kind::kPoint;
  if (EqualsIgnoringCase(name, "br")) kind = Mark::Kind::kBreak;
  return {kind, end + 1};
}

// A block that turns italics and the like on or off is a tag, too.
Mark BlockAt(std::string_view text) {
  const size_t end = text.find('}');
  if (end == text.npos) return {};
  const bool is_style = end == 4 && std::string_view("bius").find(text[2]) !=
                                        std::string_view::npos;
  Mark::Kind kind = Mark::Kind::kPoint;
  if (is_style && text[3] == '1') kind = Mark::Kind::kOpens;
  if (is_style && text[3] == '0') kind = Mark::Kind::kCloses;
  return {kind, end + 1};
}

// The mark that a text begins with.
Mark MarkAt(std::string_view text) {
  text = text.substr(0, kMostMarkBytes);
  if (text.starts_with("\\N") || text.starts_with("\\n")) {
    return {Mark::Kind::kBreak, 2};
  }
  if (text.starts_with('<')) return TagAt(text);
  return text.starts_with("{\\") ? BlockAt(text) : Mark();
}

size_t SpaceBytes(std::string_view text) {
  return std::min(text.find_first_not_of(" \t"), text.size());
}

// Breaks of lines, with the spaces around them, that a text begins with.
size_t BreakBytes(std::string_view text) {
  size_t bytes = 0;
  for (size_t at = SpaceBytes(text); at < text.size(); bytes = at) {
    const bool is_end = text[at] == '\r' || text[at] == '\n';
    const Mark mark = MarkAt(text.substr(at));
    if (!is_end && mark.kind != Mark::Kind::kBreak) break;
    at += is_end ? 1 : mark.bytes;
    at += SpaceBytes(text.substr(at));
  }
  return bytes;
}

// A line of a cue, and the breaks behind it, of which a file's last has none.
struct Line {
  std::string_view text, end;
};

Line TakeCueLine(std::string_view* cue) {
  size_t end = 0;
  size_t breaks = 0;
  while (end < cue->size()) {
    breaks = BreakBytes(cue->substr(end));
    if (breaks > 0) break;
    end += std::max(SpaceBytes(cue->substr(end)), size_t{1});
  }
  const Line line = {cue->substr(0, end), cue->substr(end, breaks)};
  cue->remove_prefix(end + breaks);
  return line;
}

// What stands before the text of a line: positions, such as {\an8}, and the
// dash of a speaker with the marks before it.
struct Lead {
  size_t bytes = 0;
  bool has_dash = false;
};

Lead LeadOf(std::string_view line) {
  Lead lead;
  bool only_points = true;
  size_t at = 0;
  for (;;) {
    at += SpaceBytes(line.substr(at));
    const Mark mark = MarkAt(line.substr(at));
    only_points = only_points && mark.kind == Mark::Kind::kPoint;
    if (mark.kind == Mark::Kind::kNone) break;
    at += mark.bytes;
    if (only_points) lead.bytes = at + SpaceBytes(line.substr(at));
  }
  for (const std::string_view dash : {"-", "\xE2\x80\x93", "\xE2\x80\x94"}) {
    const std::string_view rest = line.substr(at);
    if (!rest.starts_with(dash)) continue;
    const std::string_view after = rest.substr(dash.size());
    const bool negative =
        !after.empty() &&
        std::isdigit(static_cast<uint8_t>(after.front())) != 0;
    if (negative) break;
    return {at + dash.size() + SpaceBytes(after), true};
  }
  return lead;
}

// Subtitles as what stands around the lines of texts, and those lines. A cue of
// two speakers has two texts.
struct CueText {
  std::string_view before;  // Everything since the last text's lines.
  std::vector<Line> lines = {};
};

std::vector<CueText> CueTextsOf(std::string_view file, std::string_view* rest,
                                const OnGrowth& on_growth = {}) {
  constexpr size_t kGrowth = 1000;
  size_t lines = 0;
  std::vector<CueText> texts;
  const char* begin = file.data();  // Of what is in no text yet.
  while (!file.empty()) {
    if (!HasTimes(TakeLine(&file))) continue;
    const char* const body = file.data();
    while (!file.empty() && !BeginsCue(file)) {
      std::string_view after = file;
      if (WithoutEnd(TakeLine(&after)).empty()) break;
      file = after;
    }
    std::string_view cue(body, static_cast<size_t>(file.data() - body));
    cue.remove_prefix(BreakBytes(cue));
    bool is_first = true;
    while (!cue.empty()) {
      Line line = TakeCueLine(&cue);
      const Lead lead = LeadOf(line.text);
      if (is_first || lead.has_dash) {
        line.text.remove_prefix(lead.bytes);
        if (line.text.empty() && !lead.has_dash) continue;
        texts.push_back(
            {.before = {begin, static_cast<size_t>(line.text.data() - begin)}});
        is_first = false;
      }
      if (++lines % kGrowth == 0 && on_growth) on_growth(kGrowth);
      texts.back().lines.push_back(line);
      begin = cue.data();
    }
  }
  *rest = {begin, static_cast<size_t>(file.data() + file.size() - begin)};
  return texts;
}

// A text on one line, as HTML in which each mark is an element or a void one
// with the number of the mark: <span/0>, </span/1>, <img/2>. So they go where
// HTML's tags go, whatever they are.
std::string OnOneLine(const CueText& cue,
                      std::vector<std::string_view>* marks) {
  std::string out;
  for (const Line& line : cue.lines) {
    if (!out.empty()) out += ' ';
    for (std::string_view rest = line.text; !rest.empty();) {
      const Mark mark = kProfile.alignment ? MarkAt(rest) : Mark();
      if (mark.kind != Mark::Kind::kNone) {
        out += mark.kind == Mark::Kind::kOpens    ? "<span/"
               : mark.kind == Mark::Kind::kCloses ? "</span/"
                                                  : "<img/";
        out += std::to_string(marks->size()) + ">";
        marks->push_back(rest.substr(0, mark.bytes));
      } else {
        out += rest.front();
      }
      rest.remove_prefix(std::max(mark.bytes, size_t{1}));
    }
  }
  return out;
}

// The number of a mark that a text begins with, and the bytes of its tag; none
// if it begins with no such tag.
std::optional<std::pair<size_t, size_t>> NumberAt(std::string_view text) {
  for (const std::string_view tag : {"<span/", "</span/", "<img/"}) {
    if (!text.starts_with(tag)) continue;
    const size_t end = text.find_first_not_of("0123456789", tag.size());
    if (end == text.npos || end == tag.size() || text[end] != '>') break;
    return std::pair(std::strtoull(text.data() + tag.size(), nullptr, 10),
                     end + 1);
  }
  return std::nullopt;
}

// The text with the marks in place of their numbers.
std::string WithMarks(std::string_view text,
                      const std::vector<std::string_view>& marks) {
  std::string out;
  while (!text.empty()) {
    const auto found = NumberAt(text);
    if (found.has_value() && found->first < marks.size()) {
      out += marks[found->first];
      text.remove_prefix(found->second);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

// As many lines of about the same length as there were, broken at spaces.
std::string InLines(std::string_view text, const std::vector<Line>& lines,
                    const std::vector<std::string_view>& marks) {
  std::string out;
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    const size_t ideal = text.size() / (lines.size() - i);
    const size_t before = text.rfind(' ', ideal);
    const size_t after = text.find(' ', ideal);
    size_t at = after;
    if (before != text.npos &&
        (after == text.npos || ideal - before <= after - ideal)) {
      at = before;
    }
    if (at == text.npos) break;
    out += WithMarks(text.substr(0, at), marks);
    out += lines[i].end;
    text.remove_prefix(at + 1);
  }
  out += WithMarks(text, marks);
  return out += lines.back().end;
}

}  // namespace

std::vector<FileText> TextsOfSubtitles(std::string_view file,
                                       const OnGrowth& on_growth) {
  std::string_view rest;
  std::vector<FileText> texts;
  for (const CueText& cue : CueTextsOf(file, &rest, on_growth)) {
    std::vector<std::string_view> marks;
    FileText& text = texts.emplace_back();
    text.text = OnOneLine(cue, &marks);
    // WebVTT has references, and players of the others read them, too.
    const bool has_reference = text.text.find('&') != std::string::npos;
    if (kProfile.alignment && (has_reference || !marks.empty())) {
      text.format = Format::kHtml;
    }
  }
  return texts;
}

std::string TranslatedSubtitles(std::string_view file,
                                const std::vector<std::string>& translations) {
  std::string_view rest;
  std::string out;
  size_t number = 0;
  for (const CueText& cue : CueTextsOf(file, &rest)) {
    std::vector<std::string_view> marks;
    (void)OnOneLine(cue, &marks);
    out += cue.before;
    out += InLines(translations[number++], cue.lines, marks);
  }
  return out += rest;
}

}  // namespace latimer::server
