#include "converter/readers/yaml_file.h"

#include <yaml.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "converter/error.h"
#include "converter/readers/text_file.h"

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

class YamlReader {
 public:
  YamlReader(std::string_view text, const std::string& name) : name_(name) {
    yaml_parser_initialize(parser_.get());
    yaml_parser_set_encoding(parser_.get(), YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        parser_.get(), reinterpret_cast<const unsigned char*>(text.data()),
        text.size());
  }

  YamlNode Read(std::string_view text) {
    RefuseRareBreaks(text);
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

  // These characters are line breaks in YAML 1.1, which libyaml reads, but text
  // in YAML 1.2, which others write.
  void RefuseRareBreaks(std::string_view text) const {
    for (const std::string_view rare :
         {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}) {
      const size_t at = text.find(rare);
      if (at == text.npos) continue;
      const auto line = std::count(text.begin(), text.begin() + at, '\n') + 1;
      Fail(static_cast<size_t>(line),
           "U+0085, U+2028 and U+2029 must be written as \"\\x85\", "
           "\"\\u2028\" and \"\\u2029\"");
    }
  }

  [[noreturn]] void FailToParse() const {
    const char* problem = parser_->problem;
    Fail(parser_->problem_mark.line + 1, "not YAML: ",
         problem != nullptr ? problem : "the text ends too early");
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
    std::string text(reinterpret_cast<const char*>(scalar.value),
                     scalar.length);
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
  std::unique_ptr<yaml_parser_t, ParserDeleter> parser_{new yaml_parser_t};
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
  return YamlReader(text, name).Read(text);
}

YamlNode ReadYamlFile(const std::filesystem::path& path) {
  return ParseYaml(ReadTextFile(path), path.string());
}

}  // namespace latimer
