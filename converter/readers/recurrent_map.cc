#include "converter/readers/recurrent_map.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "converter/readers/name_pattern.h"

namespace latimer {
namespace {

constexpr std::string_view kFlags[] = {
    "score",           "query",         "directions",   "initial_state",
    "attention_reads", "decoder_reads", "output_reads",
};

constexpr std::string_view kParts[] = {
    "source_embedding", "target_embedding", "encoder.gru",     "decoder.gru",
    "initial_state",    "attention.joint",  "attention.query", "attention.keys",
    "attention.energy", "combine",          "output",
};

// A list of concatenated inputs: some of `words`, in any order, including
// `always`.
std::vector<std::string> Reads(const JsonFields& fields, std::string_view name,
                               const std::vector<std::string>& words,
                               const std::string& always) {
  std::string list;
  for (const std::string& word : words) {
    list += (list.empty() ? "\"" : ", \"") + word + "\"";
  }
  const std::string why =
      "it must be a list, in the order of the "
      "concatenation, of some of " +
      list + ", and have \"" + always + "\"";
  fields.Demand(name, why);
  std::vector<std::string> reads = fields.Texts(name);
  for (const std::string& part : reads) {
    if (std::ranges::find(words, part) == words.end() ||
        std::ranges::count(reads, part) != 1) {
      fields.Fail(name, why);
    }
  }
  if (std::ranges::find(reads, always) == reads.end()) fields.Fail(name, why);
  return reads;
}

}  // namespace

bool IsRecurrent(const JsonFields& fields) {
  return fields.Choice<bool>("architecture",
                             {{"transformer", false}, {"gru", true}}, false);
}

std::span<const std::string_view> RecurrentFlagNames() { return kFlags; }

std::span<const std::string_view> RecurrentParts() { return kParts; }

bool AddGruNames(const JsonFields& tensors, const std::string& part,
                 std::map<std::string, PartNames>* names) {
  if (!part.ends_with(".gru")) return false;
  const nlohmann::json& value = *tensors.Find(part);
  if (!value.is_string()) {
    tensors.Fail(part, "it must be the name of an nn.GRU");
  }
  const std::pair<std::string, std::string> parameters[] = {
      {"input", "ih_l{layer}"},
      {"hidden", "hh_l{layer}"},
      {"backward_input", "ih_l{layer}_reverse"},
      {"backward_hidden", "hh_l{layer}_reverse"}};
  for (const std::string& module :
       ExpandChoices(value.get_ref<const std::string&>())) {
    for (const auto& [name, suffix] : parameters) {
      PartNames& part_names = (*names)[Concat(part, ".", name)];
      part_names.weight.push_back(Concat(module, ".weight_", suffix));
      part_names.bias.push_back(Concat(module, ".bias_", suffix));
    }
  }
  return true;
}

RecurrentFlags ReadRecurrentFlags(const JsonFields& fields) {
  using Initial = RecurrentFlags::InitialState;
  RecurrentFlags flags;
  flags.attention_function = fields.Choice<AttentionFunction>(
      "score", {{"additive", AttentionFunction::kAdditive},
                {"dot", AttentionFunction::kDot},
                {"general", AttentionFunction::kGeneral}});
  flags.query_before =
      fields.Choice<bool>("query", {{"before", true}, {"after", false}});
  flags.directions_added = fields.Choice<bool>(
      "directions", {{"concatenate", false}, {"add", true}});
  flags.initial_state = fields.Choice<Initial>(
      "initial_state", {{"projected", Initial::kProjected},
                        {"zeros", Initial::kZeros},
                        {"first", Initial::kFirst},
                        {"last", Initial::kLast},
                        {"forward", Initial::kForward},
                        {"backward", Initial::kBackward}});
  if (fields.Has("attention_reads")) {
    flags.attention_reads = Reads(fields, "attention_reads",
                                  {"hidden", "encoder_outputs"}, "hidden");
    if (flags.attention_reads.size() != 2) {
      fields.Fail("attention_reads", "it must have both");
    }
  }
  flags.decoder_reads =
      Reads(fields, "decoder_reads", {"embedding", "context"}, "embedding");
  flags.output_reads = Reads(fields, "output_reads",
                             {"hidden", "context", "embedding"}, "hidden");
  if (flags.decoder_reads.size() == 2 && !flags.query_before) {
    fields.Fail("decoder_reads",
                "the decoder cannot read the context of a query that is made "
                "after its step; Latimer does not feed the last one's");
  }
  return flags;
}

}  // namespace latimer
