// The C API on top of the C++ one: options by name.

#include <type_traits>

#include "latimer/options.h"
#include "latimer_c.h"
#include "option_list.h"

namespace latimer {
namespace {

// Sets an option of the list. False if it is not in a struct of so many bytes.
template <size_t kPlace>
bool Put(const OptionValue& value, size_t struct_bytes, latimer_options* out) {
  using Row = OptionAt<kPlace>;
  constexpr NamedOption option = kOptionAt<kPlace>;
  auto& member = Row::InC(*out);
  using Member = std::remove_reference_t<decltype(member)>;
  const auto* const end = reinterpret_cast<const char*>(&member + 1);
  if (reinterpret_cast<const char*>(out) + struct_bytes < end) return false;
  if constexpr (Row::has_flag) Row::FlagInC(*out) = 1;
  if constexpr (option.kind == OptionKind::kText) {
    member = value.text;
  } else if constexpr (option.kind == OptionKind::kNumber) {
    member = value.number;
  } else if constexpr (option.kind == OptionKind::kFlag) {
    member = (value.count != 0) != option.on_by_default ? 1 : 0;
  } else if constexpr (option.kind == OptionKind::kChoice) {
    member = static_cast<Member>(value.count + kFirstChoice<Row>);
  } else {
    member = static_cast<Member>(value.count);
  }
  return true;
}

Status SetInC(latimer_options* options, const char* name, const char* value) {
  size_t place = 0;
  OptionValue parsed;
  LATIMER_RETURN_IF_ERROR(
      ParseOption(name, value, OptionStyle::kPlain, &place, &parsed));
  bool fits = false;
  ForEachOption([&]<size_t kPlace>() {
    if (kPlace == place) {
      fits = Put<kPlace>(parsed, options->struct_bytes, options);
    }
  });
  if (fits) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "latimer_options of %zu bytes have no %s; set "
                       "struct_bytes.",
                       options->struct_bytes, name);
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
