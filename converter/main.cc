// latimer-convert: trained weights and tokenizer in, one .ltm file out.

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "converter/agreement.h"
#include "converter/calibrate.h"
#include "converter/certify.h"
#include "converter/choose_alignment.h"
#include "converter/choose_types.h"
#include "converter/common_profile.h"
#include "converter/equalize.h"
#include "converter/error.h"
#include "converter/fold.h"
#include "converter/known_answer.h"
#include "converter/lexical_shortlist.h"
#include "converter/model_writer.h"
#include "converter/options.h"
#include "converter/profile_header.h"
#include "converter/pruning_report.h"
#include "converter/quantization_report.h"
#include "converter/readers/languages.h"
#include "converter/readers/mapped_model.h"
#include "converter/readers/open_model.h"
#include "converter/readers/other_formats.h"
#include "converter/sentence_rules.h"
#include "converter/sign.h"
#include "converter/tensor_plan.h"
#include "internals.h"
#include "latimer/signature.h"
#include "os/system.h"
#include "report/bill.h"
#include "report/certificate.h"
#include "report/room_for.h"

namespace latimer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Progress in percent, on one line of standard error.
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
    std::fprintf(stderr, "\r%s %3d %%\033[K", what_, percent);
  }

 private:
  const char* what_;
  bool visible_;
  int last_ = -1;
};

void WriteProfile(const fs::path& path, const Profile& profile) {
  const std::string header = ProfileHeader(profile);
  WriteFileAtomically(path,
                      std::as_bytes(std::span(header.data(), header.size())));
}

ModelMap ReadMap(const Options& options) {
  try {
    return ReadModelMap(options.map, options.settings);
  } catch (const ConversionError&) {
    // No map is right for a file that has no weights, so that comes first.
    RequireWeights(options.model);
    throw;
  }
}

CanonicalModel ReadModel(const Options& options) {
  RefuseOtherFormats(options.model);
  const bool with_tokenizer = !options.no_tokenizer;
  if (!options.map.empty()) {
    return ReadMappedModel(options.model, ReadMap(options), with_tokenizer);
  }
  RefuseWithoutMap(options.model);
  return OpenModel(options.model, with_tokenizer,
                   {options.limits.source_tokens.value_or(0),
                    options.limits.target_tokens.value_or(0)});
}

// How many beams the model is to be searched with, whatever the task.
void SetBeams(uint32_t beams, CanonicalGeneration* generation) {
  generation->search.beams = beams;
  for (BeamRule& rule : generation->task_search) rule.beams = beams;
}

bool ShowsProgress(const Options& options) {
  return options.progress ||
         (!options.json && !options.quiet && isatty(STDERR_FILENO) != 0);
}

// With --verbose.
void Say(const Options& options, const char* step, const fs::path& path) {
  if (!options.verbose) return;
  std::cerr << "latimer-convert: " << step << " " << path.string() << "\n";
}

// Certifies a file that has room for a certificate. Throws ConversionError if
// the packed model agrees less than --min-agreement asks for.
void CertifyAndCheck(const Options& options, const CanonicalModel& model,
                     WriteOptions write, const ModelBytes& file) {
  Progress packing("packing f32 weights", ShowsProgress(options));
  Progress progress("certifying", ShowsProgress(options));
  write.progress = std::ref(packing);
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

// Stores which head aligns best in a file that has room for it.
void AlignFile(const Options& options, const CanonicalModel& model,
               const WriteOptions& write, const ModelBytes& file) {
  const std::optional<Tile> tile = TileToRun(write);
  if (!tile) {
    FailWith(
        "--align-text: this CPU has no kernels for int8 weights; convert "
        "on another computer.");
  }
  const RunnableCopy copy(model, write, file, *tile);
  const std::optional<ChosenAlignment> chosen =
      ChooseAlignment(copy.bytes().bytes(), options.align_text);
  if (!chosen) {
    FailIn(options.align_text,
           "has too few names and numbers that its translation has too; give a "
           "longer text, or leave out --align-text");
  }
  SetAlignment(file, chosen->head);
  if (!options.verbose) return;
  const std::string head =
      chosen->head.head < 0 ? "the mean of all heads"
                            : "head " + std::to_string(chosen->head.head + 1);
  std::cerr << "latimer-convert: " << head << " of decoder layer "
            << chosen->head.layer + 1 << ", when a token is "
            << (chosen->head.reads ? "read" : "chosen") << ", aligns "
            << chosen->right << " of " << chosen->tokens << " tokens\n";
}

// The rules of --sentence-rules, else those of --source-lang, else the model's.
void ChooseSentenceRules(const Options& options, CanonicalModel* model) {
  if (options.sentence_rules == "none") {
    model->sentence_rules.reset();
  } else if (!options.sentence_rules.empty()) {
    model->sentence_rules = MakeSentenceRules(options.sentence_rules);
  } else if (!options.source_language.empty()) {
    model->sentence_rules = FindSentenceRules(options.source_language);
  }
}

// The facts about a finished conversion that are printed.
struct Conversion {
  ModelDescription info;
  std::string profile_name;
  Profile profile;  // Views its name.
  MatrixTypes types;
  QuantizedMatrices quantized;
  std::optional<ChosenTypes> chosen;  // With --weights auto.
  ProductErrors equalized;
  Json pruning;       // Null: nothing was pruned.
  std::string folds;  // FoldText; empty without a tokenizer.
  std::string license;
  std::vector<std::string> assumptions;
  std::vector<std::string> warnings;
};

// The type of matrices that have none of their own: int8 besides those that
// only some matrices may have.
WeightType OtherTypes(const Options& options) {
  return InfoOf(options.matrices).has_rows ? options.matrices
                                           : WeightType::kInt8;
}

// What --weights calls them.
std::string WeightsName(const Options& options) {
  return options.choose_weights ? "auto" : NameOf(OtherTypes(options));
}

Json BillOf(const Options& options, const Conversion& result) {
  Json bill = MakeBill(result.info, result.profile);
  AddRoom(result.info, options.limits, &bill);
  return bill;
}

void PrintJson(const Options& options, const Conversion& result) {
  Json json;
  json["output"] = options.output.string();
  json["weights"] = WeightsName(options);
  if (options.matrices == WeightType::kInt4) {
    json["int4"] = Int4Json(result.quantized);
  }
  if (result.chosen) json["chosen"] = ChosenJson(*result.chosen);
  if (!result.types.empty()) json["matrices"] = TypesJson(result.types);
  if (!options.equalize.empty()) {
    json["equalized"] = ErrorsJson(result.equalized);
  }
  if (!options.calibrate.empty()) {
    json["calibrated"] = ErrorsJson(CalibratedErrors(result.quantized));
  }
  json["tile"] = result.info.tile;
  json["folded_characters"] = result.info.folded;
  json["unread_characters"] = result.info.unread;
  json["license"] = result.license;
  json["assumptions"] = result.assumptions;
  json["warnings"] = result.warnings;
  if (!result.pruning.is_null()) json["vocabulary"] = result.pruning;
  if (result.info.has_certificate) {
    json["certificate"] = CertificateJson(result.info.certificate);
  }
  json["bill"] = BillOf(options, result);
  if (options.board != nullptr) {
    const Board& board = *options.board;
    json["board"] = {
        {"name", board.name},
        {"ram_bytes", board.ram_bytes},
        {"fits", Fits(json["bill"], board)},
        {"weights_stay", WeightsText(json["bill"], board).empty()}};
  }
  // A piece may not be UTF-8.
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

std::string Megabytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f MB",
                static_cast<double>(bytes) / 1e6);
  return text;
}

// What is wrong here makes another model, and nothing else would tell.
std::string AssumptionsText(const Options& options,
                            const std::vector<std::string>& assumptions) {
  if (assumptions.empty()) return "";
  std::string text = Concat("Assumed, because ", options.map,
                            " does not say it (--set FLAG=VALUE does):\n");
  for (const std::string& line : assumptions) text += "  " + line + "\n";
  return text;
}

void PrintText(const Options& options, const Conversion& result) {
  const ModelDescription& info = result.info;
  std::cout << options.output.string() << ": " << WeightsName(options)
            << " weights, tile " << info.tile << Int4Text(result.quantized)
            << F16Text(result.types) << "; " << Megabytes(info.sizes.file)
            << " of flash, " << Megabytes(RamBytes(result.profile)) << " of RAM"
            << (options.bill || options.verbose ? ""
                                                : " (--bill has the parts)")
            << "\n"
            << AssumptionsText(options, result.assumptions) << result.folds
            << (options.equalize.empty() ? "" : EqualizedText(result.equalized))
            << (options.calibrate.empty()
                    ? ""
                    : CalibratedText(CalibratedErrors(result.quantized)))
            << (result.chosen ? ChosenText(*result.chosen) : "")
            << (result.pruning.is_null() ? "" : PruningText(result.pruning))
            << (info.has_certificate ? CertificateText(info.certificate) : "");
  if (options.bill || options.verbose) {
    std::cout << BillText(BillOf(options, result));
  }
  if (const Board* board = options.board) {
    std::cout << FitText(RamBytes(result.profile), board->ram_bytes,
                         board->name)
              << WeightsText(MakeBill(info, result.profile), *board);
  }
  if (result.license.empty()) {
    std::cout << "No licence was found beside the model; --license TEXT "
                 "records one.\n";
  }
}

// The file is written, but does not serve its purpose. `way_out` is a sentence.
void RequireRam(const Board& board, uint64_t needed_bytes, const fs::path& path,
                std::string way_out) {
  if (needed_bytes <= board.ram_bytes) return;
  if (way_out.ends_with('.')) way_out.pop_back();
  FailIn(path, "written, but ", board.name, " has ", board.ram_bytes,
         " bytes of RAM for it, and it needs ", needed_bytes, ". ", way_out);
}

// No length of sentences helps here, so RAM is only mentioned.
void RequireFlash(const Board& board, const Conversion& result,
                  const fs::path& path) {
  const uint64_t model_bytes = result.info.sizes.file;
  if (board.flash_bytes == 0 || model_bytes <= board.flash_bytes) return;
  std::string ram;
  if (const uint64_t needed = RamBytes(result.profile);
      needed > board.ram_bytes) {
    ram = "; it also needs " + std::to_string(needed) + " bytes of RAM, and " +
          std::to_string(board.ram_bytes) + " are there";
  }
  FailIn(path, "written, but ", board.name, " has ", board.flash_bytes,
         " bytes of flash, and the model alone needs ", model_bytes, ram,
         ". Smaller weights (--weights int4) or fewer words (--keep-vocab) "
         "make it smaller");
}

void SetProfile(const Options& options, Conversion* result) {
  const fs::path& named =
      options.profile.empty() ? options.output : options.profile;
  result->profile_name = ProfileName(named.stem().string());
  const Result<Profile> profile =
      ExactProfile(result->info, options.limits, result->profile_name.c_str());
  if (!profile.ok()) FailWith(profile.status().message());
  result->profile = *profile;
}

// An older file of the same kind is replaced, but nothing that the model may be
// read from.
void CheckOutputs(const Options& options) {
  const auto check = [](const fs::path& path, bool (*is_older)(const fs::path&),
                        const char* kind, const char* option) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored) &&
        fs::file_size(path, ignored) > 0 && !is_older(path)) {
      FailIn(path, "this file exists and is not a Latimer ", kind,
             "; remove it, or name another ", option);
    }
  };
  check(options.output, IsConverted, "model", "--output");
  check(options.profile, IsProfileHeader, "profile", "--profile");
}

void PrintCommonProfile(const Options& options, const CommonProfile& common) {
  const Profile& profile = common.profile;
  if (options.json) {
    Json json;
    json["profile"] = options.profile.string();
    for (const auto& model : common.models) {
      json["models"].push_back({{"file", model.path.string()},
                                {"workspace_bytes", model.workspace_bytes}});
    }
    json["workspace_bytes"] = WorkspaceBytes(profile);
    json["ram_bytes"] = RamBytes(profile);
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace)
              << "\n";
    return;
  }
  for (const auto& model : common.models) {
    std::cout << model.path.string() << ": a workspace of "
              << model.workspace_bytes << " bytes\n";
  }
  std::cout << options.profile.string() << ": a workspace of "
            << WorkspaceBytes(profile) << " bytes holds each of them; RAM "
            << RamBytes(profile) << " bytes\n";
  if (const Board* board = options.board) {
    std::cout << FitText(RamBytes(profile), board->ram_bytes, board->name);
  }
}

// Writes a profile for models that were converted before.
void WriteCommonProfile(const Options& options) {
  CheckOutputs(options);
  CommonProfile common =
      MakeCommonProfile(ProfileName(options.profile.stem().string()),
                        options.converted, options.limits);
  Profile& profile = common.profile;
  profile.name = common.name.c_str();
  WriteProfile(options.profile, profile);
  if (!options.quiet) PrintCommonProfile(options, common);
  if (const Board* board = options.board) {
    RequireRam(*board, RamBytes(profile), options.profile,
               "Shorter sentences (--max-source-tokens, --max-target-tokens) "
               "need less");
  }
}

// Adds the matrices that --calibrate quantizes as these types.
void AddCalibrated(const Options& options, const std::set<MatrixAs>& wanted,
                   const CanonicalModel& model, QuantizedMatrices* quantized) {
  if (options.calibrate.empty()) return;
  Say(options, "calibrating with", options.calibrate);
  Progress progress("calibrating", ShowsProgress(options));
  for (auto& [matrix, weights] :
       Calibrate({.text = options.calibrate, .progress = std::ref(progress)},
                 wanted, model)) {
    (*quantized)[matrix] = std::move(weights);
  }
}

// With --weights auto. `write` must see the types and integers of `result`.
void ChooseWeights(const Options& options, const CanonicalModel& model,
                   const WriteOptions& write, Conversion* result) {
  const std::optional<Tile> tile =
      TileForThisCpu(WeightType::kInt8, /*int4=*/true);
  if (!tile || !model.tokenizer) {
    FailWith(tile ? "--weights auto translates a text, so the model needs a "
                    "tokenizer."
                  : "This CPU has no kernels for int4 weights, which --weights "
                    "auto tries; convert on another computer.");
  }
  const std::vector<MatrixKind> kinds = KindsOf(PlanTensors(model, write));
  std::set<MatrixAs> wanted;
  for (const MatrixKind& kind : kinds) {
    for (const std::string& name : kind.matrices) {
      ForEachWeightType([&](WeightType type) {
        if (IsInteger(type) && MayHave(kind, type)) wanted.emplace(name, type);
      });
    }
  }
  AddCalibrated(options, wanted, model, &result->quantized);
  // Once, not for each trial.
  for (const MatrixAs& matrix : wanted) {
    if (matrix.second == WeightType::kInt8) continue;
    auto& weights = result->quantized[matrix];
    if (weights.scales.empty()) {
      weights =
          QuantizeToNearest(matrix.second, model.linears.at(matrix.first));
    }
  }
  const fs::path& text =
      options.certify.empty() ? options.calibrate : options.certify;
  Say(options, "choosing weights with", text);
  Progress progress("translating with f32 weights", ShowsProgress(options));
  const Agreement agreement(WriteF32(model, "--weights auto", {}), text,
                            std::ref(progress));
  Progress trying("trying types", ShowsProgress(options));
  const uint64_t most_trials = 4 + 3 * kinds.size();
  uint64_t trials = 0;
  WriteOptions trial = write;
  trial.tile = *tile;
  trial.file = nullptr;
  trial.alignment = trial.certificate = false;
  std::map<MatrixTypes, double> lost_lines;
  result->chosen =
      ChooseTypes(kinds, options.max_loss, [&](const MatrixTypes& types) {
        trial.types = &types;
        const Loss loss = agreement.LossOf(WriteModel(model, trial));
        lost_lines[types] = loss.lines;
        trying(++trials, most_trials);
        return options.loss_of_lines ? loss.lines : loss.tokens;
      });
  result->chosen->tokens = agreement.tokens();
  result->chosen->lines = agreement.lines();
  result->chosen->of_lines = options.loss_of_lines;
  result->chosen->lost_lines = lost_lines[result->chosen->types];
  result->chosen->calibrated = !options.calibrate.empty();
  result->types = result->chosen->types;
  std::erase_if(result->quantized, [&](const auto& entry) {
    return result->types.at(entry.first.first) != entry.first.second;
  });
}

// With --keep-int8 and --keep-f16, of which the latter goes before.
void KeepTypes(const Options& options, const CanonicalModel& model,
               const WriteOptions& write, Conversion* result) {
  const auto keep = [&](const char* name, WeightType type,
                        const std::vector<std::string>& patterns) {
    if (patterns.empty()) return;
    const auto kinds = KindsOf(PlanTensors(model, write));
    for (const std::string& matrix : MatricesLike(name, patterns, kinds)) {
      result->types[matrix] = type;
      result->quantized.erase({matrix, WeightType::kInt4});
    }
  };
  keep("int8", WeightType::kInt8, options.keep_int8);
  keep("f16", WeightType::kF16, options.keep_f16);
}

// Chooses the types of matrices, and their integers where those are not the
// nearest.
void QuantizeMatrices(const Options& options, CanonicalModel* model,
                      WriteOptions* write, Conversion* result) {
  write->other_types = OtherTypes(options);
  write->types = &result->types;
  write->quantized = &result->quantized;
  if (options.choose_weights) {
    return ChooseWeights(options, *model, *write, result);
  }
  if (options.matrices == WeightType::kInt4) {
    result->quantized = QuantizeToInt4(options.int4_error, model);
    result->types = TypesOf(result->quantized);
  }
  KeepTypes(options, *model, *write, result);
  const MatrixTypes types = PlanTypes(*model, *write);
  std::set<MatrixAs> wanted(types.begin(), types.end());
  std::erase_if(wanted, [](const MatrixAs& matrix) {
    return matrix.second == WeightType::kF16;
  });
  AddCalibrated(options, wanted, *model, &result->quantized);
}

void Convert(const Options& options) {
  CheckOutputs(options);
  // A bad key is reported before the work.
  std::optional<SigningKey> key;
  if (!options.signing_key.empty()) key.emplace(options.signing_key);
  Say(options, "reading", options.model);
  CanonicalModel model = ReadModel(options);
  LimitPositions({options.limits.source_tokens.value_or(0),
                  options.limits.target_tokens.value_or(0)},
                 &model);
  if (options.beams > 0) SetBeams(options.beams, &model.generation);
  ChooseLanguages(options.source_language, options.target_language,
                  &model.generation);
  ChooseSentenceRules(options, &model);
  if (!options.license.empty()) model.license = options.license;
  if (!options.model_version.empty()) model.version = options.model_version;
  size_t printed = 0;
  const auto print_new_warnings = [&] {
    for (; printed < model.warnings.size(); ++printed) {
      std::cerr << "latimer-convert: warning: "
                << ForTerminal(model.warnings[printed]) << "\n";
    }
  };
  print_new_warnings();
  OutputFile file(options.output);
  WriteOptions write = {.weights = options.weights,
                        .tile = options.tile,
                        .f32_tile = options.tile,
                        .pruned_argmax = !options.no_pruned_argmax,
                        .alignment = !options.align_text.empty(),
                        .certificate = !options.certify.empty(),
                        .file = &file,
                        .bytes_behind = key ? kSignatureEndBytes : 0,
                        .progress = {}};
  if (!options.shortlist_text.empty()) {
    Say(options, "learning a shortlist from", options.shortlist_text.source);
    model.shortlist = LearnShortlist(model, options.shortlist_text,
                                     options.shortlist_limits, &model.warnings);
    print_new_warnings();
  }
  Conversion result;
  if (!options.keep.empty()) {
    Say(options, "leaving tokens out of", options.model);
    result.pruning =
        PruneAndReport(options.keep, options.unreachable, write, &model);
  }
  if (!options.no_target_tokenizer && model.tokenizer &&
      model.tokenizer->target_text) {
    model.target_tokenizer = model.tokenizer->target_text();
  }
  const bool reads_text = !model.architecture.reads_speech();
  if (model.tokenizer && reads_text) result.folds = FoldText(*model.tokenizer);
  if (!options.equalize.empty()) {
    Say(options, "equalizing with", options.equalize);
    Progress progress("equalizing", ShowsProgress(options));
    result.equalized = Equalize({.text = options.equalize,
                                 .type = options.matrices,
                                 .progress = std::ref(progress)},
                                &model);
  }
  QuantizeMatrices(options, &model, &write, &result);
  Say(options, "writing", options.output);
  const ModelBytes bytes = [&] {
    Progress progress("packing weights", ShowsProgress(options));
    write.progress = std::ref(progress);
    return WriteModelWithKnownAnswer(model, write, &model.warnings);
  }();
  print_new_warnings();
  if (write.alignment) {
    Say(options, "aligning", options.align_text);
    AlignFile(options, model, write, bytes);
  }
  if (write.certificate) {
    Say(options, "translating for the certificate", options.certify);
    CertifyAndCheck(options, model, write, bytes);
  }
  result.info = ReadInfo(bytes.bytes(), /*verify_checksum=*/true);
  SetProfile(options, &result);
  if (key) key->Sign(file.bytes());
  // The model comes last, so that there is none if anything fails.
  if (!options.profile.empty()) WriteProfile(options.profile, result.profile);
  file.Commit();
  result.license = model.license;
  result.assumptions = model.assumptions;
  result.warnings = model.warnings;
  if (!options.quiet) {
    options.json ? PrintJson(options, result) : PrintText(options, result);
  }
  if (options.board == nullptr) return;
  const Board& board = *options.board;
  RequireFlash(board, result, options.output);
  RequireRam(
      board, RamBytes(result.profile), options.output,
      LongestText(result.info, LongestThatFits(result.info, options.limits,
                                               board.ram_bytes)));
}

// What destructors may allocate when there is no memory left, as those of JSON
// do: 16 bytes for each entry of an object, such as a vocabulary of a million
// pieces. Kept, and not touched, until then. From an exception that they throw
// there is no way back.
constexpr size_t kReserveBytes = size_t{16} << 20;
std::unique_ptr<char[]> reserve;

void FreeReserve() {
  reserve.reset();
  std::set_new_handler(nullptr);
  throw std::bad_alloc();
}

constexpr char kNoMemory[] =
    "latimer-convert: not enough memory for this model.\n";

int Main(int argc, char** argv) {
  reserve.reset(new (std::nothrow) char[kReserveBytes]);
  if (reserve == nullptr) {
    std::cerr << kNoMemory;
    return 1;
  }
  std::set_new_handler(FreeReserve);
  try {
    Options options;
    if (const auto code = ParseOptions(argc, argv, &options)) return *code;
    options.converted.empty() ? Convert(options) : WriteCommonProfile(options);
    std::cout.flush();
    if (std::cout) return 0;
    std::cerr << "latimer-convert: "
              << (options.converted.empty() ? options.output : options.profile)
                     .string()
              << " is finished, but standard output cannot be written.\n";
  } catch (const std::bad_alloc&) {
    std::cerr << kNoMemory;
  } catch (const std::exception& error) {
    std::cerr << "latimer-convert: " << error.what() << "\n";
  }
  return 1;
}

}  // namespace
}  // namespace latimer

int main(int argc, char** argv) {
  argv = latimer::cli::PrepareProgram(&argc, argv);
  return latimer::Main(argc, argv);
}
