// latimer: translates with a converted model.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "latimer/version.h"
#include "os/system.h"

namespace {

namespace cli = latimer::cli;

struct CommandInfo {
  const char* name;
  cli::Command command;
  int (*run)(const cli::Arguments&);  // Null: this build does not have it.
  const char* files;
  const char* help;
};

constexpr CommandInfo kCommands[] = {
    {"translate", cli::kTranslate, cli::Translate,
     "MODEL.ltm [SECOND.ltm] [FILE...]",
     "translate each line of FILE, or of standard input; a second\n"
     "model translates the output of the first"},
    {"tokenize", cli::kTokenize, cli::Tokenize, "MODEL.ltm [FILE...]",
     "print the token ids that the encoder reads for each line, as\n"
     "with translate --no-fold"},
    {"transcribe", cli::kTranscribe,
     latimer::kProfile.speech() ? cli::Transcribe : nullptr,
     "MODEL.ltm [FILE.wav...]",
     "write what is said in FILE, or in a WAV of standard input,\n"
     "with a model that reads speech"},
    {"inspect", cli::kInspect, cli::Inspect, "MODEL.ltm",
     "show architecture, quantization, sizes, generation config\n"
     "and provenance"},
    {"plan", cli::kPlan, cli::Plan, "MODEL.ltm",
     "show what a build for exactly this model needs; exit code\n"
     "1 if that does not fit the given board or RAM"},
    {"bench", cli::kBench, cli::Bench, "MODEL.ltm", "measure time and memory"},
    {"doctor", cli::kDoctor, cli::Doctor, "[MODEL.ltm]",
     "check CPU, memory and model, compare the model's answer\n"
     "with the known one, and measure speed, in about five\n"
     "seconds; exit code 1 if something is wrong"},
};

void PrintHelp(std::FILE* file) {
  std::fputs(
      "latimer translates with a model that latimer-convert made.\n\n"
      "Usage: latimer COMMAND MODEL.ltm [OPTIONS]\n\nCommands:\n",
      file);
  for (const CommandInfo& info : kCommands) {
    if (info.run == nullptr) continue;
    std::fprintf(file, "  %-12s", info.name);
    for (const char* c = info.help; *c != '\0'; ++c) {
      std::fputc(*c, file);
      if (*c == '\n') std::fprintf(file, "%14s", "");
    }
    std::fputc('\n', file);
  }
  std::fputs(
      "\nlatimer help COMMAND lists its options; inspect, plan, bench and\n"
      "doctor have --json. latimer --version prints the version.\n"
      "A program that was built with a model inside (LATIMER_EMBED) takes no\n"
      "MODEL.ltm: latimer translate --text TEXT.\n",
      file);
}

void PrintHelpOf(const CommandInfo& info) {
  std::printf("Usage: latimer %s %s [OPTIONS]\n\n%s\n", info.name, info.files,
              info.help);
  cli::PrintOptions(info.command, stdout);
}

const CommandInfo* Find(std::string_view name) {
  for (const CommandInfo& info : kCommands) {
    if (name == info.name && info.run != nullptr) return &info;
  }
  return nullptr;
}

int Unknown(const char* command) {
  std::fprintf(stderr, "latimer: unknown command %s; see latimer --help.\n",
               command);
  return cli::kUsage;
}

int Run(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (const CommandInfo* const info = Find(name); info != nullptr) {
    cli::Arguments arguments;
    const int code =
        cli::ParseArguments(info->command, argc - 1, argv + 1, &arguments);
    if (code != cli::kSuccess) return code;
    if (!arguments.help) return info->run(arguments);
    PrintHelpOf(*info);
  } else if (name == "help" && argc > 2) {
    const CommandInfo* const of = Find(argv[2]);
    if (of == nullptr) return Unknown(argv[2]);
    PrintHelpOf(*of);
  } else if (name == "--help" || name == "-h" || name == "help") {
    PrintHelp(stdout);
  } else if (name == "--version") {
    std::puts("latimer " LATIMER_VERSION);
  } else if (name.empty()) {
    PrintHelp(stderr);
    return cli::kUsage;
  } else {
    return Unknown(argv[1]);
  }
  return cli::kSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  argv = cli::PrepareProgram(&argc, argv);
  const int code = Run(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  // translate and tokenize have reported it already.
  if (code == cli::kSuccess && errno != EPIPE) {
    std::fprintf(stderr, "latimer: cannot write to standard output (%s).\n",
                 std::strerror(errno));
  }
  return code == cli::kSuccess ? cli::kFailure : code;
}
