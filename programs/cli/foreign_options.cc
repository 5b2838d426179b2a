#include "cli/foreign_options.h"

#include "report/room_for.h"

namespace latimer::cli {
namespace {

constexpr struct {
  std::string_view foreign;  // With "-" for "_".
  const char* own;
} kOptions[] = {
    {"beam", "give --beams N"},
    {"beam-size", "give --beams N"},
    {"num-beams", "give --beams N"},
    {"nbest", "give --n-best N"},
    {"num-hypotheses", "give --n-best N"},
    {"num-return-sequences", "give --n-best N"},
    {"src-lang", "give --source-lang CODE"},
    {"tgt-lang", "give --target-lang CODE"},
    {"lang-pair", "give --source-lang CODE and --target-lang CODE"},
    {"batch-size", "give --lanes N"},
    {"max-batch-size", "give --lanes N"},
    {"mini-batch", "give --lanes N"},
    {"max-length", "give --max-target-tokens N"},
    {"max-new-tokens", "give --max-target-tokens N"},
    {"max-decoding-length", "give --max-target-tokens N"},
    {"min-length", "give --min-target-tokens N"},
    {"no-repeat-ngram-size", "give --no-repeat-ngram N"},
    {"normalize", "give --length-penalty X"},
    {"lenpen", "give --length-penalty X"},
    {"do-sample", "give --sample"},
    {"sampling-topk", "give --top-k N"},
    {"sampling-topp", "give --top-p X"},
    {"cpu-threads", "give --threads N"},
    {"inter-threads", "give --threads N"},
    {"intra-threads", "give --threads N"},
    {"num-threads", "give --threads N"},
    {"input", "give the file without an option"},
    {"model", "give the model without an option"},
    {"src", "give the file without an option"},
    {"device", "leave it out: there is only the CPU"},
    {"compute-type", "give latimer-convert --weights int8, f16 or f32"},
    {"quantization", "give latimer-convert --weights int8, f16 or f32"},
    {"quantize", "give latimer-convert --weights int8, f16 or f32"},
    {"shortlist", "give latimer-convert --shortlist-text"},
};

constexpr struct {
  Command command;
  std::string_view old;
  const char* now;
} kRenamed[] = {
    {kTranslate, "--attention", "--draw-attention"},
    {kTranslate, "--attention-of", "--draw-attention-of"},
    {kTranslate, "--attention-layer", "--draw-attention-layer"},
    {kInspect, "--license", "--print-license"},
};

}  // namespace

const char* InsteadOf(std::string_view option) {
  std::string name(option.substr(0, option.find('=')));
  for (char& c : name) c = c == '_' ? '-' : c;
  for (const auto& known : kOptions) {
    if (name == known.foreign) return known.own;
  }
  return nullptr;
}

std::string NameNow(Command command, std::string_view option) {
  const std::string_view name = option.substr(0, option.find('='));
  for (const auto& renamed : kRenamed) {
    if (command != renamed.command || name != renamed.old) continue;
    return std::string(name) + " is " + renamed.now + " now.";
  }
  return command == kPlan ? RoomForInsteadOf(name) : "";
}

}  // namespace latimer::cli
