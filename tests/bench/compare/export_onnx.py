"""Writes a Hugging Face folder as two ONNX graphs with dynamic int8 weights, for ONNX Runtime.

    encoder.onnx  ids [B,S], mask [B,S]                      -> keys.i [B,H,C,S], values.i [B,H,S,C]
    decoder.onnx  token [B,1], mask, keys.i, values.i,
                  past_keys.i, past_values.i [B,H,T,C]       -> logits [B,V], the past and this token

`mask` is added to scores: 0, or a large negative number at padding. Keys and values of the source
are computed once per sentence, Q, K and V by one product; that is as fast as this runtime can be
told to be. The weights are those of transformers' modules, Marian's or T5's; expected ids prove the
graphs right where a model has some.
"""

import math
from pathlib import Path

import torch
import transformers
from export_names import cache_names
from torch import nn
from torch.nn import functional as F


def joined(*linears: nn.Linear) -> nn.Linear:
    """One projection whose outputs are those of these, side by side."""
    weight = torch.cat([linear.weight for linear in linears])
    out = nn.Linear(weight.shape[1], weight.shape[0], linears[0].bias is not None)
    out.weight = nn.Parameter(weight)
    if linears[0].bias is not None:
        out.bias = nn.Parameter(torch.cat([linear.bias for linear in linears]))
    return out


def split_heads(x: torch.Tensor, heads: int) -> torch.Tensor:
    return x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def attend(query, keys, values, scale: float, mask) -> torch.Tensor:
    """query [B,H,Q,C], keys [B,H,C,K], values [B,H,K,C] -> [B,Q,H*C]."""
    scores = torch.matmul(query * scale, keys) + mask
    out = torch.matmul(torch.softmax(scores, -1), values).transpose(1, 2)
    return out.reshape(out.shape[0], out.shape[1], -1)


class Parts(nn.Module):
    """One layer's sublayers under the names used here, whichever family they come from."""

    def __init__(self, self_qkv, self_out, self_norm, cross, ffn, ffn_norm):
        super().__init__()
        self.qkv, self.out, self.norm = joined(*self_qkv), self_out, self_norm
        self.has_cross = cross is not None
        if cross is not None:
            query, key, value, self.cross_out, self.cross_norm = cross
            self.cross_query, self.cross_kv = query, joined(key, value)
        self.ffn_in, self.activation, self.ffn_out = ffn
        self.ffn_norm = ffn_norm

    def feed_forward(self, x):
        return self.ffn_out(self.activation(self.ffn_in(x)))


def marian_layer(layer, has_cross: bool) -> Parts:
    a = layer.self_attn
    cross = None
    if has_cross:
        c = layer.encoder_attn
        cross = (c.q_proj, c.k_proj, c.v_proj, c.out_proj, layer.encoder_attn_layer_norm)
    return Parts((a.q_proj, a.k_proj, a.v_proj), a.out_proj, layer.self_attn_layer_norm, cross,
                 (layer.fc1, layer.activation_fn, layer.fc2), layer.final_layer_norm)


def t5_layer(block, has_cross: bool) -> Parts:
    a = block.layer[0].SelfAttention
    cross = None
    if has_cross:
        c = block.layer[1].EncDecAttention
        cross = (c.q, c.k, c.v, c.o, block.layer[1].layer_norm)
    dense = block.layer[-1].DenseReluDense
    return Parts((a.q, a.k, a.v), a.o, block.layer[0].layer_norm, cross,
                 (dense.wi, dense.act, dense.wo), block.layer[-1].layer_norm)


class Stack(nn.Module):
    """What encoder and decoder have in common; `name` is encoder or decoder."""

    def __init__(self, model, name: str):
        super().__init__()
        config = model.config
        self.t5 = config.model_type == "t5"
        stack = getattr(model if self.t5 else model.model, name)
        decoder = name == "decoder"
        self.embedding = stack.embed_tokens
        if self.t5:
            self.heads, width, self.embed_scale = config.num_heads, config.d_kv, 1.0
            self.scale, self.final_norm = 1.0, stack.final_layer_norm
            self.layers = nn.ModuleList(t5_layer(block, decoder) for block in stack.block)
            self.attention = stack.block[0].layer[0].SelfAttention  # for its biases
        else:
            self.heads = getattr(config, f"{name}_attention_heads")
            width = config.d_model // self.heads
            self.embed_scale = math.sqrt(config.d_model) if config.scale_embedding else 1.0
            self.scale = 1 / math.sqrt(width)
            self.register_buffer("positions", stack.embed_positions.weight.detach().clone())
            self.layers = nn.ModuleList(marian_layer(layer, decoder) for layer in stack.layers)

    def embed(self, ids, positions):
        x = self.embedding(ids) * self.embed_scale
        return x if self.t5 else x + F.embedding(positions, self.positions)

    def relative_bias(self, query_positions, key_positions):
        """[1,H,Q,K], or 0."""
        if not self.t5:
            return 0.0
        a = self.attention
        distance = key_positions[None, :] - query_positions[:, None]
        buckets = a._relative_position_bucket(
            distance, bidirectional=not a.is_decoder,
            num_buckets=a.relative_attention_num_buckets,
            max_distance=a.relative_attention_max_distance)
        return a.relative_attention_bias(buckets).permute(2, 0, 1)[None]

    def sublayer(self, x, norm, function):
        """T5 normalizes what goes in, Marian the sum."""
        return x + function(norm(x)) if self.t5 else norm(x + function(x))


class Encoder(Stack):
    def __init__(self, model):
        super().__init__(model, "encoder")
        # Keys and values that the decoder reads belong to the sentence.
        self.cross = nn.ModuleList(layer.cross_kv for layer in Stack(model, "decoder").layers)

    def forward(self, ids, mask):
        positions = torch.arange(ids.shape[1])
        x = self.embed(ids, positions)
        bias = self.relative_bias(positions, positions) + mask[:, None, None, :]
        for layer in self.layers:
            def attention(y, layer=layer):
                q, k, v = (split_heads(p, self.heads) for p in layer.qkv(y).chunk(3, -1))
                return layer.out(attend(q, k.transpose(2, 3), v, self.scale, bias))
            x = self.sublayer(x, layer.norm, attention)
            x = self.sublayer(x, layer.ffn_norm, layer.feed_forward)
        if self.t5:
            x = self.final_norm(x)
        out = []
        for cross in self.cross:
            key, value = (split_heads(p, self.heads) for p in cross(x).chunk(2, -1))
            out += [key.transpose(2, 3), value]
        return tuple(out)


class Decoder(Stack):
    def __init__(self, model):
        super().__init__(model, "decoder")
        self.output = model.lm_head
        self.tied_scale = 1.0
        if self.t5 and model.config.scale_decoder_outputs:
            self.tied_scale = model.config.d_model**-0.5
        bias = torch.zeros(1) if self.t5 else model.final_logits_bias.detach()[0]
        self.register_buffer("bias", bias)

    def forward(self, token, mask, *caches):
        count = len(self.layers)
        cross, past = caches[: 2 * count], caches[2 * count :]
        step = past[0].shape[2]
        positions = torch.arange(step, step + 1)
        x = self.embed(token, positions)
        bias = self.relative_bias(positions, torch.arange(step + 1))
        source_mask = mask[:, None, None, :]
        present = []
        for i, layer in enumerate(self.layers):
            def self_attention(y, i=i, layer=layer):
                q, k, v = (split_heads(p, self.heads) for p in layer.qkv(y).chunk(3, -1))
                keys = torch.cat([past[2 * i], k], 2)
                values = torch.cat([past[2 * i + 1], v], 2)
                present.extend([keys, values])
                return layer.out(attend(q, keys.transpose(2, 3), values, self.scale, bias))

            def cross_attention(y, i=i, layer=layer):
                q = split_heads(layer.cross_query(y), self.heads)
                out = attend(q, cross[2 * i], cross[2 * i + 1], self.scale, source_mask)
                return layer.cross_out(out)

            x = self.sublayer(x, layer.norm, self_attention)
            x = self.sublayer(x, layer.cross_norm, cross_attention)
            x = self.sublayer(x, layer.ffn_norm, layer.feed_forward)
        if self.t5:
            x = self.final_norm(x) * self.tied_scale
        return (self.output(x)[:, 0] + self.bias, *present)


def export(hf: Path, out: Path) -> None:
    """Writes encoder.onnx and decoder.onnx, int8, to `out`."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    torch.set_num_threads(1)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(hf, dtype=torch.float32).eval()
    encoder, decoder = Encoder(model).eval(), Decoder(model).eval()
    count, batch, source, past = len(decoder.layers), 2, 5, 3
    out.mkdir(parents=True, exist_ok=True)

    def write(name, module, inputs, input_names, output_names, axes):
        plain = out / f"{name}.f32.onnx"
        torch.onnx.export(module, inputs, str(plain), input_names=input_names,
                          output_names=output_names, dynamic_axes=axes, dynamo=False,
                          opset_version=17)
        quantize_dynamic(plain, out / f"{name}.onnx", per_channel=True,
                         weight_type=QuantType.QInt8)
        for part in out.glob(f"{name}.f32.onnx*"):
            part.unlink()

    with torch.no_grad():
        ids = torch.arange(2, 2 + batch * source).reshape(batch, source)
        mask = torch.zeros(batch, source)
        cross = encoder(ids, mask)
        names = cache_names(count)
        axes = {"ids": {0: "B", 1: "S"}, "mask": {0: "B", 1: "S"}}
        axes |= {n: {0: "B", 3 if n.startswith("keys") else 2: "S"} for n in names}
        write("encoder", encoder, (ids, mask), ["ids", "mask"], names, axes)

        width = cross[1].shape[3]
        old = [torch.zeros(batch, decoder.heads, past, width) for _ in range(2 * count)]
        past_names, new_names = cache_names(count, "past_"), cache_names(count, "new_")
        del axes["ids"]
        axes |= {"token": {0: "B"}, "logits": {0: "B"}}
        axes |= {n: {0: "B", 2: "T"} for n in past_names}
        axes |= {n: {0: "B", 2: "N"} for n in new_names}
        write("decoder", decoder, (torch.full((batch, 1), 2), mask, *cross, *old),
              ["token", "mask", *names, *past_names], ["logits", *new_names], axes)
