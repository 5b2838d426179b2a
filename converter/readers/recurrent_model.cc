#include "converter/readers/recurrent_model.h"

#include <algorithm>
#include <numeric>

#include "converter/canonical_model.h"
#include "converter/error.h"
#include "converter/readers/mapped_positions.h"

namespace latimer {
namespace {

// The columns of a matrix that belong together.
struct Columns {
  std::string name;
  uint64_t count;
};

uint64_t Total(const std::vector<Columns>& columns) {
  return std::accumulate(
      columns.begin(), columns.end(), uint64_t{0},
      [](uint64_t sum, const Columns& c) { return sum + c.count; });
}

struct GruTensors {
  Parameters input, hidden;
};

class RecurrentMapper {
 public:
  RecurrentMapper(MappedTensors& tensors, CanonicalModel* model)
      : tensors_(tensors),
        flags_(*tensors.map().recurrent),
        model_(*model),
        a_(model->architecture),
        r_(model->architecture.recurrent) {}

  // Finds tensors by their names alone; throws if any is missing or left over.
  void TakeAll() {
    source_embedding_ = tensors_.Take("source_embedding").weight;
    target_embedding_ = tensors_.Take("target_embedding").weight;
    a_.encoder_layers = tensors_.CountLayers("encoder");
    a_.decoder_layers = tensors_.CountLayers("decoder");
    r_.bidirectional = tensors_.Has("encoder.gru.backward_input");
    encoder_ = TakeGru("encoder.gru.", a_.encoder_layers);
    if (r_.bidirectional) {
      backward_ = TakeGru("encoder.gru.backward_", a_.encoder_layers);
    }
    decoder_ = TakeGru("decoder.gru.", a_.decoder_layers);
    if (flags_.initial_state == RecurrentFlags::InitialState::kProjected) {
      initial_state_ = tensors_.Take("initial_state");
    }
    TakeAttention();
    if (tensors_.map().tensors.contains("combine")) {
      combine_ = tensors_.Take("combine");
    }
    output_ = tensors_.Take("output");
    tensors_.Finish();
  }

  void BuildAll() {
    SetSizes();
    CheckFlags();
    BuildEncoder();
    BuildAttention();
    BuildDecoder();
    BuildOutput();
    TieEmbeddings(source_embedding_, target_embedding_, output_.weight,
                  /*share=*/true, &model_);
  }

 private:
  // ---- Names ----

  std::vector<GruTensors> TakeGru(const std::string& part, uint32_t layers) {
    std::vector<GruTensors> taken(layers);
    for (uint32_t i = 0; i < layers; ++i) {
      taken[i].input = tensors_.Take(part + "input", i);
      taken[i].hidden = tensors_.Take(part + "hidden", i);
    }
    return taken;
  }

  void TakeAttention() {
    switch (flags_.attention_function) {
      case AttentionFunction::kAdditive:
        if (tensors_.Has("attention.joint")) {
          joint_ = tensors_.Take("attention.joint");
        } else {
          query_ = tensors_.Take("attention.query");
          keys_ = tensors_.Take("attention.keys");
        }
        // A bias would shift all logits alike, which does not change softmax.
        energy_ = tensors_.Take("attention.energy").weight;
        return;
      case AttentionFunction::kDot:
        return;
      case AttentionFunction::kGeneral:
        keys_ = tensors_.Take("attention.keys");
        return;
    }
  }

  // ---- Shapes ----

  uint32_t Dimension(const SourceTensor& tensor, size_t axis,
                     const char* what) {
    if (tensor.shape.size() != 2) tensors_.Fail(tensor, what);
    return static_cast<uint32_t>(tensor.shape[axis]);
  }

  // A GRU has three gates, so W_hh is [3H, H].
  uint32_t StateWidth(const GruTensors& layer) {
    const SourceTensor& weight = *layer.hidden.weight;
    const char* const what = "should be the [3H, H] of a GRU";
    const uint32_t h = Dimension(weight, 1, what);
    if (h == 0 || weight.shape[0] != 3 * uint64_t{h}) {
      tensors_.Fail(weight, what);
    }
    return h;
  }

  void SetSizes() {
    const char* const embedding = "should be an embedding [vocabulary, width]";
    a_.network_kind = NetworkKind::kGru;
    a_.source_vocabulary = Dimension(*source_embedding_, 0, embedding);
    a_.target_vocabulary = Dimension(*target_embedding_, 0, embedding);
    const ModelMap& map = tensors_.map();
    a_.source_positions =
        map.max_source_tokens > 0 ? map.max_source_tokens : kUsualPositions;
    a_.target_positions =
        map.max_target_tokens > 0 ? map.max_target_tokens : kUsualPositions;
    r_.source_embedding = Dimension(*source_embedding_, 1, embedding);
    r_.target_embedding = Dimension(*target_embedding_, 1, embedding);
    r_.encoder_hidden = StateWidth(encoder_[0]);
    r_.decoder_hidden = StateWidth(decoder_[0]);
    r_.directions_added = r_.bidirectional && flags_.directions_added;
    r_.attention_function = flags_.attention_function;
    r_.query_before = flags_.query_before;
    r_.input_context = Reads(flags_.decoder_reads, "context");
    r_.output_context = Reads(flags_.output_reads, "context");
    r_.output_embedding = Reads(flags_.output_reads, "embedding");
    r_.attention_hidden = r_.decoder_hidden;
    if (combine_.weight != nullptr) {
      r_.combined = Dimension(*combine_.weight, 0, "should be a matrix");
    }
    SetInitialState();
  }

  static bool Reads(const std::vector<std::string>& list, const char* what) {
    return std::ranges::find(list, what) != list.end();
  }

  void SetInitialState() {
    using Initial = RecurrentFlags::InitialState;
    r_.initial_state = InitialState::kEncoderStates;
    r_.state_step = 1;
    const uint32_t states = a_.encoder_layers * r_.directions();
    switch (flags_.initial_state) {
      case Initial::kProjected:
        r_.initial_state = InitialState::kProjected;
        r_.state_step = 0;
        return;
      case Initial::kZeros:
        r_.initial_state = InitialState::kZero;
        r_.state_step = 0;
        return;
      case Initial::kFirst:
        return;
      case Initial::kLast:
        r_.first_state = states - std::min(states, a_.decoder_layers);
        return;
      case Initial::kForward:
        r_.state_step = r_.directions();
        return;
      case Initial::kBackward:
        r_.first_state = r_.directions() - 1;
        r_.state_step = r_.directions();
        return;
    }
  }

  template <typename... Parts>
  [[noreturn]] void FailFlag(const char* flag, const Parts&... why) {
    FailIn(tensors_.map().name, flag, " does not fit ", tensors_.path(), ": ",
           why...);
  }

  // Refuses what the loader would refuse, in the map's terms.
  void CheckFlags() {
    if (r_.initial_state == InitialState::kProjected &&
        a_.decoder_layers != 1) {
      FailFlag("initial_state",
               "\"projected\" is for one decoder layer, and there are ",
               a_.decoder_layers);
    }
    if (r_.initial_state == InitialState::kEncoderStates) {
      if (r_.encoder_hidden != r_.decoder_hidden) {
        FailFlag("initial_state", "the encoder's states are ",
                 r_.encoder_hidden, " wide and the decoder's ",
                 r_.decoder_hidden);
      }
      const uint64_t states = uint64_t{a_.encoder_layers} * r_.directions();
      if (r_.first_state + uint64_t{a_.decoder_layers - 1} * r_.state_step >=
          states) {
        FailFlag("initial_state", "the encoder has ", states,
                 " states, too few for ", a_.decoder_layers, " decoder layers");
      }
    }
    if (r_.attention_function == AttentionFunction::kDot &&
        r_.memory_width() != r_.decoder_hidden) {
      FailFlag("attention_function",
               "\"dot\" needs encoder outputs, which are ", r_.memory_width(),
               " wide, as wide as the decoder's state, ", r_.decoder_hidden);
    }
  }

  void AddLinear(const std::string& to, const std::vector<Parameters>& parts,
                 uint64_t outputs, uint64_t inputs) {
    CanonicalLinear linear;
    for (const Parameters& part : parts) {
      tensors_.CheckLinear(part, outputs, inputs);
      linear.weights.push_back(part.weight);
      linear.biases.push_back(part.bias);
    }
    model_.linears[to] = std::move(linear);
  }

  // Reorders columns, and may drop some: the tensor has the columns of `from`,
  // the result those of `to`.
  Parameters WithColumns(const Parameters& parameters,
                         const std::vector<Columns>& from,
                         const std::vector<Columns>& to) {
    const SourceTensor& tensor = *parameters.weight;
    const uint64_t rows = tensor.shape.empty() ? 0 : tensor.shape[0];
    tensors_.CheckShape(tensor, {rows, Total(from)});
    const std::vector<float> values = tensor.Values();
    std::vector<float> picked;
    picked.reserve(rows * Total(to));
    for (uint64_t row = 0; row < rows; ++row) {
      for (const Columns& wanted : to) {
        uint64_t begin = row * Total(from);
        for (const Columns& columns : from) {
          if (columns.name == wanted.name) break;
          begin += columns.count;
        }
        const auto first = values.begin() + static_cast<ptrdiff_t>(begin);
        picked.insert(picked.end(), first,
                      first + static_cast<ptrdiff_t>(wanted.count));
      }
    }
    return {tensors_.Make(tensor.name, {rows, Total(to)}, std::move(picked)),
            parameters.bias};
  }

  std::vector<Columns> Named(const std::vector<std::string>& names) const {
    std::vector<Columns> columns;
    columns.reserve(names.size());
    for (const std::string& name : names) {
      columns.push_back({name, name == "hidden"      ? r_.decoder_hidden
                               : name == "embedding" ? r_.target_embedding
                                                     : r_.memory_width()});
    }
    return columns;
  }

  // Reorders the columns of `reads` to the order of the runtime.
  Parameters InOrder(const Parameters& parameters,
                     const std::vector<std::string>& reads,
                     const std::vector<std::string>& order) {
    std::vector<std::string> wanted;
    for (const std::string& name : order) {
      if (std::ranges::find(reads, name) != reads.end()) wanted.push_back(name);
    }
    if (wanted == reads) return parameters;
    return WithColumns(parameters, Named(reads), Named(wanted));
  }

  void BuildEncoder() {
    const uint64_t gates = 3 * uint64_t{r_.encoder_hidden};
    for (uint32_t i = 0; i < a_.encoder_layers; ++i) {
      const std::string to = "encoder." + std::to_string(i) + ".gru.";
      std::vector<Parameters> inputs = {encoder_[i].input};
      AddLinear(to + "hidden", {encoder_[i].hidden}, gates, r_.encoder_hidden);
      if (r_.bidirectional) {
        inputs.push_back(backward_[i].input);
        AddLinear(to + "backward_hidden", {backward_[i].hidden}, gates,
                  r_.encoder_hidden);
      }
      AddLinear(to + "input", inputs, gates,
                i == 0 ? r_.source_embedding : r_.encoder_width());
    }
    if (r_.initial_state == InitialState::kProjected) {
      AddLinear("initial_state", {initial_state_}, r_.decoder_hidden,
                r_.encoder_width());
    }
  }

  void BuildAttention() {
    if (joint_.weight != nullptr) SplitJoint();
    if (r_.attention_function == AttentionFunction::kAdditive) {
      r_.attention_hidden = Dimension(*query_.weight, 0, "should be a matrix");
      AddLinear("attention.query", {query_}, r_.attention_hidden,
                r_.decoder_hidden);
      if (energy_->size() != r_.attention_hidden) {
        tensors_.Fail(*energy_, "should have ", r_.attention_hidden,
                      " numbers");
      }
      model_.tables["attention.energy"] = energy_->Values();
    }
    if (r_.attention_function != AttentionFunction::kDot) {
      AddLinear("attention.keys", {keys_}, r_.attention_hidden,
                r_.memory_width());
    }
  }

  // A layer over the concatenated query and memory row is the sum of two
  // layers.
  void SplitJoint() {
    if (flags_.attention_reads.empty()) {
      FailIn(tensors_.map().name,
             "attention_reads is missing; \"attention.joint\" needs it, as "
             "[\"hidden\", \"encoder_outputs\"] in the order of the "
             "concatenation");
    }
    const std::vector<Columns> both = Named(flags_.attention_reads);
    query_ = WithColumns(joint_, both, Named({"hidden"}));
    query_.bias = nullptr;
    keys_ = WithColumns(joint_, both, Named({"encoder_outputs"}));
  }

  void BuildDecoder() {
    const uint64_t gates = 3 * uint64_t{r_.decoder_hidden};
    decoder_[0].input = InOrder(decoder_[0].input, flags_.decoder_reads,
                                {"embedding", "context"});
    for (uint32_t i = 0; i < a_.decoder_layers; ++i) {
      const std::string to = "decoder." + std::to_string(i) + ".gru.";
      AddLinear(to + "input", {decoder_[i].input}, gates,
                i == 0 ? r_.input_width() : r_.decoder_hidden);
      AddLinear(to + "hidden", {decoder_[i].hidden}, gates, r_.decoder_hidden);
    }
  }

  void BuildOutput() {
    Parameters& reader = r_.combined > 0 ? combine_ : output_;
    reader = InOrder(reader, flags_.output_reads,
                     {"hidden", "context", "embedding"});
    if (r_.combined > 0) {
      AddLinear("combine", {combine_}, r_.combined, r_.feature_width());
    }
    AddLinear("output", {output_}, a_.target_vocabulary, r_.output_width());
  }

  MappedTensors& tensors_;
  const RecurrentFlags& flags_;
  CanonicalModel& model_;
  Architecture& a_;
  Recurrent& r_;
  const SourceTensor* source_embedding_ = nullptr;
  const SourceTensor* target_embedding_ = nullptr;
  std::vector<GruTensors> encoder_, backward_, decoder_;
  Parameters initial_state_, joint_, query_, keys_, combine_, output_;
  const SourceTensor* energy_ = nullptr;
};

}  // namespace

void BuildRecurrentModel(MappedTensors& tensors, CanonicalModel* model) {
  RecurrentMapper mapper(tensors, model);
  mapper.TakeAll();
  mapper.BuildAll();
}

}  // namespace latimer
