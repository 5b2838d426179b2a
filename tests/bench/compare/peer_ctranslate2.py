"""CTranslate2: the engine, and the conversion of a Hugging Face folder for it.

The conversion is CTranslate2's own loader of the weights, with an invented vocabulary ("t17" is id
17), so that no tokenizer is needed and ids go in and come out.
"""

import json
from pathlib import Path

TYPES = {"int8": "int8", "f32": "float32"}


def import_all() -> None:
    import ctranslate2  # noqa: F401


def names_of(config: dict) -> dict[int, str]:
    """Special names; those of all other ids are t17 and so on."""
    names = {config["eos_token_id"]: "</s>"}
    names[1 if config["eos_token_id"] == 0 else 2] = "<unk>"
    if config["model_type"] == "t5":
        names[config["pad_token_id"]] = "<pad>"
    return names


class Engine:
    def __init__(self, model: Path, weights: str, threads: int, workers: int = 1):
        import ctranslate2

        self.version = f"CTranslate2 {ctranslate2.__version__}"
        self.names = names_of(json.loads((model / "hf_config.json").read_text()))
        self.specials = {name: id for id, name in self.names.items()}
        self.translator = ctranslate2.Translator(
            str(model), device="cpu", compute_type=TYPES[weights], inter_threads=workers,
            intra_threads=threads)

    def prepare(self, sources):
        return [[self.names.get(i, f"t{i}") for i in ids] for ids in sources]

    def translate(self, batch, least, most, **options):
        return self.translator.translate_batch(
            batch, beam_size=self.beams, min_decoding_length=least, max_decoding_length=most,
            max_input_length=0, return_end_token=True, **options)

    def translate_all(self, batches, least, most):
        for results in [self.translate(batch, least, most, asynchronous=True)
                        for batch in batches]:
            for sentence in results:
                sentence.result()

    def ids(self, result):
        return [[self.specials[n] if n in self.specials else int(n[1:])
                 for n in sentence.hypotheses[0]] for sentence in result]


def convert(hf: Path, out: Path, weights: str) -> None:
    import torch
    import transformers
    from ctranslate2.converters.transformers import MarianMTLoader, T5Loader

    torch.set_num_threads(1)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(hf, dtype=torch.float32).eval()
    config = model.config.to_dict()
    t5 = config["model_type"] == "t5"
    with torch.no_grad():
        spec = (T5Loader() if t5 else MarianMTLoader()).get_model_spec(model)
    # Marian's <pad>, the last id, is dropped, as CTranslate2's own converter does.
    special = names_of(config)
    names = [special.get(i, f"t{i}") for i in range(config["vocab_size"] - (0 if t5 else 1))]
    spec.register_source_vocabulary(names)
    spec.register_target_vocabulary(names)
    spec.config.eos_token, spec.config.unk_token = "</s>", "<unk>"
    # Marian does not use it: decoding starts from a zero embedding.
    spec.config.decoder_start_token = "<pad>" if t5 else "</s>"
    spec.config.add_source_eos = False
    spec.validate()
    spec.optimize(quantization=TYPES[weights])
    out.mkdir(parents=True, exist_ok=True)
    spec.save(str(out))
    (out / "hf_config.json").write_text(json.dumps(config))
