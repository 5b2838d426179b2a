// The tables of a .ltm file other than its tensors; schema/model.fbs describes
// them.
#ifndef LATIMER_CONVERTER_MODEL_TABLES_H_
#define LATIMER_CONVERTER_MODEL_TABLES_H_

#include "converter/canonical_model.h"
#include "model/model_description.h"
#include "model_generated.h"

namespace latimer {

// The oldest version whose runtimes know all that the model needs.
uint32_t FormatVersion(const CanonicalModel& model);

// Each writes one table; an absent one gives 0, for none.
flatbuffers::Offset<schema::Architecture> WriteArchitecture(
    const Architecture& architecture, flatbuffers::FlatBufferBuilder* builder);
// With `alignment`, that one, which SetAlignment may replace.
flatbuffers::Offset<schema::Generation> WriteGeneration(
    const CanonicalGeneration& generation, const AlignmentHead* alignment,
    flatbuffers::FlatBufferBuilder* builder);
flatbuffers::Offset<schema::Tokenizer> WriteTokenizer(
    const std::optional<TokenizerData>& tokenizer,
    flatbuffers::FlatBufferBuilder* builder);
flatbuffers::Offset<schema::KnownAnswer> WriteKnownAnswer(
    const KnownAnswer& answer, flatbuffers::FlatBufferBuilder* builder);
flatbuffers::Offset<schema::Shortlist> WriteShortlist(
    const std::optional<CanonicalShortlist>& shortlist,
    flatbuffers::FlatBufferBuilder* builder);
flatbuffers::Offset<schema::SentenceRules> WriteSentenceRules(
    const std::optional<CanonicalSentenceRules>& rules,
    flatbuffers::FlatBufferBuilder* builder);

// Room for a certificate, all zeros: its numbers are measured on the finished
// file.
flatbuffers::Offset<schema::Certificate> WriteEmptyCertificate(
    const Architecture& architecture, flatbuffers::FlatBufferBuilder* builder);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_MODEL_TABLES_H_
