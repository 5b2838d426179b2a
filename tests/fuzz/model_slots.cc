#include "tests/fuzz/model_slots.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "model/checksum.h"
#include "model_generated.h"

namespace latimer {
namespace {

class SlotFinder {
 public:
  explicit SlotFinder(std::span<const std::byte> file)
      : base_(reinterpret_cast<const uint8_t*>(file.data())) {}

  ModelSlots Find() {
    const schema::Model& root = *schema::GetModel(base_);
    slots_.fields.push_back({0, 4});  // Of the root table.
    AddTable(&root);
    AddTable(root.architecture());
    AddTable(root.architecture()->recurrent());
    AddProvenance(*root.provenance());
    AddGeneration(*root.generation());
    AddVector(root.tensors());
    for (const schema::Tensor* tensor : *root.tensors()) AddTensor(*tensor);
    if (root.tokenizer() != nullptr) AddTokenizer(*root.tokenizer());
    if (root.known_answer() != nullptr) {
      AddTable(root.known_answer());
      AddVector(root.known_answer()->source());
      AddVector(root.known_answer()->target());
    }
    if (root.shortlist() != nullptr) {
      AddTable(root.shortlist());
      AddVector(root.shortlist()->offsets());
      AddVector(root.shortlist()->tokens());
    }
    if (root.certificate() != nullptr) AddCertificate(*root.certificate());
    return std::move(slots_);
  }

 private:
  uint32_t OffsetOf(const void* address) const {
    return static_cast<uint32_t>(static_cast<const uint8_t*>(address) - base_);
  }

  // All generated tables derive privately from flatbuffers::Table.
  void AddTable(const void* address) {
    if (address == nullptr) return;
    const auto* table = static_cast<const flatbuffers::Table*>(address);
    const uint8_t* vtable = table->GetVTable();
    const uint32_t begin = OffsetOf(table);
    slots_.vtables.push_back({begin, 4});
    const auto vtable_bytes =
        flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
    std::vector<uint32_t> fields;
    for (uint32_t i = 0; i < vtable_bytes; i += 2) {
      slots_.vtables.push_back({OffsetOf(vtable) + i, 2});
      const auto entry =
          flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + i);
      // After the sizes of vtable and table; 0: the field is absent.
      if (i >= 4 && entry != 0) fields.push_back(begin + entry);
    }
    std::ranges::sort(fields);
    fields.push_back(
        begin + flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + 2));
    for (size_t i = 0; i + 1 < fields.size(); ++i) {
      uint32_t bytes = 8;
      while (bytes > fields[i + 1] - fields[i] || fields[i] % bytes != 0) {
        bytes /= 2;
      }
      slots_.fields.push_back({fields[i], bytes});
    }
  }

  template <typename T>
  void AddVector(const flatbuffers::Vector<T>* vector) {
    if (vector == nullptr) return;
    constexpr bool kStruct = std::is_pointer_v<T>;
    constexpr uint32_t kBytes =
        kStruct ? sizeof(std::remove_pointer_t<T>) : sizeof(T);
    AddRun(vector, kStruct ? 4 : kBytes,
           vector->size() * (kStruct ? kBytes / 4 : 1), &slots_.elements);
  }

  void AddRun(const void* vector, uint32_t bytes, uint32_t count,
              std::vector<SlotRun>* runs) {
    slots_.counts.push_back({OffsetOf(vector), 4});
    if (count > 0) runs->push_back({OffsetOf(vector) + 4, bytes, count});
  }

  void AddTensor(const schema::Tensor& tensor) {
    AddTable(&tensor);
    AddVector(static_cast<const flatbuffers::Vector<char>*>(tensor.name()));
    AddVector(tensor.shape());
    AddRun(tensor.data(), 4, tensor.data()->size() / 4, &slots_.weights);
    if (tensor.bias() != nullptr) {
      AddRun(tensor.bias(), 4, tensor.bias()->size(), &slots_.weights);
    }
  }

  void AddProvenance(const schema::Provenance& p) {
    AddTable(&p);
    for (const flatbuffers::String* text :
         {p.source(), p.license(), p.converter(), p.model_version(),
          p.published_scores(), p.assumptions()}) {
      AddVector(static_cast<const flatbuffers::Vector<char>*>(text));
    }
  }

  void AddGeneration(const schema::Generation& g) {
    AddTable(&g);
    AddVector(g.banned_tokens());
    AddVector(g.banned_ends());
    AddVector(g.source_prefix());
    AddVector(g.source_suffix());
    AddVector(g.languages());
    AddVector(g.tasks());
  }

  void AddCertificate(const schema::Certificate& c) {
    AddTable(&c);
    AddVector(c.encoder_snr());
    AddVector(c.decoder_snr());
    AddVector(c.divergences());
    AddVector(c.worst_lines());
  }

  void AddTokenizer(const schema::Tokenizer& t) {
    AddTable(&t);
    for (const auto* numbers :
         {t.normalizer_trie(), t.user_defined_trie(), t.piece_trie(),
          t.added_trie(), t.piece_offsets(), t.unused_trie(),
          t.character_classes(), t.merge_offsets(), t.merges(),
          t.fold_trie()}) {
      AddVector(numbers);
    }
    AddVector(t.replacements());
    AddVector(t.fold_text());
    AddVector(t.scores());
    AddVector(t.byte_ids());
    AddVector(t.added_tokens());
    AddVector(t.piece_text());
    AddVector(t.target_kinds());
    for (const flatbuffers::String* text :
         {t.unknown_surface(), t.folded(), t.unread()}) {
      AddVector(static_cast<const flatbuffers::Vector<char>*>(text));
    }
  }

  const uint8_t* base_;
  ModelSlots slots_;
};

}  // namespace

ModelSlots FindModelSlots(std::span<const std::byte> file) {
  return SlotFinder(file).Find();
}

uint64_t ReadSlot(std::span<const std::byte> file, Slot slot) {
  uint64_t value = 0;
  std::memcpy(&value, file.data() + slot.offset, slot.bytes);
  return value;
}

void WriteSlot(std::span<std::byte> file, Slot slot, uint64_t value) {
  std::memcpy(file.data() + slot.offset, &value, slot.bytes);
}

void FixChecksum(std::span<std::byte> file) {
  auto* bytes = reinterpret_cast<uint8_t*>(file.data());
  const uint32_t root = flatbuffers::ReadScalar<uint32_t>(bytes);
  if (root > file.size() - 4 || root % 4 != 0) return;
  flatbuffers::Verifier verifier(bytes, file.size());
  auto* table = reinterpret_cast<flatbuffers::Table*>(bytes + root);
  if (!verifier.VerifyTableStart(bytes + root) ||
      !table->VerifyField<uint64_t>(verifier, schema::Model::VT_CHECKSUM, 8)) {
    return;
  }
  uint8_t* field = table->GetAddressOf(schema::Model::VT_CHECKSUM);
  if (field == nullptr) return;
  const uint64_t checksum =
      ComputeChecksum(file, static_cast<size_t>(field - bytes));
  std::memcpy(field, &checksum, sizeof(checksum));
}

}  // namespace latimer
