#include "markup.h"

#include <algorithm>
#include <charconv>

#include "archive.h"
#include "markup/character_reference.h"
#include "phrases/unknown_text.h"
#include "text/utf8.h"

namespace latimer::server {
namespace {

constexpr size_t kMostDepth = 100;
constexpr size_t kGrowth = 128;  // Numbered tags, which take up to two items.
constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kSeparate = "w:fldCharType=\"separate\"";

template <typename... Names>
constexpr bool IsAny(std::string_view name, Names... names) {
  return ((name == names) || ...);
}

// What `xml` begins with: a text, a tag, or what ends like a comment.
std::string_view FirstToken(std::string_view xml) {
  const auto until = [&](std::string_view end, size_t from) {
    const size_t at = xml.find(end, from);
    if (at == xml.npos) throw Damaged{"has markup without an end"};
    return xml.substr(0, at + end.size());
  };
  if (!xml.starts_with('<')) return xml.substr(0, xml.find('<'));
  if (xml.starts_with("<!--")) return until("-->", 4);
  if (xml.starts_with("<![CDATA[")) return until("]]>", 9);
  if (xml.starts_with("<?")) return until("?>", 2);
  char quote = '\0';
  for (size_t i = 1; i < xml.size(); ++i) {
    const char c = xml[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return xml.substr(0, i + 1);
    } else if (c == '<' || (c == '[' && xml[1] == '!')) {
      throw Damaged{xml[1] == '!' ? "has entities of its own"
                                  : "has a tag in a tag"};
    }
  }
  throw Damaged{"has a tag without an end"};
}

bool IsOther(std::string_view token) {
  return token.size() > 1 && (token[1] == '!' || token[1] == '?');
}

std::string_view NameIn(std::string_view tag) {
  tag.remove_prefix(tag.starts_with("</") ? 2 : 1);
  return tag.substr(0, tag.find_first_of(" \t\r\n/>"));
}

// Text of XML, or of HTML as a model writes it.
std::string Unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t at = std::min(text.find('&'), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const CharacterReference found = ReadCharacterReference(text, true);
    char character[4] = {'&'};
    const bool is_one = found.bytes > 0 && found.code_point > 0;
    out.append(character, is_one ? EncodeUtf8(found.code_point, character) : 1);
    text.remove_prefix(is_one ? found.bytes : 1);
  }
  return out;
}

// As text of XML and HTML, without what XML cannot have.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (static_cast<uint8_t>(c) >= ' ' ||
               kSpaces.find(c) != kSpaces.npos) {
      out += c;
    }
  }
  return out;
}

bool HasLetters(std::string_view html) {
  while (!html.empty()) {
    if (html.front() == '<' || html.front() == '&') {
      html.remove_prefix(html.find(html.front() == '<' ? '>' : ';') + 1);
      continue;
    }
    const Utf8Char next = FirstChar(html);
    if (IsLetter(next.code_point)) return true;
    html.remove_prefix(std::max<size_t>(next.bytes, 1));
  }
  return false;
}

size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

size_t CountIn(std::string_view text, std::string_view wanted) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(wanted, at)) != text.npos; ++at) ++count;
  return count;
}

// "t" of w:t and a:t.
std::string_view Local(std::string_view name) {
  return name.size() > 2 ? name.substr(2) : "";
}

bool IsRun(std::string_view name) { return IsAny(name, "w:r", "a:r"); }

bool IsAround(std::string_view name) {
  return IsAny(name, "w:hyperlink", "w:ins", "w:moveTo", "w:smartTag",
               "w:customXml", "w:sdt", "w:sdtContent", "w:dir", "w:bdo");
}

bool IsBreak(std::string_view name) {
  return IsAny(name, "w:br", "a:br", "w:cr", "w:tab", "w:ptab", "w:fldChar",
               "w:instrText");
}

// A tag in the properties of a run without what a reader does not see.
std::string Seen(std::string_view tag) {
  std::string out(tag);
  for (const std::string_view name :
       {" lang=\"", " altLang=\"", " dirty=\"", " err=\"", " noProof=\"",
        " smtClean=\""}) {
    const size_t at = out.find(name);
    if (at == out.npos) continue;
    const size_t end = out.find('"', at + name.size());
    if (end != out.npos) out.erase(at, end + 1 - at);
  }
  return out;
}

}  // namespace

// ---- The elements of a file -------------------------------------------------

Paragraphs::Paragraphs(Kind kind, std::string_view xml,
                       const OnGrowth& on_growth)
    : kind_(kind), on_growth_(on_growth), xml_(xml) {
  Read();
  if (kind == Kind::kOpenDocument) FindNoFormats();
  for (size_t i = 0; i + 1 < tokens_.size(); i = Next(i)) Find(i);
}

void Paragraphs::Read() {
  tokens_.reserve(2 * CountIn(xml_, "<") + 2);
  std::vector<size_t> open;
  std::string_view rest = xml_;
  while (!rest.empty()) {
    const std::string_view token = FirstToken(rest);
    const size_t at = tokens_.size();
    tokens_.push_back(
        {.begin = static_cast<uint32_t>(xml_.size() - rest.size()),
         .end = static_cast<uint32_t>(at)});
    rest.remove_prefix(token.size());
    TokenKind& kind = tokens_.back().kind;
    if (token.front() != '<') {
      kind = TokenKind::kText;
    } else if (IsOther(token)) {
      kind = TokenKind::kOther;
    } else if (token[1] == '/') {
      kind = TokenKind::kEnd;
      if (open.empty() || NameIn(Tag(open.back())) != NameIn(token)) {
        throw Damaged{"has an end of what did not begin"};
      }
      tokens_[open.back()].end = static_cast<uint32_t>(at);
      open.pop_back();
    } else if (token.ends_with("/>")) {
      kind = TokenKind::kEmpty;
    } else {
      kind = TokenKind::kStart;
      open.push_back(at);
      if (open.size() > kMostDepth) {
        throw Damaged{"has elements that are nested too deeply"};
      }
    }
  }
  if (!open.empty()) throw Damaged{"has elements without an end"};
  tokens_.push_back({.begin = static_cast<uint32_t>(xml_.size())});
}

std::string_view Paragraphs::Xml(size_t begin, size_t end) const {
  // The last token has no next one yet while they are read.
  const size_t from = tokens_[begin].begin;
  return end < tokens_.size() ? xml_.substr(from, tokens_[end].begin - from)
                              : xml_.substr(from);
}

size_t Paragraphs::Next(size_t token) const {
  return std::max<size_t>(tokens_[token].end, token) + 1;
}

std::string_view Paragraphs::EndOf(size_t node) const {
  const size_t end = tokens_[node].end;
  return end == node ? "" : Tag(end);
}

std::string_view Paragraphs::Name(size_t token) const {
  const TokenKind kind = tokens_[token].kind;
  return kind == TokenKind::kStart || kind == TokenKind::kEmpty
             ? NameIn(Tag(token))
             : "";
}

std::vector<size_t> Paragraphs::Items(size_t node) const {
  std::vector<size_t> items;
  for (size_t i = node + 1; i < tokens_[node].end; i = Next(i)) {
    items.push_back(i);
  }
  return items;
}

// Nothing if it is something else.
std::optional<std::string> Paragraphs::Text(size_t token) const {
  std::string_view xml = Tag(token);
  if (tokens_[token].kind == TokenKind::kText) return Unescaped(xml);
  if (!xml.starts_with("<![CDATA[")) return std::nullopt;
  xml.remove_prefix(9);
  return std::string(xml.substr(0, xml.size() - 3));
}

// ---- HTML -------------------------------------------------------------------

// Makes HTML of the paragraphs in an element.
void Paragraphs::Find(size_t token) {
  const std::string_view name = Name(token);
  if (name.empty()) return;
  const bool open = kind_ == Kind::kOpenDocument;
  if (open && name == "text:tracked-changes") return;
  if (open ? !IsAny(name, "text:p", "text:h") : !IsAny(name, "w:p", "a:p")) {
    for (size_t i = token + 1; i < tokens_[token].end; i = Next(i)) Find(i);
    return;
  }
  const std::string html =
      open ? Tagged("p", OpenInline(token), {.paragraph = token})
           : Around("p", token, {name[0], BaseOf(token)}, {.paragraph = token});
  if (!HasLetters(html)) return;
  if (!html_.empty()) html_ += '\n';
  html_ += html;
}

std::string Paragraphs::Tagged(const char* name, std::string_view html,
                               Place place) {
  const std::string tag(name);
  std::string out = "<" + tag + " id=" + std::to_string(places_.size()) + ">";
  if ((places_.size() + 1) % kGrowth == 0 && on_growth_) {
    on_growth_(2 * kGrowth);
  }
  places_.push_back(std::move(place));
  out += html;
  if (!IsAny(tag, "br", "img")) out += "</" + tag + ">";
  return out;
}

// A tag for what stays, but for the paragraphs in it.
std::string Paragraphs::Kept(size_t token, const char* name) {
  Find(token);
  return Tagged(name, "", {.before = {Item(token)}});
}

// ---- OpenDocument -----------------------------------------------------------

// By styles like these LibreOffice tells what was typed at one time.
void Paragraphs::FindNoFormats() {
  constexpr std::string_view kStyle = "<style:style style:name=\"";
  constexpr std::string_view kFamily = "\" style:family=\"text\">";
  constexpr std::string_view kOnly = "<style:text-properties officeooo:rsid=\"";
  for (size_t i = 0; i + 3 < tokens_.size(); ++i) {
    const std::string_view tag = Tag(i), only = Tag(i + 1);
    if (tag.starts_with(kStyle) && tag.ends_with(kFamily) &&
        only.starts_with(kOnly) && tokens_[i].end == i + 2 &&
        only.find('"', kOnly.size()) == only.size() - 3) {
      no_formats_.push_back(tag.substr(
          kStyle.size(), tag.size() - kStyle.size() - kFamily.size()));
    }
  }
  std::ranges::sort(no_formats_);
}

std::string Paragraphs::OpenInline(size_t node) {
  constexpr std::string_view kStyle = " text:style-name=\"";
  std::string html;
  for (size_t i = node + 1; i < tokens_[node].end; i = Next(i)) {
    const std::string_view name = Name(i), tag = Tag(i);
    if (const auto text = Text(i)) {
      html += Escaped(*text);
    } else if (IsAny(name, "text:line-break", "text:tab")) {
      html += Kept(i, "br");
    } else if (!IsAny(name, "text:span", "text:a") || tokens_[i].end == i) {
      html += Kept(i, "img");
    } else {
      const size_t at = tag.find(kStyle);
      std::string_view style;
      if (at != tag.npos) style = tag.substr(at + kStyle.size());
      style = style.substr(0, style.find('"'));
      const std::string inside = OpenInline(i);
      html +=
          std::ranges::binary_search(no_formats_, style)
              ? inside
              : Tagged("span", inside, {.before = {tag}, .after = {EndOf(i)}});
    }
  }
  return html;
}

// ---- Office Open XML --------------------------------------------------------

// What a run looks like. Each look has the properties of its first run.
size_t Paragraphs::LookOf(size_t run) {
  std::string look;
  std::string_view properties;
  for (const size_t i : Items(run)) {
    if (Local(Name(i)) != "rPr") continue;
    properties = Item(i);
    std::string seen;
    for (size_t at = i; at < Next(i);) {
      const bool unseen = IsAny(Name(at), "w:lang", "w:noProof");
      if (!unseen) seen += Seen(Tag(at));
      at = unseen ? Next(at) : at + 1;
    }
    const std::string begin = "<" + std::string(NameIn(seen));
    const bool is_empty = seen == begin + "/>" || seen == begin + " />" ||
                          seen == begin + "></" + begin.substr(1) + ">";
    if (!is_empty) look += seen;
  }
  const auto [found, is_new] = looks_.try_emplace(look, properties_.size());
  if (is_new) properties_.push_back(properties);
  return found->second;
}

// What most of the text in an element looks like needs no tag.
std::optional<size_t> Paragraphs::BaseOf(size_t node) {
  std::map<size_t, std::pair<size_t, size_t>> letters;  // And the order.
  const auto count = [&](const auto& self, size_t in) -> void {
    for (const size_t item : Items(in)) {
      if (IsAround(Name(item))) self(self, item);
      if (!IsRun(Name(item))) continue;
      auto& of_look =
          letters.try_emplace(LookOf(item), 0, letters.size()).first->second;
      for (const size_t i : Items(item)) {
        if (Local(Name(i)) == "t") of_look.first += CountCharacters(Item(i));
      }
    }
  };
  count(count, node);
  const auto most = std::ranges::max_element(letters, {}, [](const auto& one) {
    const auto [characters, order] = one.second;
    return std::pair(characters, ~order);  // Of equals, the first.
  });
  if (most == letters.end()) return std::nullopt;
  return most->first;
}

Paragraphs::Place Paragraphs::RunsOf(char kind,
                                     std::optional<size_t> look) const {
  return {.run = kind,
          .properties = look.has_value() ? properties_[*look] : ""};
}

// HTML of an element with properties and runs. `place`: what is around it.
std::string Paragraphs::Around(const char* tag, size_t node, Run run,
                               Place place) {
  std::vector<size_t> runs;
  const char kind = Name(node)[0];
  Place made = RunsOf(kind, run.base);
  made.paragraph = place.paragraph;
  made.before = std::move(place.before);
  for (const size_t item : Items(node)) {
    const std::string_view name = Name(item);
    if (name == "a:endParaRPr") {
      made.after.push_back(Item(item));
    } else if (name.ends_with("Pr")) {
      made.before.push_back(Item(item));
    } else {
      runs.push_back(item);
    }
  }
  made.after.insert(made.after.end(), place.after.begin(), place.after.end());
  const std::string inside = OfficeInline(runs, {kind, run.base});
  return Tagged(tag, inside, std::move(made));
}

std::string Paragraphs::Stays(size_t token, std::string_view name,
                              Pieces pieces) {
  if (IsAny(name, "", "w:proofErr", "w:lastRenderedPageBreak",
            "w:softHyphen")) {
    return "";
  }
  Find(token);
  return Tagged(IsBreak(name) ? "br" : "img", "",
                {.before = std::move(pieces)});
}

std::string Paragraphs::OfficeInline(std::span<const size_t> items, Run run) {
  std::string html, same;
  std::optional<size_t> look;  // Of `same`, if it is text.
  const auto end = [&] {
    html += look.has_value() && look != run.base
                ? Tagged("span", same, RunsOf(run.kind, look))
                : same;
    same.clear();
  };
  const auto add = [&](std::optional<size_t> new_look, std::string_view piece) {
    if (new_look != look) end();
    look = new_look;
    same += piece;
  };
  const auto add_run = [&](size_t item) {
    const size_t own = LookOf(item);
    for (const size_t part : Items(item)) {
      const std::string_view name = Name(part);
      if (Local(name) == "t") {
        std::string text;
        for (const size_t i : Items(part)) text += Text(i).value_or("");
        add(own, Escaped(text));
      } else if (name == "w:noBreakHyphen") {
        add(own, "-");
      } else if (Local(name) != "rPr") {
        add({}, Stays(part, name,
                      {Tag(item), properties_[own], Item(part), EndOf(item)}));
      }
    }
  };
  const auto add_item = [&](size_t item) {
    const std::string_view name = Name(item);
    if (IsAround(name)) {
      add({}, Around("span", item, run,
                     {.before = {Tag(item)}, .after = {EndOf(item)}}));
    } else if (IsRun(name)) {
      add_run(item);
    } else {
      add({}, Stays(item, name, {Item(item)}));
    }
  };
  size_t depth = 0, begin = 0;  // Of fields; of the item at hand.
  for (size_t i = 0; i < items.size(); ++i) {
    if (Name(items[i]) == "w:r") {
      const std::string_view xml = Item(items[i]);
      depth += CountIn(xml, "w:fldCharType=\"begin\"");
      depth -= std::min(depth, CountIn(xml, "w:fldCharType=\"end\""));
    }
    if (depth > 0) continue;
    if (i > begin) {
      add({}, Field(items.subspan(begin, i + 1 - begin), run));
    } else {
      add_item(items[i]);
    }
    begin = i + 1;
  }
  // A field may go on in the next paragraph.
  for (const size_t item : items.subspan(begin)) add_item(item);
  end();
  return html;
}

// A link has words to translate; numbers, dates and references stay.
std::string Paragraphs::Field(std::span<const size_t> field, Run run) {
  const auto has_separate = [&](size_t item) {
    return Item(item).find(kSeparate) != std::string_view::npos;
  };
  const auto separate = std::ranges::find_if(field, has_separate);
  const bool is_link =
      separate != field.end() &&
      std::any_of(field.begin(), separate + 1, [&](size_t item) {
        const std::string_view xml = Item(item);
        return xml.substr(0, xml.find(kSeparate)).find("HYPERLINK") != xml.npos;
      });
  if (!is_link) {
    Pieces all;
    for (const size_t item : field) {
      Find(item);
      all.push_back(Item(item));
    }
    return Tagged("img", "", {.before = std::move(all)});
  }
  const auto words =
      field.subspan(static_cast<size_t>(separate + 1 - field.begin()));
  Place place = RunsOf(run.kind, run.base);
  for (auto i = field.begin(); i <= separate; ++i) {
    place.before.push_back(Item(*i));
  }
  if (words.empty()) return Tagged("span", "", std::move(place));
  place.after = {Item(words.back())};
  const std::string inside = OfficeInline(words.first(words.size() - 1), run);
  return Tagged("span", inside, std::move(place));
}

// ---- Back -------------------------------------------------------------------

std::string Paragraphs::Translated(std::string_view html) {
  const Damaged other{"its translation has other tags"};
  struct Item {
    std::string_view xml;
    bool is_words;
  };
  std::vector<std::pair<size_t, std::vector<Item>>> stack(1);
  // Takes "<span id=12>" or "</span>" off the beginning, if it is one.
  const auto take_tag = [&](bool* ends, std::string_view* name,
                            size_t* number) {
    const std::string_view tag = html.substr(0, html.find('>') + 1);
    if (tag.empty()) return false;
    *ends = tag.starts_with("</");
    *name = NameIn(tag);
    if (!IsAny(*name, "p", "span", "br", "img")) return false;
    std::string_view rest = tag.substr((*ends ? 2 : 1) + name->size());
    if (*ends ? rest != ">" : !rest.starts_with(" id=")) return false;
    if (!*ends) {
      rest.remove_prefix(4);
      const auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size() - 1, *number);
      if (error != std::errc() || end + 1 != rest.data() + rest.size()) {
        return false;
      }
    }
    html.remove_prefix(tag.size());
    return true;
  };
  most_bytes_ = 3 * (xml_.size() + html.size()) + (size_t{64} << 10);
  while (!html.empty()) {
    bool ends = false;
    std::string_view name;
    size_t number = 0;
    if (html.front() != '<' || !take_tag(&ends, &name, &number)) {
      const size_t bytes = std::min(html.find('<', 1), html.size());
      words_.push_back(Escaped(Unescaped(html.substr(0, bytes))));
      stack.back().second.push_back({words_.back(), true});
      html.remove_prefix(bytes);
      continue;
    }
    if (!ends) {
      if (number >= places_.size()) throw other;
      stack.emplace_back(number, std::vector<Item>());
    }
    if (!ends && !IsAny(name, "br", "img")) continue;
    if (stack.size() == 1) throw other;
    const auto [at, items] = std::move(stack.back());
    stack.pop_back();
    const Place& place = places_[at];
    Pieces made = place.before;
    for (const Item& item : items) {
      const bool is_run = item.is_words && place.run != '\0';
      const bool is_word = place.run == 'w';
      if (is_run) {
        made.insert(made.end(),
                    {is_word ? "<w:r>" : "<a:r>", place.properties,
                     is_word ? "<w:t xml:space=\"preserve\">" : "<a:t>"});
      }
      made.push_back(item.xml);
      if (is_run) made.push_back(is_word ? "</w:t></w:r>" : "</a:t></a:r>");
    }
    made.insert(made.end(), place.after.begin(), place.after.end());
    if (place.paragraph.has_value()) {
      const size_t p = *place.paragraph;
      translated_[tokens_[p].begin] = {Xml(p + 1, tokens_[p].end),
                                       std::move(made)};
    } else {
      for (const std::string_view piece : made) {
        stack.back().second.push_back({piece, false});
      }
    }
  }
  if (stack.size() != 1) throw other;
  std::string out;
  Print(xml_, &out);
  return out;
}

// With the translations of the paragraphs in it.
void Paragraphs::Print(std::string_view piece, std::string* out) const {
  const bool is_xml =
      piece.data() >= xml_.data() && piece.data() < xml_.data() + xml_.size();
  if (is_xml) {
    size_t at = static_cast<size_t>(piece.data() - xml_.data());
    const size_t end = at + piece.size();
    for (auto found = translated_.lower_bound(at);
         found != translated_.end() && found->first < end;
         found = translated_.lower_bound(at)) {
      const auto& [content, pieces] = found->second;
      const auto begin = static_cast<size_t>(content.data() - xml_.data());
      *out += xml_.substr(at, begin - at);
      for (const std::string_view one : pieces) Print(one, out);
      at = begin + content.size();
    }
    piece = xml_.substr(at, end - at);
  }
  *out += piece;
  if (out->size() > most_bytes_) {
    throw Damaged{"has formats that are too long for its text"};
  }
}

// ---- XHTML ------------------------------------------------------------------

namespace {

// Elements of XHTML that HTML knows to be without an end, and those in a text.
bool IsHtmlVoid(std::string_view name) {
  return IsAny(name, "area", "base", "br", "col", "embed", "hr", "img", "input",
               "link", "meta", "param", "source", "track", "wbr");
}
bool IsHtmlInline(std::string_view name) {
  return IsAny(name, "a", "abbr", "b", "bdi", "bdo", "cite", "em", "i", "q",
               "s", "small", "span", "strong", "sub", "sup", "u");
}

// An attribute that `xml` does not have.
std::string NewAttribute(std::string_view xml) {
  constexpr std::string_view kName = " latimer";
  constexpr size_t kMost = 50;
  size_t longer = 0;  // Than one that is there, by so many x.
  for (size_t at = 0; (at = xml.find(kName, at)) != xml.npos;) {
    at += kName.size();
    const size_t end = std::min(xml.find_first_not_of('x', at), xml.size());
    longer = std::max(longer, end - at + 1);
  }
  if (longer > kMost) throw Damaged{"has a name that is too long"};
  return std::string(kName) + std::string(longer, 'x');
}

// Calls `keep` with what HTML can read, and `hide` with the rest.
template <typename Keep, typename Hide>
void SplitXhtml(std::string_view xml, const Keep& keep, const Hide& hide) {
  std::vector<std::string_view> open;
  while (!xml.empty()) {
    const std::string_view token = FirstToken(xml);
    xml.remove_prefix(token.size());
    const std::string_view name = NameIn(token);
    const bool is_tag = token.front() == '<' && !IsOther(token);
    const bool is_empty = is_tag && token.ends_with("/>");
    if (is_tag && token[1] == '/') {
      if (open.empty() || open.back() != name) {
        throw Damaged{"has an end of what did not begin"};
      }
      open.pop_back();
    } else if (is_tag && !is_empty) {
      open.push_back(name);
      if (open.size() > kMostDepth) {
        throw Damaged{"has elements that are nested too deeply"};
      }
    }
    const bool hidden =
        is_tag ? is_empty && !IsHtmlVoid(name)
               : token.starts_with("<?") || token.starts_with("<![");
    hidden ? hide(token) : keep(token);
  }
  if (!open.empty()) throw Damaged{"has elements without an end"};
}

}  // namespace

std::string HtmlOfXhtml(std::string_view xml) {
  const std::string attribute = NewAttribute(xml);
  std::string html;
  size_t count = 0;
  SplitXhtml(
      xml, [&](std::string_view token) { html += token; },
      [&](std::string_view token) {
        html += IsHtmlInline(NameIn(token)) ? "<img" : "<hr";
        html += attribute + "=" + std::to_string(count++) + ">";
      });
  return html;
}

std::string XhtmlOf(std::string_view xml, std::string html) {
  std::vector<std::string_view> hidden;
  SplitXhtml(
      xml, [](std::string_view) {},
      [&](std::string_view token) { hidden.push_back(token); });
  const bool has_name = xml.find("&nbsp;") != xml.npos;
  const std::string attribute = NewAttribute(xml) + "=";
  std::string out;
  std::string_view rest = html;
  while (!rest.empty()) {
    const size_t at = std::min(rest.find_first_of("&<", 1), rest.size());
    std::string_view piece = rest.substr(0, at);
    rest.remove_prefix(at);
    const bool is_img = piece.starts_with("<img" + attribute);
    if (is_img || piece.starts_with("<hr" + attribute)) {
      size_t number = hidden.size();
      const char* const begin =
          piece.data() + (is_img ? 4 : 3) + attribute.size();
      const char* const end = piece.data() + piece.size();
      const char* const after = std::from_chars(begin, end, number).ptr;
      if (number >= hidden.size() || after == end || *after != '>') {
        throw Damaged{"its translation has other tags"};
      }
      out += hidden[number];
      piece.remove_prefix(static_cast<size_t>(after + 1 - piece.data()));
    } else if (!has_name && piece.starts_with("&nbsp;")) {
      // XML knows no names of characters by itself.
      out += "&#160;";
      piece.remove_prefix(6);
    }
    out += piece;
  }
  return out;
}

}  // namespace latimer::server
