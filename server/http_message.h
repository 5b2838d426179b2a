// HTTP/1.1 requests and responses (RFC 9112), read strictly: what two readers
// could read differently is refused.
#ifndef LATIMER_SERVER_HTTP_MESSAGE_H_
#define LATIMER_SERVER_HTTP_MESSAGE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace latimer::server {

// The names are those that were sent; they are looked for whatever their case.
using HttpFields = std::vector<std::pair<std::string, std::string>>;

// Null if there is none; the first if there are several.
const std::string* FindField(const HttpFields& fields, std::string_view name);

struct HttpRequest {
  std::string method;
  std::string path;   // Decoded, without the query.
  std::string query;  // As it was sent, without the question mark.
  bool is_http_1_0 = false;
  HttpFields fields;
  std::string body;
  std::string address;  // Of the client.

  // "" if there is none.
  std::string Field(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  HttpFields fields;
  std::string body;

  void Set(std::string name, std::string value) {
    fields.emplace_back(std::move(name), std::move(value));
  }
  void SetBody(std::string bytes, std::string type) {
    body = std::move(bytes);
    Set("Content-Type", std::move(type));
  }
};

// "Not Found".
std::string_view StatusText(int status);

// Reads the head of a request: lines that end with CR LF, the empty one
// included. Returns 0, or the status of the refusal.
int ParseHead(std::string_view head, HttpRequest* request);

// How the end of a body is known.
struct HttpFraming {
  bool chunked = false;
  size_t bytes = 0;  // Unless it is chunked.
};
// Returns 0, or the status of the refusal: 400 for what contradicts itself, 501
// for a coding other than "chunked".
int FramingOf(const HttpRequest& request, HttpFraming* framing);

// Reads the line of a chunk, without its end: its bytes in hexadecimal, and
// extensions, which are ignored. False if it is none.
bool ParseChunkLine(std::string_view line, size_t* bytes);

// Whether the connection is to be closed after the response.
bool WantsClose(const HttpRequest& request);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_HTTP_MESSAGE_H_
