// Numbers of a text and its translation, for C.
#include <algorithm>
#include <string_view>

#include "latimer/latimer.h"
#include "latimer/number_check.h"

size_t latimer_check_numbers(const char* source, size_t source_bytes,
                             const char* translation, size_t translation_bytes,
                             latimer_text_range* ranges, size_t range_count,
                             size_t* missing_count) {
  latimer::NumberCheck check;
  latimer::CheckNumbers(
      std::string_view(source, source == nullptr ? 0 : source_bytes),
      std::string_view(translation,
                       translation == nullptr ? 0 : translation_bytes),
      &check);
  size_t count = 0;
  for (const auto& found : {check.missing(), check.surplus()}) {
    for (const latimer::TextRange& range : found) {
      if (ranges != nullptr && count < range_count) {
        ranges[count] = {range.begin, range.end};
      }
      ++count;
    }
  }
  if (missing_count != nullptr) *missing_count = check.missing_count;
  return count;
}
