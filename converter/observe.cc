#include "converter/observe.h"

#include "converter/error.h"
#include "converter/loaded_model.h"

namespace latimer {

void Observe(
    const ModelBytes& file, const std::filesystem::path& text,
    std::span<const std::string> lines, Probe* observer,
    const std::function<void(uint64_t done, uint64_t total)>& progress) {
  LoadedModel model(file.bytes(), "observed");
  const ProbeScope scope(observer);
  for (size_t i = 0; i < lines.size(); ++i) {
    TextCursor cursor(lines[i], {.sentences = false, .beams = 1});
    while (!lines[i].empty() && !cursor.done()) {
      const Result<Translation> part = model.translator().TranslateNext(cursor);
      if (!part.ok()) {
        FailWith(text, ", line ", i + 1, ": ", part.status().message());
      }
    }
    if (progress) progress(i + 1, lines.size());
  }
}

}  // namespace latimer
