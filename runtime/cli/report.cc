#include "cli/report.h"

#include <cstdio>

#include "cli/arguments.h"

namespace latimer::cli {
namespace {

const char* NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarning:
      return "warning";
    case Verdict::kFail:
      return "FAIL";
  }
  return "";
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
  json_[section_][name] = value;
  if (verdict > worst_) worst_ = verdict;
  if (verdict != Verdict::kOk) {
    findings_.push_back({{"about", section_ + "." + name},
                         {"verdict", NameOf(verdict)},
                         {"advice", advice}});
  }
  if (as_json_) return;
  std::printf("  %-8s %-20s %s\n", NameOf(verdict), name.c_str(), text.c_str());
  if (!advice.empty()) std::printf("%11s%s\n", "", advice.c_str());
  std::fflush(stdout);
}

int Report::Finish() const {
  if (as_json_) {
    Json all = json_;
    all["findings"] = findings_;
    all["verdict"] = NameOf(worst_);
    // Text from files may be any bytes.
    std::puts(all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    std::printf("verdict: %s\n", NameOf(worst_));
  }
  return worst_ == Verdict::kFail ? kFailure : kSuccess;
}

std::string BytesText(uint64_t bytes) {
  constexpr double kKilo = 1000;
  const double value = static_cast<double>(bytes);
  if (value < kKilo * kKilo) return NumberText(value / kKilo, 1) + " KB";
  if (value < kKilo * kKilo * kKilo) {
    return NumberText(value / (kKilo * kKilo), 1) + " MB";
  }
  return NumberText(value / (kKilo * kKilo * kKilo), 2) + " GB";
}

std::string NumberText(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

}  // namespace latimer::cli
