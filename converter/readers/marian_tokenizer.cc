#include "converter/readers/marian_tokenizer.h"

#include "converter/error.h"
#include "converter/marian_tokenizer_builder.h"
#include "converter/readers/sentencepiece_model.h"
#include "converter/readers/tokenizer_config.h"
#include "converter/readers/vocabulary.h"

namespace latimer {

TokenizerData ReadMarianTokenizer(const std::filesystem::path& directory,
                                  const Architecture& architecture,
                                  const CanonicalGeneration& generation) {
  const TokenizerConfig config = ReadTokenizerConfig(directory);
  const SentencePieceModel source =
      ReadSentencePieceModel(directory / "source.spm");
  const SentencePieceModel target =
      ReadSentencePieceModel(directory / "target.spm");
  const Vocabulary vocabulary = ReadVocabulary(directory / "vocab.json");
  const Vocabulary target_vocabulary =
      config.separate_vocabularies
          ? ReadVocabulary(directory / "target_vocab.json")
          : vocabulary;
  TokenizerData data =
      BuildMarianTokenizer({.source = source,
                            .target = target,
                            .source_vocabulary = vocabulary,
                            .target_vocabulary = target_vocabulary,
                            .config = config,
                            .source_rows = architecture.source_vocabulary,
                            .target_rows = architecture.target_vocabulary});
  if (data.eos_id != generation.eos) {
    FailIn(vocabulary.name, "'", config.eos, "' has the id ", data.eos_id,
           ", but the model's eos_token_id is ", generation.eos);
  }
  return data;
}

}  // namespace latimer
