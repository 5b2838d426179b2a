// What proxies in front of the server say of a request: who asks, and at which
// address.
#ifndef LATIMER_SERVER_FORWARDED_H_
#define LATIMER_SERVER_FORWARDED_H_

#include <netinet/in.h>

#include <string>
#include <string_view>
#include <vector>

#include "http_message.h"

namespace latimer::server {

struct Origin {
  std::string address;  // Of the client.
  std::string url;      // Where it reached the server: "https://a.example".
};

// The proxies that are believed.
class Proxies {
 public:
  // An address or a network, "10.0.0.0/8". False if it is neither.
  bool Add(const std::string& text);

  // Unless one of the proxies sent it, what a request says of other clients
  // and addresses is ignored. Of a chain of proxies, the client is the last one
  // that is none of them.
  Origin OriginOf(const HttpRequest& request) const;

 private:
  struct Network {
    in6_addr address;
    int bits;
  };

  bool Contains(const std::string& address) const;

  std::vector<Network> networks_;
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_FORWARDED_H_
