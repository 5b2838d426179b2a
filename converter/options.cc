#include "converter/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string_view>

#include "base/cpu.h"
#include "converter/common_profile.h"
#include "converter/readers/map_json.h"
#include "converter/sentence_rules.h"
#include "latimer/version.h"
#include "ops/xnnpack/gemm.h"
#include "os/used_files.h"
#include "report/bill.h"
#include "report/room_for.h"

// Words of the command line are UTF-8, which the constructor of path does not
// expect on Windows.
template <>
bool CLI::detail::lexical_cast(const std::string& word,
                               std::filesystem::path& path) {
  path = CLI::to_path(word);
  return true;
}

namespace latimer {
namespace {

namespace fs = std::filesystem;

// Options that do not go together; the sentence says why.
class UsageError : public std::runtime_error {
  using runtime_error::runtime_error;
};

const std::map<std::string, Tile>& Tiles() {
  static const std::map<std::string, Tile> kTiles = {
      {"8x8", Tile::k8x8},  {"16x8", Tile::k16x8},   {"16x4", Tile::k16x4},
      {"4x8", Tile::k4x8},  {"8x2s4", Tile::k8x2s4}, {"4x4", Tile::k4x4},
      {"8x1", Tile::k8x1},  {"4x1", Tile::k4x1},     {"16x1", Tile::k16x1},
      {"8x16", Tile::k8x16}};
  return kTiles;
}

// Fills an Options: declares the command line's options, and then resolves
// what CLI11 leaves as text.
class OptionParser {
 public:
  OptionParser(CLI::App& app, Options* options) : app_(app), o_(*options) {
    AddModel();
    AddWeights();
    AddProfile();
    AddVocabulary();
    AddShortlist();
    AddCertificate();
    app_.add_option(
        "--license", o_.license,
        "store this licence note instead of the one found beside the model");
    app_.add_option("--model-version", o_.model_version,
                    "store this version of the model, which latimer inspect "
                    "and latimer doctor show");
    AddInput(
        "--sign", o_.signing_key, "KEY.pem",
        "sign the model with this Ed25519 key, for latimer "
        "--require-signature; create a key with openssl genpkey -algorithm "
        "ed25519");
    app_.add_flag("--json", o_.json, "print the result and the bill as JSON");
    app_.add_flag("--bill", o_.bill,
                  "print the model's bill: flash by part, RAM by buffer, bytes "
                  "read per token");
    app_.add_flag("-v,--verbose", o_.verbose,
                  "print each step as it begins, and the bill");
    app_.add_flag("-q,--quiet", o_.quiet, "print warnings and errors only");
    app_.add_flag("--progress", o_.progress,
                  "show progress even if standard error is not a terminal");
  }

  // After parsing. Throws UsageError if options contradict each other.
  void Resolve() {
    CheckFiles();
    ResolveModels();
    if (!shortlist_text_.empty()) {
      o_.shortlist_text.source = shortlist_text_[0];
      o_.shortlist_text.target = shortlist_text_[1];
    }
    ResolveWeights();
    ResolveBoard();
    ResolveTile();
    ResolveRoom();
    if (app_.count("--int4-error") > 0 && o_.matrices != WeightType::kInt4) {
      throw UsageError(o_.choose_weights
                           ? "--int4-error is for --weights int4; auto chooses "
                             "by what --max-loss allows."
                           : "--int4-error needs --weights int4.");
    }
    if (o_.weights == WeightType::kF32 && !o_.certify.empty()) {
      throw UsageError(
          "--certify compares the packed model with f32 weights, so it cannot "
          "be used with --weights f32.");
    }
    for (const char* const name : {"--equalize", "--calibrate", "--keep-f16"}) {
      if (o_.weights != WeightType::kInt8 && app_.count(name) > 0) {
        throw UsageError(std::string(name) +
                         " is for int8, int6 and int4 weights; others are not "
                         "quantized.");
      }
    }
    if (o_.quiet && (o_.bill || o_.verbose || o_.json || o_.progress)) {
      throw UsageError(
          "--quiet goes without --bill, --verbose, --json and --progress.");
    }
    for (const char* const name : {"--copy-image", "--f16-caches"}) {
      if (app_.count(name) > 0 && o_.profile.empty()) {
        throw UsageError(std::string(name) +
                         " is a property of the profile, so it needs "
                         "--profile FILE.h.");
      }
    }
    if (!o_.unreachable.empty() && o_.keep.empty()) {
      throw UsageError("--unreachable needs --keep-vocab or --keep-scripts.");
    }
  }

  std::vector<FileOption> FileOptions() const {
    std::vector<FileOption> all;
    for (const CLI::Option* option : read_) {
      all.push_back({option->get_name(), false});
    }
    for (const CLI::Option* option : written_) {
      all.push_back({option->get_name(), true});
    }
    return all;
  }

 private:
  // An option whose values the help calls `values`.
  template <typename T>
  CLI::Option* Add(const char* name, T& variable, const char* values,
                   const std::string& description) {
    return app_.add_option(name, variable, description)->option_text(values);
  }

  // An option whose values are files to read.
  template <typename T>
  CLI::Option* AddInput(const char* name, T& variable, const char* values,
                        const std::string& description) {
    read_.push_back(Add(name, variable, values, description));
    return read_.back();
  }

  void AddModel() {
    read_.push_back(app_.add_option(
        "MODEL", models_,
        "a folder with a Hugging Face, CTranslate2, Argos or native Marian "
        "model; a native Marian .npz or .bin file; with --map, the weights of "
        "a PyTorch model (.pt or .safetensors); or, with --profile and without "
        "-o, one or more .ltm files"));
    read_.back()->required();
    CLI::Option* map = AddInput(
        "--map", o_.map, "FILE.json|preset:NAME",
        "describes how your own PyTorch model is built and what its tensors "
        "are called: a JSON file, or preset:NAME with one of " +
            MapPresetNames());
    // Of some flags, the value is a file.
    AddInput("--set", o_.settings, "FLAG=VALUE",
             "set a flag of the map, for example heads=8; may be repeated")
        ->allow_extra_args(false)
        ->needs(map);
    // Needs no model, so it ends parsing.
    app_.add_option_function<std::string>(
            "--print-map", PrintMap,
            "print a preset of --map as a template for your own map")
        ->trigger_on_parse()
        ->option_text("NAME");
    Add("--source-lang", o_.source_language, "CODE",
        "with --target-lang: the source language, if a multilingual model is "
        "to translate one pair only");
    Add("--target-lang", o_.target_language, "CODE",
        "the only language that the model will translate into");
    Add("--sentence-rules", o_.sentence_rules, "CODE,...|none",
        "languages of the source, for the abbreviations that do not end a "
        "sentence (" +
            SentenceRuleNames() +
            "), or none [the language that the model names]");
    written_.push_back(app_.add_option("-o,--output", o_.output,
                                       "the model file to write, .ltm"));
    app_.add_flag("--no-tokenizer", o_.no_tokenizer,
                  "convert only the weights; the model translates token ids")
        ->excludes(app_.add_flag(
            "--no-target-tokenizer", o_.no_target_tokenizer,
            "leave out the target's tokenizer if it differs from the source's; "
            "the file is smaller but takes no target prefixes, banned words "
            "and terms as text"));
  }

  static void PrintMap(const std::string& name) {
    const auto preset = MapPresets().find(name);
    if (preset == MapPresets().end()) {
      throw CLI::ValidationError("--print-map " + name,
                                 "the presets are " + MapPresetNames());
    }
    std::cout << preset->second;
    throw CLI::Success();
  }

  void AddWeights() {
    Add("--weights", weights_, "f32|f16|int8|int6|int4|auto [int8]",
        "int8 or int6 (one scale per output channel), int4 for the "
        "feed-forward layers and int8 for the rest, f16 or f32; auto: for each "
        "kind of matrix the fewest bits, from int4 to f16, that keep "
        "--max-loss on the text of --certify, else of --calibrate")
        ->check(CLI::IsMember({"f32", "f16", "int8", "int6", "int4", "auto"}));
    Add("--max-loss", o_.max_loss, "SHARE [0.01]",
        "with --weights auto: the largest share of positions where the packed "
        "model may choose a different token than f32")
        ->check(CLI::Range(0.0, 1.0));
    Add("--loss-of", loss_of_, "tokens|lines [tokens]",
        "with --weights auto: what --max-loss is a share of; a line is lost if "
        "one of its tokens is")
        ->check(CLI::IsMember({"tokens", "lines"}));
    Add("--int4-error", o_.int4_error, "PART [0.15]",
        "the largest relative error (root mean square) that int4 may cause in "
        "a matrix; matrices above it stay int8")
        ->check(CLI::Range(0.0, 1.0));
    Add("--keep-int8", o_.keep_int8, "MATRIX",
        "with --weights int6 or int4: keep these matrices in int8, named as "
        "for --keep-f16; may be repeated")
        ->allow_extra_args(false);
    Add("--keep-f16", o_.keep_f16, "MATRIX",
        "with --weights int8, int6 or int4: keep these matrices in f16, by "
        "their names, such as 'decoder.3.*', or all of a kind, such as "
        "decoder.cross_attention; may be repeated")
        ->allow_extra_args(false);
    AddInput(
        "--equalize", o_.equalize, "TEXT.txt",
        "translate this text, one sentence per line, and scale the channels "
        "inside feed-forward layers so that quantization loses less");
    AddInput(
        "--calibrate", o_.calibrate, "TEXT.txt",
        "translate this text, one sentence per line, and round the weights so "
        "that the products of the matrices change least (GPTQ)");
    AddInput("--board", board_, "NAME|FILE.cmake",
             "pack for this board's kernels and check that the model fits its "
             "RAM; a board file, or one of " +
                 BoardNames());
    Add("--tile", tile_,
        "8x8|16x8|16x4|4x8|8x2s4|4x4|8x16, f32: 8x1|4x1, f16: 16x1 [the "
        "board's, else this computer's]",
        "layout of int8 weights: 8x8 for AVX2 and later and for ARM with dot "
        "products or i8mm, 16x8 for AVX-512 and i8mm, 16x4 for ARM with dot "
        "products, 4x8 for SSE4.1 and Cortex-M7, 8x2s4 for other ARM, 4x4 for "
        "RISC-V, 8x16 for Helium; of f32 weights: 4x1 for RISC-V, 8x1 for all "
        "others; of f16 weights: 16x1")
        ->check(CLI::IsMember(Tiles()));
    app_.add_flag("--no-pruned-argmax", o_.no_pruned_argmax,
                  "store the output matrix like the others, so that every step "
                  "computes all logits");
  }

  void AddProfile() {
    written_.push_back(app_.add_option(
        "--profile", o_.profile,
        "also write a profile header, for building a runtime for exactly this "
        "model; with .ltm files, one header for all of them"));
    written_.back()->type_name("FILE.h");
    app_.add_option(
        "--max-source-tokens", o_.limits.source_tokens,
        "longest source [the model's]; profile and file have no room beyond "
        "it; a larger value raises a limit that only training set, as in T5");
    app_.add_option("--max-target-tokens", o_.limits.target_tokens,
                    "longest translation [the model's]; profile and file have "
                    "no room beyond it");
    app_.add_option("--threads", o_.limits.threads,
                    "threads that the profile allows [the board's, else 1]")
        ->check(CLI::Range(1, 64));
    app_.add_option("--lanes", o_.limits.lanes,
                    "sentences that the profile decodes side by side [1]; more "
                    "lanes translate many sentences faster")
        ->check(CLI::Range(1, 256));
    app_.add_option("--beams", o_.beams,
                    "number of beams [the generation config's], for which the "
                    "profile reserves memory; 1: greedy search")
        ->check(CLI::Range(1, 64));
    app_.add_flag("--f16-caches", o_.limits.f16_caches,
                  "keep the decoder's keys and values as f16, which halves "
                  "their memory and rounds them");
    app_.add_flag("--copy-image", o_.limits.copy_image,
                  "reserve RAM in the profile for the model file, for a device "
                  "that cannot map it");
    Add("--room-for", room_for_, RoomWords().c_str(),
        "features that the profile reserves memory for, separated by commas: "
        "attention (weights), scores (of tokens), alignment (which latimer "
        "translate --html needs), phrases (--terms and --protect), sampling "
        "(--sample) and beams=N (search with up to N beams)");
  }

  void AddVocabulary() {
    AddInput(
        "--keep-vocab", o_.keep.texts, "TEXT.txt",
        "remove the tokens that this text does not need; UTF-8, one sentence "
        "of either language per line; may be repeated")
        ->allow_extra_args(false);
    Add("--keep-scripts", o_.keep.scripts, "Latn,Cyrl,...",
        "remove the tokens of all scripts except these (ISO 15924 codes); with "
        "--keep-vocab, keep a token that either option keeps");
    AddInput("--unreachable", o_.unreachable, "TEXT.txt",
             "report which tokens of this text are removed; may be repeated")
        ->allow_extra_args(false);
  }

  void AddShortlist() {
    CLI::Option* text =
        AddInput("--shortlist-text", shortlist_text_, "SOURCE.txt TARGET.txt",
                 "learn a lexical shortlist from two texts whose lines are "
                 "translations of each other")
            ->expected(2);
    AddInput("--shortlist-alignment", o_.shortlist_text.alignment, "FILE",
             "the links between the words of both texts, such as 0-0 1-2, as "
             "fast_align writes them [IBM model 1]")
        ->needs(text);
    Add("--shortlist-first", o_.shortlist_limits.first, "N [100]",
        "number of most frequent target tokens that are always candidates")
        ->needs(text);
    Add("--shortlist-best", o_.shortlist_limits.best, "N [100]",
        "number of most probable candidates per source token")
        ->needs(text);
    Add("--shortlist-threshold", o_.shortlist_limits.threshold, "P [0]",
        "the probability that a candidate must exceed")
        ->needs(text);
  }

  void AddCertificate() {
    CLI::Option* certify = AddInput(
        "--certify", o_.certify, "TEXT.txt",
        "translate this text, one sentence per line, with f32 weights and "
        "with the packed ones, and store in the model how the translations "
        "differ; for a model without a tokenizer the lines are token ids");
    AddInput("--references", o_.references, "TEXT.txt",
             "the translations of these lines, for BLEU and chrF")
        ->needs(certify);
    Add("--min-agreement", o_.min_agreement, "SHARE",
        "fail if the packed model chooses less than this share of the tokens "
        "as the f32 model does, for example 0.97")
        ->check(CLI::Range(0.0, 1.0))
        ->needs(certify);
    AddInput(
        "--align-text", o_.align_text, "TEXT.txt",
        "translate this text, one sentence per line, and store in the model "
        "which attention head aligns names and numbers best; for latimer "
        "translate --html");
  }

  void ResolveModels() {
    if (IsConverted(models_.front())) {
      o_.converted = models_;
      CheckOptionsOfProfile();
      return;
    }
    o_.model = models_.front();
    if (models_.size() > 1) {
      throw UsageError("one model is converted at a time, so " +
                       models_[1].string() +
                       " is too many; several are for .ltm files with "
                       "--profile.");
    }
    if (o_.output.empty()) {
      throw UsageError(
          "--output is required: name the model file to write, "
          "for example -o model.ltm.");
    }
  }

  // Those that do not go with models that were converted before.
  void CheckOptionsOfProfile() {
    if (o_.profile.empty()) {
      throw UsageError(models_.front().string() +
                       " is converted already; with --profile FILE.h and "
                       "without -o, a profile is written for it.");
    }
    constexpr std::string_view kAllowed[] = {"MODEL",
                                             "--profile",
                                             "--max-source-tokens",
                                             "--max-target-tokens",
                                             "--lanes",
                                             "--threads",
                                             "--copy-image",
                                             "--f16-caches",
                                             "--room-for",
                                             "--board",
                                             "--json",
                                             "--quiet"};
    for (const CLI::Option* option : app_.get_options()) {
      if (option->count() == 0 ||
          std::ranges::find(kAllowed, option->get_name()) !=
              std::end(kAllowed)) {
        continue;
      }
      throw UsageError(option->get_name() + " is for a conversion, and " +
                       models_.front().string() +
                       " is converted already; write its profile without it.");
    }
  }

  void ResolveWeights() {
    ForEachWeightType([&](WeightType type) {
      if (weights_ == NameOf(type)) o_.matrices = type;
    });
    o_.choose_weights = weights_ == "auto";
    if (o_.choose_weights && o_.certify.empty() && o_.calibrate.empty()) {
      throw UsageError(
          "--weights auto measures what quantization loses on a text, so it "
          "needs --certify TEXT.txt or --calibrate TEXT.txt.");
    }
    if (!o_.keep_f16.empty() && o_.choose_weights) {
      throw UsageError(
          "--weights auto chooses itself what is f16; leave out --keep-f16.");
    }
    if (!o_.keep_int8.empty() && InfoOf(o_.matrices).bits >= 8) {
      throw UsageError(
          "--keep-int8 is for --weights int6 and int4; leave it out.");
    }
    if (std::isnan(o_.max_loss)) {
      throw UsageError("--max-loss nan: give a share from 0 to 1.");
    }
    for (const char* option : {"--max-loss", "--loss-of"}) {
      if (app_.count(option) == 0 || o_.choose_weights) continue;
      throw UsageError(std::string(option) + " needs --weights auto.");
    }
    o_.loss_of_lines = loss_of_ == "lines";
    o_.weights = IsInteger(o_.matrices) ? WeightType::kInt8 : o_.matrices;
    // A default for computers that cannot run models at all.
    o_.tile = o_.weights == WeightType::kF32 ? Tile::k8x1 : Tile::k8x8;
    (void)FastestTile(DetectCpuFeatures(), o_.weights, &o_.tile);
  }

  void ResolveBoard() {
    if (board_.empty()) return;
    std::string error;
    o_.board = FindBoard(board_, &error);
    if (o_.board == nullptr) throw UsageError(error);
    if (o_.weights == WeightType::kF32) {
      o_.tile = Tiles().at(F32TileOf(*o_.board));
    } else if (o_.weights == WeightType::kInt8) {
      o_.tile = Tiles().at(o_.board->tile);
    }
    if (!o_.board->pruned_argmax) o_.no_pruned_argmax = true;
    if (app_.count("--threads") == 0) o_.limits.threads = o_.board->threads;
  }

  void ResolveRoom() {
    ProfileLimits& limits = o_.limits;
    if (app_.count("--room-for") > 0) {
      const std::string wrong = ReadRoomFor(room_for_, &limits);
      if (!wrong.empty()) throw UsageError(wrong);
    }
    if (limits.beams > 1 && limits.beams < o_.beams) {
      throw UsageError("--room-for beams=" + std::to_string(limits.beams) +
                       " is less than --beams " + std::to_string(o_.beams) +
                       " needs; leave it out.");
    }
    limits.beams = std::max(limits.beams, o_.beams);
  }

  void ResolveTile() {
    if (!tile_.empty()) o_.tile = Tiles().at(tile_);
    if (WeightTypeOf(o_.tile) == o_.weights) return;
    const char* const fitting =
        o_.weights == WeightType::kF32 ? "8x1 or 4x1"
        : o_.weights == WeightType::kF16
            ? "16x1"
            : "8x8, 16x8, 16x4, 4x8, 8x2s4, 4x4 or 8x16";
    throw UsageError("--tile " + tile_ + " is not for " + weights_ +
                     " weights; give " + fitting + ".");
  }

  // Nothing that is read is written.
  void CheckFiles() {
    std::vector<cli::UsedFile> used;
    for (const auto& [options, written] :
         {std::pair(&read_, false), {&written_, true}}) {
      for (const CLI::Option* option : *options) {
        const std::string name =
            option->get_positional() ? "" : option->get_name();
        for (const std::string& value : option->results()) {
          const size_t flag = name == "--set" ? value.find('=') + 1 : 0;
          used.push_back({value.c_str() + flag, name, written});
        }
      }
    }
    const std::string refusal = cli::RefuseToOverwrite(used);
    if (!refusal.empty()) throw UsageError(refusal + ".");
  }

  CLI::App& app_;
  Options& o_;
  std::vector<CLI::Option*> read_, written_;  // Whose values are files.
  std::vector<fs::path> models_;
  std::string weights_ = "int8";
  std::string loss_of_ = "tokens";
  std::string board_, tile_, room_for_;
  std::vector<fs::path> shortlist_text_;
};

}  // namespace

std::vector<FileOption> FileOptions() {
  CLI::App app;
  Options options;
  return OptionParser(app, &options).FileOptions();
}

std::optional<int> ParseOptions(int argc, char** argv, Options* options) {
  CLI::App app("Converts a trained translation model for the Latimer runtime.");
  app.name("latimer-convert");
  app.allow_windows_style_options(false);  // "/models/en-de" is a path.
  app.set_version_flag("--version", "latimer-convert " LATIMER_VERSION);
  OptionParser parser(app, options);
  try {
    app.parse(argc, argv);
    parser.Resolve();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    for (const std::string& option : app.remaining()) {
      const std::string now = RoomForInsteadOf(option);
      if (now.empty()) continue;
      std::cerr << "latimer-convert: " << now << "\n";
      return 2;
    }
    std::cerr << "latimer-convert: " << error.what()
              << " (see latimer-convert --help).\n";
    return 2;
  } catch (const UsageError& error) {
    std::cerr << "latimer-convert: " << error.what() << "\n";
    return 2;
  }
  return std::nullopt;
}

}  // namespace latimer
