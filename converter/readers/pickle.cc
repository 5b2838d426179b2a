#include "converter/readers/pickle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "converter/error.h"

namespace latimer {

using Kind = PickleValue::Kind;

namespace {

// The calls that make tensors begin so.
constexpr std::string_view kRebuild = "torch._utils._rebuild_";

// A file that calls anything else is refused.
constexpr std::string_view kCalls[] = {
    // Calls that tensors of other kinds need,
    "torch._tensor._rebuild_from_type_v2", "torch.serialization._get_layout",
    // and calls that make the plain values which real checkpoints also contain.
    "torch.Size", "torch.device", "collections.Counter", "collections.deque",
    "builtins.bytearray", "builtins.bytes", "builtins.complex",
    "builtins.frozenset", "builtins.list", "builtins.object", "builtins.range",
    "builtins.set", "builtins.slice", "builtins.tuple", "builtins.xrange",
    "_codecs.encode", "argparse.Namespace", "copyreg._reconstructor",
    "datetime.date", "datetime.datetime", "datetime.timedelta", "numpy.dtype",
    "numpy.core.multiarray._reconstruct", "numpy.core.multiarray.scalar",
    "numpy.core.numeric._frombuffer", "numpy._core.multiarray._reconstruct",
    "numpy._core.multiarray.scalar", "numpy._core.numeric._frombuffer",
    "pathlib.Path", "pathlib.PosixPath", "pathlib.WindowsPath"};

// Calls that make a dict, which is filled afterwards.
constexpr std::string_view kDicts[] = {"collections.OrderedDict",
                                       "collections.defaultdict"};

// Bounds the memory for a file that repeats one long text a million times.
constexpr size_t kMaxName = 256;

}  // namespace

const PickleValue* PickleValue::Find(std::string_view key) const {
  if (kind != Kind::kDict) return nullptr;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->kind == Kind::kText && items[i]->text == key) {
      return items[i + 1];
    }
  }
  return nullptr;
}

// The stack machine that executes a pickle.
class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, Pickle* pickle)
      : bytes_(bytes), pickle_(*pickle) {}

  void Run() {
    if (bytes_.size() > Pickle::kMaxBytes) {
      FailWith("holds more than ", Pickle::kMaxBytes >> 20,
               " MiB besides the tensors; save the model's state_dict alone");
    }
    for (uint8_t op = Byte(); op != '.'; op = Byte()) Execute(op);
    pickle_.root_ = Pop();
  }

  void Execute(uint8_t op);

  [[noreturn]] static void Malformed() {
    FailWith("is not a valid pickle: the file is damaged");
  }

  [[noreturn]] static void RefuseOpcode(uint8_t op) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    FailWith("has the pickle opcode 0x", kDigits[op >> 4], kDigits[op & 15],
             ", which torch.save does not write");
  }

  // ---- Bytes

  std::string_view Take(uint64_t size) {
    if (size > bytes_.size()) Malformed();
    const auto* text = reinterpret_cast<const char*>(bytes_.data());
    bytes_ = bytes_.subspan(size);
    return {text, static_cast<size_t>(size)};
  }

  uint8_t Byte() { return static_cast<uint8_t>(Take(1)[0]); }

  // A little-endian number of 1 to 8 bytes.
  uint64_t Number(size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, Take(size).data(), size);
    return value;
  }

  std::string_view Line() {
    const auto* text = reinterpret_cast<const char*>(bytes_.data());
    const size_t size = std::string_view(text, bytes_.size()).find('\n');
    if (size == std::string_view::npos) Malformed();
    return Take(size + 1).substr(0, size);
  }

  // ---- Stack

  PickleValue* New(Kind kind) {
    if (pickle_.values_.size() == Pickle::kMaxValues) {
      FailWith(
          "holds too many values besides the tensors; save the model's "
          "state_dict alone");
    }
    PickleValue& value = pickle_.values_.emplace_back();
    value.kind = kind;
    return &value;
  }

  PickleValue* Push(Kind kind) {
    stack_.push_back(New(kind));
    return stack_.back();
  }

  void PushText(std::string_view text) { Push(Kind::kText)->text = text; }
  void PushInteger(int64_t value) { Push(Kind::kInteger)->integer = value; }

  // A number in two's complement, of `size` bytes.
  void PushLong(uint64_t size) {
    const std::string_view digits = Take(size);
    if (size > 8) return PushOther();
    uint64_t value = 0;
    if (size > 0 && (digits.back() & 0x80) != 0) value = ~uint64_t{0};
    std::memcpy(&value, digits.data(), digits.size());
    PushInteger(static_cast<int64_t>(value));
  }

  void PushTuple(std::vector<const PickleValue*> items) {
    Push(Kind::kTuple)->items = std::move(items);
  }

  void PushOther() {
    if (other_ == nullptr) other_ = New(Kind::kOther);
    stack_.push_back(other_);
  }

  // Takes the values above the innermost mark.
  size_t Depth() const {
    return stack_.size() - (marks_.empty() ? 0 : marks_.back());
  }

  PickleValue* Pop() {
    if (Depth() == 0) Malformed();
    PickleValue* top = stack_.back();
    stack_.pop_back();
    return top;
  }

  PickleValue* Top() {
    if (Depth() == 0) Malformed();
    return stack_.back();
  }

  std::vector<const PickleValue*> PopItems(size_t count) {
    if (Depth() < count) Malformed();
    const auto begin = stack_.end() - static_cast<ptrdiff_t>(count);
    std::vector<const PickleValue*> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return items;
  }

  std::vector<const PickleValue*> PopToMark() {
    if (marks_.empty()) Malformed();
    std::vector<const PickleValue*> items = PopItems(Depth());
    marks_.pop_back();
    return items;
  }

  // POP also takes a mark.
  void Drop() {
    if (Depth() == 0) {
      PopToMark();
    } else {
      Pop();
    }
  }

  // ---- Opcodes of more than one step

  void CheckProtocol() {
    const uint8_t protocol = Byte();
    if (protocol <= 5) return;
    FailWith("has pickle protocol ", protocol, "; 2 to 5 can be read");
  }

  // Skips bytes that stand for a value.
  void SkipOther(uint64_t size) {
    Take(size);
    PushOther();
  }

  // Objects of other classes may be filled too; their contents are dropped.
  void Extend(Kind kind, const std::vector<const PickleValue*>& items) {
    PickleValue* to = Top();
    if (kind == Kind::kDict && items.size() % 2 != 0) Malformed();
    if (to->kind == kind && kind != Kind::kOther) {
      to->items.insert(to->items.end(), items.begin(), items.end());
    } else if (to->kind != Kind::kOther && to->kind != Kind::kObject &&
               to->kind != Kind::kCall) {
      Malformed();
    }
  }

  void GlobalOfLines() {
    const std::string_view module = Line();
    PushGlobal(module, Line());
  }

  void GlobalOfStack() {
    const PickleValue* name = Pop();
    const PickleValue* module = Pop();
    if (name->kind != Kind::kText || module->kind != Kind::kText) Malformed();
    PushGlobal(module->text, name->text);
  }

  void PushGlobal(std::string_view module, std::string_view name) {
    if (module.size() + name.size() > kMaxName) Malformed();
    // Protocol 2 uses the names of Python 2.
    if (module == "__builtin__") module = "builtins";
    if (module == "copy_reg") module = "copyreg";
    Push(Kind::kGlobal)->text = Concat(module, ".", name);
  }

  void Call() {
    const PickleValue* arguments = Pop();
    const PickleValue* callable = Pop();
    if (arguments->kind != Kind::kTuple) Malformed();
    if (callable->kind != Kind::kGlobal) {
      RefuseCall("a function that it computes");
    }
    if (std::ranges::count(kDicts, callable->text) > 0) {
      Push(Kind::kDict);
      return;
    }
    if (!callable->text.starts_with(kRebuild) &&
        std::ranges::count(kCalls, callable->text) == 0) {
      RefuseCall(Printable(callable->text));
    }
    Push(Kind::kCall)->items = {callable, arguments};
  }

  [[noreturn]] static void RefuseCall(const std::string& name) {
    FailWith("calls ", name,
             "; only tensors are read and nothing is executed: save the "
             "model's state_dict alone");
  }

  void NewObject() {
    Pop();  // Arguments.
    const PickleValue* type = Pop();
    if (type->kind != Kind::kGlobal) Malformed();
    Push(Kind::kObject)->items = {type};
  }

  void PushPersistent() {
    const PickleValue* id = Pop();
    Push(Kind::kPersistent)->items = {id};
  }

  void Get(uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) Malformed();
    stack_.push_back(found->second);
  }

  std::span<const std::byte> bytes_;
  Pickle& pickle_;
  std::vector<PickleValue*> stack_;
  std::vector<size_t> marks_;  // Heights of the stack.
  std::unordered_map<uint64_t, PickleValue*> memo_;
  PickleValue* other_ = nullptr;
};

namespace {

using M = PickleMachine;

struct Opcode {
  uint8_t code;
  void (*run)(M& m);
};

// What torch.save writes, named as in CPython's pickletools.py.
constexpr Opcode kOpcodes[] = {
    {0x80, [](M& m) { m.CheckProtocol(); }},  // PROTO
    {0x95, [](M& m) { m.Take(8); }},          // FRAME
    // Constants.
    {'N', [](M& m) { m.PushOther(); }},                     // NONE
    {0x88, [](M& m) { m.PushOther(); }},                    // NEWTRUE
    {0x89, [](M& m) { m.PushOther(); }},                    // NEWFALSE
    {'K', [](M& m) { m.PushInteger(m.Number(1)); }},        // BININT1
    {'M', [](M& m) { m.PushInteger(m.Number(2)); }},        // BININT2
    {'J', [](M& m) { m.PushLong(4); }},                     // BININT
    {0x8a, [](M& m) { m.PushLong(m.Number(1)); }},          // LONG1
    {0x8b, [](M& m) { m.PushLong(m.Number(4)); }},          // LONG4
    {'G', [](M& m) { m.SkipOther(8); }},                    // BINFLOAT
    {0x8c, [](M& m) { m.PushText(m.Take(m.Number(1))); }},  // SHORT_BINUNICODE
    {'X', [](M& m) { m.PushText(m.Take(m.Number(4))); }},   // BINUNICODE
    {0x8d, [](M& m) { m.PushText(m.Take(m.Number(8))); }},  // BINUNICODE8
    {'C', [](M& m) { m.SkipOther(m.Number(1)); }},          // SHORT_BINBYTES
    {'B', [](M& m) { m.SkipOther(m.Number(4)); }},          // BINBYTES
    {0x8e, [](M& m) { m.SkipOther(m.Number(8)); }},         // BINBYTES8
    {0x96, [](M& m) { m.SkipOther(m.Number(8)); }},         // BYTEARRAY8
    // Containers.
    {'(', [](M& m) { m.marks_.push_back(m.stack_.size()); }},     // MARK
    {'0', [](M& m) { m.Drop(); }},                                // POP
    {'1', [](M& m) { m.PopToMark(); }},                           // POP_MARK
    {'2', [](M& m) { m.stack_.push_back(m.Top()); }},             // DUP
    {']', [](M& m) { m.Push(Kind::kList); }},                     // EMPTY_LIST
    {'}', [](M& m) { m.Push(Kind::kDict); }},                     // EMPTY_DICT
    {0x8f, [](M& m) { m.PushOther(); }},                          // EMPTY_SET
    {')', [](M& m) { m.PushTuple({}); }},                         // EMPTY_TUPLE
    {0x85, [](M& m) { m.PushTuple(m.PopItems(1)); }},             // TUPLE1
    {0x86, [](M& m) { m.PushTuple(m.PopItems(2)); }},             // TUPLE2
    {0x87, [](M& m) { m.PushTuple(m.PopItems(3)); }},             // TUPLE3
    {'t', [](M& m) { m.PushTuple(m.PopToMark()); }},              // TUPLE
    {0x91, [](M& m) { m.PopToMark(), m.PushOther(); }},           // FROZENSET
    {'a', [](M& m) { m.Extend(Kind::kList, m.PopItems(1)); }},    // APPEND
    {'e', [](M& m) { m.Extend(Kind::kList, m.PopToMark()); }},    // APPENDS
    {'s', [](M& m) { m.Extend(Kind::kDict, m.PopItems(2)); }},    // SETITEM
    {'u', [](M& m) { m.Extend(Kind::kDict, m.PopToMark()); }},    // SETITEMS
    {0x90, [](M& m) { m.Extend(Kind::kOther, m.PopToMark()); }},  // ADDITEMS
    // Objects. BUILD sets attributes, such as a state_dict's _metadata.
    {'c', [](M& m) { m.GlobalOfLines(); }},        // GLOBAL
    {0x93, [](M& m) { m.GlobalOfStack(); }},       // STACK_GLOBAL
    {'R', [](M& m) { m.Call(); }},                 // REDUCE
    {0x81, [](M& m) { m.NewObject(); }},           // NEWOBJ
    {0x92, [](M& m) { m.Pop(), m.NewObject(); }},  // NEWOBJ_EX
    {'b', [](M& m) { m.Pop(), m.Top(); }},         // BUILD
    {'Q', [](M& m) { m.PushPersistent(); }},       // BINPERSID
    // The memo.
    {'q', [](M& m) { m.memo_[m.Number(1)] = m.Top(); }},      // BINPUT
    {'r', [](M& m) { m.memo_[m.Number(4)] = m.Top(); }},      // LONG_BINPUT
    {0x94, [](M& m) { m.memo_[m.memo_.size()] = m.Top(); }},  // MEMOIZE
    {'h', [](M& m) { m.Get(m.Number(1)); }},                  // BINGET
    {'j', [](M& m) { m.Get(m.Number(4)); }},                  // LONG_BINGET
};

}  // namespace

void PickleMachine::Execute(uint8_t op) {
  static const auto kActions = [] {
    std::array<void (*)(M&), 256> actions{};
    for (const Opcode& opcode : kOpcodes) actions[opcode.code] = opcode.run;
    return actions;
  }();
  if (kActions[op] == nullptr) RefuseOpcode(op);
  kActions[op](*this);
}

Pickle::Pickle(std::span<const std::byte> bytes) {
  PickleMachine(bytes, this).Run();
}

}  // namespace latimer
