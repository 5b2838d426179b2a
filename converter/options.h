// The command line of latimer-convert.
#ifndef LATIMER_CONVERTER_OPTIONS_H_
#define LATIMER_CONVERTER_OPTIONS_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/board.h"
#include "converter/lexical_shortlist.h"
#include "converter/quantize.h"
#include "converter/token_choice.h"
#include "internals.h"
#include "ops/xnnpack/packed_matrix.h"

namespace latimer {

// Paths and texts that are empty were not given.
struct Options {
  std::filesystem::path model;
  // Models that were converted before, to write a profile for; empty: `model`
  // is to be converted.
  std::vector<std::filesystem::path> converted;
  std::string map;
  std::vector<std::string> settings;
  std::string source_language, target_language;
  std::string sentence_rules;
  std::filesystem::path output;
  WeightType weights = WeightType::kInt8;  // Of the model.
  // What --weights names, of most of its matrices; auto: int8.
  WeightType matrices = WeightType::kInt8;
  bool choose_weights = false;  // --weights auto
  double max_loss = 0.01;
  bool loss_of_lines = false;
  double int4_error = kInt4LargestError;
  std::vector<std::string> keep_f16, keep_int8;  // Patterns.
  std::filesystem::path equalize, calibrate;
  ParallelText shortlist_text;
  ShortlistLimits shortlist_limits;
  Tile tile = Tile::k8x8;
  const Board* board = nullptr;  // Null: none was named.
  std::filesystem::path profile;
  ProfileLimits limits;
  uint32_t beams = 0;  // Of the model's searches; 0: the model's own number.
  std::string license;
  std::string model_version;
  bool json = false;
  bool bill = false, quiet = false, verbose = false, progress = false;
  bool no_tokenizer = false;
  bool no_target_tokenizer = false;
  TokensToKeep keep;
  std::vector<std::filesystem::path> unreachable;
  bool no_pruned_argmax = false;
  std::filesystem::path certify, references;
  std::filesystem::path align_text;
  std::optional<double> min_agreement;
  std::filesystem::path signing_key;
};

// An option whose values are files.
struct FileOption {
  std::string name;  // "--certify"
  bool written = false;
};
std::vector<FileOption> FileOptions();

// Reads the command line. If there is nothing to convert (--help, or a wrong
// option, of which it prints what is wrong), returns the program's exit code.
std::optional<int> ParseOptions(int argc, char** argv, Options* options);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_OPTIONS_H_
