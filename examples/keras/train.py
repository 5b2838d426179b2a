"""Trains the Transformer of keras.io's translation example, English words to German words.

    KERAS_BACKEND=jax python train.py [--epochs 5] [--out keras_model]

Writes model.keras, source.json and target.json (the word lists), and test.en and keras.de: sentences that were held out
and what Keras makes of them.
"""

import argparse
import json
import lzma
import random
import re
from collections import Counter
from pathlib import Path

import keras
import numpy as np
from keras import layers, ops

DATA = Path(__file__).parents[1] / "en-de" / "data"
PAD, UNK, START, END = range(4)
LENGTH, WIDTH, INNER, HEADS = 10, 64, 256, 2

# ---- The model -------------------------------------------------------------------------------------------------------


class PositionalEmbedding(layers.Layer):
    def __init__(self, length, words, width, **kwargs):
        super().__init__(**kwargs)
        self.shape = length, words, width
        self.token_embeddings = layers.Embedding(words, width)
        self.position_embeddings = layers.Embedding(length, width)

    def call(self, inputs):
        return self.token_embeddings(inputs) + self.position_embeddings(ops.arange(ops.shape(inputs)[-1]))

    def compute_mask(self, inputs, mask=None):
        return ops.not_equal(inputs, PAD)

    def get_config(self):
        return super().get_config() | dict(zip(("length", "words", "width"), self.shape))


class TransformerEncoder(layers.Layer):
    def __init__(self, width, inner, heads, **kwargs):
        super().__init__(**kwargs)
        self.shape, self.supports_masking = (width, inner, heads), True
        self.attention = layers.MultiHeadAttention(heads, key_dim=width)
        self.dense_proj = keras.Sequential([layers.Dense(inner, activation="relu"), layers.Dense(width)])
        self.layernorm_1 = layers.LayerNormalization()
        self.layernorm_2 = layers.LayerNormalization()

    def call(self, inputs, mask=None):
        padding = None if mask is None else ops.cast(mask[:, None, :], "int32")
        x = self.layernorm_1(inputs + self.attention(inputs, inputs, attention_mask=padding))
        return self.layernorm_2(x + self.dense_proj(x))

    def get_config(self):
        return super().get_config() | dict(zip(("width", "inner", "heads"), self.shape))


class TransformerDecoder(layers.Layer):
    def __init__(self, width, inner, heads, **kwargs):
        super().__init__(**kwargs)
        self.shape, self.supports_masking = (width, inner, heads), True
        self.attention_1 = layers.MultiHeadAttention(heads, key_dim=width)
        self.attention_2 = layers.MultiHeadAttention(heads, key_dim=width)
        self.dense_proj = keras.Sequential([layers.Dense(inner, activation="relu"), layers.Dense(width)])
        self.layernorm_1 = layers.LayerNormalization()
        self.layernorm_2 = layers.LayerNormalization()
        self.layernorm_3 = layers.LayerNormalization()

    def call(self, inputs, mask=None):
        inputs, encoded = inputs
        encoded_mask = None if mask is None else mask[1]
        x = self.layernorm_1(inputs + self.attention_1(inputs, inputs, use_causal_mask=True))
        x = self.layernorm_2(x + self.attention_2(x, encoded, key_mask=encoded_mask))
        return self.layernorm_3(x + self.dense_proj(x))

    def get_config(self):
        return super().get_config() | dict(zip(("width", "inner", "heads"), self.shape))


def build(source_words, target_words):
    encoder_inputs = keras.Input((None,), dtype="int32", name="encoder_inputs")
    x = PositionalEmbedding(LENGTH, source_words, WIDTH)(encoder_inputs)
    encoder_outputs = TransformerEncoder(WIDTH, INNER, HEADS)(x)
    decoder_inputs = keras.Input((None,), dtype="int32", name="decoder_inputs")
    x = PositionalEmbedding(LENGTH, target_words, WIDTH)(decoder_inputs)
    x = TransformerDecoder(WIDTH, INNER, HEADS)([x, encoder_outputs])
    x = layers.Dropout(0.2)(x)
    outputs = layers.Dense(target_words, activation="softmax")(x)
    decoder = keras.Model([decoder_inputs, encoder_outputs], outputs)
    outputs = decoder([decoder_inputs, encoder_outputs])
    return keras.Model({"encoder_inputs": encoder_inputs, "decoder_inputs": decoder_inputs}, outputs)


# ---- The text --------------------------------------------------------------------------------------------------------


def read(name):
    """Words in lower case, without punctuation, as TextVectorization makes them."""
    with lzma.open(DATA / name, "rt", encoding="utf-8") as file:
        return [re.sub(r"[^\w' ]", " ", line.lower()).split() for line in file]


def vocabulary(texts, size, special=()):
    """As TextVectorization counts: 0 is for pads, 1 for what is not known."""
    counts = Counter(word for text in texts for word in text)
    words = ["", "[UNK]", *special, *(word for word, _ in counts.most_common(size))]
    return {word: i for i, word in enumerate(words)}


def load():
    pairs = [p for p in zip(read("train.en.xz"), read("train.de.xz")) if all(0 < len(text) < LENGTH - 2 for text in p)]
    words = [vocabulary((a for a, _ in pairs), 2000), vocabulary((b for _, b in pairs), 3000, ("[start]", "[end]"))]
    pairs = [p for p in pairs if all(word in words[i] for i in (0, 1) for word in p[i])]
    pairs = random.Random(1).sample(pairs, 40000)
    held_out = {tuple(a) for a, _ in pairs[:200]}
    return [p for p in pairs if tuple(p[0]) not in held_out], sorted(map(list, held_out)), words


def padded(texts, words, around=([], [])):
    ids = [around[0] + [words.get(word, UNK) for word in text] + around[1] for text in texts]
    return np.array([row + [PAD] * (LENGTH + 1 - len(row)) for row in ids], "int32")


def translate(model, texts, words):
    """Greedily, all texts at once."""
    source = padded(texts, words[0])[:, :LENGTH]
    target = padded([[] for _ in texts], words[1], ([START], []))[:, :LENGTH]
    for t in range(1, LENGTH):
        inputs = {"encoder_inputs": source, "decoder_inputs": target}
        target[:, t] = model.predict(inputs, batch_size=200, verbose=0)[:, t - 1].argmax(-1)
    names = list(words[1])
    return [" ".join(names[i] for i in row[1 : [*row, END].index(END)]) for row in target.tolist()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("keras_model"))
    arguments = parser.parse_args()
    keras.utils.set_random_seed(1)
    pairs, test, words = load()
    print(f"{len(pairs)} pairs, {len(words[0])} and {len(words[1])} words")

    model = build(*map(len, words))
    source = padded([a for a, _ in pairs], words[0])[:, :LENGTH]
    target = padded([b for _, b in pairs], words[1], ([START], [END]))
    model.compile(keras.optimizers.Adam(1e-3), "sparse_categorical_crossentropy")
    model.fit({"encoder_inputs": source, "decoder_inputs": target[:, :-1]}, target[:, 1:],
              sample_weight=(target[:, 1:] != PAD).astype("float32"), batch_size=64, epochs=arguments.epochs, verbose=2)

    arguments.out.mkdir(parents=True, exist_ok=True)
    model.save(arguments.out / "model.keras")
    for name, one in zip(("source", "target"), words):
        (arguments.out / f"{name}.json").write_text(json.dumps(one, ensure_ascii=False, indent=0))
    german = translate(model, test, words)
    (arguments.out / "test.en").write_text("".join(" ".join(text) + "\n" for text in test))
    (arguments.out / "keras.de").write_text("".join(text + "\n" for text in german))
    for pair in list(zip(test, german))[:10]:
        print(" ".join(pair[0]), "->", pair[1])


if __name__ == "__main__":
    main()
