// Python's pickles as torch writes them; nothing else is executed or read.
// Tests converter/readers/pickle.cc.
#include "converter/readers/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/growth.h"
#include "tests/converter/model_folder.h"
#include "tests/converter/zip_bytes.h"

namespace latimer::pickle_test {

using ::testing::HasSubstr;
using Kind = PickleValue::Kind;

// The opcodes of CPython's pickletools.py by their names there.
const std::string kProto2 = "\x80\x02";
const std::string kTuple1 = "\x85";
const std::string kStackGlobal = "\x93";

std::string Text(const std::string& text) {
  return "X" + Bytes(text.size(), 4) + text;
}

std::span<const std::byte> AsBytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string PickleError(const std::string& bytes) {
  return ErrorOf([&] { Pickle pickle(AsBytes(bytes)); });
}

TEST(PickleTest, ReadsNumbersTextAndContainers) {
  const std::string bytes = kProto2 + "}(" + Text("a") + "K\x07" + Text("b") +
                            "(J" + Bytes(0xfffffffe, 4) + "M" + Bytes(513, 2) +
                            "\x8a\x01\xfft" + "u.";
  const Pickle pickle(AsBytes(bytes));
  const PickleValue& root = pickle.root();
  ASSERT_EQ(root.kind, Kind::kDict);
  EXPECT_EQ(root.Find("a")->integer, 7);
  EXPECT_EQ(root.Find("c"), nullptr);
  const PickleValue& tuple = *root.Find("b");
  ASSERT_EQ(tuple.kind, Kind::kTuple);
  ASSERT_EQ(tuple.items.size(), 3u);
  EXPECT_EQ(tuple.items[0]->integer, -2);
  EXPECT_EQ(tuple.items[1]->integer, 513);
  EXPECT_EQ(tuple.items[2]->integer, -1);
}

TEST(PickleTest, RefusesACallByTheNameOfWhatItCalls) {
  EXPECT_EQ(PickleError("cos\nsystem\n" + Text("ls") + kTuple1 + "R."),
            "calls os.system; only tensors are read and nothing is executed: "
            "save the model's state_dict alone");
  EXPECT_THAT(PickleError(kProto2 + "c__builtin__\neval\n" + Text("1") +
                          kTuple1 + "R."),
              HasSubstr("calls builtins.eval;"));
  EXPECT_THAT(PickleError(Text("posix") + Text("system") + kStackGlobal +
                          Text("ls") + kTuple1 + "R."),
              HasSubstr("calls posix.system;"));
  // The result of a call is not a function either.
  EXPECT_THAT(PickleError("ctorch\nSize\n)R)R."),
              HasSubstr("calls a function that it computes"));
}

TEST(PickleTest, NamesWithControlCharactersDoNotReachTheTerminal) {
  EXPECT_THAT(PickleError(Text("\x1b[2J\n") + Text(std::string("a\0b", 3)) +
                          kStackGlobal + ")R."),
              HasSubstr("calls ?[2J?.a?b;"));
}

TEST(PickleTest, AnObjectOfAnyClassIsKeptAsItsNameAlone) {
  // NEWOBJ, then BUILD with its attributes.
  const std::string bytes = "cargparse\nNamespace\n)\x81}" + std::string("b.");
  const Pickle pickle(AsBytes(bytes));
  ASSERT_EQ(pickle.root().kind, Kind::kObject);
  EXPECT_EQ(pickle.root().items[0]->text, "argparse.Namespace");
}

TEST(PickleTest, RefusesWhatTheStackCannotGive) {
  for (const std::string& bytes : std::vector<std::string>{
           "",       // nothing at all
           ".",      // no value
           "K\x01",  // no STOP
           "(.",     // a mark is no value
           "t.",
           "e.",
           "u.",
           "1.",  // no mark
           "K\x01(R.",
           "R.",
           "NR.",               // no callable, no arguments
           "cos\nsystem\nNR.",  // arguments that are no tuple
           "}Ns.",
           "}(Nu.",
           "a.",        // half an item
           "K\x01Na.",  // an item for a number
           "h\x05.",
           "jaaaa.",  // never stored
           "q\x01.",
           "\x94.",  // nothing to store
           "NN\x93.",
           "N\x93.",  // names that are no text
           "N)\x81.",
           ")\x81.",  // a class that is none
           "Q.",
           "b.",
           "2.",
           "0.",
           "\x87.",
           "NN\x87.",
           "cos.",
           "cos\nsystem",  // unfinished lines
           "X\xff\xff\xff\xff"
           "a.",  // longer than the file
           "\x8d" + std::string(8, '\xff') + "a.",
           "\x8a\x09"
           "12345678.",
           "\x8b\xff\xff\xff\xff.",
           std::string("c") + std::string(300, 'a') + "\nb\n.",
       }) {
    EXPECT_EQ(PickleError(bytes), "is not a valid pickle: the file is damaged")
        << ::testing::PrintToString(bytes);
  }
}

TEST(PickleTest, NamesAnOpcodeThatTorchDoesNotWrite) {
  for (const char op : {'I', 'L', 'F', 'S', 'V', 'i', 'o', 'l', 'd', 'g', 'p',
                        'P', '\x82', '\x97', '\x00', '\xff'}) {
    EXPECT_THAT(PickleError(std::string(1, op) + "."),
                HasSubstr("pickle opcode 0x"))
        << op;
  }
  EXPECT_THAT(PickleError("\x80\x06N."), HasSubstr("pickle protocol 6"));
}

TEST(PickleTest, DepthCostsNoStack) {
  constexpr int kDepth = 1'000'000;
  std::string bytes(kDepth, ']');
  bytes += std::string(kDepth - 1, 'a') + ".";
  const Pickle pickle(AsBytes(bytes));
  const PickleValue* value = &pickle.root();
  int depth = 1;
  for (; !value->items.empty(); ++depth) value = value->items[0];
  EXPECT_EQ(depth, kDepth);

  const std::string marks = std::string(kDepth, '(') + "N.";
  EXPECT_NO_THROW(Pickle(AsBytes(marks)));
}

TEST(PickleTest, AListMayHoldItself) {
  const std::string bytes =
      "]q\x01h\x01"
      "a.";
  const Pickle pickle(AsBytes(bytes));
  EXPECT_EQ(pickle.root().items[0], &pickle.root());
}

TEST(PickleTest, AHugeMemoIndexCostsOneEntry) {
  const std::string bytes =
      "K\x05r\xff\xff\xff\xff"
      "0j\xff\xff\xff\xff.";
  EXPECT_EQ(Pickle(AsBytes(bytes)).root().integer, 5);
}

TEST(PickleTest, LimitsItsMemory) {
  EXPECT_THAT(PickleError(std::string(Pickle::kMaxValues + 1, ']') + "."),
              HasSubstr("too many values"));
  EXPECT_THAT(PickleError(std::string(Pickle::kMaxBytes, '(') + "N."),
              HasSubstr("more than 32 MiB"));
}

TEST(PickleTest, RefusesEveryTruncation) {
  const std::string whole = kProto2 + "ccollections\nOrderedDict\n)R(" +
                            Text("a") +
                            "\x8a\x02"
                            "abu}b.";
  EXPECT_NO_THROW(Pickle(AsBytes(whole)));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(PickleError(whole.substr(0, size)), HasSubstr("damaged"))
        << size;
  }
}

TEST(PickleTest, TimeGrowsWithThePickle) {
  const auto read = [](const std::string& bytes) {
    try {
      const Pickle pickle(AsBytes(bytes));
    } catch (const ConversionError&) {
    }
  };
  for (const std::string& code :
       {std::string("("), std::string("]"), std::string("}"),
        std::string("K\0", 2), Text("a"), Text("a") + "K\1",
        "(" + Text("a") + "K\1", std::string("]q\0h", 4),
        std::string("ca\nb\n"), std::string("ca\n"), std::string("2"),
        "\x94" + Text("a"), std::string("]a"), std::string("(t"),
        std::string("(K\1e", 4), std::string("(1")}) {
    SCOPED_TRACE(::testing::PrintToString(code));
    ExpectLinear(
        20000, [&](size_t n) { return Repeated(code, n); },
        [&](const std::string& many) {
          for (const char* begin : {"", "]", "}", "](", "}("}) {
            for (const char* end : {".", "t.", "u.", "e.", "s."}) {
              read(begin + many + end);
            }
          }
        });
  }
}

}  // namespace latimer::pickle_test
