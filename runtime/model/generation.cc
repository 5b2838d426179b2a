#include "model/generation.h"

#include <algorithm>

#include "base/check.h"

namespace latimer {

Status CheckTargetId(const char* what, int32_t token, uint32_t vocabulary) {
  if (token >= 0 && static_cast<uint32_t>(token) < vocabulary) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "%s id %d is outside the target vocabulary of %u.", what,
                       static_cast<int>(token),
                       static_cast<unsigned>(vocabulary));
}

Result<const Task*> FindTask(const GenerationConfig& config,
                             std::string_view name) {
  static constexpr Task kNone = {};
  if (name.empty()) return &kNone;
  for (const Task& task : config.tasks) {
    if (name == task.name) return &task;
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "The model has no task \"%.*s\"; latimer inspect lists "
                       "its tasks.",
                       static_cast<int>(std::min<size_t>(40, name.size())),
                       name.data());
}

Result<int32_t> FindLanguage(const GenerationConfig& config, const char* side,
                             std::string_view code) {
  for (const Language& language : config.languages) {
    if (code == language.code) return language.token;
  }
  if (config.languages.empty()) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "The model has no %s language to choose from; leave out \"%.*s\".",
        side, static_cast<int>(std::min<size_t>(20, code.size())), code.data());
  }
  return Status::Error(
      StatusCode::kInvalidArgument,
      "The model has no %s language \"%.*s\" among its %u; "
      "latimer inspect lists them.",
      side, static_cast<int>(std::min<size_t>(20, code.size())), code.data(),
      static_cast<unsigned>(config.languages.size()));
}

size_t PadSource(const GenerationConfig& config, size_t count,
                 std::span<int32_t> ids) {
  const size_t length = config.source_length;
  if (count == 0 || count >= length) return count;
  LATIMER_DCHECK(length <= ids.size());
  std::fill(ids.begin() + count, ids.begin() + length, config.source_pad);
  return length;
}

std::span<const int32_t> WithoutPads(const GenerationConfig& config,
                                     std::span<const int32_t> source) {
  if (config.source_length == 0) return source;
  while (!source.empty() && source.back() == config.source_pad) {
    source = source.first(source.size() - 1);
  }
  return source;
}

}  // namespace latimer
