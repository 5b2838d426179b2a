// How the converter reports what is wrong with its input.
#ifndef LATIMER_CONVERTER_ERROR_H_
#define LATIMER_CONVERTER_ERROR_H_

#include <stdexcept>

namespace latimer {

// One clear sentence: what is wrong, in which file, what to do.
class ConversionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_ERROR_H_
