#include "converter/readers/pickle.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "converter/error.h"

namespace latimer {

using Kind = PickleValue::Kind;

namespace {

constexpr std::string_view kCalls[] = {
    // Calls that make tensors,
    "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    // and calls that make the plain values which real checkpoints also contain.
    // A file that calls anything else is refused.
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
    for (uint8_t op = Byte(); op != '.'; op = Byte()) {
      if (!ReadConstant(op) && !ReadContainer(op) && !ReadObject(op) &&
          !ReadMemo(op)) {
        RefuseOpcode(op);
      }
    }
    pickle_.root_ = Pop();
  }

 private:
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

  void PushText(Kind kind, std::string_view text) { Push(kind)->text = text; }
  void PushInteger(int64_t value) { Push(Kind::kInteger)->integer = value; }

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

  // ---- Opcodes, named in CPython's pickletools.py; false: not one of these

  bool ReadConstant(uint8_t op) {
    switch (op) {
      case 0x80:  // PROTO
        if (const uint8_t protocol = Byte(); protocol > 5) {
          FailWith("has pickle protocol ", protocol, "; 2 to 5 can be read");
        }
        return true;
      case 0x95:  // FRAME
        Take(8);
        return true;
      case 'N':   // NONE
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        PushOther();
        return true;
      case 'K':  // BININT1
        PushInteger(static_cast<int64_t>(Number(1)));
        return true;
      case 'M':  // BININT2
        PushInteger(static_cast<int64_t>(Number(2)));
        return true;
      case 'J':  // BININT
        PushInteger(static_cast<int32_t>(Number(4)));
        return true;
      case 0x8a:  // LONG1
        PushLong(Number(1));
        return true;
      case 0x8b:  // LONG4
        PushLong(Number(4));
        return true;
      case 'G':  // BINFLOAT
        Take(8);
        PushOther();
        return true;
      default:
        return ReadString(op);
    }
  }

  bool ReadString(uint8_t op) {
    switch (op) {
      case 0x8c:  // SHORT_BINUNICODE
        PushText(Kind::kText, Take(Number(1)));
        return true;
      case 'X':  // BINUNICODE
        PushText(Kind::kText, Take(Number(4)));
        return true;
      case 0x8d:  // BINUNICODE8
        PushText(Kind::kText, Take(Number(8)));
        return true;
      case 'C':  // SHORT_BINBYTES
        Take(Number(1));
        PushOther();
        return true;
      case 'B':  // BINBYTES
        Take(Number(4));
        PushOther();
        return true;
      case 0x8e:  // BINBYTES8
      case 0x96:  // BYTEARRAY8
        Take(Number(8));
        PushOther();
        return true;
      default:
        return false;
    }
  }

  // A number in two's complement, of `size` bytes.
  void PushLong(uint64_t size) {
    const std::string_view digits = Take(size);
    if (size > 8) return PushOther();
    uint64_t value = 0;
    if (size > 0 && (digits.back() & 0x80) != 0) value = ~uint64_t{0};
    std::memcpy(&value, digits.data(), digits.size());
    PushInteger(static_cast<int64_t>(value));
  }

  bool ReadContainer(uint8_t op) {
    switch (op) {
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return true;
      case '0':  // POP
        if (Depth() == 0) {
          PopToMark();
        } else {
          Pop();
        }
        return true;
      case '1':  // POP_MARK
        PopToMark();
        return true;
      case '2':  // DUP
        stack_.push_back(Top());
        return true;
      case ']':  // EMPTY_LIST
        Push(Kind::kList);
        return true;
      case '}':  // EMPTY_DICT
        Push(Kind::kDict);
        return true;
      case 0x8f:  // EMPTY_SET
        PushOther();
        return true;
      case ')':  // EMPTY_TUPLE
        PushTuple({});
        return true;
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        PushTuple(PopItems(op - 0x84u));
        return true;
      case 't':  // TUPLE
        PushTuple(PopToMark());
        return true;
      case 0x91:  // FROZENSET
        PopToMark();
        PushOther();
        return true;
      default:
        return ReadItems(op);
    }
  }

  void PushTuple(std::vector<const PickleValue*> items) {
    Push(Kind::kTuple)->items = std::move(items);
  }

  bool ReadItems(uint8_t op) {
    switch (op) {
      case 'a':  // APPEND
        Extend(Kind::kList, PopItems(1));
        return true;
      case 'e':  // APPENDS
        Extend(Kind::kList, PopToMark());
        return true;
      case 's':  // SETITEM
        Extend(Kind::kDict, PopItems(2));
        return true;
      case 'u':  // SETITEMS
        Extend(Kind::kDict, PopToMark());
        return true;
      case 0x90:  // ADDITEMS
        Extend(Kind::kOther, PopToMark());
        return true;
      default:
        return false;
    }
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

  bool ReadObject(uint8_t op) {
    switch (op) {
      case 'c': {  // GLOBAL
        const std::string_view module = Line();
        PushGlobal(module, Line());
        return true;
      }
      case 0x93: {  // STACK_GLOBAL
        const PickleValue* name = Pop();
        const PickleValue* module = Pop();
        if (name->kind != Kind::kText || module->kind != Kind::kText) {
          Malformed();
        }
        PushGlobal(module->text, name->text);
        return true;
      }
      case 'R': {  // REDUCE
        const PickleValue* arguments = Pop();
        Call(Pop(), arguments);
        return true;
      }
      case 0x92:  // NEWOBJ_EX
        Pop();
        [[fallthrough]];
      case 0x81: {  // NEWOBJ
        Pop();
        const PickleValue* type = Pop();
        if (type->kind != Kind::kGlobal) Malformed();
        Push(Kind::kObject)->items = {type};
        return true;
      }
      case 'b':  // BUILD: attributes, such as a state_dict's _metadata.
        Pop();
        Top();
        return true;
      case 'Q': {  // BINPERSID
        const PickleValue* id = Pop();
        Push(Kind::kPersistent)->items = {id};
        return true;
      }
      default:
        return false;
    }
  }

  void PushGlobal(std::string_view module, std::string_view name) {
    if (module.size() + name.size() > kMaxName) Malformed();
    // Protocol 2 uses the names of Python 2.
    if (module == "__builtin__") module = "builtins";
    if (module == "copy_reg") module = "copyreg";
    PushText(Kind::kGlobal, std::string(module) + "." + std::string(name));
  }

  void Call(const PickleValue* callable, const PickleValue* arguments) {
    if (arguments->kind != Kind::kTuple) Malformed();
    if (callable->kind != Kind::kGlobal) {
      RefuseCall("a function that it computes");
    }
    if (std::ranges::count(kDicts, callable->text) > 0) {
      Push(Kind::kDict);
      return;
    }
    if (std::ranges::count(kCalls, callable->text) == 0) {
      RefuseCall(Printable(callable->text));
    }
    Push(Kind::kCall)->items = {callable, arguments};
  }

  [[noreturn]] static void RefuseCall(const std::string& name) {
    FailWith("calls ", name,
             "; only tensors are read and nothing is executed: save the "
             "model's state_dict alone");
  }

  bool ReadMemo(uint8_t op) {
    switch (op) {
      case 'q':  // BINPUT
        memo_[Number(1)] = Top();
        return true;
      case 'r':  // LONG_BINPUT
        memo_[Number(4)] = Top();
        return true;
      case 0x94:  // MEMOIZE
        memo_[memo_.size()] = Top();
        return true;
      case 'h':  // BINGET
        Get(Number(1));
        return true;
      case 'j':  // LONG_BINGET
        Get(Number(4));
        return true;
      default:
        return false;
    }
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

Pickle::Pickle(std::span<const std::byte> bytes) {
  PickleMachine(bytes, this).Run();
}

}  // namespace latimer
