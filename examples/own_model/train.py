"""Trains a Transformer that is written by hand, English words to German words.

    python train.py [--steps 3000] [--out own_model]

Nothing but PyTorch is needed. Writes model.pt (the state_dict), source.json and target.json (the
word lists), and test.en and pytorch.de: sentences that were held out and what PyTorch makes of them.
"""

import argparse
import json
import lzma
import math
import random
import re
import time
from collections import Counter
from pathlib import Path

import torch
from torch import nn

DATA = Path(__file__).parents[1] / "en-de" / "data"
PAD, SOS, EOS, UNK = range(4)
MAX_LEN = 64

# ---- The model ------------------------------------------------------------------------------------


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split_heads(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask):
        q = self.split_heads(self.W_q(query))
        k = self.split_heads(self.W_k(key))
        v = self.split_heads(self.W_v(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
        x = (weights @ v).transpose(1, 2)
        return self.W_o(x.reshape(x.size(0), x.size(1), -1))


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, max_len, d_model)
        pe[0, :, 0::2] = torch.sin(position * frequency)
        pe[0, :, 1::2] = torch.cos(position * frequency)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


def feed_forward(d_model, d_ff, dropout):
    return nn.Sequential(
        nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model)
    )


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = feed_forward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = self.norm1(x + self.dropout(self.attention(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout):
        super().__init__()
        self.masked_attn = MultiHeadAttention(d_model, num_heads)
        self.cross_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = feed_forward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, source_mask, target_mask):
        x = self.norm1(x + self.dropout(self.masked_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, source_mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


class Transformer(nn.Module):
    def __init__(self, source_size, target_size, d_model=128, num_heads=4, num_layers=2, d_ff=256,
                 dropout=0.1):
        super().__init__()
        self.d_model = d_model
        self.src_embedding = nn.Embedding(source_size, d_model, padding_idx=PAD)
        self.tgt_embedding = nn.Embedding(target_size, d_model, padding_idx=PAD)
        self.pos_encoding = PositionalEncoding(d_model, MAX_LEN)
        self.encoder_layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        )
        self.decoder_layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)
        )
        self.output_layer = nn.Linear(d_model, target_size)
        self.dropout = nn.Dropout(dropout)
        for embedding in (self.src_embedding, self.tgt_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)

    def embed(self, embedding, ids):
        return self.dropout(self.pos_encoding(embedding(ids) * math.sqrt(self.d_model)))

    def encode(self, source):
        mask = (source != PAD)[:, None, None, :]
        x = self.embed(self.src_embedding, source)
        for layer in self.encoder_layers:
            x = layer(x, mask)
        return x, mask

    def decode(self, target, memory, source_mask):
        length = target.size(1)
        mask = torch.tril(torch.ones(length, length, dtype=torch.bool))
        x = self.embed(self.tgt_embedding, target)
        for layer in self.decoder_layers:
            x = layer(x, memory, source_mask, mask)
        return self.output_layer(x)

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# ---- The text -------------------------------------------------------------------------------------


def read(name):
    """Lower case, without punctuation: a list of words knows nothing but words."""
    with lzma.open(DATA / name, "rt", encoding="utf-8") as file:
        return [" ".join(re.sub(r"[^\w' ]", " ", line.lower()).split()) for line in file]


def make_vocabulary(texts, size):
    counts = Counter(word for text in texts for word in text.split())
    words = ["<pad>", "<sos>", "<eos>", "<unk>", *(w for w, _ in counts.most_common(size))]
    return {word: i for i, word in enumerate(words)}


def to_ids(text, vocabulary):
    return [SOS, *(vocabulary.get(word, UNK) for word in text.split()), EOS]


def load(languages=("en", "de"), sizes=(3000, 4000), longest=9):
    sides = [read(f"train.{language}.xz") for language in languages]
    pairs = [
        (a, b) for a, b in zip(*sides)
        if 0 < len(a.split()) <= longest and 0 < len(b.split()) <= longest + 1
    ]
    vocabularies = [make_vocabulary((p[i] for p in pairs), sizes[i]) for i in (0, 1)]

    def known(pair):
        return all(w in v for text, v in zip(pair, vocabularies) for w in text.split())

    pairs = [pair for pair in pairs if known(pair)]
    random.Random(1).shuffle(pairs)
    # Sources that are not trained on.
    held_out = {a for a, _ in pairs[:200]}
    return [p for p in pairs if p[0] not in held_out], sorted(held_out), vocabularies


# ---- Training and translation -------------------------------------------------------------------


def batches(pairs, vocabularies, size=64):
    """Endless batches of pairs of like length."""
    ids = [tuple(to_ids(text, v) for text, v in zip(pair, vocabularies)) for pair in pairs]
    while True:
        random.shuffle(ids)
        for begin in range(0, len(ids), 50 * size):
            part = sorted(ids[begin : begin + 50 * size], key=lambda p: (len(p[1]), len(p[0])))
            groups = [part[i : i + size] for i in range(0, len(part), size)]
            random.shuffle(groups)
            for group in groups:
                yield tuple(
                    nn.utils.rnn.pad_sequence(
                        [torch.tensor(pair[i]) for pair in group], batch_first=True,
                        padding_value=PAD,
                    )
                    for i in (0, 1)
                )


def train(model, pairs, vocabularies, steps):
    peak = 2e-3
    optimizer = torch.optim.AdamW(model.parameters(), lr=peak, betas=(0.9, 0.98))
    losses = []
    model.train()
    for step, (source, target) in zip(range(steps), batches(pairs, vocabularies)):
        for group in optimizer.param_groups:
            group["lr"] = peak * min(1.0, (step + 1) / 300) * (1.0 - step / steps)
        logits = model(source, target[:, :-1])
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD, label_smoothing=0.05
        )
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if (step + 1) % 500 == 0:
            print(f"step {step + 1}, loss {sum(losses[-500:]) / 500:.3f}", flush=True)
    model.eval()


@torch.no_grad()
def translate(model, text, vocabularies):
    words = {i: word for word, i in vocabularies[1].items()}
    memory = model.encode(torch.tensor([to_ids(text, vocabularies[0])]))
    ids = [SOS]
    while len(ids) < MAX_LEN:
        ids.append(model.decode(torch.tensor([ids]), *memory)[0, -1].argmax().item())
        if ids[-1] == EOS:
            break
    return " ".join(words[i] for i in ids if i > EOS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--out", type=Path, default=Path("own_model"))
    arguments = parser.parse_args()
    torch.manual_seed(1)
    random.seed(1)
    torch.set_num_threads(1)

    begin = time.process_time()
    pairs, test, vocabularies = load()
    print(f"{len(pairs)} pairs, {len(vocabularies[0])} and {len(vocabularies[1])} words")
    model = Transformer(*(len(v) for v in vocabularies))
    train(model, pairs, vocabularies, arguments.steps)

    print(f"{time.process_time() - begin:.0f} seconds of one CPU thread")
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    torch.save(model.state_dict(), out / "model.pt")
    for name, vocabulary in zip(("source", "target"), vocabularies):
        (out / f"{name}.json").write_text(json.dumps(vocabulary, ensure_ascii=False, indent=0))
    (out / "test.en").write_text("\n".join(test) + "\n")
    german = [translate(model, text, vocabularies) for text in test]
    (out / "pytorch.de").write_text("\n".join(german) + "\n")
    for pair in list(zip(test, german))[:10]:
        print(" -> ".join(pair))


if __name__ == "__main__":
    main()
