#include "cli/text_store.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace latimer::cli {
namespace {

// Dropped texts may take this much, and as much as the others, before they are
// squeezed out: little of the memory is touched, and rarely is a text moved.
constexpr size_t kSlack = size_t{64} * 1024;

}  // namespace

TextStore::TextStore(size_t bytes)
    : size_(bytes + kOverhead), memory_(new (std::nothrow) std::byte[size_]) {}

// A multiple of the alignment of records.
size_t TextStore::SpaceOf(size_t bytes) {
  constexpr size_t kAlign = alignof(Record);
  static_assert(sizeof(Record) + kAlign <= kOverhead);
  return sizeof(Record) + (bytes + kAlign - 1) / kAlign * kAlign;
}

TextStore::Record* TextStore::At(size_t place) const {
  return reinterpret_cast<Record*>(memory_.get() + place);
}

void TextStore::Keep(std::string_view bytes, Text* text) {
  if (bytes.empty()) return;
  const size_t space = SpaceOf(bytes.size());
  if (text->place_ != 0 || space > room()) std::abort();  // Our own mistake.
  if (space > size_ - top_ || top_ > 2 * live_ + kSlack) Compact();
  *At(top_) = {text, bytes.size()};
  std::memcpy(memory_.get() + top_ + sizeof(Record), bytes.data(),
              bytes.size());
  text->place_ = top_;
  top_ += space;
  live_ += space;
}

std::string_view TextStore::View(const Text& text) const {
  if (text.place_ == 0) return {};
  const std::byte* record = memory_.get() + text.place_;
  return {reinterpret_cast<const char*>(record + sizeof(Record)),
          At(text.place_)->bytes};
}

void TextStore::Drop(Text* text) {
  if (text->place_ == 0) return;
  Record* record = At(text->place_);
  live_ -= SpaceOf(record->bytes);
  record->owner = nullptr;
  text->place_ = 0;
}

void TextStore::Compact() {
  size_t to = kOverhead;
  for (size_t from = kOverhead; from < top_;) {
    const Record record = *At(from);
    const size_t space = SpaceOf(record.bytes);
    if (record.owner != nullptr) {
      record.owner->place_ = to;
      std::memmove(memory_.get() + to, memory_.get() + from, space);
      to += space;
    }
    from += space;
  }
  top_ = to;
}

}  // namespace latimer::cli
