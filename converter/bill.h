// The bill: what a model costs on the device, before it is there.
#ifndef LATIMER_CONVERTER_BILL_H_
#define LATIMER_CONVERTER_BILL_H_

#include <nlohmann/json.hpp>
#include <string>

#include "latimer/model_info.h"
#include "latimer/profile.h"

namespace latimer {

// {"flash_bytes", "flash": {group: bytes}, "ram_bytes", "ram": {buffer: bytes},
//  "weight_bytes_per_token", "profile": {...}}. `ram` is what a build with
// `profile` reserves; `info` is what the runtime read back from the file.
nlohmann::ordered_json MakeBill(const ModelInfo& info, const Profile& profile);

// The same for people.
std::string BillText(const nlohmann::ordered_json& bill);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_BILL_H_
