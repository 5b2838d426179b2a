// FlatBuffers' strings and vectors as views of the bytes in place.
#ifndef LATIMER_MODEL_VIEWS_H_
#define LATIMER_MODEL_VIEWS_H_

#include <flatbuffers/flatbuffers.h>

#include <span>
#include <string_view>

namespace latimer {

inline std::string_view ViewOf(const flatbuffers::String* text) {
  return {text->c_str(), text->size()};
}

// Empty if the file has none.
inline std::string_view ViewIfAny(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view() : ViewOf(text);
}

template <typename Number>
std::span<const Number> ViewOf(const flatbuffers::Vector<Number>* numbers) {
  return {numbers->data(), numbers->size()};
}

// A vector of structs of the schema, which have the layout of `Ours`; empty if
// the file has none.
template <typename Ours, typename Theirs>
std::span<const Ours> StructsOf(
    const flatbuffers::Vector<const Theirs*>* structs) {
  static_assert(sizeof(Ours) == sizeof(Theirs) &&
                alignof(Ours) == alignof(Theirs) && FLATBUFFERS_LITTLEENDIAN);
  if (structs == nullptr) return {};
  return {reinterpret_cast<const Ours*>(structs->Data()), structs->size()};
}

}  // namespace latimer

#endif  // LATIMER_MODEL_VIEWS_H_
