// Stretches of a text that a translation must keep byte for byte.
#ifndef LATIMER_TEXT_PROTECTED_TEXT_H_
#define LATIMER_TEXT_PROTECTED_TEXT_H_

#include <cstddef>
#include <string_view>

namespace latimer {

// Bytes of the protected stretch that begins at text[at]; 0: none does. These
// are protected, and the longest counts:
//   {{ x }}, {name}, ${name}, #{name}, %{name}   placeholders of templates
//   %s, %-5.2f, %1$d, %(name)s, %@, %1           of printf, Python, Cocoa, Qt
//   https://host/path, www.host/path, name@host.org
//   5 km, 3.5 GB, 20 %, 12:30, $45.90            numbers with units
//   v2.14.0-rc1, 192.168.0.1                     versions, addresses
//   /usr/lib/x, ~/x, ./x, C:\x                   paths
//   +49 30 1234567, (555) 010-4477               telephone numbers
//   1255837350318304, BE0768880101, A4-17        identifiers
size_t ProtectedBytes(std::string_view text, size_t at);

// Bytes of `text` from `at` that `pattern` protects; 0: it does not fit. In a
// pattern, * stands for one or more bytes other than white space,
// up to the byte that follows it in the pattern, and every other byte for
// itself.
size_t PatternBytes(std::string_view text, size_t at, std::string_view pattern);

// Bytes of the word or words of `term` that begin at text[at], 0 if there are
// none: between word boundaries, and byte for byte, except that a term that
// begins with a small ASCII letter may begin with a capital one. Between
// characters of scripts without spaces is a boundary.
size_t TermBytes(std::string_view text, size_t at, std::string_view term);

}  // namespace latimer

#endif  // LATIMER_TEXT_PROTECTED_TEXT_H_
