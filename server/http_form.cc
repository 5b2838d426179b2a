#include "http_form.h"

#include <algorithm>

#include "ascii.h"

namespace latimer::server {
namespace {

// Of a part: its lines before the empty one.
constexpr size_t kMostPartHeadBytes = 8192;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Takes `name=value` or `name="value"` off a list that semicolons separate. A
// backslash in quotes stands before a quote or a backslash.
std::string TakeParameter(std::string_view* rest, std::string* name) {
  const size_t equals = rest->find_first_of("=;");
  *name = Trimmed(rest->substr(0, equals));
  rest->remove_prefix(std::min(equals, rest->size()));
  std::string value;
  if (rest->starts_with('=')) {
    rest->remove_prefix(1);
    rest->remove_prefix(std::min(rest->find_first_not_of(" \t"), rest->size()));
    if (rest->starts_with('"')) {
      size_t at = 1;
      for (; at < rest->size() && (*rest)[at] != '"'; ++at) {
        const bool escapes =
            (*rest)[at] == '\\' && at + 1 < rest->size() &&
            ((*rest)[at + 1] == '"' || (*rest)[at + 1] == '\\');
        at += escapes ? 1 : 0;
        value += (*rest)[at];
      }
      rest->remove_prefix(std::min(at + 1, rest->size()));
    } else {
      value = Trimmed(rest->substr(0, rest->find(';')));
    }
  }
  const size_t next = rest->find(';');
  rest->remove_prefix(next == rest->npos ? rest->size() : next + 1);
  return value;
}

// Reads the head of a part. False if it is none of a form.
bool ReadPartHead(std::string_view head, FormValue* part) {
  bool is_named = false;
  while (!head.empty()) {
    const size_t end = std::min(head.find("\r\n"), head.size());
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const size_t colon = line.find(':');
    if (colon == line.npos) return false;
    if (!EqualsIgnoringCase(line.substr(0, colon), "Content-Disposition")) {
      continue;
    }
    line.remove_prefix(colon + 1);
    const size_t semicolon = std::min(line.find(';'), line.size());
    if (!EqualsIgnoringCase(Trimmed(line.substr(0, semicolon)), "form-data")) {
      return false;
    }
    line.remove_prefix(std::min(semicolon + 1, line.size()));
    while (!line.empty()) {
      std::string name;
      std::string value = TakeParameter(&line, &name);
      if (EqualsIgnoringCase(name, "name") && !is_named) {
        is_named = true;
        part->name = std::move(value);
      } else if (EqualsIgnoringCase(name, "filename") &&
                 part->file_name.empty()) {
        part->file_name = std::move(value);
      } else if (EqualsIgnoringCase(name, "filename*") &&
                 EqualsIgnoringCase(std::string_view(value).substr(0, 7),
                                    "utf-8''")) {
        part->file_name = DecodeUrl(std::string_view(value).substr(7), false);
      }
    }
  }
  return is_named;
}

}  // namespace

std::string DecodeUrl(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '%' && i + 2 < text.size() &&
                         HexDigit(text[i + 1]) >= 0 &&
                         HexDigit(text[i + 2]) >= 0;
    if (is_code) {
      out +=
          static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::optional<std::vector<FormValue>> ParseForm(std::string_view text) {
  std::vector<FormValue> values;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t equals = std::min(one.find('='), one.size());
    if (equals == 0) continue;
    if (values.size() == kMostFormValues) return std::nullopt;
    values.push_back(
        {DecodeUrl(one.substr(0, equals), true),
         DecodeUrl(one.substr(std::min(equals + 1, one.size())), true)});
  }
  return values;
}

std::optional<std::string> BoundaryOf(std::string_view content_type) {
  const size_t semicolon =
      std::min(content_type.find(';'), content_type.size());
  std::string_view rest =
      content_type.substr(std::min(semicolon + 1, content_type.size()));
  while (!rest.empty()) {
    std::string name;
    std::string value = TakeParameter(&rest, &name);
    if (EqualsIgnoringCase(name, "boundary") && !value.empty()) return value;
  }
  return std::nullopt;
}

std::optional<std::vector<FormValue>> ParseParts(
    std::string_view body, const std::optional<std::string>& boundary) {
  if (!boundary.has_value()) return std::nullopt;
  const std::string begin = "--" + *boundary;
  const std::string next = "\r\n" + begin;
  // What comes before the first boundary is ignored.
  if (!body.starts_with(begin)) {
    const size_t at = body.find(next);
    if (at == body.npos) return std::nullopt;
    body.remove_prefix(at + 2);
  }
  body.remove_prefix(begin.size());
  std::vector<FormValue> parts;
  while (!body.starts_with("--")) {
    body.remove_prefix(std::min(body.find_first_not_of(" \t"), body.size()));
    if (!body.starts_with("\r\n")) return std::nullopt;
    if (parts.size() == kMostFormValues) return std::nullopt;
    const size_t head_end = body.substr(0, kMostPartHeadBytes).find("\r\n\r\n");
    if (head_end == body.npos) return std::nullopt;
    FormValue& part = parts.emplace_back();
    if (!ReadPartHead(body.substr(2, std::max<size_t>(head_end, 2) - 2),
                      &part)) {
      return std::nullopt;
    }
    body.remove_prefix(head_end + 4);
    const size_t end = body.find(next);
    if (end == body.npos) return std::nullopt;
    part.value = body.substr(0, end);
    body.remove_prefix(end + next.size());
  }
  return parts;
}

}  // namespace latimer::server
