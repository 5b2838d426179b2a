// Translates a text while a probe looks.
#ifndef LATIMER_CONVERTER_OBSERVE_H_
#define LATIMER_CONVERTER_OBSERVE_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "converter/model_writer.h"
#include "transformer/probe.h"

namespace latimer {

// Translates the lines of `text` greedily, on one thread. Must be linked with a
// runtime whose profile has `probes`. `progress` is called with the lines done
// and the total. Throws ConversionError if a line, which it names, cannot be
// translated.
void Observe(
    const ModelBytes& file, const std::filesystem::path& text,
    std::span<const std::string> lines, Probe* observer,
    const std::function<void(uint64_t done, uint64_t total)>& progress);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_OBSERVE_H_
