// latimer-convert --certify measures what the two models do.
// Tests converter/certify.cc, converter/model_pair.cc,
// programs/report/certificate.cc, runtime/model/certificate_file.cc.
#include "converter/certify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/known_answer.h"
#include "converter/text_metrics.h"
#include "internals.h"
#include "model/model_file.h"
#include "tests/system/demo_model.h"
#include "tests/system/emulator.h"
#include "tests/system/program.h"
#include "tests/system/recurrent_models.h"
#include "tests/system/tiny_model.h"

namespace latimer::certify_test {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr float kNoNoise = 999.0f;

std::string FirstLines(const char* name, size_t count) {
  std::string text;
  for (const std::string& line : ReadLines(DemoDirectory() / "data" / name)) {
    if (count-- == 0) break;
    text += line + "\n";
  }
  return text;
}

// Enough for some sentences to differ.
constexpr size_t kLines = 20;

class CertifyTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    f32_ = std::make_unique<ModelBytes>(ConvertDemo(WeightType::kF32));
    int8_ = std::make_unique<ModelBytes>(ConvertDemo(WeightType::kInt8));
    folder_ = std::make_unique<TempFolder>();
    WriteFile(Path("en"), FirstLines("test.en", kLines));
    WriteFile(Path("de"), FirstLines("test.de", kLines));
  }
  static void TearDownTestSuite() {
    f32_.reset();
    int8_.reset();
    folder_.reset();
  }

  static std::string Path(const std::string& name) {
    return folder_->path() / name;
  }

  static OwnCertificate CertifyDemo(std::span<const std::byte> packed,
                                    const std::string& references = "") {
    return Certify(
        f32_->bytes(), packed,
        {.text = Path("en"), .references = references, .progress = {}});
  }

  static std::unique_ptr<ModelBytes> f32_, int8_;
  static std::unique_ptr<TempFolder> folder_;
};

std::unique_ptr<ModelBytes> CertifyTest::f32_, CertifyTest::int8_;
std::unique_ptr<TempFolder> CertifyTest::folder_;

// The translation of a line by the public API.
struct Spoken {
  std::string text;
  std::vector<int32_t> tokens;
};

std::vector<Spoken> TranslateAll(const ModelBytes& model,
                                 const std::vector<std::string>& lines) {
  Translator translator;
  EXPECT_TRUE(translator.Load(model.bytes(), &test_workspace).ok());
  std::vector<Spoken> all;
  for (const std::string& line : lines) {
    const Result<Translation> result =
        translator.Translate(line, {.sentences = false});
    EXPECT_TRUE(result.ok()) << result.status().message();
    all.push_back({std::string(result->text),
                   {result->tokens.begin(), result->tokens.end()}});
  }
  return all;
}

TEST_F(CertifyTest, CountsWhatTheTranslatorsSay) {
  const std::vector<std::string> lines = ReadLines(Path("en"));
  const std::vector<std::string> references = ReadLines(Path("de"));
  const std::vector<Spoken> f32 = TranslateAll(*f32_, lines);
  const std::vector<Spoken> int8 = TranslateAll(*int8_, lines);
  BleuCounts f32_bleu, bleu;
  ChrfCounts f32_chrf, chrf;
  uint64_t tokens = 0;
  uint32_t equal = 0;
  std::vector<Divergence> divergences;
  for (size_t i = 0; i < lines.size(); ++i) {
    f32_bleu += CountBleu(f32[i].text, references[i]);
    f32_chrf += CountChrf(f32[i].text, references[i]);
    bleu += CountBleu(int8[i].text, references[i]);
    chrf += CountChrf(int8[i].text, references[i]);
    tokens += f32[i].tokens.size();
    if (f32[i].tokens == int8[i].tokens) {
      ++equal;
      continue;
    }
    const auto [a, b] = std::ranges::mismatch(f32[i].tokens, int8[i].tokens);
    divergences.push_back({static_cast<uint32_t>(i + 1),
                           static_cast<uint32_t>(a - f32[i].tokens.begin()), *a,
                           *b});
  }
  ASSERT_GT(divergences.size(), 0u);
  divergences.resize(std::min(divergences.size(), kMaxDivergences));

  const OwnCertificate certificate = CertifyDemo(int8_->bytes(), Path("de"));
  const Certificate c = certificate.View();
  EXPECT_EQ(c.lines, kLines);
  EXPECT_EQ(c.equal_lines, equal);
  EXPECT_EQ(c.tokens, tokens);
  EXPECT_LT(c.agreeing_tokens, tokens);
  EXPECT_GT(c.agreement(), 0.95);
  EXPECT_TRUE(c.scored);
  EXPECT_TRUE(c.has_references);
  EXPECT_DOUBLE_EQ(c.f32_bleu, Bleu(f32_bleu));
  EXPECT_DOUBLE_EQ(c.f32_chrf, Chrf(f32_chrf));
  EXPECT_DOUBLE_EQ(c.bleu, Bleu(bleu));
  EXPECT_DOUBLE_EQ(c.chrf, Chrf(chrf));
  ASSERT_EQ(c.divergences.size(), divergences.size());
  for (size_t i = 0; i < divergences.size(); ++i) {
    EXPECT_EQ(c.divergences[i].line, divergences[i].line);
    EXPECT_EQ(c.divergences[i].position, divergences[i].position);
    EXPECT_EQ(c.divergences[i].f32_token, divergences[i].f32_token);
    EXPECT_EQ(c.divergences[i].token, divergences[i].token);
  }
  ASSERT_GT(c.worst_lines.size(), 0u);
  const WorstLine& worst = c.worst_lines[0];
  // The ends of long ones are cut.
  const auto begin = [](const std::string& text) {
    return text.substr(0, 150);
  };
  EXPECT_EQ(begin(worst.source), begin(lines[worst.line - 1]));
  EXPECT_EQ(begin(worst.f32_translation), begin(f32[worst.line - 1].text));
  EXPECT_EQ(begin(worst.translation), begin(int8[worst.line - 1].text));
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_GE(Chrf(CountChrf(int8[i].text, f32[i].text)) + 1e-4,
              worst.likeness);
  }
}

TEST_F(CertifyTest, WithoutReferencesScoresAreAgainstF32) {
  const OwnCertificate certificate = CertifyDemo(int8_->bytes());
  EXPECT_FALSE(certificate.numbers.has_references);
  EXPECT_DOUBLE_EQ(certificate.numbers.f32_bleu, 100.0);
  EXPECT_DOUBLE_EQ(certificate.numbers.f32_chrf, 100.0);
  EXPECT_LT(certificate.numbers.bleu, 100.0);
  EXPECT_GT(certificate.numbers.bleu, 70.0);
}

TEST_F(CertifyTest, AModelAgreesWithItself) {
  const OwnCertificate certificate = CertifyDemo(f32_->bytes());
  EXPECT_EQ(certificate.numbers.agreement(), 1.0);
  EXPECT_EQ(certificate.numbers.equal_lines, kLines);
  EXPECT_THAT(certificate.encoder_snr, Each(kNoNoise));
  EXPECT_THAT(certificate.decoder_snr, Each(kNoNoise));
  EXPECT_EQ(certificate.numbers.logits_snr, kNoNoise);
  EXPECT_THAT(certificate.divergences, IsEmpty());
  EXPECT_THAT(certificate.worst_lines, IsEmpty());
}

TEST_F(CertifyTest, NoiseOfInt8IsSmallAndTheSameEveryTime) {
  const OwnCertificate first = CertifyDemo(int8_->bytes());
  const OwnCertificate second = CertifyDemo(int8_->bytes());
  EXPECT_THAT(first.encoder_snr, AllOf(Not(IsEmpty()), Each(Ge(15.0f))));
  EXPECT_THAT(first.decoder_snr, AllOf(Not(IsEmpty()), Each(Ge(15.0f))));
  EXPECT_GE(first.numbers.logits_snr, 15.0f);
  EXPECT_LT(first.numbers.logits_snr, 60.0f);
  EXPECT_EQ(first.encoder_snr, second.encoder_snr);
  EXPECT_EQ(first.decoder_snr, second.decoder_snr);
  EXPECT_EQ(first.numbers.logits_snr, second.numbers.logits_snr);
}

// Turns all weights of a tensor upside down, scales left alone.
void Damage(Image& image, const std::string& name) {
  for (const schema::Tensor* tensor : *image.root().tensors()) {
    if (tensor->name()->str() != name) continue;
    const auto* data = tensor->data()->data();
    auto* bytes = const_cast<uint8_t*>(data);
    const Tile tile = UsableTile();
    const uint64_t k = tensor->shape()->Get(1);
    const uint64_t nr = ShapeOf(tile).nr;
    const uint64_t block = PackedBlockBytes(WeightType::kInt8, tile, k);
    const uint64_t weights = PackedInputs(WeightType::kInt8, tile, k) * nr;
    for (uint64_t at = 0; at + block <= tensor->data()->size(); at += block) {
      std::reverse(bytes + at + nr * sizeof(int32_t),
                   bytes + at + nr * sizeof(int32_t) + weights);
    }
    return;
  }
  FAIL() << name;
}

TEST_F(CertifyTest, FindsADamagedWeightAndItsLayer) {
  const OwnCertificate whole = CertifyDemo(int8_->bytes());
  ASSERT_GE(whole.decoder_snr.size(), 2u);
  EXPECT_NO_THROW(RequireAgreement(whole.View(), 0.95, "en"));
  Image image(int8_->bytes());
  Damage(image, "decoder.1.ffn.out");
  image.FixChecksum();
  const OwnCertificate damaged = CertifyDemo(image.bytes());
  EXPECT_EQ(damaged.encoder_snr, whole.encoder_snr);
  EXPECT_EQ(damaged.decoder_snr[0], whole.decoder_snr[0]);
  EXPECT_LT(damaged.decoder_snr[1], whole.decoder_snr[1] - 5.0f);
  EXPECT_LT(damaged.numbers.agreement(), 0.95);
  EXPECT_THAT(ErrorOf([&] { RequireAgreement(damaged.View(), 0.95, "en"); }),
              AllOf(HasSubstr("of en "), HasSubstr("--min-agreement"),
                    HasSubstr("the worst")));
}

TEST_F(CertifyTest, AnyBytesAreATextAndEmptyLinesCount) {
  // In parts.
  std::string one_line = FirstLines("test.en", 40);
  std::ranges::replace(one_line, '\n', ' ');
  WriteFile(Path("odd"), "\n\xFF\xFE\n \r\n" + one_line + "\n\n" +
                             std::string("a\0b", 3) + "\nno newline");
  const OwnCertificate certificate =
      Certify(f32_->bytes(), int8_->bytes(),
              {.text = Path("odd"), .references = {}, .progress = {}});
  EXPECT_EQ(certificate.numbers.lines, 7u);
  EXPECT_GT(certificate.numbers.tokens, 50u);
  for (const WorstLine& line : certificate.worst_lines) {
    EXPECT_LT(std::strlen(line.source), kCertificateTextBytes);
  }
}

TEST_F(CertifyTest, SaysWhatIsWrongWithTheTexts) {
  WriteFile(Path("empty"), "");
  WriteFile(Path("blank"), "\n\n");
  WriteFile(Path("short"), "Haus\n");
  const auto error = [](const std::string& text,
                        const std::string& references = "") {
    return ErrorOf([&] {
      Certify(f32_->bytes(), int8_->bytes(),
              {.text = Path(text),
               .references = references.empty() ? "" : Path(references),
               .progress = {}});
    });
  };
  EXPECT_THAT(error("none"), HasSubstr("cannot be read"));
  EXPECT_THAT(error("empty"), HasSubstr("nothing to translate"));
  EXPECT_THAT(error("blank"), HasSubstr("nothing to translate"));
  EXPECT_THAT(error("en", "short"),
              AllOf(HasSubstr("has 1 lines"), HasSubstr("has 20")));
}

TEST_F(CertifyTest, WithoutATokenizerLinesAreIds) {
  const auto f32 = ConvertModel(TinyModel("untied"), WeightType::kF32);
  const auto int8 = ConvertModel(TinyModel("untied"), WeightType::kInt8);
  std::string text = "\n";
  uint64_t tokens = 0;
  const json fixture = ReadFixture(TinyModel("untied"));
  Translator translator;
  ASSERT_TRUE(translator.Load(f32.bytes(), &test_workspace).ok());
  for (const json& row : fixture["sequences"]) {
    const std::vector<int32_t> ids = row["src_ids"];
    for (const int32_t id : ids) text += std::to_string(id) + " ";
    text += "\n";
    tokens += translator.TranslateIds(ids)->tokens.size();
  }
  WriteFile(Path("ids"), text);
  const OwnCertificate certificate =
      Certify(f32.bytes(), int8.bytes(),
              {.text = Path("ids"), .references = {}, .progress = {}});
  EXPECT_FALSE(certificate.numbers.scored);
  EXPECT_EQ(certificate.numbers.tokens, tokens);
  EXPECT_THAT(certificate.encoder_snr, Each(Ge(5.0f)));
  WriteFile(Path("words"), "1 2 0\n3 Haus 0\n");
  EXPECT_THAT(ErrorOf([&] {
                Certify(
                    f32.bytes(), int8.bytes(),
                    {.text = Path("words"), .references = {}, .progress = {}});
              }),
              AllOf(HasSubstr("words, line 2"),
                    HasSubstr("'Haus 0' is not a token id")));
  EXPECT_THAT(
      ErrorOf([&] {
        Certify(
            f32.bytes(), int8.bytes(),
            {.text = Path("ids"), .references = Path("ids"), .progress = {}});
      }),
      HasSubstr("--references"));
}

TEST_F(CertifyTest, KnowsTheLayersOfGrusToo) {
  WriteFile(Path("ids"), "4 5 6 7 8\n5 4\n");
  for (const std::string& name : RecurrentNames()) {
    const ModelBytes f32 = ConvertRecurrent(name, WeightType::kF32);
    const ModelBytes int8 = ConvertRecurrent(name, WeightType::kInt8);
    Translator translator;
    ASSERT_TRUE(translator.Load(f32.bytes(), &test_workspace).ok());
    if (translator.model_info().has_tokenizer) continue;
    const OwnCertificate same =
        Certify(f32.bytes(), f32.bytes(),
                {.text = Path("ids"), .references = {}, .progress = {}});
    const OwnCertificate other =
        Certify(f32.bytes(), int8.bytes(),
                {.text = Path("ids"), .references = {}, .progress = {}});
    const Architecture& a = Internals::Describe(translator).architecture;
    EXPECT_THAT(same.encoder_snr,
                AllOf(SizeIs(a.encoder_layers), Each(kNoNoise)));
    EXPECT_THAT(same.decoder_snr,
                AllOf(SizeIs(a.decoder_layers), Each(kNoNoise)));
    EXPECT_THAT(other.encoder_snr, Each(AllOf(Ge(5.0f), Not(kNoNoise))));
    EXPECT_THAT(other.decoder_snr, Each(AllOf(Ge(5.0f), Not(kNoNoise))));
    EXPECT_NE(other.numbers.logits_snr, kNoNoise);
  }
}

// ---- In the file ------------------------------------------------------------

CanonicalModel ReadTiny() {
  return OpenModel(TinyModel("untied"), /*with_tokenizer=*/false);
}

TEST_F(CertifyTest, IsInTheFileAndTheSameForEveryTile) {
  const CanonicalModel model = ReadTiny();
  WriteFile(Path("ids"), "17 4 0\n5 6 7 8 0\n");
  std::vector<OwnCertificate> certificates;
  for (const Tile tile : {Tile::k4x8, Tile::k8x8, Tile::k8x2s4, Tile::k16x8}) {
    const WriteOptions write = {
        .tile = tile, .certificate = true, .progress = {}};
    std::vector<std::string> warnings;
    const ModelBytes file = WriteModelWithKnownAnswer(model, write, &warnings);
    certificates.push_back(
        CertifyFile(model, write, file,
                    {.text = Path("ids"), .references = {}, .progress = {}}));
    const auto read = std::make_unique<Model>();
    const Status status = ReadModelFile(file.bytes(), true, read.get());
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_TRUE(read->info.has_certificate);
    const Certificate& in_file = read->info.certificate;
    const OwnCertificate& first = certificates.front();
    EXPECT_EQ(in_file.tokens, first.numbers.tokens);
    EXPECT_EQ(in_file.agreeing_tokens, first.numbers.agreeing_tokens);
    EXPECT_EQ(in_file.text_hash, first.numbers.text_hash);
    EXPECT_NE(in_file.text_hash, 0u);
    EXPECT_TRUE(std::ranges::equal(in_file.encoder_snr, first.encoder_snr));
    EXPECT_TRUE(std::ranges::equal(in_file.decoder_snr, first.decoder_snr));
    EXPECT_EQ(in_file.divergences.size(), first.divergences.size());
    EXPECT_EQ(in_file.worst_lines.size(), first.worst_lines.size());
  }
}

TEST_F(CertifyTest, TheLoaderRefusesOneThatCannotBe) {
  const WriteOptions write = {
      .tile = UsableTile(), .certificate = true, .progress = {}};
  const ModelBytes file = WriteModel(ReadTiny(), write);
  const auto model = std::make_unique<Model>();
  ASSERT_TRUE(ReadModelFile(file.bytes(), true, model.get()).ok());
  EXPECT_THAT(model->info.certificate.divergences, IsEmpty());
  const auto refuses = [&](const auto& damage) {
    Image image(file.bytes());
    damage(*image.root().mutable_certificate());
    image.FixChecksum();
    const Status status = ReadModelFile(image.bytes(), true, model.get());
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    EXPECT_THAT(status.message(), HasSubstr("certificate"));
  };
  refuses([](schema::Certificate& c) { c.mutate_agreeing_tokens(1); });
  refuses([](schema::Certificate& c) { c.mutate_equal_lines(1); });
  refuses([](schema::Certificate& c) {
    // One layer less: the length comes before the numbers.
    auto* length = const_cast<uint8_t*>(c.encoder_snr()->Data()) - 4;
    flatbuffers::WriteScalar<uint32_t>(length, c.encoder_snr()->size() - 1);
  });
  refuses([](schema::Certificate& c) {
    auto* line = reinterpret_cast<WorstLine*>(
        const_cast<uint8_t*>(c.worst_lines()->Data()));
    line->line = 1;
    std::memset(line->translation, 'x', sizeof(line->translation));
  });
}

// ---- latimer-convert --certify, latimer inspect -----------------------------

std::vector<std::string> ConvertArguments(const std::string& out) {
  return {DemoDirectory(), "-o", out, "--tile", NameOf(UsableTile())};
}

Outcome Convert(const std::string& out, std::vector<std::string> more) {
  std::vector<std::string> arguments = ConvertArguments(out);
  arguments.insert(arguments.end(), more.begin(), more.end());
  return RunProgram("latimer-convert", arguments);
}

TEST_F(CertifyTest, TheProgramStoresItAndInspectShowsIt) {
  const std::string out = Path("certified.ltm");
  const Outcome converted =
      Convert(out, {"--json", "--certify", Path("en"), "--references",
                    Path("de"), "--min-agreement", "0.95"});
  ASSERT_EQ(converted.code, 0) << converted.err;
  EXPECT_EQ(converted.err, "");
  const json certificate = json::parse(converted.out)["certificate"];
  const OwnCertificate expected = CertifyDemo(int8_->bytes(), Path("de"));
  EXPECT_EQ(certificate["tokens"], expected.numbers.tokens);
  EXPECT_EQ(certificate["agreement"], expected.numbers.agreement());
  EXPECT_EQ(certificate["bleu"]["packed"], expected.numbers.bleu);
  EXPECT_EQ(certificate["chrf"]["f32"], expected.numbers.f32_chrf);
  EXPECT_THAT(certificate["snr_db"]["encoder"],
              SizeIs(expected.encoder_snr.size()));
  EXPECT_EQ(certificate["worst_lines"][0]["source"],
            expected.worst_lines[0].source);

  const Outcome inspected = RunProgram("latimer", {"inspect", out, "--json"});
  ASSERT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_EQ(json::parse(inspected.out)["certificate"], certificate);
  const Outcome text = RunProgram("latimer", {"inspect", out});
  EXPECT_THAT(text.out, AllOf(HasSubstr("certificate.agreement"),
                              HasSubstr("certificate.worst_lines.0.source"),
                              HasSubstr("certificate.snr_db.logits")));
  const Outcome plain = RunProgram("latimer", {"translate", out}, "One.\n");
  EXPECT_EQ(plain.code, 0) << plain.err;
}

// As published OPUS-MT models do.
TEST_F(CertifyTest, AModelThatSearchesWithBeamsIsMeasuredGreedily) {
  const std::string plain = Path("plain.ltm"), beams = Path("beams.ltm");
  ASSERT_EQ(Convert(plain, {"--certify", Path("en")}).code, 0);
  const TempFolder folder;
  for (const auto& entry :
       std::filesystem::directory_iterator(DemoDirectory())) {
    if (!entry.is_regular_file()) continue;
    std::filesystem::copy(entry.path(), folder.path());
  }
  json config = json::parse(ReadFile(folder.path() / "generation_config.json"));
  config["num_beams"] = 4;
  WriteFile(folder.path() / "generation_config.json", config.dump());
  const Outcome converted = RunProgram(
      "latimer-convert", {folder.path(), "-o", beams, "--tile",
                          NameOf(UsableTile()), "--certify", Path("en")});
  ASSERT_EQ(converted.code, 0) << converted.err;
  const auto inspect = [](const std::string& model) {
    return json::parse(RunProgram("latimer", {"inspect", model, "--json"}).out);
  };
  EXPECT_EQ(inspect(beams)["certificate"], inspect(plain)["certificate"]);
  EXPECT_NE(inspect(beams)["generation"], inspect(plain)["generation"]);
}

TEST_F(CertifyTest, TheProgramFailsBelowTheAgreementAndLeavesNoFile) {
  const TempFolder folder;
  const std::string out = folder.path() / "model.ltm";
  const Outcome outcome =
      Convert(out, {"--certify", Path("en"), "--profile",
                    folder.path() / "profile.h", "--min-agreement", "1"});
  EXPECT_THAT(ErrorSentence(outcome, 1),
              AllOf(HasSubstr(Path("en")), HasSubstr("--min-agreement")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(CertifyTest, TheProgramRefusesOptionsThatDoNotFit) {
  const std::string out = Path("none.ltm");
  EXPECT_THAT(ErrorSentence(Convert(out, {"--min-agreement", "0.9"}), 2),
              HasSubstr("--certify"));
  EXPECT_THAT(ErrorSentence(Convert(out, {"--references", Path("de")}), 2),
              HasSubstr("--certify"));
  EXPECT_THAT(
      ErrorSentence(
          Convert(out, {"--certify", Path("en"), "--min-agreement", "97"}), 2),
      HasSubstr("--min-agreement"));
  EXPECT_THAT(ErrorSentence(RunProgram("latimer-convert",
                                       {DemoDirectory(), "-o", out, "--weights",
                                        "f32", "--certify", Path("en")}),
                            2),
              HasSubstr("--weights f32"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace latimer::certify_test
