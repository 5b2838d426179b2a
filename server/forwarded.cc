#include "forwarded.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "ascii.h"

namespace latimer::server {
namespace {

// What "X-Forwarded-" or "Forwarded" say: the clients that the proxies saw, the
// first proxy's first, and what the last proxy was asked for.
struct Said {
  std::vector<std::string> clients;
  std::string scheme, host;
};

// IPv4 as IPv6 writes it.
std::optional<in6_addr> AddressOf(const std::string& text) {
  in6_addr address = {};
  if (inet_pton(AF_INET6, text.c_str(), &address) == 1) return address;
  constexpr size_t kIpv4At = 12;
  if (inet_pton(AF_INET, text.c_str(), &address.s6_addr[kIpv4At]) != 1) {
    return std::nullopt;
  }
  address.s6_addr[kIpv4At - 2] = address.s6_addr[kIpv4At - 1] = 0xFF;
  return address;
}

// The address in "192.0.2.1:80", "[2001:db8::1]:80" and the like, as it is
// usually written; "" if there is none.
std::string WithoutPort(std::string_view node) {
  if (node.starts_with('[')) {
    node = node.substr(1, std::min(node.find(']'), node.size()) - 1);
  } else if (std::ranges::count(node, ':') == 1) {
    node = node.substr(0, node.find(':'));
  }
  const auto address = AddressOf(std::string(node));
  char text[INET6_ADDRSTRLEN];
  return address.has_value() &&
                 inet_ntop(AF_INET6, &*address, text, sizeof(text)) != nullptr
             ? text
             : "";
}

// The parts between separators that are not in quotation marks.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && !quoted)) {
      parts.push_back(Trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    } else if (text[i] == '"') {
      quoted = !quoted;
    }
  }
  return parts;
}

// Of all fields with this name, as one list.
std::string Joined(const HttpFields& fields, std::string_view name) {
  std::string all;
  for (const auto& [own, value] : fields) {
    if (EqualsIgnoringCase(own, name)) all += (all.empty() ? "" : ",") + value;
  }
  return all;
}

// "" of an empty list.
std::string_view Last(std::string_view list) { return Split(list, ',').back(); }

Said FromForwarded(const std::string& list) {
  Said said;
  for (const std::string_view element : Split(list, ',')) {
    std::string client;
    said.scheme.clear();
    said.host.clear();
    for (const std::string_view pair : Split(element, ';')) {
      const size_t sign = std::min(pair.find('='), pair.size());
      const std::string_view name = pair.substr(0, sign);
      std::string_view value = pair.substr(std::min(sign + 1, pair.size()));
      if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
        value = value.substr(1, value.size() - 2);
      }
      if (EqualsIgnoringCase(name, "for")) client = WithoutPort(value);
      if (EqualsIgnoringCase(name, "proto")) said.scheme = value;
      if (EqualsIgnoringCase(name, "host")) said.host = value;
    }
    said.clients.push_back(std::move(client));
  }
  return said;
}

Said SaidBy(const HttpFields& fields) {
  const std::string clients = Joined(fields, "X-Forwarded-For");
  const std::string forwarded = Joined(fields, "Forwarded");
  if (clients.empty() && !forwarded.empty()) return FromForwarded(forwarded);
  Said said = {{},
               std::string(Last(Joined(fields, "X-Forwarded-Proto"))),
               std::string(Last(Joined(fields, "X-Forwarded-Host")))};
  for (const std::string_view node : Split(clients, ',')) {
    said.clients.push_back(WithoutPort(node));
  }
  return said;
}

bool IsHost(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<uint8_t>(c)) != 0 ||
           std::string_view(".-_:[]").find(c) != std::string_view::npos;
  });
}

}  // namespace

bool Proxies::Add(const std::string& text) {
  const size_t slash = std::min(text.find('/'), text.size());
  const auto address = AddressOf(text.substr(0, slash));
  if (!address.has_value()) return false;
  const int before = text.find(':') == text.npos ? 96 : 0;
  Network network = {*address, 128};
  if (slash < text.size()) {
    const char* const end = text.data() + text.size();
    int bits = 0;
    const auto [rest, error] =
        std::from_chars(text.data() + slash + 1, end, bits);
    if (error != std::errc() || rest != end || bits < 0 ||
        bits > 128 - before) {
      return false;
    }
    network.bits = before + bits;
  }
  networks_.push_back(network);
  return true;
}

bool Proxies::Contains(const std::string& text) const {
  const auto address = AddressOf(text);
  return address.has_value() &&
         std::ranges::any_of(networks_, [&](const Network& network) {
           for (int bit = 0; bit < network.bits; ++bit) {
             const int differ =
                 address->s6_addr[bit / 8] ^ network.address.s6_addr[bit / 8];
             if ((differ << bit % 8 & 0x80) != 0) return false;
           }
           return true;
         });
}

Origin Proxies::OriginOf(const HttpRequest& request) const {
  Origin origin = {request.address, ""};
  std::string scheme = "http", host = request.Field("Host");
  if (Contains(request.address)) {
    Said said = SaidBy(request.fields);
    while (!said.clients.empty() && !said.clients.back().empty() &&
           Contains(origin.address)) {
      origin.address = std::move(said.clients.back());
      said.clients.pop_back();
    }
    if (EqualsIgnoringCase(said.scheme, "https")) scheme = "https";
    if (IsHost(said.host)) host = std::move(said.host);
  }
  origin.url = scheme + "://" + host;
  return origin;
}

}  // namespace latimer::server
