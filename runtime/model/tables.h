// Readers of the tables of a model file. Each checks a table that has passed
// the verifier and fills `*out` with values and views into the image.
#ifndef LATIMER_MODEL_TABLES_H_
#define LATIMER_MODEL_TABLES_H_

#include <cstdint>

#include "latimer/status.h"
#include "model/model.h"

namespace latimer {

namespace schema {
struct Architecture;
struct Certificate;
struct Generation;
struct Model;
struct SentenceRules;
}  // namespace schema

// kCorrupt for sizes and switches that no model can have; kExceedsProfile for a
// size above the profile's, or a feature that it leaves out.
Status ReadArchitecture(const schema::Architecture& in, Architecture* out);

// For a recurrent network whose layers and vocabularies are within the profile.
// kCorrupt if the description is missing, has a size of zero or contradicts
// itself; kExceedsProfile if a size exceeds the profile's.
Status ReadRecurrent(const schema::Architecture& in, Recurrent* out);

// What aligns tokens; kCorrupt if the decoder has no such layer or head.
Status ReadAlignment(const schema::Generation& in, const Architecture& a,
                     AlignmentHead* out);

// kCorrupt if an id is outside the vocabularies or a text is invalid.
Status ReadGeneration(const schema::Generation& in, const Architecture& a,
                      GenerationConfig* out);

// Takes constant time. kCorrupt for a certificate that no model of this
// architecture can have; its numbers are not checked.
Status ReadCertificate(const schema::Certificate& in, const Architecture& a,
                       Certificate* out);

// Takes time linear in the words. kCorrupt for a trie that a walk could leave,
// or for unknown bits.
Status ReadSentenceRules(const schema::SentenceRules& in, SentenceRules* out);

// Reads the model's tokenizer, and that of the target's texts if it has one.
// Also adds the bytes of the views to the sizes. kCorrupt, or kExceedsProfile
// for a kind of tokenizer that the profile leaves out. Precondition: the file
// has a tokenizer.
Status ReadTokenizers(const schema::Model& in, Model* model);

}  // namespace latimer

#endif  // LATIMER_MODEL_TABLES_H_
