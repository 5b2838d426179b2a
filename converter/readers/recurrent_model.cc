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

// Of a layer and direction.
struct CellTensors {
  Parameters input, hidden;
};

class RecurrentMapper {
 public:
  RecurrentMapper(MappedTensors& tensors, CanonicalModel* model)
      : tensors_(tensors),
        flags_(*tensors.map().recurrent),
        model_(*model),
        a_(model->architecture),
        r_(model->architecture.recurrent),
        cells_(CellName(flags_.has_cells ? NetworkKind::kLstm
                                         : NetworkKind::kGru)) {
    r_.has_cells = flags_.has_cells;
  }

  // Finds tensors by their names alone; throws if any is missing or left over.
  void TakeAll() {
    TakeIfNamed("source_embedding", &source_);
    TakeIfNamed("target_embedding", &target_);
    a_.encoder_layers = tensors_.CountLayers("encoder");
    a_.decoder_layers = tensors_.CountLayers("decoder");
    r_.bidirectional = tensors_.Has("encoder." + cells_ + ".backward_input");
    encoder_ = TakeCells("encoder." + cells_ + ".", a_.encoder_layers);
    if (r_.bidirectional) {
      backward_ =
          TakeCells("encoder." + cells_ + ".backward_", a_.encoder_layers);
    }
    decoder_ = TakeCells("decoder." + cells_ + ".", a_.decoder_layers);
    SetInitialState();
    if (IsProjected(r_.initial_state)) {
      initial_state_ = tensors_.Take("initial_state");
      if (r_.has_cells) initial_cell_ = tensors_.Take("initial_cell");
    }
    TakeIfNamed("encoder.projection", &projection_);
    TakeIfNamed("decoder.input", &input_);
    TakeAttention();
    TakeIfNamed("combine", &combine_);
    output_ = tensors_.Take("output");
    tensors_.Finish();
  }

  void BuildAll() {
    source_embedding_ = EmbeddingOr(source_, *encoder_[0].input.weight, 1);
    target_embedding_ = EmbeddingOr(target_, *output_.weight, 0);
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

  std::vector<CellTensors> TakeCells(const std::string& part, uint32_t layers) {
    std::vector<CellTensors> taken(layers);
    for (uint32_t i = 0; i < layers; ++i) {
      taken[i].input = tensors_.Take(part + "input", i);
      taken[i].hidden = tensors_.Take(part + "hidden", i);
    }
    return taken;
  }

  void TakeIfNamed(const char* part, Parameters* taken) {
    if (tensors_.map().tensors.contains(part)) *taken = tensors_.Take(part);
  }

  void TakeAttention() {
    switch (flags_.attention_function) {
      case AttentionFunction::kAdditive:
        if (tensors_.Has("attention.joint")) {
          joint_ = tensors_.Take("attention.joint");
        } else {
          TakeIfNamed("attention.query", &query_);
          TakeIfNamed("attention.keys", &keys_);
        }
        TakeIfNamed("attention.energy", &energy_);
        return;
      case AttentionFunction::kDot:
      case AttentionFunction::kNone:
        return;
      case AttentionFunction::kGeneral:
        TakeIfNamed("attention.query", &query_);
        TakeIfNamed("attention.keys", &keys_);
        if (query_.weight == nullptr && keys_.weight == nullptr) {
          keys_ = tensors_.Take("attention.keys");
        }
        return;
    }
  }

  // ---- Shapes ----

  // Without an embedding, one-hot vectors are read: the identity, as wide as
  // that axis of the tensor.
  const SourceTensor* EmbeddingOr(const Parameters& embedding,
                                  const SourceTensor& tensor, size_t axis) {
    if (embedding.weight != nullptr) return embedding.weight;
    const uint32_t width = Dimension(tensor, axis, "should be a matrix");
    std::vector<float> identity(size_t{width} * width, 0.0f);
    for (size_t i = 0; i < width; ++i) identity[i * width + i] = 1.0f;
    return tensors_.Make(tensor.name, {width, width}, std::move(identity));
  }

  uint32_t Dimension(const SourceTensor& tensor, size_t axis,
                     const char* what) {
    if (tensor.shape.size() != 2) tensors_.Fail(tensor, what);
    return static_cast<uint32_t>(tensor.shape[axis]);
  }

  uint32_t StateWidth(const CellTensors& layer) {
    const SourceTensor& weight = *layer.hidden.weight;
    const char* const what = r_.has_cells ? "should be the [4H, H] of an LSTM"
                                          : "should be the [3H, H] of a GRU";
    const uint32_t h = Dimension(weight, 1, what);
    if (h == 0 || weight.shape[0] != r_.gates() * uint64_t{h}) {
      tensors_.Fail(weight, what);
    }
    return h;
  }

  void SetSizes() {
    const char* const embedding = "should be an embedding [vocabulary, width]";
    a_.network_kind = r_.has_cells ? NetworkKind::kLstm : NetworkKind::kGru;
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
    r_.directions_added =
        r_.bidirectional && flags_.directions_added.value_or(false);
    r_.attention_function = flags_.attention_function;
    r_.attention_activation = flags_.attention_activation;
    r_.query_before = flags_.query_before;
    r_.reversed_source = flags_.reverse_source;
    if (projection_.weight != nullptr) {
      r_.projected_memory =
          Dimension(*projection_.weight, 0, "should be a matrix");
    }
    if (input_.weight != nullptr) {
      r_.input_layer = Dimension(*input_.weight, 0, "should be a matrix");
    }
    r_.memory_activation = flags_.projection_activation;
    r_.input_activation = flags_.input_activation;
    r_.energy_activation = flags_.energy_activation;
    r_.combine_activation = flags_.combine_activation;
    r_.negative_slope = static_cast<float>(flags_.negative_slope);
    r_.query_sum = flags_.query_sum;
    r_.input_context = Reads(flags_.decoder_reads, "context");
    r_.output_context = Reads(flags_.output_reads, "context");
    r_.output_embedding = Reads(flags_.output_reads, "embedding");
    SetAttentionWidth();
    if (combine_.weight != nullptr) {
      r_.combined = Dimension(*combine_.weight, 0, "should be a matrix");
    }
  }

  void SetAttentionWidth() {
    r_.query_layer = joint_.weight != nullptr || query_.weight != nullptr;
    r_.keys_layer = joint_.weight != nullptr || keys_.weight != nullptr;
    const SourceTensor* const layer =
        joint_.weight != nullptr ? joint_.weight : query_.weight;
    r_.attention_hidden = layer == nullptr
                              ? r_.decoder_hidden
                              : Dimension(*layer, 0, "should be a matrix");
  }

  static bool Reads(const std::vector<std::string>& list, const char* what) {
    return std::ranges::find(list, what) != list.end();
  }

  void SetInitialState() {
    using Initial = RecurrentFlags::InitialState;
    r_.initial_state = InitialState::kEncoderStates;
    r_.initial_linear = flags_.initial_linear;
    r_.state_step = 1;
    const uint32_t states = a_.encoder_layers * r_.directions();
    switch (flags_.initial_state) {
      case Initial::kProjected:
        r_.initial_state = InitialState::kProjected;
        r_.state_step = 0;
        return;
      case Initial::kProjectedLayers:
        r_.initial_state = InitialState::kProjectedLayers;
        r_.state_step = 0;
        return;
      case Initial::kMean:
        r_.initial_state = InitialState::kProjectedMean;
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
    const bool has_memory = a_.attends() || flags_.final_context ||
                            r_.projected_memory > 0 ||
                            r_.initial_state == InitialState::kProjectedMean;
    if (r_.bidirectional && has_memory && !flags_.directions_added) {
      FailIn(
          tensors_.map().name,
          "directions is missing; the encoder reads in two directions, so it "
          "must be one of concatenate, add");
    }
    if (r_.initial_state == InitialState::kProjectedLayers &&
        a_.decoder_layers > a_.encoder_layers) {
      FailFlag("initial_state",
               "\"projected_layers\" is for as many layers, "
               "and the encoder has ",
               a_.encoder_layers, ", the decoder ", a_.decoder_layers);
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
    const bool dot = r_.attention_function == AttentionFunction::kDot;
    if (a_.attends() && !r_.keys_layer &&
        r_.memory_width() != r_.attention_hidden) {
      FailFlag("attention_function",
               dot ? "\"dot\"" : "attention without \"attention.keys\"",
               " needs encoder outputs, which are ", r_.memory_width(),
               " wide, as wide as the ",
               r_.query_layer ? "query, " : "decoder's state, ",
               r_.attention_hidden);
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
    const uint64_t gates = r_.gates() * uint64_t{r_.encoder_hidden};
    for (uint32_t i = 0; i < a_.encoder_layers; ++i) {
      const std::string to =
          "encoder." + std::to_string(i) + "." + cells_ + ".";
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
    if (IsProjected(r_.initial_state)) {
      AddLinear("initial_state", {initial_state_}, r_.decoder_hidden,
                r_.initial_width());
      if (r_.has_cells) {
        AddLinear("initial_cell", {initial_cell_}, r_.decoder_hidden,
                  r_.initial_width());
      }
    }
    if (r_.projected_memory > 0) {
      AddLinear("encoder.projection", {projection_}, r_.projected_memory,
                r_.encoded_width());
    }
  }

  void BuildAttention() {
    if (joint_.weight != nullptr) SplitJoint();
    if (r_.query_layer) {
      AddLinear("attention.query", {query_}, r_.attention_hidden,
                r_.decoder_hidden);
    }
    if (r_.keys_layer) {
      AddLinear("attention.keys", {keys_}, r_.attention_hidden,
                r_.memory_width());
    }
    if (r_.attention_function != AttentionFunction::kAdditive) return;
    std::vector<float>& energy = model_.tables["attention.energy"];
    energy.assign(r_.attention_hidden, 1.0f);  // A sum.
    if (energy_.weight == nullptr) return;
    const auto values = [&](const SourceTensor& tensor, uint32_t count) {
      if (tensor.size() != count) {
        tensors_.Fail(tensor, "should have ", count, " numbers");
      }
      return tensor.Values();
    };
    energy = values(*energy_.weight, r_.attention_hidden);
    // Without an activation it would shift all logits alike, which does not
    // change softmax.
    if (r_.energy_activation == LayerActivation::kNone) return;
    energy.push_back(
        energy_.bias == nullptr ? 0.0f : values(*energy_.bias, 1).front());
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
    const uint64_t gates = r_.gates() * uint64_t{r_.decoder_hidden};
    Parameters& reader = r_.input_layer > 0 ? input_ : decoder_[0].input;
    reader = InOrder(reader, flags_.decoder_reads, {"embedding", "context"});
    if (r_.input_layer > 0) {
      AddLinear("decoder.input", {input_}, r_.input_layer, r_.input_width());
    }
    for (uint32_t i = 0; i < a_.decoder_layers; ++i) {
      const std::string to =
          "decoder." + std::to_string(i) + "." + cells_ + ".";
      AddLinear(to + "input", {decoder_[i].input}, gates,
                i == 0 ? r_.first_layer_width() : r_.decoder_hidden);
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
  const std::string cells_;  // "gru" or "lstm"
  Parameters source_, target_;
  const SourceTensor* source_embedding_ = nullptr;
  const SourceTensor* target_embedding_ = nullptr;
  std::vector<CellTensors> encoder_, backward_, decoder_;
  Parameters initial_state_, initial_cell_, projection_, input_, joint_, query_,
      keys_, energy_, combine_, output_;
};

}  // namespace

void BuildRecurrentModel(MappedTensors& tensors, CanonicalModel* model) {
  RecurrentMapper mapper(tensors, model);
  mapper.TakeAll();
  mapper.BuildAll();
}

}  // namespace latimer
