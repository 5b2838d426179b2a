// The fields of a table are added from large to small and, within a size, from
// the last one of the schema to the first, as generated code adds them: this
// leaves no gaps, and the order decides the bytes of the file.
#include "converter/model_tables.h"

#include <cstdint>
#include <span>
#include <vector>

#include "model/certificate.h"
#include "model/model_file.h"

namespace latimer {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::Vector;

template <typename T, size_t kExtent>
Offset<Vector<T>> WriteVector(std::span<const T, kExtent> values,
                              FlatBufferBuilder* builder) {
  return builder->CreateVector(values.data(), values.size());
}

// Absent if it is empty.
Offset<Vector<uint32_t>> WriteIfAny(std::span<const uint32_t> values,
                                    FlatBufferBuilder* builder) {
  if (values.empty()) return 0;
  return WriteVector(values, builder);
}

Offset<Vector<uint8_t>> WriteIfAny(std::span<const uint8_t> values,
                                   FlatBufferBuilder* builder) {
  if (values.empty()) return 0;
  return WriteVector(values, builder);
}

Offset<flatbuffers::String> WriteIfAny(const std::string& text,
                                       FlatBufferBuilder* builder) {
  if (text.empty()) return 0;
  return builder->CreateString(text);
}

// Structs that have the layout of those of the schema; see model_file.cc.
// Absent if there are none.
template <typename Theirs, typename Ours>
Offset<Vector<const Theirs*>> WriteStructs(const std::vector<Ours>& ours,
                                           FlatBufferBuilder* builder) {
  if (ours.empty()) return 0;
  return builder->CreateVectorOfStructs(
      reinterpret_cast<const Theirs*>(ours.data()), ours.size());
}

bool NormsBeforePositions(const Architecture& a) {
  return a.encoder_norm_before_positions || a.decoder_norm_before_positions;
}

bool HasPartsOfGemma(const Architecture& a) {
  return a.rotary_positions || a.norm_position == NormPosition::kBoth ||
         a.attention_cap > 0 || a.logit_cap > 0;
}

bool HasUsualLayers(const Recurrent& r) {
  return r.query_layer == UsuallyHasQueryLayer(r.attention_function) &&
         r.keys_layer == UsuallyHasKeysLayer(r.attention_function);
}

void AddExtras(const Recurrent& r, schema::RecurrentBuilder* table) {
  const auto activation = [](LayerActivation f) {
    return static_cast<schema::LayerActivation>(f);
  };
  table->add_negative_slope(r.negative_slope);
  table->add_input_layer(r.input_layer);
  table->add_query_sum(r.query_sum);
  table->add_combine_activation(activation(r.combine_activation));
  table->add_energy_activation(activation(r.energy_activation));
  table->add_input_activation(activation(r.input_activation));
  table->add_memory_activation(activation(r.memory_activation));
}

Offset<schema::Recurrent> WriteRecurrent(const Recurrent& r,
                                         FlatBufferBuilder* builder) {
  schema::RecurrentBuilder table(*builder);
  // Other files are what they were before there were these fields.
  if (r.has_extras()) AddExtras(r, &table);
  table.add_projected_memory(r.projected_memory);
  table.add_state_step(r.state_step);
  table.add_first_state(r.first_state);
  table.add_combined(r.combined);
  table.add_attention_hidden(r.attention_hidden);
  table.add_decoder_hidden(r.decoder_hidden);
  table.add_encoder_hidden(r.encoder_hidden);
  table.add_target_embedding(r.target_embedding);
  table.add_source_embedding(r.source_embedding);
  table.add_reversed_source(r.reversed_source);
  table.add_initial_linear(r.initial_linear);
  table.add_attention_relu(r.attention_activation == Activation::kRelu);
  // Older runtimes read files without these two.
  if (!HasUsualLayers(r)) {
    table.add_keys_layer(r.keys_layer);
    table.add_query_layer(r.query_layer);
  }
  table.add_initial_state(static_cast<schema::InitialState>(r.initial_state));
  table.add_output_embedding(r.output_embedding);
  table.add_output_context(r.output_context);
  table.add_input_context(r.input_context);
  table.add_query_before(r.query_before);
  table.add_attention_function(
      static_cast<schema::AttentionFunction>(r.attention_function));
  table.add_directions_added(r.directions_added);
  table.add_bidirectional(r.bidirectional);
  return table.Finish();
}

}  // namespace

uint32_t FormatVersion(const CanonicalModel& model) {
  const Architecture& a = model.architecture;
  const Recurrent& r = a.recurrent;
  const bool version_5 =
      model.generation.source_length > 0 || NormsBeforePositions(a) ||
      a.reads_speech() || HasPartsOfGemma(a) ||
      (a.is_recurrent() &&
       (r.has_cells || !HasUsualLayers(r) || r.projected_memory > 0 ||
        r.initial_linear || r.reversed_source || r.has_extras() ||
        r.attention_activation != Activation::kTanh ||
        r.attention_function == AttentionFunction::kNone ||
        r.initial_state > InitialState::kEncoderStates ||
        (IsProjected(r.initial_state) && a.decoder_layers > 1)));
  return version_5 ? kFormatVersion : kOldestFormatVersion;
}

Offset<schema::Architecture> WriteArchitecture(const Architecture& a,
                                               FlatBufferBuilder* builder) {
  Offset<schema::Recurrent> recurrent = 0;
  if (a.is_recurrent()) {
    recurrent = WriteRecurrent(a.recurrent, builder);
  }
  schema::ArchitectureBuilder table(*builder);
  table.add_recurrent(recurrent);
  table.add_decoder_attention_scale(a.decoder_attention_scale);
  table.add_encoder_attention_scale(a.encoder_attention_scale);
  table.add_decoder_head_dim(a.decoder_head_dim);
  table.add_encoder_head_dim(a.encoder_head_dim);
  table.add_norm_epsilon(a.norm_epsilon);
  table.add_embedding_scale(a.embedding_scale);
  table.add_target_positions(a.target_positions);
  table.add_source_positions(a.source_positions);
  table.add_target_vocabulary(a.target_vocabulary);
  table.add_source_vocabulary(a.source_vocabulary);
  table.add_decoder_ffn(a.decoder_ffn);
  table.add_encoder_ffn(a.encoder_ffn);
  table.add_decoder_heads(a.decoder_heads);
  table.add_encoder_heads(a.encoder_heads);
  table.add_decoder_layers(a.decoder_layers);
  table.add_encoder_layers(a.encoder_layers);
  table.add_d_model(a.d_model);
  if (HasPartsOfGemma(a)) {  // Other files are what they were.
    table.add_logit_cap(a.logit_cap);
    table.add_attention_cap(a.attention_cap);
    table.add_rotary_positions(a.rotary_positions);
  }
  if (NormsBeforePositions(a)) {
    table.add_decoder_norm_before_positions(a.decoder_norm_before_positions);
    table.add_encoder_norm_before_positions(a.encoder_norm_before_positions);
  }
  if (a.reads_speech()) table.add_mel_bins(a.mel_bins);
  table.add_relative_bias_per_layer(a.relative_bias_per_layer);
  table.add_embeddings_shared(a.embeddings_shared);
  table.add_relative_attention(a.relative_attention);
  table.add_gated_ffn(a.gated_ffn);
  table.add_has_positions(a.has_positions);
  table.add_residual(a.residual);
  table.add_network_kind(static_cast<schema::NetworkKind>(a.network_kind));
  table.add_norm_kind(static_cast<schema::NormKind>(a.norm_kind));
  table.add_positions_shared(a.positions_shared);
  table.add_target_embedding_tied(a.target_embedding_tied);
  table.add_source_embedding_tied(a.source_embedding_tied);
  table.add_final_norm(a.final_norm);
  table.add_embedding_norm(a.embedding_norm);
  table.add_norm_position(static_cast<schema::NormPosition>(a.norm_position));
  table.add_activation(static_cast<schema::Activation>(a.activation));
  return table.Finish();
}

Offset<schema::Generation> WriteGeneration(const CanonicalGeneration& g,
                                           const AlignmentHead* alignment,
                                           FlatBufferBuilder* builder) {
  std::vector<int32_t> tokens;
  std::vector<uint32_t> ends;
  for (const std::vector<int32_t>& sequence : g.banned_sequences) {
    tokens.insert(tokens.end(), sequence.begin(), sequence.end());
    ends.push_back(static_cast<uint32_t>(tokens.size()));
  }
  const auto banned_tokens = builder->CreateVector(tokens);
  const auto banned_ends = builder->CreateVector(ends);
  const auto prefix = builder->CreateVector(g.source_prefix);
  const auto suffix = builder->CreateVector(g.source_suffix);
  const auto languages = WriteStructs<schema::Language>(g.languages, builder);
  const auto tasks = WriteStructs<schema::Task>(g.tasks, builder);
  const auto task_search =
      WriteStructs<schema::BeamRule>(g.task_search, builder);
  const schema::BeamRule search(
      g.search.beams, g.search.length_penalty,
      static_cast<schema::EarlyStopping>(g.search.early_stopping),
      g.search.renormalize, 0);
  schema::AlignmentHead head;
  if (alignment != nullptr) {
    head = {alignment->layer, alignment->head, alignment->reads};
  }
  schema::GenerationBuilder table(*builder);
  if (alignment != nullptr) table.add_alignment(&head);
  table.add_task_search(task_search);
  table.add_search(&search);
  table.add_tasks(tasks);
  table.add_languages(languages);
  table.add_repetition_penalty(g.repetition_penalty);
  table.add_no_repeat_ngram(g.no_repeat_ngram);
  table.add_forced_first(g.forced_first);
  table.add_source_pad(g.source_pad);
  table.add_source_length(g.source_length);
  table.add_source_suffix(suffix);
  table.add_source_prefix(prefix);
  table.add_banned_ends(banned_ends);
  table.add_banned_tokens(banned_tokens);
  table.add_min_target_tokens(g.min_target_tokens);
  table.add_max_target_tokens(g.max_target_tokens);
  table.add_forced_eos(g.forced_eos);
  table.add_pad(g.pad);
  table.add_eos(g.eos);
  table.add_decoder_start(g.decoder_start);
  table.add_target_language(
      static_cast<schema::TargetLanguage>(g.target_language));
  table.add_source_language(
      static_cast<schema::SourceLanguage>(g.source_language));
  return table.Finish();
}

Offset<schema::Tokenizer> WriteTokenizer(
    const std::optional<TokenizerData>& tokenizer, FlatBufferBuilder* builder) {
  if (!tokenizer) return 0;
  const TokenizerView t = tokenizer->View();
  const auto normalizer_trie = WriteVector(t.normalizer_trie, builder);
  const auto replacements = WriteVector(t.replacements, builder);
  const auto user_defined_trie = WriteVector(t.user_defined_trie, builder);
  const auto piece_trie = WriteVector(t.piece_trie, builder);
  const auto scores = WriteVector(t.scores, builder);
  const auto byte_ids = WriteVector(t.byte_ids, builder);
  const auto added_trie = WriteVector(t.added_trie, builder);
  std::vector<schema::AddedToken> added;
  for (const AddedToken& token : t.added_tokens) {
    added.emplace_back(token.id, token.flags);
  }
  const auto added_tokens = builder->CreateVectorOfStructs(added);
  const auto piece_offsets = WriteVector(t.piece_offsets, builder);
  const auto piece_text = WriteVector(t.piece_text, builder);
  const auto target_kinds = builder->CreateVector(
      reinterpret_cast<const uint8_t*>(t.target_kinds.data()),
      t.target_kinds.size());
  const auto unknown_surface = builder->CreateString(t.unknown_surface);
  const auto unused_trie = WriteIfAny(t.unused_trie, builder);
  const auto character_classes = WriteIfAny(t.character_classes, builder);
  const auto merge_offsets = WriteIfAny(t.merge_offsets, builder);
  const auto merges = WriteIfAny(t.merges, builder);
  const auto fold_trie = WriteIfAny(t.fold_trie, builder);
  const auto fold_text = WriteIfAny(t.fold_text, builder);
  const auto folded = WriteIfAny(tokenizer->folded, builder);
  const auto unread = WriteIfAny(tokenizer->unread, builder);
  schema::TokenizerBuilder table(*builder);
  table.add_unread(unread);
  table.add_folded(folded);
  table.add_fold_text(fold_text);
  table.add_fold_trie(fold_trie);
  table.add_merges(merges);
  table.add_merge_offsets(merge_offsets);
  table.add_character_classes(character_classes);
  table.add_unused_pieces(t.unused_pieces);
  table.add_unused_trie(unused_trie);
  table.add_unknown_surface(unknown_surface);
  table.add_target_kinds(target_kinds);
  table.add_piece_text(piece_text);
  table.add_piece_offsets(piece_offsets);
  table.add_added_tokens(added_tokens);
  table.add_added_trie(added_trie);
  table.add_byte_ids(byte_ids);
  table.add_unknown_id(t.unknown_id);
  table.add_unknown_score(t.unknown_score);
  table.add_source_vocabulary(t.source_vocabulary);
  table.add_scores(scores);
  table.add_piece_trie(piece_trie);
  table.add_user_defined_trie(user_defined_trie);
  table.add_replacements(replacements);
  table.add_normalizer_trie(normalizer_trie);
  table.add_no_language_codes(t.no_language_codes);
  table.add_spacing(static_cast<schema::Spacing>(t.spacing));
  table.add_joining(static_cast<schema::Joining>(t.joining));
  table.add_own_ids(t.own_ids);
  table.add_segmentation(static_cast<schema::Segmentation>(t.segmentation));
  table.add_clean_up_spaces(t.clean_up_spaces);
  table.add_treat_whitespace_as_suffix(t.treat_whitespace_as_suffix);
  table.add_escape_whitespaces(t.escape_whitespaces);
  table.add_remove_extra_whitespaces(t.remove_extra_whitespaces);
  table.add_add_dummy_prefix(t.add_dummy_prefix);
  return table.Finish();
}

Offset<schema::KnownAnswer> WriteKnownAnswer(const KnownAnswer& answer,
                                             FlatBufferBuilder* builder) {
  if (answer.source.empty()) return 0;
  const auto source = WriteVector(answer.source, builder);
  const auto target = WriteVector(answer.target, builder);
  return schema::CreateKnownAnswer(*builder, source, target);
}

Offset<schema::Shortlist> WriteShortlist(
    const std::optional<CanonicalShortlist>& shortlist,
    FlatBufferBuilder* builder) {
  if (!shortlist) return 0;
  const auto offsets = builder->CreateVector(shortlist->offsets);
  const auto tokens = builder->CreateVector(shortlist->tokens);
  return schema::CreateShortlist(*builder, shortlist->first,
                                 shortlist->copies_source, offsets, tokens);
}

Offset<schema::SentenceRules> WriteSentenceRules(
    const std::optional<CanonicalSentenceRules>& rules,
    FlatBufferBuilder* builder) {
  if (!rules) return 0;
  const auto languages = builder->CreateString(rules->languages);
  const auto words = builder->CreateVector(rules->words);
  return schema::CreateSentenceRules(*builder, languages, words,
                                     rules->ordinals);
}

Offset<schema::Certificate> WriteEmptyCertificate(const Architecture& a,
                                                  FlatBufferBuilder* builder) {
  const auto encoder =
      builder->CreateVector(std::vector<float>(a.encoder_layers));
  const auto decoder =
      builder->CreateVector(std::vector<float>(a.decoder_layers));
  const auto divergences = builder->CreateVectorOfStructs(
      std::vector<schema::Divergence>(kMaxDivergences));
  const auto worst = builder->CreateVectorOfStructs(
      std::vector<schema::WorstLine>(kMaxWorstLines));
  // Zeros are written, so that SetCertificate has fields to fill in.
  schema::CertificateBuilder table(*builder);
  table.add_chrf(0);
  table.add_bleu(0);
  table.add_f32_chrf(0);
  table.add_f32_bleu(0);
  table.add_agreeing_tokens(0);
  table.add_tokens(0);
  table.add_references_hash(0);
  table.add_text_hash(0);
  table.add_worst_lines(worst);
  table.add_divergences(divergences);
  table.add_logits_snr(0);
  table.add_decoder_snr(decoder);
  table.add_encoder_snr(encoder);
  table.add_equal_lines(0);
  table.add_lines(0);
  table.add_has_references(false);
  table.add_scored(false);
  return table.Finish();
}

}  // namespace latimer
