#include "converter/readers/yaml_file.h"

#include <yaml.h>

#include <algorithm>
#include <memory>
#include <new>
#include <set>
#include <utility>

#include "converter/error.h"
#include "converter/readers/text_file.h"
#include "converter/utf8_of.h"
#include "text/utf8.h"

namespace latimer {
namespace {

struct ParserDeleter {
  void operator()(yaml_parser_t* parser) const {
    yaml_parser_delete(parser);
    delete parser;
  }
};

struct EventDeleter {
  void operator()(yaml_event_t* event) const { yaml_event_delete(event); }
};

// Whether libyaml refuses a character, or takes it for a line break, that is
// text for yaml-cpp, with which Marian writes and reads YAML. `next` is the
// byte behind it.
bool NeedsStandIn(uint32_t c, char next) {
  if (c == '\r') return next != '\n';
  if (c < 0x20) return c != '\t' && c != '\n';
  return (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFFFE ||
         c == 0xFFFF;
}

// Calls `visit` with the code point and the bytes of each character, and the
// byte behind it. A byte that is not UTF-8 has the code point U+FFFD.
template <typename Visit>
void ForEachCharacter(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const Utf8Char first = FirstChar(text);
    const std::string_view bytes =
        text.substr(0, std::max<size_t>(first.bytes, 1));
    text.remove_prefix(bytes.size());
    visit(first.bytes > 0 ? first.code_point : 0xFFFD, bytes,
          text.empty() ? '\0' : text.front());
  }
}

// The text with other characters in the place of those that libyaml does not
// take for text, one for one. They are of a plane that Unicode leaves empty,
// and that the text neither has nor writes as an escape.
class RareCharacters {
 public:
  explicit RareCharacters(std::string_view text) : text_(text) {
    bool needed = false;
    std::set<uint32_t> used;
    ForEachCharacter(text, [&](uint32_t c, std::string_view, char next) {
      needed = needed || NeedsStandIn(c, next);
      used.insert(c >> 16);
    });
    for (uint32_t plane = 4; needed && plane_ == 0 && plane < 10; ++plane) {
      const std::string escape = "\\U000" + std::to_string(plane);
      if (used.contains(plane) || text.find(escape) != text.npos) continue;
      plane_ = plane;
    }
    if (plane_ == 0) return;
    text_.clear();
    ForEachCharacter(text, [&](uint32_t c, std::string_view bytes, char next) {
      text_ += NeedsStandIn(c, next) ? Utf8Of((plane_ << 16) + c)
                                     : std::string(bytes);
    });
  }

  const std::string& text() const { return text_; }

  // A part of text() as it was.
  std::string Undo(std::string_view part) const {
    if (plane_ == 0) return std::string(part);
    std::string original;
    ForEachCharacter(part, [&](uint32_t c, std::string_view bytes, char) {
      original += c >> 16 == plane_ ? Utf8Of(c & 0xFFFF) : std::string(bytes);
    });
    return original;
  }

 private:
  std::string text_;
  uint32_t plane_ = 0;  // 0: nothing was replaced.
};

// yaml-cpp skips a byte order mark.
std::string_view WithoutMark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

class YamlReader {
 public:
  YamlReader(std::string_view text, const std::string& name)
      : name_(name), stand_ins_(WithoutMark(text)) {
    RefuseTagNames();
    if (yaml_parser_initialize(parser_.get()) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(parser_.get(), YAML_UTF8_ENCODING);
    const std::string& read = stand_ins_.text();
    yaml_parser_set_input_string(
        parser_.get(), reinterpret_cast<const unsigned char*>(read.data()),
        read.size());
  }

  YamlNode Read() {
    while (!at_end_) {
      yaml_event_t event;
      if (yaml_parser_parse(parser_.get(), &event) == 0) FailToParse();
      const std::unique_ptr<yaml_event_t, EventDeleter> owner(&event);
      Take(event);
    }
    return std::move(root_);
  }

 private:
  // A map or sequence that is still being read.
  struct Open {
    YamlNode node;
    std::set<std::string> keys;
    bool has_key = false;  // Of a map: the value of keys.back() comes next.
  };

  template <typename... Parts>
  [[noreturn]] void Fail(size_t line, const Parts&... what) const {
    FailIn(name_, "line ", line, ": ", what...);
  }

  // libyaml compares each name of a kind of tags with all others. A line
  // begins like this in no vocabulary or configuration.
  void RefuseTagNames() const {
    const std::string_view text = stand_ins_.text();
    const size_t at = text.starts_with("%TAG") ? 0 : text.find("\n%TAG");
    if (at == text.npos) return;
    const auto before = text.begin() + static_cast<ptrdiff_t>(at);
    const auto lines = std::count(text.begin(), before, '\n');
    Fail(static_cast<size_t>(lines) + (at == 0 ? 1 : 2),
         "%TAG is not supported");
  }

  [[noreturn]] void FailToParse() const {
    const char* problem = parser_->problem;
    Fail(FailedLine(), "not YAML: ",
         problem != nullptr ? problem : "the text ends too early");
  }

  // libyaml knows the line of what it does not understand, but only the byte of
  // what it cannot read.
  size_t FailedLine() const {
    if (parser_->error != YAML_READER_ERROR) {
      return parser_->problem_mark.line + 1;
    }
    const std::string_view before =
        std::string_view(stand_ins_.text()).substr(0, parser_->problem_offset);
    return static_cast<size_t>(std::count(before.begin(), before.end(), '\n') +
                               1);
  }

  void Take(const yaml_event_t& event) {
    const size_t line = event.start_mark.line + 1;
    switch (event.type) {
      case YAML_STREAM_END_EVENT:
        at_end_ = true;
        break;
      case YAML_DOCUMENT_START_EVENT:
        if (has_document_) Fail(line, "a second document begins");
        has_document_ = true;
        break;
      case YAML_ALIAS_EVENT:
        FailAlias(line);
      case YAML_SCALAR_EVENT:
        if (event.data.scalar.anchor != nullptr) FailAlias(line);
        Scalar(event, line);
        break;
      case YAML_SEQUENCE_START_EVENT:
        if (event.data.sequence_start.anchor != nullptr) FailAlias(line);
        Begin(YamlNode::Kind::kSequence, line);
        break;
      case YAML_MAPPING_START_EVENT:
        if (event.data.mapping_start.anchor != nullptr) FailAlias(line);
        Begin(YamlNode::Kind::kMap, line);
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        End();
        break;
      case YAML_NO_EVENT:
      case YAML_STREAM_START_EVENT:
      case YAML_DOCUMENT_END_EVENT:
        break;
    }
  }

  [[noreturn]] void FailAlias(size_t line) const {
    Fail(line, "anchors and aliases (& and *) are not supported");
  }

  void Scalar(const yaml_event_t& event, size_t line) {
    const auto& scalar = event.data.scalar;
    std::string text = stand_ins_.Undo(
        {reinterpret_cast<const char*>(scalar.value), scalar.length});
    if (ExpectsKey()) {
      Open& map = open_.back();
      if (!map.keys.insert(text).second) {
        Fail(line, "the key '", text, "' occurs twice");
      }
      map.node.keys.push_back(std::move(text));
      map.has_key = true;
      return;
    }
    YamlNode node;
    node.text = std::move(text);
    node.quoted = scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node.line = line;
    Add(std::move(node));
  }

  bool ExpectsKey() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap &&
           !open_.back().has_key;
  }

  void Begin(YamlNode::Kind kind, size_t line) {
    if (ExpectsKey()) Fail(line, "a key is not plain text");
    if (open_.size() == kMaxYamlDepth) {
      Fail(line, "lists and maps are nested more than ", kMaxYamlDepth,
           " deep");
    }
    open_.emplace_back();
    open_.back().node.kind = kind;
    open_.back().node.line = line;
  }

  void End() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  void Add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    open_.back().node.values.push_back(std::move(node));
    open_.back().has_key = false;
  }

  const std::string& name_;
  const RareCharacters stand_ins_;  // parser_ reads its text.
  std::unique_ptr<yaml_parser_t, ParserDeleter> parser_{new yaml_parser_t()};
  std::vector<Open> open_;
  YamlNode root_;
  bool has_document_ = false;
  bool at_end_ = false;
};

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &values[i];
  }
  return nullptr;
}

YamlNode ParseYaml(std::string_view text, const std::string& name) {
  return YamlReader(text, name).Read();
}

YamlNode ReadYamlFile(const std::filesystem::path& path) {
  return ParseYaml(ReadTextFile(path), path.string());
}

}  // namespace latimer
