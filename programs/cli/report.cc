#include "cli/report.h"

#include <algorithm>
#include <cstdio>

#include "cli/arguments.h"

namespace latimer::cli {
namespace {

const char* NameOf(Verdict verdict) {
  constexpr const char* kNames[] = {"ok", "warning", "FAIL"};
  return kNames[static_cast<size_t>(verdict)];
}

}  // namespace

void Report::Section(const std::string& name) {
  section_ = name;
  json_[name] = Json::object();
  if (!as_json_) std::printf("%s\n", name.c_str());
}

void Report::Add(const std::string& name, const Json& value,
                 const std::string& text, Verdict verdict,
                 const std::string& advice) {
  const bool good = verdict == Verdict::kOk;
  json_[section_][name] = value;
  worst_ = std::max(worst_, verdict);
  if (!good) {
    findings_.push_back({{"about", section_ + "." + name},
                         {"verdict", NameOf(verdict)},
                         {"advice", advice}});
  }
  if (as_json_) return;
  std::printf("  %-8s %-20s %s\n", NameOf(verdict), name.c_str(), text.c_str());
  if (!good) std::printf("%11s%s\n", "", advice.c_str());
  std::fflush(stdout);
}

Json Report::ToJson() const {
  Json all = json_;
  all["findings"] = findings_;
  all["verdict"] = NameOf(worst_);
  return all;
}

std::string Report::TextWithoutFolders(
    std::initializer_list<const char*> paths) const {
  std::string text = Dump(ToJson());
  for (const char* path : paths) {
    if (path == nullptr) continue;
    std::string whole = Dump(path);  // As it is in the text, with quotes.
    whole = whole.substr(1, whole.size() - 2);
    const std::string name = whole.substr(whole.rfind('/') + 1);
    if (name.empty() || name == whole) continue;
    for (size_t at = 0; (at = text.find(whole, at)) != std::string::npos;
         at += name.size()) {
      text.replace(at, whole.size(), name);
    }
  }
  return text;
}

int Report::Finish() const {
  if (as_json_) {
    std::puts(Dump(ToJson()).c_str());
  } else {
    std::printf("verdict: %s\n", NameOf(worst_));
  }
  return worst_ == Verdict::kFail ? kFailure : kSuccess;
}

std::string BytesText(uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value < 1e6) return Format("%.1f KB", value / 1e3);
  if (value < 1e9) return Format("%.1f MB", value / 1e6);
  return Format("%.2f GB", value / 1e9);
}

}  // namespace latimer::cli
