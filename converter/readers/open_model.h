// A trained model in any of the formats that the converter reads.
#ifndef LATIMER_CONVERTER_READERS_OPEN_MODEL_H_
#define LATIMER_CONVERTER_READERS_OPEN_MODEL_H_

#include <filesystem>
#include <optional>

#include "converter/canonical_model.h"

namespace latimer {

// Detects the format of `path` and reads it. A model.bin of CTranslate2, or a
// folder with one, is a CTranslate2 model. Any other folder with config.json is
// a Hugging Face model. A folder with decoder.yml or with weights in .npz or
// .bin, or such a file itself, is a native Marian model. Throws
// ConversionError.
CanonicalModel OpenModel(const std::filesystem::path& path, bool with_tokenizer,
                         const PositionLimits& limits = {});

// A folder that CTranslate2's converters write: model.bin, config.json and
// vocabularies, and the tokenizer's files if they lie beside it. Reads what
// translate_batch(beam_size=1) would compute with, for texts as long as its
// table of positions (up to 1024) or as `limits`, whichever is longer. Throws a
// ConversionError that names what is missing or not supported.
CanonicalModel ReadCTranslate2(const std::filesystem::path& folder,
                               bool with_tokenizer,
                               const PositionLimits& limits = {});

// The folder of the model.bin of CTranslate2 that `path` is or holds, directly
// or, as an Argos package does, in model/.
std::optional<std::filesystem::path> FindCTranslate2Folder(
    const std::filesystem::path& path);

// A Hugging Face directory of BART or a family that is built like it: Marian
// (the OPUS-MT models), mBART, M2M100 and NLLB, Pegasus. It has config.json,
// generation_config.json, the weights (FindWeights in tensor_file.h) and the
// files of its tokenizer.
// Reads what transformers' ...ForConditionalGeneration of the family would
// compute with. Throws a ConversionError that names the configuration value
// that is not supported, or every tensor that is missing, unexpected or
// misshapen.
CanonicalModel ReadHuggingFaceBart(const std::filesystem::path& directory,
                                   bool with_tokenizer);

// A Hugging Face T5, T5 1.1, flan-T5, ByT5 or mT5 directory: config.json,
// generation_config.json and the weights (FindWeights in tensor_file.h).
// Reads what transformers' T5ForConditionalGeneration or
// MT5ForConditionalGeneration would compute with, for texts as long as those of
// training or as `limits`, whichever is longer. Throws a ConversionError that
// names the configuration value that is not supported, or every tensor that is
// missing, unexpected or misshapen.
CanonicalModel ReadHuggingFaceT5(const std::filesystem::path& directory,
                                 bool with_tokenizer,
                                 const PositionLimits& limits = {});

// A Hugging Face T5Gemma directory: config.json, generation_config.json and the
// weights. Reads what transformers' T5GemmaForConditionalGeneration would
// compute with, with its eager attention, for texts of up to `limits` or, where
// these are 0, as many tokens as the programs translate. Throws ConversionError
// as ReadHuggingFaceT5.
CanonicalModel ReadT5Gemma(const std::filesystem::path& directory,
                           bool with_tokenizer,
                           const PositionLimits& limits = {});

// A model as Marian saves it: .npz or .bin, next to decoder.yml and
// vocabularies, or one of Firefox's student models.
// Reads what marian-decoder would compute with. FindNativeMarianFiles says what
// `path` can be. Throws a ConversionError that names the option that is not
// supported, or every tensor that is missing, unexpected or misshapen.
CanonicalModel ReadNativeMarian(const std::filesystem::path& path,
                                bool with_tokenizer);

}  // namespace latimer

#endif  // LATIMER_CONVERTER_READERS_OPEN_MODEL_H_
