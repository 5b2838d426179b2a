#include "latimer/status.h"

#include <cstdarg>

#include "base/format.h"

namespace latimer {

Status Status::Error(StatusCode code, const char* format, ...) {
  Status status;
  status.code_ = code;
  va_list arguments;
  va_start(arguments, format);
  FormatArguments(status.message_, sizeof(status.message_), format, arguments);
  va_end(arguments);
  return status;
}

}  // namespace latimer
