// latimer: translates with a converted model.

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "cli/arguments.h"
#include "cli/commands.h"

namespace {

constexpr char kHelp[] =
    R"(latimer translates with a model that latimer-convert has made.

  latimer translate MODEL.ltm [--text TEXT | --ids | --paragraphs] [--threads N]
          [--lanes N] [--max-target-tokens N] [--min-target-tokens N]
      One translation a line for each line of standard input, or of TEXT.
      With --ids lines are token ids: source ids as they are, target ids out.
      Of the lines that are there, up to N are translated at a time.
      With --paragraphs the input is running text of any length: a blank line ends
      a paragraph, a sentence may go over lines, each is translated by itself;
      blank lines are kept, and each paragraph comes on one line.
          [--attention FILE.html|.svg|.json [--attention-of cross|encoder|decoder]]
          [--alignment] [--scores]
      Draws what each token attends to; adds " ||| 0-0 1-1", which source word
      each target word comes from; adds a line for each target token: its
      log-probability, its margin to the second best, its piece.
          [--source-lang CODE] [--target-lang CODE] [--task NAME] [--prefix TEXT]
          [--forced-first-token ID] [--suppress ID,ID...]
          [--no-repeat-ngram N] [--repetition-penalty X]
      Languages of a multilingual model; a task of T5 and its like, or what is
      put before each text; rules in the place of the model's own (0 and 1: off).
          [--max-tokens N] [--max-ms N] [--no-guards]
      A line, or a sentence of --paragraphs, may take so many tokens, so many
      milliseconds. A text that repeats itself without end, or gets far longer
      than its source, is stopped; --no-guards lets it go on, as --ids does. What
      did not end by itself is named on standard error, with the reason; the exit
      code stays 0.
  latimer tokenize MODEL.ltm [--decode]
      Lines of text to source ids with EOS; with --decode target ids to text.
  latimer inspect MODEL.ltm [--json]
      Architecture, quantization, sizes, rules, provenance.
  latimer plan MODEL.ltm [--board NAME | --ram BYTES] [--max-source-tokens N]
          [--max-target-tokens N] [--threads N] [--copy-image] [--insight] [--json]
      What a build for exactly this model needs, and whether that fits a board,
      or so much RAM (512M, 2G). Fails where it does not.
  latimer bench MODEL.ltm [--source-tokens S | --ids] [--target-tokens T]
          [--threads N] [--repeat R] [--profile] [--json]
      Time and memory for S random source ids and exactly T generated tokens, or,
      with --ids, for the ids of each line of standard input, without T until the
      end of the sentence. With --profile time by group of work, beside what
      reading the weights takes.
  latimer doctor [MODEL.ltm] [--threads N] [--json]
      Looks at the CPU, the memory and the model, compares what the model answers
      with what it must answer, and measures speed, in about five seconds. Exit
      code 1 where something is wrong.

  A program that was built with a model inside (LATIMER_EMBED) takes no
  MODEL.ltm: latimer translate --text TEXT.

  For all: --skip-checksum loads without looking for damaged weights; --copy
  reads the model into memory instead of mapping it, so that the file may change
  or go; --require-signature KEY.pem takes only a model that the owner of this
  public key has signed; --cpu NAME uses no more than sse41, avx2, avxvnni or
  avx512 (ARM: neon, dotprod, i8mm).
)";

namespace cli = latimer::cli;

int Run(int argc, char** argv) {
  const char* command = argc > 1 ? argv[1] : "";
  if (std::strcmp(command, "translate") == 0) {
    return cli::Translate(argc - 1, argv + 1);
  }
  if (std::strcmp(command, "tokenize") == 0) {
    return cli::Tokenize(argc - 1, argv + 1);
  }
  if (std::strcmp(command, "inspect") == 0) {
    return cli::Inspect(argc - 1, argv + 1);
  }
  if (std::strcmp(command, "plan") == 0) {
    return cli::Plan(argc - 1, argv + 1);
  }
  if (std::strcmp(command, "bench") == 0) {
    return cli::Bench(argc - 1, argv + 1);
  }
  if (std::strcmp(command, "doctor") == 0) {
    return cli::Doctor(argc - 1, argv + 1);
  }
  if (std::strcmp(command, "--help") == 0 || std::strcmp(command, "-h") == 0 ||
      std::strcmp(command, "help") == 0) {
    std::fputs(kHelp, stdout);
    return cli::kSuccess;
  }
  if (std::strcmp(command, "--version") == 0) {
    std::puts("latimer " LATIMER_VERSION);
    return cli::kSuccess;
  }
  if (*command == '\0') {
    std::fputs(kHelp, stderr);
  } else {
    std::fprintf(stderr, "latimer: unknown command %s; see latimer --help.\n",
                 command);
  }
  return cli::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  const int code = Run(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  // translate and tokenize have said so already.
  if (code == cli::kSuccess && errno != EPIPE) {
    std::fprintf(stderr, "latimer: cannot write to standard output (%s).\n",
                 std::strerror(errno));
  }
  return code == cli::kSuccess ? cli::kFailure : code;
}
