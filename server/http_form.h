// The parameters of a request: of the query, of a form, and of a form in parts
// (RFC 7578).
#ifndef LATIMER_SERVER_HTTP_FORM_H_
#define LATIMER_SERVER_HTTP_FORM_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latimer::server {

// Of a request; none needs so many.
inline constexpr size_t kMostFormValues = 1000;

struct FormValue {
  std::string name, value;
  std::string file_name = {};  // Of a part that is a file.
};

// "%C3%A4" is ä. What is no such code stays as it is.
std::string DecodeUrl(std::string_view text, bool plus_is_space);

// "a=1&b=2". Nothing if there are more than kMostFormValues.
std::optional<std::vector<FormValue>> ParseForm(std::string_view text);

// The boundary in a Content-Type; nothing if it has none.
std::optional<std::string> BoundaryOf(std::string_view content_type);

// Nothing if there is no boundary, it is no form in parts, or there are too
// many.
std::optional<std::vector<FormValue>> ParseParts(
    std::string_view body, const std::optional<std::string>& boundary);

}  // namespace latimer::server

#endif  // LATIMER_SERVER_HTTP_FORM_H_
