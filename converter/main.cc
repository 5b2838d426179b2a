// latimer-convert: trained weights and tokenizer in, one .ltm file out.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/cpu.h"
#include "cli/bill.h"
#include "cli/certificate.h"
#include "converter/certify.h"
#include "converter/error.h"
#include "converter/known_answer.h"
#include "converter/lexical_shortlist.h"
#include "converter/model_writer.h"
#include "converter/profile_header.h"
#include "converter/pruning_report.h"
#include "converter/readers/languages.h"
#include "converter/readers/map_json.h"
#include "converter/readers/mapped_model.h"
#include "converter/readers/open_model.h"
#include "converter/sentence_rules.h"
#include "converter/sign.h"
#include "latimer/plan.h"
#include "latimer/signature.h"
#include "model/model_file.h"
#include "ops/xnnpack/gemm.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  fs::path model;
  std::string map;  // Empty: none.
  std::vector<std::string> settings;
  std::string source_language, target_language;  // Empty: all of them.
  std::string sentence_rules;                    // Empty: the model's.
  fs::path output;
  WeightType weights = WeightType::kInt8;
  bool int4 = false;
  double int4_error = kInt4LargestError;
  ParallelText shortlist_text;
  ShortlistLimits shortlist_limits;
  Tile tile = Tile::k8x8;
  const Board* board = nullptr;  // Null: none was named.
  fs::path profile;
  ProfileLimits limits;
  std::string license;
  bool json = false;
  bool no_tokenizer = false;
  TokensToKeep keep;
  std::vector<fs::path> unreachable;
  bool no_pruned_argmax = false;
  fs::path certify, references;  // Empty: none.
  std::optional<double> min_agreement;
  fs::path signing_key;
};

// One line on standard error that is rewritten as the work goes on.
class Progress {
 public:
  Progress(const char* what, bool visible) : what_(what), visible_(visible) {}
  ~Progress() {
    if (visible_ && last_ >= 0) std::fputs("\r\033[K", stderr);
  }

  void operator()(uint64_t done, uint64_t total) {
    const int percent = total == 0 ? 100 : static_cast<int>(100 * done / total);
    if (!visible_ || percent == last_) return;
    last_ = percent;
    std::fprintf(stderr, "\r%s %3d %%", what_, percent);
  }

 private:
  const char* what_;
  bool visible_;
  int last_ = -1;
};

// Reads the finished file as the runtime will, so that what was written is
// known to load.
ModelInfo ReadBack(const ModelBytes& bytes) {
  const auto model = std::make_unique<Model>();
  const Status status =
      ReadModelFile(bytes.bytes(), /*verify_checksum=*/true, model.get());
  if (!status.ok()) {
    throw ConversionError(std::string("The finished model does not load: ") +
                          status.message());
  }
  return model->info;
}

void WriteProfile(const fs::path& path, const Profile& profile) {
  const std::string header = ProfileHeader(profile);
  WriteFileAtomically(path,
                      std::as_bytes(std::span(header.data(), header.size())));
}

CanonicalModel ReadModel(const Options& options) {
  const bool with_tokenizer = !options.no_tokenizer;
  if (!options.map.empty()) {
    return ReadMappedModel(options.model,
                           ReadModelMap(options.map, options.settings),
                           with_tokenizer);
  }
  RefuseWithoutMap(options.model);
  return OpenModel(
      options.model, with_tokenizer,
      {options.limits.source_tokens, options.limits.target_tokens});
}

// The matrices that are int4, each with its error.
Json Int4Json(const Int4Matrices& matrices) {
  Json json = Json::object();
  for (const auto& [name, matrix] : matrices) json[name] = matrix.error;
  return json;
}

std::string Int4Text(const Int4Matrices& matrices) {
  if (matrices.empty()) return "";
  double largest = 0;
  for (const auto& [name, matrix] : matrices) {
    largest = std::max(largest, matrix.error);
  }
  char text[96];
  std::snprintf(text, sizeof(text),
                "; %zu matrices int4, which lose at most %.3f of their weights",
                matrices.size(), largest);
  return text;
}

bool ShowsProgress(const Options& options) {
  return !options.json && isatty(STDERR_FILENO) != 0;
}

// Of a file that was written with room for a certificate. Throws
// ConversionError where the packed model agrees too little.
void CertifyAndCheck(const Options& options, const CanonicalModel& model,
                     const WriteOptions& write, const ModelBytes& file) {
  Progress progress("certifying", ShowsProgress(options));
  const OwnCertificate certificate =
      CertifyFile(model, write, file,
                  {.text = options.certify,
                   .references = options.references,
                   .progress = std::ref(progress)});
  if (options.min_agreement) {
    RequireAgreement(certificate.View(), *options.min_agreement,
                     options.certify);
  }
}

// Those asked for, else those of the chosen source language, else the model's.
void ChooseSentenceRules(const Options& options, CanonicalModel* model) {
  if (options.sentence_rules == "none") {
    model->sentence_rules.reset();
  } else if (!options.sentence_rules.empty()) {
    model->sentence_rules = MakeSentenceRules(options.sentence_rules);
  } else if (!options.source_language.empty()) {
    model->sentence_rules = FindSentenceRules(options.source_language);
  }
}

void Convert(const Options& options) {
  // First, so that a wrong one is known before the work.
  std::optional<SigningKey> key;
  if (!options.signing_key.empty()) key.emplace(options.signing_key);
  CanonicalModel model = ReadModel(options);
  ChooseLanguages(options.source_language, options.target_language,
                  &model.generation);
  ChooseSentenceRules(options, &model);
  if (!options.license.empty()) model.license = options.license;
  size_t warnings_printed = 0;
  const auto print_warnings = [&] {
    for (; warnings_printed < model.warnings.size(); ++warnings_printed) {
      std::cerr << "latimer-convert: warning: "
                << model.warnings[warnings_printed] << "\n";
    }
  };
  print_warnings();
  OutputFile file(options.output);
  WriteOptions write = {.weights = options.weights,
                        .tile = options.tile,
                        .f32_tile = options.tile,
                        .pruned_argmax = !options.no_pruned_argmax,
                        .certificate = !options.certify.empty(),
                        .file = &file,
                        .bytes_behind = key ? kSignatureEndBytes : 0,
                        .progress = {}};
  if (!options.shortlist_text.empty()) {
    model.shortlist =
        LearnShortlist(model, options.shortlist_text, options.shortlist_limits);
  }
  Int4Matrices int4;
  Json pruning;
  if (!options.keep.empty()) {
    pruning = PruneAndReport(options.keep, options.unreachable, write, &model);
  }
  if (options.int4) {
    int4 = QuantizeToInt4(options.int4_error, &model);
    write.int4 = &int4;
  }
  const ModelBytes bytes = [&] {
    Progress progress("packing weights", ShowsProgress(options));
    write.progress = std::ref(progress);
    return WriteModelWithKnownAnswer(model, write, &model.warnings);
  }();
  print_warnings();
  if (write.certificate) {
    write.progress = {};
    CertifyAndCheck(options, model, write, bytes);
  }
  const ModelInfo info = ReadBack(bytes);
  const std::string profile_name =
      ProfileName((options.profile.empty() ? options.output : options.profile)
                      .stem()
                      .string());
  const Result<Profile> profile =
      ExactProfile(info, options.limits, profile_name.c_str());
  if (!profile.ok()) throw ConversionError(profile.status().message());
  if (key) key->Sign(file.bytes());
  // The model last: where anything fails, there is none.
  if (!options.profile.empty()) WriteProfile(options.profile, *profile);
  file.Commit();

  const Json bill = MakeBill(info, *profile);
  const Board* board = options.board;
  if (options.json) {
    Json result;
    result["output"] = options.output.string();
    result["weights"] = info.weights;
    if (options.int4) result["int4"] = Int4Json(int4);
    result["tile"] = info.tile;
    result["license"] = model.license;
    result["warnings"] = model.warnings;
    if (!pruning.is_null()) result["vocabulary"] = pruning;
    if (info.has_certificate) {
      result["certificate"] = CertificateJson(info.certificate);
    }
    result["bill"] = bill;
    if (board != nullptr) {
      result["board"] = {{"name", board->name},
                         {"ram_bytes", board->ram_bytes},
                         {"fits", RamBytes(*profile) <= board->ram_bytes}};
    }
    // A piece need not be UTF-8.
    std::cout << result.dump(2, ' ', false, Json::error_handler_t::replace)
              << "\n";
    return;
  }
  std::cout << options.output.string() << ": " << info.weights
            << " weights, tile " << info.tile << Int4Text(int4) << "\n"
            << (pruning.is_null() ? "" : PruningText(pruning))
            << (info.has_certificate ? CertificateText(info.certificate) : "")
            << BillText(bill);
  if (board != nullptr) {
    std::cout << FitText(RamBytes(*profile), board->ram_bytes, board->name);
  }
  if (model.license.empty()) {
    std::cout << "No licence was found beside the model; --license TEXT "
                 "records one.\n";
  }
}

int Main(int argc, char** argv) {
  CLI::App app("Converts a trained translation model for the Latimer runtime.");
  app.name("latimer-convert");
  app.set_version_flag("--version", "latimer-convert " LATIMER_VERSION);
  Options options;
  app.add_option("MODEL", options.model,
                 "folder of a Hugging Face Marian (OPUS-MT) or native Marian "
                 "model, or the latter's .npz or .bin, or, with --map, the "
                 "weights of a PyTorch model: .pt, .safetensors")
      ->required();
  CLI::Option* map =
      app.add_option("--map", options.map,
                     "how an own PyTorch model is built and what its tensors "
                     "are called: a JSON file, or preset:NAME with one of " +
                         MapPresetNames())
          ->option_text("FILE.json|preset:NAME");
  app.add_option("--set", options.settings,
                 "set a flag of the map, such as heads=8; may be repeated")
      ->option_text("FLAG=VALUE")
      ->allow_extra_args(false)
      ->needs(map);
  // Needs no model, and so ends the reading of the command line.
  app.add_option_function<std::string>(
         "--print-map",
         [](const std::string& name) {
           const auto preset = MapPresets().find(name);
           if (preset == MapPresets().end()) {
             throw CLI::ValidationError("--print-map " + name,
                                        "the presets are " + MapPresetNames());
           }
           std::cout << preset->second;
           throw CLI::Success();
         },
         "print a preset of --map, to write another one from it")
      ->trigger_on_parse()
      ->option_text("NAME");
  app.add_option("--source-lang", options.source_language,
                 "of a multilingual model keep the choice of this source "
                 "language, and of --target-lang")
      ->option_text("CODE");
  app.add_option("--target-lang", options.target_language,
                 "the language that the model then always translates into")
      ->option_text("CODE");
  app.add_option("--sentence-rules", options.sentence_rules,
                 "languages of the source, whose abbreviations do not end a "
                 "sentence: of " +
                     SentenceRuleNames() +
                     ", or none [what the model says of its source]")
      ->option_text("CODE,...|none");
  app.add_option("-o,--output", options.output, "the model file to write, .ltm")
      ->required();
  std::string weights = "int8";
  app.add_option("--weights", weights,
                 "int8 (one scale per output channel); int4 for feed-forwards "
                 "and int8 for the rest; f16 or f32")
      ->check(CLI::IsMember({"f32", "f16", "int8", "int4"}))
      ->option_text("f32|f16|int8|int4 [int8]");
  CLI::Option* int4_error =
      app.add_option("--int4-error", options.int4_error,
                     "the most that a matrix may lose by int4, as a part of "
                     "its weights (root mean square); what loses more stays "
                     "int8")
          ->check(CLI::Range(0.0, 1.0))
          ->option_text("PART [0.15]");
  const std::map<std::string, Tile> tiles = {
      {"8x8", Tile::k8x8}, {"16x8", Tile::k16x8},   {"16x4", Tile::k16x4},
      {"4x8", Tile::k4x8}, {"8x2s4", Tile::k8x2s4}, {"4x4", Tile::k4x4},
      {"8x1", Tile::k8x1}, {"4x1", Tile::k4x1},     {"16x1", Tile::k16x1}};
  std::string board;
  app.add_option("--board", board,
                 "pack for this board's kernels and hold the bill against its "
                 "RAM: " +
                     BoardNames())
      ->option_text("NAME");
  std::string tile;
  app.add_option("--tile", tile,
                 "layout of int8 weights: 8x8 for AVX2 and later and for ARM "
                 "with dot products or i8mm, 16x8 for AVX-512 and i8mm, 16x4 "
                 "for ARM with dot products, 4x8 for SSE4.1, 8x2s4 for other "
                 "ARM, 4x4 for RISC-V; of f32 weights: 4x1 for RISC-V, 8x1 for "
                 "all others; of f16 weights: 16x1")
      ->check(CLI::IsMember(tiles))
      ->option_text(
          "8x8|16x8|16x4|4x8|8x2s4|4x4, f32: 8x1|4x1, f16: 16x1 [the "
          "board's, else this computer's]");
  app.add_option("--profile", options.profile,
                 "also write the profile header that builds a runtime for "
                 "exactly this model");
  app.add_option("--max-source-tokens", options.limits.source_tokens,
                 "longest source the profile holds [the model's]; where "
                 "nothing but training limits the model, as with T5, more than "
                 "that raises its limit");
  app.add_option("--max-target-tokens", options.limits.target_tokens,
                 "longest translation the profile holds [the model's]");
  app.add_option("--threads", options.limits.threads,
                 "threads the profile allows [the board's, else 1]")
      ->check(CLI::Range(1, 64));
  app.add_option("--lanes", options.limits.lanes,
                 "sentences the profile decodes side by side [1]; more are "
                 "faster where many are to be translated")
      ->check(CLI::Range(1, 256));
  app.add_flag("--copy-image", options.limits.copy_image,
               "the profile keeps RAM for the model file, for a device that "
               "cannot map it");
  app.add_flag("--insight", options.limits.insight,
               "the profile keeps room for what latimer translate --attention, "
               "--alignment and --scores show");
  app.add_option(
      "--license", options.license,
      "licence note to store instead of the one found beside the model");
  app.add_flag("--no-tokenizer", options.no_tokenizer,
               "convert the weights alone; the model translates ids only");
  CLI::Option* keep_vocabulary =
      app.add_option("--keep-vocab", options.keep.texts,
                     "leave out the tokens that this text does not need: "
                     "UTF-8, sentences of both languages, one a line; may be "
                     "repeated")
          ->option_text("TEXT.txt")
          ->allow_extra_args(false);
  CLI::Option* keep_scripts =
      app.add_option("--keep-scripts", options.keep.scripts,
                     "leave out the tokens of other scripts than these codes "
                     "of ISO 15924; with --keep-vocab what either needs stays")
          ->option_text("Latn,Cyrl,...");
  app.add_option("--unreachable", options.unreachable,
                 "say which tokens of this text are left out; may be repeated")
      ->option_text("TEXT.txt")
      ->allow_extra_args(false);
  app.add_flag("--no-pruned-argmax", options.no_pruned_argmax,
               "store the output matrix as the others, to compute all logits");
  std::vector<fs::path> shortlist_text;
  CLI::Option* shortlist =
      app.add_option("--shortlist-text", shortlist_text,
                     "learn a lexical shortlist from these texts, whose lines "
                     "are translations of each other")
          ->expected(2)
          ->option_text("SOURCE.txt TARGET.txt");
  app.add_option("--shortlist-alignment", options.shortlist_text.alignment,
                 "the links between the words of both texts, such as 0-0 1-2, "
                 "as fast_align writes them [IBM model 1]")
      ->option_text("FILE")
      ->needs(shortlist);
  app.add_option("--shortlist-first", options.shortlist_limits.first,
                 "target tokens that are always candidates, the most frequent")
      ->option_text("N [100]")
      ->needs(shortlist);
  app.add_option("--shortlist-best", options.shortlist_limits.best,
                 "candidates of one source token, the most probable")
      ->option_text("N [100]")
      ->needs(shortlist);
  app.add_option("--shortlist-threshold", options.shortlist_limits.threshold,
                 "probability that a candidate must exceed")
      ->option_text("P [0]")
      ->needs(shortlist);
  CLI::Option* certify =
      app.add_option("--certify", options.certify,
                     "translate this text, a sentence a line, with f32 weights "
                     "and with the packed ones, and store in the model how "
                     "they differ; without a tokenizer its lines are token ids")
          ->option_text("TEXT.txt");
  app.add_option("--references", options.references,
                 "the translations of these lines, for BLEU and chrF")
      ->option_text("TEXT.txt")
      ->needs(certify);
  app.add_option("--min-agreement", options.min_agreement,
                 "fail where the packed model chooses less than this share of "
                 "the tokens as the f32 model does, such as 0.97")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("SHARE")
      ->needs(certify);
  app.add_option("--sign", options.signing_key,
                 "sign the model with this Ed25519 key, for latimer "
                 "--require-signature; openssl genpkey -algorithm ed25519 "
                 "makes one")
      ->option_text("KEY.pem");
  app.add_flag("--json", options.json, "print the bill as JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::cerr << "latimer-convert: " << error.what()
              << " (see latimer-convert --help).\n";
    return 2;
  }
  if (!shortlist_text.empty()) {
    options.shortlist_text.source = shortlist_text[0];
    options.shortlist_text.target = shortlist_text[1];
  }
  options.int4 = weights == "int4";
  if (int4_error->count() > 0 && !options.int4) {
    std::cerr << "latimer-convert: --int4-error needs --weights int4.\n";
    return 2;
  }
  options.weights = weights == "f32"   ? WeightType::kF32
                    : weights == "f16" ? WeightType::kF16
                                       : WeightType::kInt8;
  const bool f32 = options.weights == WeightType::kF32;
  // Where this computer cannot run models at all, something must be chosen.
  options.tile = f32 ? Tile::k8x1 : Tile::k8x8;
  (void)FastestTile(DetectCpuFeatures(), options.weights, &options.tile);
  if (!board.empty()) {
    options.board = FindBoard(board);
    if (options.board == nullptr) {
      std::cerr << "latimer-convert: --board " << board << ": the boards are "
                << BoardNames() << ".\n";
      return 2;
    }
    if (options.weights != WeightType::kF16) {
      options.tile = tiles.at(f32 ? F32TileOf(*options.board)
                                  : std::string(options.board->tile));
    }
    if (app.count("--threads") == 0) {
      options.limits.threads = options.board->threads;
    }
  }
  if (!tile.empty()) options.tile = tiles.at(tile);
  if (WeightTypeOf(options.tile) != options.weights) {
    std::cerr << "latimer-convert: --tile " << tile << " is not for " << weights
              << " weights, which have "
              << (f32                ? "8x1 or 4x1"
                  : weights == "f16" ? "16x1"
                                     : "8x8, 16x8, 16x4, 4x8, 8x2s4 or 4x4")
              << ".\n";
    return 2;
  }
  if (f32 && !options.certify.empty()) {
    std::cerr << "latimer-convert: --certify compares with f32 weights, which "
                 "--weights f32 has.\n";
    return 2;
  }
  if (options.limits.copy_image && options.profile.empty()) {
    std::cerr << "latimer-convert: --copy-image is a property of the profile; "
                 "give --profile FILE.h too.\n";
    return 2;
  }
  if (!options.unreachable.empty() && keep_vocabulary->count() == 0 &&
      keep_scripts->count() == 0) {
    std::cerr << "latimer-convert: --unreachable needs --keep-vocab or "
                 "--keep-scripts.\n";
    return 2;
  }
  try {
    Convert(options);
    std::cout.flush();
    if (std::cout) return 0;
    std::cerr << "latimer-convert: " << options.output.string()
              << " is finished, but standard output cannot be written to.\n";
    return 1;
  } catch (const std::bad_alloc&) {
    std::cerr << "latimer-convert: not enough memory for this model.\n";
  } catch (const std::exception& error) {
    std::cerr << "latimer-convert: " << error.what() << "\n";
  }
  return 1;
}

}  // namespace
}  // namespace latimer

int main(int argc, char** argv) {
  // A file that may not grow so large is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  return latimer::Main(argc, argv);
}
