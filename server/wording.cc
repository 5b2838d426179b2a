#include "wording.h"

#include <cerrno>
#include <cstring>

#include "os/text_lines.h"

namespace latimer::server {

void Glossary::Add(std::string_view source, std::string_view target) {
  const std::string& own_source = texts_.emplace_back(source);
  const std::string& own_target = texts_.emplace_back(target);
  terms_.emplace_back(own_source, own_target);
  bytes_ += source.size() + target.size();
}

std::string Glossary::AddLines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    const cli::TermLine term = cli::ReadTermLine(line);
    if (term.source.empty()) return cli::NoTerm(line);
    Add(term.source, term.target);
  }
  return "";
}

std::string Glossaries::Add(const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals == 0 || equals == argument.npos) {
    return argument + ": give NAME=FILE.";
  }
  const std::string name = argument.substr(0, equals);
  const std::string path = argument.substr(equals + 1);
  std::vector<std::string> lines;
  if (!cli::ReadTextLines(path.c_str(), &lines)) {
    return path + ": " + std::strerror(errno) + ".";
  }
  const auto glossary = std::make_shared<Glossary>();
  const std::string why = glossary->AddLines(lines);
  if (!why.empty()) return path + ": " + why;
  if (!all_.emplace(name, glossary).second) {
    return argument + ": there are two of this name.";
  }
  return "";
}

std::shared_ptr<const Glossary> Glossaries::Find(
    const std::string& name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : found->second;
}

std::string Glossaries::Names() const {
  std::string names;
  for (const auto& [name, glossary] : all_) {
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

}  // namespace latimer::server
