// Where latimer_options keep what latimer_set_option sets: the value of the
// option at place i of the list is named[i + 1], if bit i of named[0] is set.
#ifndef LATIMER_LATIMER_C_NAMED_H_
#define LATIMER_LATIMER_C_NAMED_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "latimer/latimer.h"
#include "option_list.h"

namespace latimer {

static_assert(option_list::kCount < sizeof(latimer_options::named) / 8);
static_assert(option_list::kCount < 64);
static_assert(sizeof(uintptr_t) <= sizeof(uint64_t));

inline void KeepNamed(size_t place, const OptionValue& value,
                      latimer_options* out) {
  uint64_t bits = value.count;
  switch (NamedOptions()[place].kind) {
    case OptionKind::kText:
      bits = reinterpret_cast<uintptr_t>(value.text);
      break;
    case OptionKind::kNumber:
      bits = std::bit_cast<uint32_t>(value.number);
      break;
    case OptionKind::kFlag:
    case OptionKind::kCount:
    case OptionKind::kChoice:
      break;
  }
  out->named[0] |= uint64_t{1} << place;
  out->named[place + 1] = bits;
}

// Puts those that are set into `*out`.
inline void PutNamed(const latimer_options& in, TranslateOptions* out) {
  ForEachOption([&]<size_t kPlace>() {
    if ((in.named[0] >> kPlace & 1) == 0) return;
    const uint64_t bits = in.named[kPlace + 1];
    OptionValue value;
    if constexpr (kOptionAt<kPlace>.kind == OptionKind::kText) {
      value.text = reinterpret_cast<const char*>(static_cast<uintptr_t>(bits));
    } else if constexpr (kOptionAt<kPlace>.kind == OptionKind::kNumber) {
      value.number = std::bit_cast<float>(static_cast<uint32_t>(bits));
    } else {
      value.count = bits;
    }
    PutOption<kPlace>(value, out);
  });
}

}  // namespace latimer

#endif  // LATIMER_LATIMER_C_NAMED_H_
