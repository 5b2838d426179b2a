#include "http_message.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "ascii.h"
#include "http_form.h"

namespace latimer::server {
namespace {

constexpr size_t kMaxTargetBytes = 8192;

bool IsTokenChar(char c) {
  return std::isalnum(static_cast<uint8_t>(c)) != 0 ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, IsTokenChar);
}

// Of a field's value: characters that are seen, bytes beyond ASCII, spaces and
// tabs.
bool IsValueChar(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
}

bool IsSeen(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte > 0x20 && byte != 0x7F;
}

// Takes a line off the text. False if it does not end with CR LF, or has one of
// them elsewhere.
bool TakeLine(std::string_view* text, std::string_view* line) {
  const size_t end = text->find_first_of("\r\n");
  if (end == text->npos || !text->substr(end).starts_with("\r\n")) return false;
  *line = text->substr(0, end);
  text->remove_prefix(end + 2);
  return true;
}

int ParseRequestLine(std::string_view line, HttpRequest* request) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == line.npos || first == last) return 400;
  const std::string_view method = line.substr(0, first);
  std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(method) || target.empty() ||
      !std::ranges::all_of(target, IsSeen)) {
    return 400;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return version.starts_with("HTTP/") ? 505 : 400;
  }
  if (target.size() > kMaxTargetBytes) return 414;
  // Proxies may send the whole address.
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!EqualsIgnoringCase(target.substr(0, scheme.size()), scheme)) continue;
    const size_t slash = target.find('/', scheme.size());
    target = slash == target.npos ? "/" : target.substr(slash);
  }
  if (!target.starts_with('/') && target != "*") return 400;
  target = target.substr(0, target.find('#'));
  const size_t question = target.find('?');
  request->method = method;
  request->path = DecodeUrl(target.substr(0, question), false);
  if (question != target.npos) request->query = target.substr(question + 1);
  request->is_http_1_0 = version == "HTTP/1.0";
  return 0;
}

size_t Count(const HttpFields& fields, std::string_view name) {
  return static_cast<size_t>(
      std::ranges::count_if(fields, [&](const auto& field) {
        return EqualsIgnoringCase(field.first, name);
      }));
}

}  // namespace

const std::string* FindField(const HttpFields& fields, std::string_view name) {
  for (const auto& [own, value] : fields) {
    if (EqualsIgnoringCase(own, name)) return &value;
  }
  return nullptr;
}

std::string HttpRequest::Field(std::string_view name) const {
  const std::string* const value = FindField(fields, name);
  return value == nullptr ? "" : *value;
}

std::string_view StatusText(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
  }
  return "Unknown";
}

int ParseHead(std::string_view head, HttpRequest* request) {
  std::string_view line;
  if (!TakeLine(&head, &line)) return 400;
  const int refusal = ParseRequestLine(line, request);
  if (refusal != 0) return refusal;
  for (;;) {
    if (!TakeLine(&head, &line)) return 400;
    if (line.empty()) return head.empty() ? 0 : 400;
    const size_t colon = line.find(':');
    if (colon == line.npos || !IsToken(line.substr(0, colon)) ||
        !std::ranges::all_of(line, IsValueChar)) {
      return 400;
    }
    request->fields.emplace_back(line.substr(0, colon),
                                 Trimmed(line.substr(colon + 1)));
  }
}

int FramingOf(const HttpRequest& request, HttpFraming* framing) {
  const HttpFields& fields = request.fields;
  const size_t lengths = Count(fields, "Content-Length");
  const size_t codings = Count(fields, "Transfer-Encoding");
  if (Count(fields, "Host") > 1 || lengths + codings > 1) return 400;
  if (codings > 0) {
    if (request.is_http_1_0) return 400;
    framing->chunked =
        EqualsIgnoringCase(*FindField(fields, "Transfer-Encoding"), "chunked");
    return framing->chunked ? 0 : 501;
  }
  if (lengths == 0) return 0;
  const std::string& length = *FindField(fields, "Content-Length");
  const char* const end = length.data() + length.size();
  const auto [rest, error] =
      std::from_chars(length.data(), end, framing->bytes);
  if (error == std::errc::result_out_of_range) return 413;
  return error == std::errc() && rest == end ? 0 : 400;
}

bool ParseChunkLine(std::string_view line, size_t* bytes) {
  if (!std::ranges::all_of(line, IsValueChar)) return false;
  const std::string_view digits = line.substr(0, line.find(';'));
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, *bytes, 16);
  return error == std::errc() && rest == end;
}

bool WantsClose(const HttpRequest& request) {
  const std::string value = request.Field("Connection");
  std::string_view rest = value;
  bool keeps = !request.is_http_1_0;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view one = Trimmed(rest.substr(0, comma));
    if (EqualsIgnoringCase(one, "close")) return true;
    if (EqualsIgnoringCase(one, "keep-alive")) keeps = true;
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
  }
  return !keeps;
}

}  // namespace latimer::server
