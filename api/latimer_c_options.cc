// The C API on top of the C++ one: options by name.

#include "latimer/options.h"
#include "latimer_c.h"
#include "latimer_c_named.h"
#include "option_list.h"

namespace latimer {
namespace {

Status SetInC(latimer_options* options, const char* name, const char* value) {
  size_t place = 0;
  OptionValue parsed;
  LATIMER_RETURN_IF_ERROR(
      ParseOption(name, value, OptionStyle::kPlain, &place, &parsed));
  if (options->struct_bytes < offsetof(latimer_options, suppressed)) {
    return NoSize("latimer_options");
  }
  KeepNamed(place, parsed, options);
  return Status();
}

}  // namespace
}  // namespace latimer

latimer_code latimer_set_option(latimer_options* options, const char* name,
                                const char* value, char* message,
                                size_t message_bytes) {
  const latimer::Status status = latimer::SetInC(options, name, value);
  latimer::WriteMessage(status, message, message_bytes);
  return latimer::CodeOf(status);
}

const char* latimer_option_name(size_t place) {
  const auto options = latimer::NamedOptions();
  return place < options.size() ? options[place].name : nullptr;
}

latimer_code latimer_check_options(latimer_translator* translator,
                                   const latimer_options* options) {
  latimer::TranslateOptions read;
  latimer::Status status = latimer::ReadOptions(translator, options, &read);
  if (status.ok()) {
    status = latimer::CheckOptions(read, translator->translator);
  }
  return latimer::Give(translator, status);
}
