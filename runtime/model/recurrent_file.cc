#include <cmath>

#include "latimer/profile_config.h"
#include "model/errors.h"
#include "model/tables.h"
#include "model_generated.h"

namespace latimer {
namespace {

Status DamagedRecurrent(const char* what) {
  return Damaged("its recurrent network", what);
}

LayerActivation ActivationOf(schema::LayerActivation activation) {
  return static_cast<LayerActivation>(activation);
}

Status CheckWidths(const schema::Recurrent& in) {
  const uint32_t limit = kProfile.d_model;
  LATIMER_RETURN_IF_ERROR(CheckSizes({
      {"source embedding width", in.source_embedding(), limit},
      {"target embedding width", in.target_embedding(), limit},
      {"encoder state width", in.encoder_hidden(), limit},
      {"decoder state width", in.decoder_hidden(), limit},
  }));
  if (in.combined() > limit) {
    return ExceedsProfile("combined width", in.combined(), limit);
  }
  if (in.input_layer() > limit) {
    return ExceedsProfile("input layer width", in.input_layer(), limit);
  }
  if (in.projected_memory() > kProfile.attention_width) {
    return ExceedsProfile("memory width", in.projected_memory(),
                          kProfile.attention_width);
  }
  return CheckSizes({
      {"encoder width, all directions together,",
       uint64_t{in.encoder_hidden()} * (in.bidirectional() ? 2 : 1),
       kProfile.attention_width},
      {"attention key width", in.attention_hidden(), kProfile.attention_width},
  });
}

Status CheckAttention(const Recurrent& r) {
  if (r.attention_function == AttentionFunction::kNone) {
    return r.query_layer || r.keys_layer
               ? DamagedRecurrent("has layers of an attention that it lacks")
               : Status();
  }
  if (!r.query_layer && r.attention_hidden != r.decoder_hidden) {
    return DamagedRecurrent("has keys and states that differ in width");
  }
  if (!r.keys_layer && r.attention_hidden != r.memory_width()) {
    return DamagedRecurrent("has a memory and keys that differ in width");
  }
  if (r.input_context && !r.query_before) {
    return DamagedRecurrent("reads the context before it is there");
  }
  return Status();
}

// `r` is within the profile, so no sum of its sizes overflows.
Status CheckConsistency(const schema::Architecture& a, const Recurrent& r) {
  if (r.directions_added && !r.bidirectional) {
    return DamagedRecurrent("adds directions but has one");
  }
  LATIMER_RETURN_IF_ERROR(CheckAttention(r));
  if (r.initial_state == InitialState::kProjectedLayers &&
      a.decoder_layers() > a.encoder_layers()) {
    return DamagedRecurrent(
        "starts from layers that the encoder does not have");
  }
  if (r.initial_state == InitialState::kEncoderStates) {
    const uint64_t states = uint64_t{a.encoder_layers()} * r.directions();
    const uint64_t last = r.first_state + uint64_t{a.decoder_layers() - 1} *
                                              uint64_t{r.state_step};
    if (r.encoder_hidden != r.decoder_hidden || last >= states) {
      return DamagedRecurrent(
          "starts from states that the encoder does not have");
    }
  }
  if (a.embeddings_shared() && r.source_embedding != r.target_embedding) {
    return DamagedRecurrent("shares embeddings that differ in size");
  }
  if ((a.source_embedding_tied() && r.source_embedding != r.output_width()) ||
      (a.target_embedding_tied() && r.target_embedding != r.output_width())) {
    return DamagedRecurrent("ties an embedding to an output of another width");
  }
  return Status();
}

}  // namespace

Status ReadRecurrent(const schema::Architecture& a, Recurrent* out) {
  if (a.recurrent() == nullptr) return DamagedRecurrent("is not described");
  const schema::Recurrent& in = *a.recurrent();
  LATIMER_RETURN_IF_ERROR(CheckWidths(in));
  if (in.attention_function() > schema::AttentionFunction::MAX ||
      in.initial_state() > schema::InitialState::MAX) {
    return DamagedRecurrent(
        "has an attention or a first state of an unknown kind");
  }
  for (const schema::LayerActivation activation :
       {in.memory_activation(), in.input_activation(), in.energy_activation(),
        in.combine_activation()}) {
    if (activation > schema::LayerActivation::MAX) {
      return DamagedRecurrent("has an activation of an unknown kind");
    }
  }
  if (!std::isfinite(in.negative_slope())) {
    return DamagedRecurrent("has a slope that is no number");
  }
  const auto function = static_cast<AttentionFunction>(in.attention_function());
  *out = {
      .has_cells = a.network_kind() == schema::NetworkKind::Lstm,
      .source_embedding = in.source_embedding(),
      .target_embedding = in.target_embedding(),
      .encoder_hidden = in.encoder_hidden(),
      .decoder_hidden = in.decoder_hidden(),
      .attention_hidden = in.attention_hidden(),
      .attention_activation =
          in.attention_relu() ? Activation::kRelu : Activation::kTanh,
      .query_layer = in.query_layer().value_or(UsuallyHasQueryLayer(function)),
      .keys_layer = in.keys_layer().value_or(UsuallyHasKeysLayer(function)),
      .projected_memory = in.projected_memory(),
      .memory_activation = ActivationOf(in.memory_activation()),
      .input_layer = in.input_layer(),
      .input_activation = ActivationOf(in.input_activation()),
      .energy_activation = ActivationOf(in.energy_activation()),
      .combined = in.combined(),
      .combine_activation = ActivationOf(in.combine_activation()),
      .negative_slope = in.negative_slope(),
      .bidirectional = in.bidirectional(),
      .directions_added = in.directions_added(),
      .attention_function = function,
      .query_before = in.query_before(),
      .query_sum = in.query_sum(),
      .input_context = in.input_context(),
      .output_context = in.output_context(),
      .output_embedding = in.output_embedding(),
      .initial_state = static_cast<InitialState>(in.initial_state()),
      .initial_linear = in.initial_linear(),
      .reversed_source = in.reversed_source(),
      .first_state = in.first_state(),
      .state_step = in.state_step(),
  };
  if (!kProfile.recurrent_extras && out->has_extras()) {
    return LeftOut("'s recurrent network has",
                   "activations, inputs or queries");
  }
  return CheckConsistency(a, *out);
}

}  // namespace latimer
