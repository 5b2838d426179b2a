// What a request prescribes of a translation's words: terms, and whether what
// is like a placeholder stays.
#ifndef LATIMER_SERVER_WORDING_H_
#define LATIMER_SERVER_WORDING_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "latimer/options.h"

namespace latimer::server {

class Glossary {
 public:
  // Terms of a request, and the bytes of both sides of all of them.
  static constexpr size_t kMostTerms = 1000;
  static constexpr size_t kMostBytes = 100'000;

  Glossary() = default;
  Glossary(const Glossary&) = delete;
  Glossary& operator=(const Glossary&) = delete;

  // Neither may be empty.
  void Add(std::string_view source, std::string_view target);
  // Adds lines of a source, a tab and a target. Returns what is wrong with one
  // of them; empty: nothing.
  std::string AddLines(const std::vector<std::string>& lines);

  std::span<const Term> terms() const { return terms_; }
  size_t bytes() const { return bytes_; }

 private:
  std::deque<std::string> texts_;  // Of the terms.
  std::vector<Term> terms_;
  size_t bytes_ = 0;
};

// The glossaries of the server, by name.
class Glossaries {
 public:
  // "NAME=FILE". Returns what is wrong; empty: nothing.
  std::string Add(const std::string& argument);

  // Null if there is none of this name.
  std::shared_ptr<const Glossary> Find(const std::string& name) const;
  // "a, b", for messages.
  std::string Names() const;

 private:
  std::map<std::string, std::shared_ptr<const Glossary>> all_;
};

struct Wording {
  std::optional<bool> protect = {};  // None: as the runtime does.
  std::shared_ptr<const Glossary> glossary = {};
};

}  // namespace latimer::server

#endif  // LATIMER_SERVER_WORDING_H_
