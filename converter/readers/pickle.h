// Reads Python's pickle format, as far as torch.save uses it, as plain data.
// Source: CPython's Lib/pickletools.py.
//
// Nothing is imported or executed. A call is kept as the callable's name and
// its arguments; calls of names outside a short list are refused.
#ifndef LATIMER_CONVERTER_READERS_PICKLE_H_
#define LATIMER_CONVERTER_READERS_PICKLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace latimer {

struct PickleValue {
  enum class Kind : uint8_t {
    kInteger,
    kText,
    kTuple,
    kList,
    kDict,        // items: key, value, key, value, ...
    kGlobal,      // text: "module.name", as Python 3 spells it
    kCall,        // items: a kGlobal, a kTuple of arguments
    kPersistent,  // items: the persistent id
    kObject,      // items: the kGlobal of its class; its contents are dropped
    kOther,       // None, bools, floats, bytes, sets
  };

  Kind kind = Kind::kOther;
  int64_t integer = 0;
  std::string text;
  // Values of the same pickle; a value may contain itself.
  std::vector<const PickleValue*> items;

  bool IsCall(std::string_view name) const {
    return kind == Kind::kCall && items[0]->text == name;
  }
  // Precondition: kind is kCall.
  const std::vector<const PickleValue*>& arguments() const {
    return items[1]->items;
  }
  // The value of a text key; null if there is none.
  const PickleValue* Find(std::string_view key) const;
};

class Pickle {
 public:
  // Reads one pickle of protocol 2 to 5. kMaxBytes and kMaxValues bound its
  // memory, and nothing recurses. Throws ConversionError with the middle of a
  // sentence, such as "calls os.system; ...".
  explicit Pickle(std::span<const std::byte> bytes);
  Pickle(const Pickle&) = delete;
  Pickle& operator=(const Pickle&) = delete;

  static constexpr uint64_t kMaxBytes = uint64_t{32} << 20;
  static constexpr size_t kMaxValues = size_t{2} << 20;

  const PickleValue& root() const { return *root_; }

 private:
  friend class PickleMachine;

  std::deque<PickleValue> values_;
  const PickleValue* root_ = nullptr;
};

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_PICKLE_H_
