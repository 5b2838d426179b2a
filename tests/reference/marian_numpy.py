"""What Marian computes for a translation model of type `transformer`, in NumPy.

Written from Marian's formulas (marian-dev: src/models/transformer.h, src/rnn/cells.h,
src/tensors/cpu/tensor_operators.cpp), with its names of parameters and options:

* A layer is y = x W + b with W [inputs, outputs]; embeddings and ff_logit_out_Wt are [V, D].
* Embeddings are multiplied by sqrt(D), unless positions are learned (Wpos) or absent.
* A position p is sin(p t_i) in the first half of a row and cos(p t_i) in the second, with
  t_i = 10000 ** (-i / (D/2 - 1)). Hugging Face's conversion has i / (D/2) there.
* The first target step reads a zero vector in place of an embedding.
* layer norm: (x - mean) / sqrt(variance + 1e-6) * scale + bias.
* SSRU (Kim et al. 2019, "From Research to Production and Back"): f = sigmoid(x Wf + bf),
  c_t = f c_{t-1} + (1 - f) (x W), output relu(c_t), c_0 = 0.
* Decoding suppresses <unk>.

Not Marian's to the letter: with transformer-preprocess "n" and self-attention, Marian's decoder
normalizes keys and values in training but, because of a slip in LayerAttention, not in decoding; and
with learned positions its decoder reads position 0 at every step. Here both are as in training.
"""

import numpy as np

EPSILON = 1e-6


def sinusoids(length: int, d: int) -> np.ndarray:
    half = d // 2
    increment = np.log(10000.0) / (d / 2 - 1)
    angle = np.arange(length)[:, None] * np.exp(-(np.arange(d) % half) * increment)[None]
    return np.where(np.arange(d)[None] < half, np.sin(angle), np.cos(angle))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-x))


ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0.0), "swish": lambda x: x * sigmoid(x)}


class MarianModel:
    """A model of parameters {name: array} and Marian's options."""

    def __init__(self, parameters: dict, options: dict, positions=sinusoids, epsilon=EPSILON):
        self.p = {k: np.asarray(v, np.float64) for k, v in parameters.items()}
        self.options = options
        self.d = options["dim-emb"]
        self.ssru = options.get("transformer-decoder-autoreg", "self-attention") == "rnn"
        self.positions = positions
        self.epsilon = epsilon

    # Layers -------------------------------------------------------------------

    def affine(self, x, prefix, suffix=""):
        y = x @ self.p[f"{prefix}_W{suffix}"]
        bias = self.p.get(f"{prefix}_b{suffix}")
        return y if bias is None else y + bias[0]

    def norm(self, x, prefix, suffix=""):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + self.epsilon)
        return scaled * self.p[f"{prefix}_ln_scale{suffix}"][0] + self.p[f"{prefix}_ln_bias{suffix}"][0]

    def pre(self, x, prefix, option="transformer-preprocess"):
        for op in self.options.get(option, ""):
            x = self.norm(x, prefix, "_pre") if op == "n" else x
        return x

    def post(self, x, residual, prefix, option="transformer-postprocess"):
        for op in self.options.get(option, ""):
            if op == "a":
                x = x + residual
            elif op == "n":
                x = self.norm(x, prefix)
        return x

    def attention(self, prefix, query, memory, mask):
        heads = self.options["transformer-heads"]

        def split(x, name):
            y = self.affine(x, prefix, name)
            return y.reshape(len(y), heads, -1).transpose(1, 0, 2)

        q, k, v = split(query, "q"), split(memory, "k"), split(memory, "v")
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1])
        weights = softmax(np.where(mask, scores, -np.inf))
        joined = (weights @ v).transpose(1, 0, 2).reshape(len(query), -1)
        return self.affine(joined, prefix, "o")

    def attention_sublayer(self, prefix, x, memory, mask):
        y = self.pre(x, f"{prefix}_Wo")
        y = self.attention(prefix, y, y if memory is None else memory, mask)
        return self.post(y, x, f"{prefix}_Wo")

    def ffn_sublayer(self, prefix, x):
        y = self.pre(x, f"{prefix}_ffn")
        act = ACTIVATIONS[self.options["transformer-ffn-activation"]]
        y = self.affine(act(self.affine(y, prefix, "1")), prefix, "2")
        return self.post(y, x, f"{prefix}_ffn")

    def ssru_sublayer(self, prefix, x):
        y = self.pre(x, prefix)
        candidate = y @ self.p[f"{prefix}_W"]
        forget = sigmoid(self.affine(y, prefix, "f"))
        cell, outputs = np.zeros(self.d), []
        for f, c in zip(forget, candidate):
            cell = f * cell + (1.0 - f) * c
            outputs.append(np.maximum(cell, 0.0))
        return self.post(np.stack(outputs), x, f"{prefix}_ffn")

    # Stacks -------------------------------------------------------------------

    def embedding(self, stack):
        return self.p.get(f"{stack}_Wemb", self.p.get("Wemb"))

    def place(self, x, stack):
        """Adds positions to embeddings and applies transformer-postprocess-emb."""
        if "Wpos" in self.p:
            x = x + self.p["Wpos"][: len(x)]
        elif not self.options.get("transformer-disable-position-embeddings", False):
            x = np.sqrt(self.d) * x + self.positions(len(x), self.d)
        return self.pre(x, f"{stack}_emb", "transformer-postprocess-emb")

    def encode(self, source):
        x = self.place(self.embedding("encoder")[source], "encoder")
        everything = np.ones((len(x), len(x)), bool)
        for i in range(1, self.options["enc-depth"] + 1):
            x = self.attention_sublayer(f"encoder_l{i}_self", x, None, everything)
            x = self.ffn_sublayer(f"encoder_l{i}_ffn", x)
        return self.post(x, None, "encoder_top", "transformer-postprocess-top")

    def logits(self, source, target):
        """Logits [len(target) + 1, V] of every step that follows a prefix of `target`."""
        memory = self.encode(np.asarray(source))
        embedding = self.embedding("decoder")
        before = embedding[np.asarray(target, int)]
        x = self.place(np.concatenate([np.zeros((1, self.d)), before]), "decoder")
        past = np.tril(np.ones((len(x), len(x)), bool))
        everything = np.ones((len(x), len(memory)), bool)
        depth = self.options["dec-depth"]
        for i in self.options.get("transformer-tied-layers") or range(1, depth + 1):
            if self.ssru:
                x = self.ssru_sublayer(f"decoder_l{i}_rnn", x)
            else:
                x = self.attention_sublayer(f"decoder_l{i}_self", x, None, past)
            x = self.attention_sublayer(f"decoder_l{i}_context", x, memory, everything)
            x = self.ffn_sublayer(f"decoder_l{i}_ffn", x)
        x = self.post(x, None, "decoder_top", "transformer-postprocess-top")
        if "decoder_ff_logit_out_W" in self.p:
            matrix = self.p["decoder_ff_logit_out_W"].T
        else:
            matrix = self.p.get("decoder_ff_logit_out_Wt", embedding)
        bias = self.p.get("decoder_ff_logit_out_b")
        return x @ matrix.T + (0.0 if bias is None else bias[0])

    def greedy(self, source, eos=0, unknown=1, limit=24, allowed=None):
        """(ids with EOS if it came, logits of each step, least margin).

        `allowed`: the ids that may come, a shortlist; None: all.
        """
        target, margin = [], np.inf
        while len(target) < limit and (not target or target[-1] != eos):
            scores = self.logits(source, target)[-1].copy()
            if not self.options.get("allow-unk", False):
                scores[unknown] = -np.inf
            if allowed is not None:
                scores[[i for i in range(len(scores)) if i not in allowed]] = -np.inf
            best = np.argsort(scores)[::-1][:2]
            margin = min(margin, scores[best[0]] - scores[best[1]])
            target.append(int(best[0]))
        return target, self.logits(source, target[:-1]), float(margin)
