// Texts that wait for their turn to be written, in memory that is taken once.
#ifndef LATIMER_CLI_TEXT_STORE_H_
#define LATIMER_CLI_TEXT_STORE_H_

#include <cstddef>
#include <memory>
#include <string_view>

namespace latimer::cli {

class TextStore {
 public:
  // A text in the store, or none. The store refers to the object, which may not
  // move while it has a text.
  class Text {
   public:
    Text() = default;

   private:
    friend TextStore;
    size_t place_ = 0;  // Of its record; 0: no text.
  };

  // What a text takes at most, besides its bytes.
  static constexpr size_t kOverhead = 32;

  // Holds texts that take `bytes` bytes together.
  explicit TextStore(size_t bytes);
  TextStore(const TextStore&) = delete;
  TextStore& operator=(const TextStore&) = delete;

  // Whether there was memory.
  bool ok() const { return memory_ != nullptr; }

  // Bytes that further texts may take.
  size_t room() const { return size_ - live_; }

  // Copies `bytes` into the store; `text` has none. Precondition: there is
  // room. An empty text takes no memory.
  void Keep(std::string_view bytes, Text* text);
  // The bytes of a text; valid until the next Keep.
  std::string_view View(const Text& text) const;
  void Drop(Text* text);

 private:
  // Comes before the bytes of each text.
  struct Record {
    Text* owner;  // Null: the text was dropped.
    size_t bytes;
  };

  static size_t SpaceOf(size_t bytes);
  Record* At(size_t place) const;
  void Compact();

  size_t size_;
  std::unique_ptr<std::byte[]> memory_;  // Not touched before it is used.
  size_t top_ = kOverhead;               // All records are below.
  size_t live_ = kOverhead;              // What the texts that are kept take.
};

}  // namespace latimer::cli

#endif  // LATIMER_CLI_TEXT_STORE_H_
