// Finds the numbers of a model file, so that one may be changed while the rest
// stay valid.
#ifndef LATIMER_TESTS_FUZZ_MODEL_SLOTS_H_
#define LATIMER_TESTS_FUZZ_MODEL_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace latimer {

// Bytes that hold one number; 1, 2, 4 or 8.
struct Slot {
  uint32_t offset;
  uint32_t bytes;
};

// Numbers side by side.
struct SlotRun {
  uint32_t offset;
  uint32_t bytes;  // Of each.
  uint32_t count;

  Slot operator[](size_t i) const {
    return {offset + bytes * static_cast<uint32_t>(i), bytes};
  }
};

struct ModelSlots {
  // Fields of tables: scalars and offsets. The padding after a field may count
  // as its upper bytes.
  std::vector<Slot> fields;
  // Of the tables' vtables, and from each table to its own.
  std::vector<Slot> vtables;
  // Lengths of vectors and strings.
  std::vector<Slot> counts;
  // Elements of vectors and bytes of strings; structs as 32-bit words.
  std::vector<SlotRun> elements;
  // The tensors' numbers and biases.
  std::vector<SlotRun> weights;
};

// Precondition: `file` is a model that ReadModelFile accepts.
ModelSlots FindModelSlots(std::span<const std::byte> file);

// A number of a slot's width, in the lower bytes.
uint64_t ReadSlot(std::span<const std::byte> file, Slot slot);
void WriteSlot(std::span<std::byte> file, Slot slot, uint64_t value);

// Corrects the checksum. Precondition: as above, or only slots other than the
// root table's and its vtable's have been changed; else nothing happens.
void FixChecksum(std::span<std::byte> file);

}  // namespace latimer

#endif  // LATIMER_TESTS_FUZZ_MODEL_SLOTS_H_
