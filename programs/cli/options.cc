#include "cli/options.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/cpu.h"
#include "cli/ordered_writer.h"
#include "cli/workers.h"

namespace latimer::cli {
namespace {

using A = Arguments;
using Reads = OptionInfo::Reads;
using Writes = OptionInfo::Writes;
using enum OptionGroup;

constexpr const char* kHeadings[] = {
    "Input and output", "Language and task",      "What is written",
    "Limits",           "Choice of tokens",       "What the build holds",
    "What is measured", "Machine and model file",
};

// A line of --help has 80 columns, 52 of them for the text.
constexpr OptionInfo kOptions[] = {
    {kTranslate, kInput, "text", "TEXT", &A::text,
     "translate TEXT instead of standard input"},
    {kTranslate | kTokenize | kTranscribe, kInput, "output", "FILE",
     Writes{&A::output}, "write to FILE instead of standard output"},
    {kTranslate, kInput, "ids", nullptr, &A::ids,
     "read source token ids and write target token ids"},
    {kTranslate, kInput, "paragraphs", nullptr, &A::paragraphs,
     "read running text and translate its sentences"},
    {kTranslate, kInput, "html", nullptr, &A::html,
     "read HTML and write HTML with the same tags"},
    {kTranslate, kInput, "quiet", nullptr, &A::quiet,
     "show no progress on a terminal"},
    {kTokenize, kInput, "decode", nullptr, &A::decode,
     "turn lines of target token ids into text"},
    {kBench, kInput, "ids", nullptr, &A::ids,
     "translate lines of token ids of standard input"},
    {kDoctor, kInput, "report", "FILE", Writes{&A::report},
     "also write to FILE, as JSON that names no person"},
    {kInspect, kInput, "print-license", nullptr, &A::print_license,
     "print the model's whole licence and nothing else"},
    {kInspect | kPlan | kBench | kDoctor, kInput, "json", nullptr, &A::json,
     "write JSON"},
    {kTranscribe, kInput, "json", nullptr, &A::json,
     "write a line of JSON for each segment"},
    {kTranscribe, kInput, "srt", nullptr, &A::srt, "write subtitles in SRT"},
    {kTranscribe, kInput, "vtt", nullptr, &A::vtt, "write subtitles in WebVTT"},
    {kTranscribe, kInput, "pcm-rate", "HZ", &A::pcm_rate,
     "read raw PCM, 16 bits, mono, at HZ samples a second", 8000, 48000},
    {kTranscribe, kInput, "window", "LENGTH", &A::window,
     "whole (default), or auto: less work for short speech"},

    {kTranscribe, kLanguage, "language", "CODE", &A::language,
     "what is spoken, such as en (default: detected)"},
    {kTranscribe, kLanguage, "task", "NAME", &A::speech_task,
     "transcribe (default), or translate: write English"},
    {kTranscribe, kLanguage, "then", "MODEL", Reads{&A::second_model},
     "translate what was said with a second model"},
    {kTranscribe, kLanguage, "prompt", "TEXT", &A::prompt,
     "words of the subject, as they are to be spelled"},
    {kTranscribe, kTokens, "words", nullptr, &A::words,
     "with --json: also when each word is said"},
    {kTranscribe, kTokens, "no-previous-text", nullptr, &A::previous_text,
     "read each window without the text before it"},
    {kTranscribe, kTokens, "no-timestamps", nullptr, &A::timestamps,
     "cut windows in pauses, not where the model ends them"},
    {kTranscribe, kTokens, "no-fallback", nullptr, &A::fallback,
     "never try again at a higher temperature"},
    {kTranslate, kLanguage, "pivot-lang", "CODE", &A::pivot_language,
     "language between two models; CODE,CODE if they vary"},

    {kTranslate, kWritten, "json", nullptr, &A::json_lines,
     "write a line of JSON for each line or sentence"},
    {kTranslate, kWritten, "n-best", "N", &A::n_best,
     "write the N best: \"LINE ||| TRANSLATION ||| SCORE\"", 1},
    {kTranslate, kWritten, "alignment", nullptr, &A::alignment,
     "append the links of words, such as \" ||| 0-0 1-1\""},
    {kTranslate, kWritten, "scores", nullptr, &A::scores,
     "also write each token: score, margin, piece"},
    {kTranslate, kWritten, "check-numbers", nullptr, &A::check_numbers,
     "warn if numbers differ from those of the source"},
    {kTranslate, kWritten, "draw-attention", "FILE", Writes{&A::draw_attention},
     "draw attention weights to a .html, .svg or .json"},
    {kTranslate, kWritten, "draw-attention-of", "KIND", &A::draw_attention_of,
     "cross (default), encoder or decoder"},
    {kTranslate, kWritten, "draw-attention-layer", "N",
     &A::draw_attention_layer, "the layer of an .svg file", 1},

    {kTranslate, kTokens, "terms", "FILE", Reads{&A::terms},
     "use terms: a source, a tab, its translation per line"},
    {kTranslate, kTokens, "protect-also", "FILE", Reads{&A::protect_also},
     "also protect text that matches a line; * is a word"},
    {kBench, kMeasured, "beams", "N", &A::beams,
     "search with N beams (default: 1)", 1},
    {kTranslate, kTokens, "suppress", "ID,ID...", &A::suppress,
     "never produce these tokens"},
    {kTranslate, kTokens, "banned-words", "FILE", Reads{&A::banned_words},
     "never produce the words in FILE, one a line"},

    {kPlan, kBuild, "max-source-tokens", "N", &A::max_source_tokens,
     "hold sources of at most N tokens", 1},
    {kPlan, kBuild, "max-target-tokens", "N", &A::max_target_tokens,
     "hold translations of at most N tokens", 1},
    {kPlan, kBuild, "f16-caches", nullptr, &A::f16_caches,
     "hold keys and values as f16 instead of f32"},
    {kPlan, kBuild, "copy-image", nullptr, &A::copy_image,
     "hold the model file itself in RAM"},
    {kPlan, kBuild, "room-for", "LIST", &A::room_for,
     "attention,scores,alignment,phrases,sampling,beams=N"},

    {kBench, kMeasured, "source-tokens", "S", &A::source_tokens,
     "length of the source (default: 32; of sound, all)", 1},
    {kBench, kMeasured, "target-tokens", "T", &A::target_tokens,
     "generate T tokens (default: 32; with --ids to EOS)", 1},
    {kBench, kMeasured, "repeat", "R", &A::repeat, "rounds (default: 20)", 1},
    {kBench, kMeasured, "profile", nullptr, &A::profile,
     "the time of each operation, and of reading weights"},

    {kPlan, kMachine, "board", "NAME", &A::board,
     "check whether it fits this board, or a board file"},
    {kPlan, kMachine, "ram", "BYTES", &A::ram,
     "check whether it fits this RAM, as in 512M or 2G"},
    {kTranslate | kPlan, kMachine, "lanes", "N", &A::lanes,
     "translate up to N lines side by side", 1},
    {kTranslate | kPlan, kMachine, "workers", "N", &A::workers,
     "translate in N threads, each with its own lanes", 1, kMostWorkers},
    {kTranslate, kMachine, "cache", "N", &A::cache,
     "keep up to N MiB of translations for equal lines", 1, kMostCacheMiB},
    {kTranslate | kTranscribe | kPlan | kBench | kDoctor, kMachine, "threads",
     "N", &A::threads, "split each step among N threads (default: profile's)",
     1},
    {kEveryCommand, kMachine, "cpu", "NAME", &A::cpu,
     "use at most " LATIMER_ISA_LIMITS},
    {kEveryCommand, kMachine, "copy", nullptr, &A::copy,
     "read the model into memory instead of mapping it"},
    {kEveryCommand, kMachine, "skip-checksum", nullptr, &A::verify_checksum,
     "do not check the file for damage"},
    {kEveryCommand, kMachine, "require-signature", "KEY",
     Reads{&A::require_signature},
     "refuse a model not signed by the owner of KEY (PEM)"},
};

void PrintOption(std::string option, const char* value, const char* help,
                 std::FILE* file) {
  option.insert(0, option == "output" ? "-o, --" : "--");
  if (value != nullptr) option.append(" ").append(value);
  std::fprintf(file, "  %-25s %s\n", option.c_str(), help);
}

OptionGroup GroupOf(const NamedOption& option) {
  switch (option.group) {
    case latimer::OptionGroup::kLanguage:
      return kLanguage;
    case latimer::OptionGroup::kLimits:
      return kLimits;
    case latimer::OptionGroup::kTokens:
    case latimer::OptionGroup::kNowhere:
      return kTokens;
  }
  return kTokens;
}

}  // namespace

std::span<const OptionInfo> Options() { return kOptions; }

uint32_t CommandsOf(const NamedOption& option) {
  switch (option.group) {
    case latimer::OptionGroup::kNowhere:
      return 0;
    case latimer::OptionGroup::kLanguage:
      return kTranslate | kTokenize;
    case latimer::OptionGroup::kLimits:
    case latimer::OptionGroup::kTokens:
      return kTranslate;
  }
  return 0;
}

std::string FlagOf(const NamedOption& option) {
  std::string flag = option.on_by_default ? "no-" : "";
  flag += option.name;
  std::ranges::replace(flag, '_', '-');
  return flag;
}

void PrintOptions(Command command, std::FILE* file) {
  for (size_t group = 0; group < std::size(kHeadings); ++group) {
    bool has_heading = false;
    const auto print = [&](uint32_t commands, OptionGroup of,
                           const std::string& option, const char* value,
                           const char* help) {
      if ((commands & command) == 0 || static_cast<size_t>(of) != group) return;
      if (!has_heading) std::fprintf(file, "\n%s:\n", kHeadings[group]);
      has_heading = true;
      PrintOption(option, value, help, file);
    };
    for (const NamedOption& option : NamedOptions()) {
      print(CommandsOf(option), GroupOf(option), FlagOf(option), option.value,
            HelpOf(option));
    }
    for (const OptionInfo& info : kOptions) {
      print(info.commands, info.group, info.name, info.value, info.help);
    }
  }
}

}  // namespace latimer::cli
