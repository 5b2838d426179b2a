// The logits of a network that reads a given translation, token by token: no
// search takes part.
#ifndef LATIMER_TESTS_SYSTEM_STEP_LOGITS_H_
#define LATIMER_TESTS_SYSTEM_STEP_LOGITS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/generation.h"
#include "request.h"
#include "search/choose.h"
#include "search/scheduler.h"
#include "tests/system/tiny_model.h"
#include "transformer/network.h"

namespace latimer {

class StepLogits {
 public:
  explicit StepLogits(const ModelBytes& file) {
    const Status loaded = LoadEngine(file.bytes(), {}, &engine_);
    EXPECT_TRUE(loaded.ok()) << loaded.message();
  }

  // The logits of step t = 0, 1, ... up to `steps`, all of the vocabulary, when
  // the decoder has read decoder_start and target[0, t). Uses test_workspace.
  std::vector<std::vector<float>> Of(const std::vector<int32_t>& source,
                                     const std::vector<int32_t>& target,
                                     const TranslateOptions& options,
                                     size_t steps) {
    const Architecture& a = engine_.architecture();
    scheduler_.Reset(MakeCachePools(a, test_workspace), test_workspace);
    Sentence& sentence = *scheduler_.FreeLane();
    TranslateOptions without_beams = options;
    without_beams.beams = 1;
    EXPECT_TRUE(ResolveOptions(engine_.model, without_beams, {},
                               {kProfile.target_tokens, 1}, &sentence.options)
                    .ok());
    sentence.options.max_tokens = target.size() + 1;
    sentence.options.forced_last_token = -1;
    sentence.options.eos = -1;
    std::ranges::copy(source, sentence.source);
    sentence.source_count =
        PadSource(engine_.model.info.generation, source.size(),
                  {sentence.source, kProfile.source_tokens});
    scheduler_.Queue(sentence);
    EXPECT_EQ(scheduler_.Admit(), &sentence);
    const StepContext step = {engine_, test_workspace, sentence.trace};
    EncodeSource(step, sentence.source_ids(), sentence.caches);
    std::vector<std::vector<float>> all;
    for (size_t t = 0; t < steps; ++t) {
      EXPECT_EQ(scheduler_.PlanStep().size(), 1u);
      const DecoderRow row = {&sentence.caches, sentence.last_token(),
                              static_cast<uint32_t>(t)};
      const DecoderOutput output = StepDecoder(step, {&row, 1});
      ComputeLogits(engine_, MakeLinearInput(step, output.x, 1, output.columns),
                    {}, Buffers(test_workspace).logits);
      all.emplace_back(Buffers(test_workspace).logits,
                       Buffers(test_workspace).logits + a.target_vocabulary);
      if (t < target.size()) scheduler_.Append(sentence, target[t]);
    }
    return all;
  }

 private:
  Engine engine_;
  Scheduler scheduler_;
};

}  // namespace latimer

#endif  // LATIMER_TESTS_SYSTEM_STEP_LOGITS_H_
