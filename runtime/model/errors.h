// The errors that several parts of the loader report.
#ifndef LATIMER_MODEL_ERRORS_H_
#define LATIMER_MODEL_ERRORS_H_

#include <cstdint>
#include <initializer_list>

#include "latimer/status.h"

namespace latimer {

// kCorrupt: "The model is damaged: SUBJECT WHAT; convert it again."
Status Damaged(const char* subject, const char* what);

// kExceedsProfile: "The model{SUBJECT} WHAT, which profile ... leaves out;
// ...". `subject` is " has", "'s decoder has" or the like.
Status LeftOut(const char* subject, const char* what);

// kExceedsProfile: "The model's WHAT is VALUE, but profile ... allows LIMIT".
Status ExceedsProfile(const char* what, uint64_t value, uint32_t limit);

// A size that a model file states.
struct Size {
  const char* what;
  uint64_t value;
  uint32_t limit;
};

// kExceedsProfile for the first size above its limit, kCorrupt for one of 0.
Status CheckSizes(std::initializer_list<Size> sizes);

}  // namespace latimer

#endif  // LATIMER_MODEL_ERRORS_H_
