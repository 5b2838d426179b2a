// What is no model for the converter is named by what is in it, with what to
// do.
// Tests converter/readers/other_formats.cc, converter/readers/mapped_model.cc,
// converter/readers/open_model.cc.
#include "converter/readers/other_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converter/readers/mapped_model.h"
#include "converter/readers/open_model.h"
#include "tests/converter/own_model.h"
#include "tests/converter/zip_bytes.h"

namespace latimer::other_formats_test {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OtherFormatsTest : public ::testing::Test {
 protected:
  fs::path Write(const std::string& name, const std::string& bytes) {
    WriteFile(folder_.path() / name, bytes);
    return folder_.path() / name;
  }

  // As latimer-convert without --map.
  static std::string Answer(const fs::path& path) {
    const std::string message = ErrorOf([&] {
      RefuseOtherFormats(path);
      RefuseWithoutMap(path);
      (void)OpenModel(path, /*with_tokenizer=*/true);
    });
    EXPECT_THAT(message, testing::StartsWith(path.string()));
    EXPECT_EQ(message.back(), '.') << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }

  TempFolder folder_;
};

TEST_F(OtherFormatsTest, ContentCountsWhateverTheName) {
  // The entries of what keras 3.15 saves.
  const std::string keras = ZipBytes({{"metadata.json", "{}"},
                                      {"config.json", "{}"},
                                      {"model.weights.h5", ""}});
  const std::string program = ReadFile(TestData("checkpoints") / "program.pt2");
  // pickle.dumps({}, protocol=4).
  const std::string pickle = "\x80\x04}\x94.";
  const struct {
    std::string bytes;
    const char* name;
    const char* what;
  } kCases[] = {
      {"GGUF\x03", "model.bin", "a GGUF model; give the model that"},
      {std::string("\x1c\0\0\0TFL3", 8), "m.bin", "a TensorFlow Lite model"},
      {"\x89HDF\r\n\x1a\n", "w.bin",
       "a Keras model; write its weights as .npz with "},
      {keras, "model.zip", "a Keras model; write its weights as .npz with "},
      {program, "model.zip", "a program of torch.export; save the model's"},
      {"\x93NUMPY\x01", "w.bin", "one array of NumPy; write"},
      {pickle, "model.pt", "a pickle of Python; save the model's state_dict"},
  };
  for (const auto& [bytes, name, what] : kCases) {
    EXPECT_THAT(Answer(Write(name, bytes)),
                HasSubstr("this is " + std::string(what)))
        << name;
  }
  EXPECT_THAT(Answer(Write("opus.zip", ZipBytes({{"decoder.yml", "a: b"}}))),
              HasSubstr("is a zip file of other files than a checkpoint's; "
                        "unpack it"));
}

TEST_F(OtherFormatsTest, EveryModelOfOnesOwnIsToldOfMaps) {
  for (const char* name : {"m.gguf", "m.tflite"}) {
    EXPECT_THAT(Answer(Write(name, "{}")),
                HasSubstr("or your PyTorch checkpoint with --map"));
  }
  for (const char* name :
       {"m.onnx", "m.keras", "m.weights.h5", "ckpt-1.index"}) {
    EXPECT_THAT(Answer(Write(name, "{}")),
                HasSubstr("give the .npz with a --map"));
  }
}

TEST_F(OtherFormatsTest, FoldersOfKerasAndTensorFlowAreNamed) {
  const std::pair<std::vector<std::string>, const char*> kCases[] = {
      {{"config.json", "metadata.json", "model.weights.h5"}, "a Keras model;"},
      {{"saved_model.pb"},
       "a TensorFlow model (SavedModel); write its weights"},
      {{"checkpoint", "ckpt-1.index", "ckpt-1.data-00000-of-00001"},
       "a TensorFlow checkpoint; write its weights"},
      {{"config.json", "tf_model.h5"}, "a TensorFlow model; write it as"},
  };
  for (const auto& [names, what] : kCases) {
    const TempFolder folder;
    for (const std::string& name : names) {
      WriteFile(folder.path() / name, "{}");
    }
    EXPECT_THAT(Answer(folder.path()),
                HasSubstr("this is " + std::string(what)));
  }
}

TEST_F(OtherFormatsTest, AWebPageIsNoModel) {
  for (const char* page : {"<!DOCTYPE html>\n<html>", "\n <!doctype html>",
                           "\xef\xbb\xbf<HTML>"}) {
    for (const char* name : {"model.pt", "model.npz", "model.safetensors"}) {
      const fs::path path = Write(name, page);
      EXPECT_THAT(Answer(path),
                  HasSubstr("is a web page and not the file itself; download"));
      EXPECT_THAT(ErrorOf([&] { (void)OpenTensorFile(path); }),
                  HasSubstr("is a web page"));
    }
  }
  EXPECT_THAT(Answer(Write("model.pt", "<p>")), Not(HasSubstr("web page")));
}

TEST_F(OtherFormatsTest, ACheckpointOfAnyNameNeedsAMap) {
  const std::string bytes = ReadFile(OwnModel("fc_q").weights);
  for (const char* name : {"model_2.9.zip", "model.bin", "model"}) {
    EXPECT_THAT(Answer(Write(name, bytes)),
                HasSubstr("weights alone do not say how the model is built; "
                          "give --map preset:fc_q, which has their names."))
        << name;
  }
  Write("config.json", "{}");
  EXPECT_THAT(Answer(Write("pytorch_model.bin", bytes)),
              HasSubstr("give " + folder_.path().string() +
                        ", the folder with its config.json, or --map preset:"));
}

TEST_F(OtherFormatsTest, AFileThatIsNothingKnownIsNoFolder) {
  EXPECT_THAT(Answer(Write("notes.txt", "hello")),
              HasSubstr("is no model that the converter knows; give the folder "
                        "of"));
  EXPECT_THAT(Answer(folder_.path()), HasSubstr("config.json"));
}

TEST_F(OtherFormatsTest, ToolkitsCheckpointsNameTheirConverter) {
  for (const auto& [file, converter] :
       {std::pair("fairseq", "ct2-fairseq-converter"),
        {"opennmt_py", "ct2-opennmt-py-converter"},
        {"opennmt_py_rnn",
         "is an RNN of OpenNMT-py, which CTranslate2's "
         "converter refuses"}}) {
    EXPECT_THAT(Answer(TestData("checkpoints") / (std::string(file) + ".pt")),
                HasSubstr(converter));
  }
}

TEST_F(OtherFormatsTest, AnLstmIsNoGru) {
  const fs::path path = TestData("checkpoints") / "lstm.pt";
  EXPECT_THAT(Answer(path), HasSubstr("give --map FILE.json or preset:NAME"));
  EXPECT_THAT(ErrorOf([&] {
                (void)ReadMappedModel(
                    path, ReadModelMap("preset:gru_bahdanau", {}), false);
              }),
              HasSubstr("has LSTMs: encoder.rnn.weight_hh_l0 [12, 3] has four "
                        "gates; the architecture of preset:gru_bahdanau is "
                        "\"gru\""));
}

}  // namespace latimer::other_formats_test
