"""Hugging Face transformers on PyTorch, as it is or with PyTorch's dynamic int8 for all linears."""

import warnings
from pathlib import Path


def import_all() -> None:
    import torch  # noqa: F401
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    # These are only imported where they are first asked for.
    _ = transformers.AutoModelForSeq2SeqLM, transformers.GenerationConfig
    _ = transformers.MarianMTModel, transformers.T5ForConditionalGeneration


def convert(hf: Path, out: Path, weights: str) -> None:
    """Reads the folder as it is; `out` is a link to it."""
    out.symlink_to(hf.resolve())


class Engine:
    def __init__(self, model: Path, weights: str, threads: int):
        import torch
        import transformers

        self.torch = torch
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)
        self.version = f"transformers {transformers.__version__}, torch {torch.__version__}"
        self.model = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            model, dtype=torch.float32).eval()
        config = self.model.generation_config
        config.num_beams, config.do_sample = 1, False
        self.eos, self.pad = self.model.config.eos_token_id, self.model.config.pad_token_id
        if weights == "int8":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.model = torch.ao.quantization.quantize_dynamic(
                    self.model, {torch.nn.Linear}, dtype=torch.qint8)

    def prepare(self, sources):
        longest = max(map(len, sources))
        ids = self.torch.tensor([s + [self.pad] * (longest - len(s)) for s in sources])
        mask = self.torch.tensor([[1] * len(s) + [0] * (longest - len(s)) for s in sources])
        return ids, mask

    def translate(self, batch, least, most):
        ids, mask = batch
        with self.torch.inference_mode():
            return self.model.generate(input_ids=ids, attention_mask=mask, min_new_tokens=least,
                                       max_new_tokens=most, max_length=None)

    def ids(self, result):
        outputs = []
        for row in result.tolist():
            row = row[1:]  # decoder_start
            outputs.append(row[: row.index(self.eos) + 1] if self.eos in row else row)
        return outputs
