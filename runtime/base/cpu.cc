#include "base/cpu.h"

#include <cstring>
#include <span>

#include "base/cpu_table.h"
#include "base/format.h"

namespace latimer {
namespace {

std::span<const Isa> Isas() { return {kIsas, static_cast<size_t>(kIsaCount)}; }

Status UnknownLevel(const char* name) {
  char known[64] = "";
  size_t length = 0;
  for (const Isa& isa : Isas()) {
    if (isa.goes_with_previous) continue;
    length += FormatText(known + length, sizeof(known) - length, "%s%s",
                         length > 0 ? ", " : "", isa.name);
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "Unknown CPU level '%s'; use one of %s.", name, known);
}

}  // namespace

CpuFeatures DetectCpuFeatures() {
  const CpuWords cpu = ReadCpuWords();
  CpuFeatures features;
  for (const Isa& isa : Isas()) {
    bool usable = isa.implied == nullptr || features.*isa.implied;
    for (int i = 0; i < kCpuFeatureCount; ++i) {
      if (kCpuFeatures[i].isa != isa.usable) continue;
      usable = usable && HasFeature(cpu, kCpuFeatures[i]);
    }
    features.*isa.usable = usable;
  }
  return features;
}

Result<CpuFeatures> LimitCpuFeatures(CpuFeatures features, const char* name) {
  bool found = false;
  bool newer = false;
  for (const Isa& isa : Isas()) {
    newer = newer || (found && !isa.goes_with_previous);
    if (newer) features.*isa.usable = false;
    if (isa.goes_with_previous || std::strcmp(name, isa.name) != 0) continue;
    if (!(features.*isa.usable)) {
      return Status::Error(StatusCode::kUnsupportedCpu,
                           "This CPU has no %s; leave out the limit.", name);
    }
    found = true;
  }
  if (!found) return UnknownLevel(name);
  return features;
}

}  // namespace latimer
