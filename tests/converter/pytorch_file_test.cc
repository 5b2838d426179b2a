// PyTorch's files, whole, damaged and hostile.
// Tests converter/readers/pytorch_file.cc, converter/readers/zip_file.cc,
// converter/readers/pickle.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "converter/readers/tensor_file.h"
#include "tests/base/growth.h"
#include "tests/converter/model_folder.h"
#include "tests/converter/zip_bytes.h"

namespace latimer::pytorch_file_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

fs::path Checkpoints() { return TestData("checkpoints"); }

// A file of these bytes, in a folder of its own.
class CheckpointCopy {
 public:
  explicit CheckpointCopy(const std::string& bytes) { WriteFile(path_, bytes); }
  const fs::path& path() const { return path_; }

  void Put(size_t at, char byte) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }

 private:
  TempFolder folder_;
  fs::path path_ = folder_.path() / "weights.pt";
};

// Returns null, and the sentence in *message, if the file cannot be opened.
std::optional<TensorFile> TryOpen(const fs::path& path, std::string* message) {
  try {
    return OpenTensorFile(path);
  } catch (const ConversionError& error) {
    *message = error.what();
    EXPECT_TRUE(message->starts_with(path.string() + ": ")) << *message;
    EXPECT_EQ(message->back(), '.') << *message;
    EXPECT_TRUE(std::ranges::all_of(*message, [](char c) {
      return c >= 0x20 && c < 0x7f;
    })) << ::testing::PrintToString(*message);
    return std::nullopt;
  }
}

// The error of opening a file of these bytes; "" if it can be opened.
std::string ErrorIfAny(const std::string& bytes) {
  const CheckpointCopy copy(bytes);
  std::string message;
  (void)TryOpen(copy.path(), &message);
  return message;
}

std::string OpenError(const std::string& bytes) {
  const std::string message = ErrorIfAny(bytes);
  EXPECT_NE(message, "") << "expected a ConversionError";
  return message;
}

// ---- Files of the real library

TEST(PytorchFileTest, ReadsWhatTorchLoadReads) {
  const auto expected =
      nlohmann::json::parse(ReadFile(Checkpoints() / "expected.json"));
  for (const auto& [file_name, tensors] : expected.items()) {
    SCOPED_TRACE(file_name);
    const TensorFile file = ReadPytorchFile(Checkpoints() / file_name);
    EXPECT_EQ(file.tensors.size() + file.unreadable.size(), tensors.size());
    for (const auto& [name, tensor] : tensors.items()) {
      SCOPED_TRACE(name);
      if (tensor.contains("unreadable")) {
        ASSERT_TRUE(file.unreadable.contains(name));
        EXPECT_THAT(file.unreadable.at(name),
                    HasSubstr(tensor["unreadable"].get<std::string>()));
        continue;
      }
      ASSERT_TRUE(file.tensors.contains(name));
      const SourceTensor& actual = file.tensors.at(name);
      EXPECT_EQ(actual.name, name);
      EXPECT_EQ(nlohmann::json(actual.shape), tensor["shape"]);
      const auto values = tensor["values"].get<std::vector<float>>();
      ASSERT_EQ(actual.size(), values.size());
      EXPECT_EQ(actual.Values(), values);
    }
  }
}

TEST(PytorchFileTest, TiedTensorsViewTheSameBytes) {
  const TensorFile file = ReadPytorchFile(Checkpoints() / "kinds.pt");
  const SourceTensor& a = file.tensors.at("tied_a");
  EXPECT_EQ(a.data.data(), file.tensors.at("tied_b").data.data());
  EXPECT_EQ(a.data.data() + 3 * sizeof(float),
            file.tensors.at("rows").data.data());
}

TEST(PytorchFileTest, SaysHowToSaveAnOldFormatAgain) {
  const std::string again =
      "torch.save(torch.load(path, map_location=\"cpu\"), new_path)";
  EXPECT_THAT(OpenError(ReadFile(Checkpoints() / "old.pt")), HasSubstr(again));
  std::string tar(512, '\0');
  tar.replace(257, 5, "ustar");
  EXPECT_THAT(OpenError(tar), HasSubstr(again));
}

TEST(PytorchFileTest, NamesTheClassOfASavedModel) {
  EXPECT_THAT(OpenError(ReadFile(Checkpoints() / "module.pt")),
              AllOf(HasSubstr("torch.nn.modules.linear.Linear"),
                    HasSubstr("torch.save(model.state_dict(), path)")));
}

TEST(PytorchFileTest, SaysThatAModelIsQuantized) {
  const auto error = [](const char* name) {
    return OpenError(ReadFile(Checkpoints() / name));
  };
  const std::string advice =
      "; save the float model's state_dict, which Latimer quantizes itself.";
  EXPECT_THAT(error("float8.pt"),
              HasSubstr("tensor weight has type float8_e4m3fn" + advice));
  EXPECT_THAT(error("quantized_tensor.pt"),
              HasSubstr("tensor weight is quantized" + advice));
  EXPECT_THAT(error("quantized_layer.pt"),
              HasSubstr("tensor 0._packed_params._packed_params is quantized" +
                        advice));
}

TEST(PytorchFileTest, ATensorOfAnotherKindIsUnreadable) {
  const TensorFile file = ReadPytorchFile(Checkpoints() / "sparse.pt");
  EXPECT_EQ(file.unreadable.at("weight"),
            "is no plain tensor (torch._utils._rebuild_sparse_tensor)");
}

TEST(PytorchFileTest, RefusesBigEndianNumbers) {
  EXPECT_THAT(OpenError(ReadFile(Checkpoints() / "big_endian.pt")),
              HasSubstr("byte order big"));
}

TEST(PytorchFileTest, RefusesAGitLfsPointer) {
  EXPECT_THAT(OpenError("version https://git-lfs.github.com/spec/v1\n"),
              HasSubstr("git lfs pull"));
}

// ---- Damaged files

TEST(PytorchFileTest, RefusesEveryTruncation) {
  const std::string whole = ReadFile(Checkpoints() / "kinds.pt");
  const CheckpointCopy copy(whole);
  // The last 22 bytes repeat the values of the zip64 directory's end before
  // them.
  for (size_t size = whole.size() - 22; size-- > 0;) {
    fs::resize_file(copy.path(), size);
    std::string message;
    EXPECT_FALSE(TryOpen(copy.path(), &message)) << size;
    if (size >= 4) {
      EXPECT_THAT(message, HasSubstr("zip directory")) << size;
    }
  }
}

// Opens the file with every byte changed in some ways, one at a time.
void ForEachChangedByte(
    const fs::path& path,
    const std::function<void(size_t at, const TensorFile&)>& opened) {
  const std::string whole = ReadFile(path);
  CheckpointCopy copy(whole);
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int mask : {0x01, 0x02, 0x10, 0x80, 0xff}) {
      copy.Put(i, static_cast<char>(whole[i] ^ mask));
      std::string message;
      if (const auto file = TryOpen(copy.path(), &message)) opened(i, *file);
    }
    copy.Put(i, whole[i]);
  }
}

TEST(PytorchFileTest, NoChangedByteChangesATensorUnnoticed) {
  const fs::path path = Checkpoints() / "kinds.pt";
  const TensorFile original = ReadPytorchFile(path);
  ForEachChangedByte(path, [&](size_t i, const TensorFile& file) {
    ASSERT_EQ(file.unreadable, original.unreadable) << i;
    ASSERT_EQ(file.tensors.size(), original.tensors.size()) << i;
    for (const auto& [name, tensor] : original.tensors) {
      ASSERT_TRUE(file.tensors.contains(name)) << i;
      ASSERT_TRUE(tensor.SameAs(file.tensors.at(name))) << i;
    }
  });
}

TEST(PytorchFileTest, WithoutChecksumsDamageIsAtWorstAnotherNumber) {
  for (const char* file_name : {"no_checksums.pt", "deflated.pt"}) {
    ForEachChangedByte(Checkpoints() / file_name,
                       [&](size_t i, const TensorFile& file) {
                         for (const auto& [name, tensor] : file.tensors) {
                           std::vector<float> values(tensor.size());
                           tensor.Read(0, values);  // Lies inside the file.
                           EXPECT_LE(values.size(), 4u) << i;
                         }
                       });
  }
}

// ---- Hostile files

std::string Text(const std::string& text) {
  return Bytes('X', 1) + Bytes(text.size(), 4) + text;
}

std::string Integer(int64_t value) {
  return Bytes(0x088a, 2) + Bytes(static_cast<uint64_t>(value), 8);
}

// A dict of one item.
std::string Dict(const std::string& key, const std::string& value) {
  return Bytes('}', 1) + Text(key) + value + "s.";
}

struct Record {
  std::string storage_class = "torch\nFloatStorage";
  std::string key = "0";
  int64_t elements = 4;
  int64_t offset = 0;
  std::string shape = Integer(4) + "\x85";
  std::string strides = Integer(1) + "\x85";
};

// The pickle that torch.save writes for one tensor.
std::string TensorPickle(const Record& r) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + Text("storage") + "c" +
         r.storage_class + "\n" + Text(r.key) + Text("cpu") +
         Integer(r.elements) + "tQ" + Integer(r.offset) + r.shape + r.strides +
         "\x89" + "}tR";
}

std::string Archive(const std::string& pickle) {
  return ZipBytes({{"weights/data.pkl", pickle},
                   {"weights/byteorder", "little"},
                   {"weights/data/0", std::string(16, '\0')}});
}

std::string TensorError(const Record& record) {
  return OpenError(Archive(Dict("w", TensorPickle(record))));
}

TEST(PytorchFileTest, ReadsTheHandMadeArchive) {
  EXPECT_EQ(ErrorIfAny(Archive(Dict("w", TensorPickle({})))), "");
}

TEST(PytorchFileTest, ExecutesNothing) {
  EXPECT_THAT(OpenError(Archive("cos\nsystem\n" + Text("false") + "\x85R.")),
              HasSubstr("calls os.system; only tensors are read"));
}

TEST(PytorchFileTest, NamesTheStorageThatIsMissingOrOfAnotherSize) {
  EXPECT_THAT(TensorError({.key = "1"}),
              AllOf(HasSubstr("tensor w"), HasSubstr("weights/data/1"),
                    HasSubstr("missing")));
  EXPECT_THAT(TensorError({.key = "../../etc/passwd"}), HasSubstr("missing"));
  EXPECT_THAT(TensorError({.elements = 5}),
              AllOf(HasSubstr("tensor w needs 5 numbers of 4 bytes"),
                    HasSubstr("has 16 bytes")));
  EXPECT_THAT(TensorError({.storage_class = "torch\nDoubleStorage"}),
              HasSubstr("4 numbers of 8 bytes"));
  EXPECT_THAT(TensorError({.elements = INT64_MAX}), HasSubstr("has 16 bytes"));
}

TEST(PytorchFileTest, RefusesATensorBeyondItsStorage) {
  EXPECT_THAT(TensorError({.offset = 1}), HasSubstr("beyond its storage"));
  EXPECT_THAT(TensorError({.offset = INT64_MAX}),
              HasSubstr("beyond its storage"));
  EXPECT_THAT(TensorError({.shape = Integer(INT64_MAX) + "\x85"}),
              HasSubstr("beyond its storage"));
  EXPECT_THAT(TensorError({.shape = Integer(INT64_MAX) + Integer(4) + "\x86",
                           .strides = Integer(4) + Integer(1) + "\x86"}),
              HasSubstr("impossible shape"));
}

TEST(PytorchFileTest, NamesTheTensorThatIsMalformed) {
  for (const Record& record : std::vector<Record>{
           {.elements = -1},
           {.offset = -1},
           {.shape = Integer(-4) + "\x85"},
           {.shape = "N"},
           {.strides = ")"},
           {.strides = "N\x85"},
       }) {
    EXPECT_THAT(TensorError(record), HasSubstr("tensor w has a malformed"));
  }
  const std::string parameter = "ctorch._utils\n_rebuild_parameter\n";
  for (const std::string& value : std::vector<std::string>{
           "ctorch._utils\n_rebuild_tensor_v2\n)R",
           "ctorch._utils\n_rebuild_tensor_v2\n(NNNNtR", parameter + ")R",
           parameter + "N\x85R",
           parameter + parameter + TensorPickle({}) + "\x85R\x85R"}) {
    EXPECT_THAT(OpenError(Archive(Dict("w", value))),
                HasSubstr("tensor w has a malformed entry"));
  }
}

TEST(PytorchFileTest, RefusesWhatHoldsNoTensors) {
  for (const char* pickle : {"N.", "}.", "].", "K\x01.", "}K\x01Ns."}) {
    EXPECT_THAT(OpenError(Archive(pickle)), HasSubstr("no tensors"));
  }
  EXPECT_THAT(OpenError(ZipBytes({{"a/b", "c"}})),
              HasSubstr("no PyTorch checkpoint"));
  EXPECT_THAT(OpenError(ZipBytes({{"a/data.pkl", "N."}, {"b/data.pkl", ""}})),
              HasSubstr("two entries data.pkl"));
  EXPECT_THAT(
      OpenError(ZipBytes({{"a/data.pkl", ""}, {"a/constants.pkl", ""}})),
      HasSubstr("TorchScript"));
}

TEST(PytorchFileTest, RefusesNamesThatCollideOrCannotBePrinted) {
  const std::string tensor = TensorPickle({});
  EXPECT_THAT(
      OpenError(Archive("}(" + Text("w") + tensor + Text("w") + tensor + "u.")),
      HasSubstr("two tensors named w"));
  EXPECT_THAT(OpenError(Archive("}(" + Text("a.b") + tensor + Text("a") + "}" +
                                Text("b") + tensor + "su.")),
              HasSubstr("two tensors named a.b"));
  EXPECT_THAT(OpenError(Archive(Dict("\x1b[2J\n", tensor))),
              HasSubstr("impossible name ?[2J?"));
  EXPECT_THAT(OpenError(Archive(Dict(std::string(2000, 'w'), tensor))),
              HasSubstr("impossible name www"));
}

TEST(PytorchFileTest, DictsThatHoldThemselvesComeToAnEnd) {
  EXPECT_THAT(OpenError(Archive("}q\x01" + Text("a") + "h\x01s.")),
              HasSubstr("nested too deeply"));
  EXPECT_THAT(OpenError(Archive("}q\x01" + Text("model") + "h\x01s.")),
              HasSubstr("nested too deeply"));
  // Each dict holds the one before it 100 times.
  std::string pickle = "}0}q\x01";
  for (char level = 1; level < 6; ++level) {
    pickle += "}(";
    for (int i = 0; i < 100; ++i) {
      pickle += Text(std::to_string(i)) + "h" + level;
    }
    pickle += std::string("uq") + static_cast<char>(level + 1);
  }
  EXPECT_THAT(OpenError(Archive(pickle + ".")),
              HasSubstr("more than 100000 names"));
}

TEST(PytorchFileTest, RefusesEntriesThatShareTheirName) {
  EXPECT_THAT(OpenError(ZipBytes({{"a/data.pkl", "N."}, {"a/data.pkl", ""}})),
              HasSubstr("two entries named a/data.pkl"));
}

TEST(PytorchFileTest, TimeGrowsWithTheFile) {
  const auto read = [](const std::string& bytes) { (void)ErrorIfAny(bytes); };
  const auto tensors = [](const Record& record) {
    return [record](size_t n) {
      std::string dict = "}(";
      for (size_t i = 0; i < n; ++i) {
        dict += Text(std::to_string(i)) + TensorPickle(record);
      }
      return Archive(dict + "u.");
    };
  };
  ExpectLinear(1000, tensors({}), read);
  ExpectLinear(1000, tensors({.shape = "N"}), read);
  // All tensors have one shape, or one name of a storage.
  const auto shared = [](const std::string& type, bool is_shape) {
    return [=](size_t n) {
      const std::string ones = "(" + Repeated("K\x01", n) + "t";
      const std::string value = is_shape ? ones : Text(std::string(n, 'k'));
      const std::string get = std::string("h\0", 2);
      std::string dict = "}(" + Text("a") + value + std::string("q\0", 2);
      for (size_t i = 0; i < n; ++i) {
        const std::string storage = "((" + Text("storage") + "c" + type + "\n" +
                                    (is_shape ? Text("0") : get) + Text("cpu") +
                                    Integer(4) + "tQ" + Integer(0);
        dict += Text(std::to_string(i)) +
                "ctorch._utils\n_rebuild_tensor_v2\n" + storage +
                (is_shape ? get + get : ")))") + "\x89" + "}tR";
      }
      return Archive(dict + "u.");
    };
  };
  for (const char* type : {"torch\nFloatStorage", "torch\nLongStorage"}) {
    ExpectLinear(2000, shared(type, true), read);
    ExpectLinear(2000, shared(type, false), read);
  }
}

}  // namespace latimer::pytorch_file_test
