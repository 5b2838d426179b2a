// latimer: translates with a converted model.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "latimer/version.h"

namespace {

namespace cli = latimer::cli;

struct CommandInfo {
  const char* name;
  cli::Command command;
  int (*run)(const cli::Arguments&);
  const char* help;
};

constexpr CommandInfo kCommands[] = {
    {"translate", cli::kTranslate, cli::Translate,
     "latimer translate MODEL.ltm [OPTIONS]\n"
     "    Writes one output line for each line of standard input."},
    {"tokenize", cli::kTokenize, cli::Tokenize,
     "latimer tokenize MODEL.ltm [OPTIONS]\n"
     "    Turns lines of text into source token ids, with EOS."},
    {"inspect", cli::kInspect, cli::Inspect,
     "latimer inspect MODEL.ltm [OPTIONS]\n"
     "    Shows architecture, quantization, sizes, generation config and\n"
     "    provenance."},
    {"plan", cli::kPlan, cli::Plan,
     "latimer plan MODEL.ltm [OPTIONS]\n"
     "    Shows what a build for exactly this model needs; exit code 1 if "
     "that\n"
     "    does not fit the given board or RAM."},
    {"bench", cli::kBench, cli::Bench,
     "latimer bench MODEL.ltm [OPTIONS]\n"
     "    Measures time and memory."},
    {"doctor", cli::kDoctor, cli::Doctor,
     "latimer doctor [MODEL.ltm] [OPTIONS]\n"
     "    Checks CPU, memory and model, compares the model's answer with the\n"
     "    known one, and measures speed, in about five seconds; exit code 1 "
     "if\n"
     "    something is wrong."},
};

void PrintHelp(std::FILE* file) {
  std::fputs("latimer translates with a model that latimer-convert made.\n",
             file);
  for (const CommandInfo& info : kCommands) {
    std::fprintf(file, "\n  %s\n", info.help);
    cli::PrintOptions(info.command, file);
  }
  std::fputs("\n  Options of translate, plan, bench and doctor:\n", file);
  cli::PrintOptions(cli::kTranslate | cli::kPlan | cli::kBench | cli::kDoctor,
                    file);
  std::fputs("\n  Options of inspect, plan, bench and doctor:\n", file);
  cli::PrintOptions(cli::kInspect | cli::kPlan | cli::kBench | cli::kDoctor,
                    file);
  std::fputs("\n  Options of every command:\n", file);
  cli::PrintOptions(cli::kEveryCommand, file);
  std::fputs(
      "\n  A program that was built with a model inside (LATIMER_EMBED) takes\n"
      "  no MODEL.ltm: latimer translate --text TEXT.\n",
      file);
}

int Run(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const CommandInfo& info : kCommands) {
    if (name != info.name) continue;
    cli::Arguments arguments;
    const int code =
        cli::ParseArguments(info.command, argc - 1, argv + 1, &arguments);
    return code != cli::kSuccess ? code : info.run(arguments);
  }
  if (name == "--help" || name == "-h" || name == "help") {
    PrintHelp(stdout);
    return cli::kSuccess;
  }
  if (name == "--version") {
    std::puts("latimer " LATIMER_VERSION);
    return cli::kSuccess;
  }
  if (name.empty()) {
    PrintHelp(stderr);
  } else {
    std::fprintf(stderr, "latimer: unknown command %s; see latimer --help.\n",
                 argv[1]);
  }
  return cli::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  const int code = Run(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  // translate and tokenize have reported it already.
  if (code == cli::kSuccess && errno != EPIPE) {
    std::fprintf(stderr, "latimer: cannot write to standard output (%s).\n",
                 std::strerror(errno));
  }
  return code == cli::kSuccess ? cli::kFailure : code;
}
