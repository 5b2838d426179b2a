"""Transformers as people write them by hand after a tutorial; the reference of tests/data/own_models.

Each class has the tensor names of one preset of converter/maps, `encode(source)` [B, S] -> memory and
`decode(target, memory)` [B, T] -> logits [B, T, V]. Attention modules keep the weights of their last
run in `weights` [B, heads, rows, columns]; `attention_of(model)` collects them. No padding is masked.
"""

import math

import torch
from torch import nn


def sinusoids(rows: int, d_model: int) -> torch.Tensor:
    """[rows, d_model]: sine and cosine take turns."""
    position = torch.arange(rows).unsqueeze(1)
    frequency = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    table = torch.zeros(rows, d_model)
    table[:, 0::2] = torch.sin(position * frequency)
    table[:, 1::2] = torch.cos(position * frequency)
    return table


def causal_mask(length: int) -> torch.Tensor:
    return torch.tril(torch.ones(length, length)).bool()


def weigh(query, key, scale, mask=None):
    scores = query @ key.transpose(-2, -1) * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1)


class MultiHead(nn.Module):
    """Attention whose four linears are called as `names` says."""

    def __init__(self, d_model, heads, names, bias=True, interleaved=False, scale=None):
        super().__init__()
        self.heads, self.names, self.interleaved = heads, names, interleaved
        self.scale = scale or (d_model // heads) ** -0.5
        for name in names:
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))

    def split(self, x):
        batch, length, width = x.shape
        if self.interleaved:  # Output i belongs to head i % heads.
            return x.view(batch, length, width // self.heads, self.heads).permute(0, 3, 1, 2)
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def join(self, x):
        batch, heads, length, width = x.shape
        order = (0, 2, 3, 1) if self.interleaved else (0, 2, 1, 3)
        return x.permute(*order).reshape(batch, length, heads * width)

    def forward(self, query, key, value, mask=None):
        *inner, out = map(self.get_submodule, self.names)
        q, k, v = (self.split(linear(x)) for linear, x in zip(inner, (query, key, value)))
        self.weights = weigh(q, k, self.scale, mask)
        return out(self.join(self.weights @ v))


# ---- encoder_layers: W_q, post-norm -------------------------------------------------------------


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.register_buffer("pe", sinusoids(max_len, d_model).unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


class EncoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout):
        super().__init__()
        self.attention = MultiHead(d_model, heads, ("W_q", "W_k", "W_v", "W_o"))
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model)
        )
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        x = self.norm1(x + self.dropout(self.attention(x, x, x)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff, dropout):
        super().__init__()
        self.masked_attn = MultiHead(d_model, heads, ("W_q", "W_k", "W_v", "W_o"))
        self.cross_attn = MultiHead(d_model, heads, ("W_q", "W_k", "W_v", "W_o"))
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model)
        )
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, mask):
        x = self.norm1(x + self.dropout(self.masked_attn(x, x, x, mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


class EncoderLayers(nn.Module):
    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len, dropout=0.0):
        super().__init__()
        self.d_model = d_model
        self.src_embedding = nn.Embedding(source, d_model)
        self.tgt_embedding = nn.Embedding(target, d_model)
        self.pos_encoding = PositionalEncoding(d_model, max_len)
        self.encoder_layers = nn.ModuleList(
            EncoderLayer(d_model, heads, d_ff, dropout) for _ in range(layers)
        )
        self.decoder_layers = nn.ModuleList(
            DecoderLayer(d_model, heads, d_ff, dropout) for _ in range(layers)
        )
        self.output_layer = nn.Linear(d_model, target)

    def encode(self, source):
        x = self.pos_encoding(self.src_embedding(source) * math.sqrt(self.d_model))
        for layer in self.encoder_layers:
            x = layer(x)
        return x

    def decode(self, target, memory):
        x = self.pos_encoding(self.tgt_embedding(target) * math.sqrt(self.d_model))
        for layer in self.decoder_layers:
            x = layer(x, memory, causal_mask(target.size(1)))
        return self.output_layer(x)


# ---- enc_dec_attn: w_q, post-norm, no embedding scale --------------------------------------------


class FlatPositions(nn.Module):
    """Positions [max_len, d_model]. With `batch_axis` they are added as if the input were [S, B, D],
    which it is not: sentence b gets row b for all of its tokens, a single one row 0."""

    def __init__(self, d_model, max_len, batch_axis):
        super().__init__()
        self.batch_axis = batch_axis
        self.register_buffer("pe", sinusoids(max_len, d_model))

    def forward(self, x):
        if self.batch_axis:
            return x + self.pe[: x.size(0)].unsqueeze(1)
        return x + self.pe[: x.size(1)]


class EncDecAttnLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff, decoder):
        super().__init__()
        names = ("w_q", "w_k", "w_v", "w_o")
        if decoder:
            self.masked_attn = MultiHead(d_model, heads, names)
            self.enc_dec_attn = MultiHead(d_model, heads, names)
            self.norm3 = nn.LayerNorm(d_model)
        else:
            self.attn = MultiHead(d_model, heads, names)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x, memory=None, mask=None):
        if memory is None:
            x = self.norm1(x + self.attn(x, x, x))
            return self.norm2(x + self.ffn(x))
        x = self.norm1(x + self.masked_attn(x, x, x, mask))
        x = self.norm2(x + self.enc_dec_attn(x, memory, memory))
        return self.norm3(x + self.ffn(x))


class EncDecAttn(nn.Module):
    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len, batch_axis=False):
        super().__init__()
        self.src_embedding = nn.Embedding(source, d_model)
        self.tgt_embedding = nn.Embedding(target, d_model)
        self.pos_encoding = FlatPositions(d_model, max_len, batch_axis)
        self.encoder = nn.ModuleList(
            EncDecAttnLayer(d_model, heads, d_ff, False) for _ in range(layers)
        )
        self.decoder = nn.ModuleList(
            EncDecAttnLayer(d_model, heads, d_ff, True) for _ in range(layers)
        )
        self.fc = nn.Linear(d_model, target)

    def encode(self, source):
        x = self.pos_encoding(self.src_embedding(source))
        for layer in self.encoder:
            x = layer(x)
        return x

    def decode(self, target, memory):
        x = self.pos_encoding(self.tgt_embedding(target))
        for layer in self.decoder:
            x = layer(x, memory, causal_mask(target.size(1)))
        return self.fc(x)


# ---- residual_connections: pre-norm, a norm of one's own ------------------------------------------


class LayerNormalization(nn.Module):
    """Divides by the unbiased standard deviation plus epsilon; `scalar`: one gamma for all."""

    def __init__(self, features, scalar, eps=1e-6, names=("gamma", "beta")):
        super().__init__()
        self.eps, self.names = eps, ("alpha", "bias") if scalar else names
        size = 1 if scalar else features
        setattr(self, self.names[0], nn.Parameter(torch.ones(size)))
        setattr(self, self.names[1], nn.Parameter(torch.zeros(size)))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        std = x.std(dim=-1, keepdim=True)
        gamma, beta = (getattr(self, name) for name in self.names)
        return gamma * (x - mean) / (std + self.eps) + beta


class ResidualConnection(nn.Module):
    def __init__(self, features, scalar):
        super().__init__()
        self.norm = LayerNormalization(features, scalar)

    def forward(self, x, sublayer):
        return x + sublayer(self.norm(x))


class FeedForwardBlock(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear_2(torch.relu(self.linear_1(x)))


class InputEmbeddings(nn.Module):
    def __init__(self, vocabulary, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)

    def forward(self, ids):
        return self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)


class ResidualBlock(nn.Module):
    def __init__(self, d_model, heads, d_ff, decoder, scalar):
        super().__init__()
        names = ("w_q", "w_k", "w_v", "w_o")
        self.self_attention_block = MultiHead(d_model, heads, names, bias=False)
        if decoder:
            self.cross_attention_block = MultiHead(d_model, heads, names, bias=False)
        self.feed_forward_block = FeedForwardBlock(d_model, d_ff)
        self.residual_connections = nn.ModuleList(
            ResidualConnection(d_model, scalar) for _ in range(3 if decoder else 2)
        )

    def forward(self, x, memory=None, mask=None):
        blocks = [lambda y: self.self_attention_block(y, y, y, mask)]
        if memory is not None:
            blocks.append(lambda y: self.cross_attention_block(y, memory, memory))
        for residual, block in zip(self.residual_connections, [*blocks, self.feed_forward_block]):
            x = residual(x, block)
        return x


class ResidualStack(nn.Module):
    def __init__(self, d_model, heads, layers, d_ff, decoder, scalar):
        super().__init__()
        self.layers = nn.ModuleList(
            ResidualBlock(d_model, heads, d_ff, decoder, scalar) for _ in range(layers)
        )
        self.norm = LayerNormalization(d_model, scalar)

    def forward(self, x, memory=None, mask=None):
        for layer in self.layers:
            x = layer(x, memory, mask)
        return self.norm(x)


class ProjectionLayer(nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.proj = nn.Linear(d_model, vocabulary)

    def forward(self, x):
        return self.proj(x)


class ResidualConnections(nn.Module):
    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len, scalar=False):
        super().__init__()
        self.encoder = ResidualStack(d_model, heads, layers, d_ff, False, scalar)
        self.decoder = ResidualStack(d_model, heads, layers, d_ff, True, scalar)
        self.src_embed = InputEmbeddings(source, d_model)
        self.tgt_embed = InputEmbeddings(target, d_model)
        self.src_pos = PositionalEncoding(d_model, max_len)
        self.tgt_pos = PositionalEncoding(d_model, max_len)
        self.projection_layer = ProjectionLayer(d_model, target)

    def encode(self, source):
        return self.encoder(self.src_pos(self.src_embed(source)))

    def decode(self, target, memory):
        x = self.tgt_pos(self.tgt_embed(target))
        return self.projection_layer(self.decoder(x, memory, causal_mask(target.size(1))))


# ---- per_head: a module for each head, full width, nothing around it --------------------------------


class AttentionHead(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.scale = d_model**-0.5
        self.linear_q = nn.Linear(d_model, d_model)
        self.linear_k = nn.Linear(d_model, d_model)
        self.linear_v = nn.Linear(d_model, d_model)
        self.linear_o = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.linear_q(query), self.linear_k(key), self.linear_v(value)
        self.weights = weigh(q, k, self.scale, mask)
        return self.linear_o(self.weights @ v)


class HeadsAttention(nn.Module):
    """One head as it is; several through an output projection [d_model, heads * d_model]."""

    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = nn.ModuleList(AttentionHead(d_model) for _ in range(heads))
        self.linear_out = nn.Linear(heads * d_model, d_model) if heads > 1 else None

    def forward(self, query, key, value, mask=None):
        x = torch.cat([head(query, key, value, mask) for head in self.heads], dim=-1)
        return x if self.linear_out is None else self.linear_out(x)

    @property
    def weights(self):
        return torch.stack([head.weights for head in self.heads], dim=1)


class PlainFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


class PlainLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff, decoder):
        super().__init__()
        self.self_attention = HeadsAttention(d_model, heads)
        if decoder:
            self.cross_attention = HeadsAttention(d_model, heads)
        self.feed_forward = PlainFeedForward(d_model, d_ff)

    def forward(self, x, memory=None, mask=None):
        x = self.self_attention(x, x, x, mask)
        if memory is not None:
            x = self.cross_attention(x, memory, memory)
        return self.feed_forward(x)


class PlainStack(nn.Module):
    def __init__(self, vocabulary, d_model, heads, layers, d_ff, decoder):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.layers = nn.ModuleList(
            PlainLayer(d_model, heads, d_ff, decoder) for _ in range(layers)
        )

    def forward(self, ids, memory=None, mask=None):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, memory, mask)
        return x


class PerHead(nn.Module):
    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len):
        super().__init__()
        self.encoder = PlainStack(source, d_model, heads, layers, d_ff, False)
        self.decoder = PlainStack(target, d_model, heads, layers, d_ff, True)
        self.linear = nn.Linear(d_model, target)

    def encode(self, source):
        return self.encoder(source)

    def decode(self, target, memory):
        return self.linear(self.decoder(target, memory, causal_mask(target.size(1))))


# ---- q_linear: post-norm, heads interleaved, scores scaled by sqrt(d_model) --------------------------
# ---- q_proj: pre-norm, learned positions, gelu, one matrix for embeddings and output ----------------


class NamedLayer(nn.Module):
    """Post- or pre-norm, activation and attention as given."""

    def __init__(self, d_model, d_ff, attention, decoder, pre_norm, activation):
        super().__init__()
        self.pre_norm, self.activation = pre_norm, activation
        self.self_attn = attention()
        if decoder:
            self.cross_attn = attention()
            self.norm3 = nn.LayerNorm(d_model)
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    def forward(self, x, memory=None, mask=None):
        blocks = [lambda y: self.self_attn(y, y, y, mask)]
        if memory is not None:
            blocks.append(lambda y: self.cross_attn(y, memory, memory))
        blocks.append(lambda y: self.linear2(self.activation(self.linear1(y))))
        norms = [self.norm1, self.norm2, *([self.norm3] if memory is not None else [])]
        for norm, block in zip(norms, blocks):
            x = x + block(norm(x)) if self.pre_norm else norm(x + block(x))
        return x


class QLinear(nn.Module):
    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len):
        super().__init__()
        self.d_model = d_model

        def attention():
            names = ("q_linear", "k_linear", "v_linear", "out_linear")
            return MultiHead(d_model, heads, names, interleaved=True, scale=d_model**-0.5)

        def stack(decoder):
            return nn.ModuleList(
                NamedLayer(d_model, d_ff, attention, decoder, False, torch.relu)
                for _ in range(layers)
            )

        self.encoder_embedding = nn.Embedding(source, d_model)
        self.decoder_embedding = nn.Embedding(target, d_model)
        # A plain attribute, which is not saved.
        self.positions = sinusoids(max_len, d_model)
        self.encoder_layers = stack(False)
        self.decoder_layers = stack(True)
        self.fc_out = nn.Linear(d_model, target)

    def embed(self, embedding, ids):
        return embedding(ids) * math.sqrt(self.d_model) + self.positions[: ids.size(1)]

    def encode(self, source):
        x = self.embed(self.encoder_embedding, source)
        for layer in self.encoder_layers:
            x = layer(x)
        return x

    def decode(self, target, memory):
        x = self.embed(self.decoder_embedding, target)
        for layer in self.decoder_layers:
            x = layer(x, memory, causal_mask(target.size(1)))
        return self.fc_out(x)


class QProjStack(nn.Module):
    def __init__(self, embedding, d_model, heads, layers, d_ff, max_len, decoder):
        super().__init__()
        names = ("q_proj", "k_proj", "v_proj", "out_proj")
        self.embed_tokens = embedding
        self.embed_positions = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList(
            NamedLayer(
                d_model, d_ff, lambda: MultiHead(d_model, heads, names), decoder, True,
                nn.functional.gelu,
            )
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(d_model)
        if decoder:
            self.register_buffer("causal_mask", causal_mask(max_len))

    def forward(self, ids, memory=None, mask=None):
        x = self.embed_tokens(ids) + self.embed_positions(torch.arange(ids.size(1)))
        for layer in self.layers:
            x = layer(x, memory, mask)
        return self.norm(x)


class QProj(nn.Module):
    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len):
        super().__init__()
        assert source == target
        shared = nn.Embedding(source, d_model)
        self.encoder = QProjStack(shared, d_model, heads, layers, d_ff, max_len, False)
        self.decoder = QProjStack(shared, d_model, heads, layers, d_ff, max_len, True)
        self.lm_head = nn.Linear(d_model, target, bias=False)
        self.lm_head.weight = shared.weight

    def encode(self, source):
        return self.encoder(source)

    def decode(self, target, memory):
        length = target.size(1)
        return self.lm_head(self.decoder(target, memory, self.decoder.causal_mask[:length, :length]))


# ---- nn_transformer: torch.nn.Transformer in the wrapper of PyTorch's tutorial ------------------------


class TokenEmbedding(nn.Module):
    def __init__(self, vocabulary, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d_model)
        self.d_model = d_model

    def forward(self, ids):
        return self.embedding(ids) * math.sqrt(self.d_model)


class TutorialPositions(nn.Module):
    def __init__(self, d_model, max_len):
        super().__init__()
        self.register_buffer("pos_embedding", sinusoids(max_len, d_model).unsqueeze(1))

    def forward(self, x):  # [S, B, D]
        return x + self.pos_embedding[: x.size(0)]


class NnTransformer(nn.Module):
    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len, norm_first=False,
                 final_norm=True, activation="relu", bias=True):
        super().__init__()
        options = dict(
            dim_feedforward=d_ff, dropout=0.0, norm_first=norm_first, activation=activation, bias=bias
        )
        self.transformer = nn.Transformer(
            d_model, heads, num_encoder_layers=layers, num_decoder_layers=layers, **options
        )
        if not final_norm:
            self.transformer.encoder.norm = None
            self.transformer.decoder.norm = None
        self.generator = nn.Linear(d_model, target)
        self.src_tok_emb = TokenEmbedding(source, d_model)
        self.tgt_tok_emb = TokenEmbedding(target, d_model)
        self.positional_encoding = TutorialPositions(d_model, max_len)
        for module in self.modules():
            if isinstance(module, nn.MultiheadAttention):
                module.register_forward_pre_hook(self.want_weights, with_kwargs=True)
                module.register_forward_hook(self.keep_weights)

    @staticmethod
    def want_weights(module, args, kwargs):
        return args, kwargs | dict(need_weights=True, average_attn_weights=False)

    @staticmethod
    def keep_weights(module, args, output):
        module.weights = output[1]

    def encode(self, source):
        x = self.positional_encoding(self.src_tok_emb(source.T))
        return self.transformer.encoder(x)

    def decode(self, target, memory):
        x = self.positional_encoding(self.tgt_tok_emb(target.T))
        mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
        return self.generator(self.transformer.decoder(x, memory, tgt_mask=mask)).transpose(0, 1)


# ---- fc_q: post-norm, learned positions, stacks that embed what they read -----------------------------


class FeedForwardFc(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.fc_1 = nn.Linear(d_model, d_ff)
        self.fc_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.fc_2(torch.relu(self.fc_1(x)))


class FcQLayer(nn.Module):
    """`one_norm`: all sublayers share a norm."""

    def __init__(self, d_model, heads, d_ff, decoder, one_norm):
        super().__init__()
        names = ("fc_q", "fc_k", "fc_v", "fc_o")
        self.norms = ["self_attn_layer_norm", "ff_layer_norm"]
        self.self_attention = MultiHead(d_model, heads, names)
        if decoder:
            self.norms.insert(1, "enc_attn_layer_norm")
            self.encoder_attention = MultiHead(d_model, heads, names)
        if one_norm:
            self.norms = ["layer_norm"] * len(self.norms)
        for norm in self.norms:
            setattr(self, norm, nn.LayerNorm(d_model))
        self.positionwise_feedforward = FeedForwardFc(d_model, d_ff)

    def forward(self, x, memory=None, mask=None):
        blocks = [lambda y: self.self_attention(y, y, y, mask)]
        if memory is not None:
            blocks.append(lambda y: self.encoder_attention(y, memory, memory))
        for norm, block in zip(self.norms, [*blocks, self.positionwise_feedforward]):
            x = getattr(self, norm)(x + block(x))
        return x


class FcQStack(nn.Module):
    def __init__(self, vocabulary, d_model, heads, layers, d_ff, max_len, decoder, one_norm, norm):
        super().__init__()
        self.tok_embedding = nn.Embedding(vocabulary, d_model)
        self.pos_embedding = nn.Embedding(max_len, d_model)
        self.layers = nn.ModuleList(
            FcQLayer(d_model, heads, d_ff, decoder, one_norm) for _ in range(layers)
        )
        if norm:
            self.norm = nn.LayerNorm(d_model)
        self.norm_first = norm and decoder
        if decoder:
            self.fc_out = nn.Linear(d_model, vocabulary)
        # A plain attribute, which is not saved.
        self.scale = torch.sqrt(torch.FloatTensor([d_model]))

    def forward(self, ids, memory=None, mask=None):
        x, positions = self.tok_embedding(ids) * self.scale, self.pos_embedding(torch.arange(ids.size(1)))
        if not hasattr(self, "norm"):
            x = x + positions
        else:
            x = self.norm(x) + positions if self.norm_first else self.norm(x + positions)
        for layer in self.layers:
            x = layer(x, memory, mask)
        return x if memory is None else self.fc_out(x)


class FcQ(nn.Module):
    """`norm`: one of the embeddings, which the decoder applies before it adds positions, as in BlenderbotSmall."""

    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len, one_norm=False, norm=False):
        super().__init__()
        self.encoder = FcQStack(source, d_model, heads, layers, d_ff, max_len, False, one_norm, norm)
        self.decoder = FcQStack(target, d_model, heads, layers, d_ff, max_len, True, one_norm, norm)

    def encode(self, source):
        return self.encoder(source)

    def decode(self, target, memory):
        return self.decoder(target, memory, causal_mask(target.size(1)))


# ---- annotated_transformer: pre-norm, linears in a list, a_2 and b_2 -------------------------------


class Linears(MultiHead):
    def __init__(self, d_model, heads):
        super().__init__(d_model, heads, ())
        self.linears = nn.ModuleList(nn.Linear(d_model, d_model) for _ in range(4))
        self.names = [f"linears.{i}" for i in range(4)]


class Lookup(nn.Module):
    def __init__(self, vocabulary, d_model):
        super().__init__()
        self.lut = nn.Embedding(vocabulary, d_model)

    def forward(self, ids):
        return self.lut(ids) * math.sqrt(self.lut.embedding_dim)


class FeedForwardW(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_2(torch.relu(self.w_1(x)))


class Sublayer(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.norm = LayerNormalization(d_model, False, names=("a_2", "b_2"))

    def forward(self, x, block):
        return x + block(self.norm(x))


class AnnotatedLayer(nn.Module):
    def __init__(self, d_model, heads, d_ff, decoder):
        super().__init__()
        self.self_attn = Linears(d_model, heads)
        if decoder:
            self.src_attn = Linears(d_model, heads)
        self.feed_forward = FeedForwardW(d_model, d_ff)
        self.sublayer = nn.ModuleList(Sublayer(d_model) for _ in range(3 if decoder else 2))

    def forward(self, x, memory=None, mask=None):
        blocks = [lambda y: self.self_attn(y, y, y, mask)]
        if memory is not None:
            blocks.append(lambda y: self.src_attn(y, memory, memory))
        for sublayer, block in zip(self.sublayer, [*blocks, self.feed_forward]):
            x = sublayer(x, block)
        return x


class AnnotatedStack(nn.Module):
    def __init__(self, d_model, heads, layers, d_ff, decoder):
        super().__init__()
        self.layers = nn.ModuleList(
            AnnotatedLayer(d_model, heads, d_ff, decoder) for _ in range(layers)
        )
        self.norm = LayerNormalization(d_model, False, names=("a_2", "b_2"))

    def forward(self, x, memory=None, mask=None):
        for layer in self.layers:
            x = layer(x, memory, mask)
        return self.norm(x)


class AnnotatedTransformer(nn.Module):
    def __init__(self, source, target, d_model, heads, layers, d_ff, max_len):
        super().__init__()
        self.encoder = AnnotatedStack(d_model, heads, layers, d_ff, False)
        self.decoder = AnnotatedStack(d_model, heads, layers, d_ff, True)
        self.src_embed, self.tgt_embed = (
            nn.Sequential(Lookup(vocabulary, d_model), PositionalEncoding(d_model, max_len))
            for vocabulary in (source, target)
        )
        self.generator = nn.ModuleDict({"proj": nn.Linear(d_model, target)})

    def encode(self, source):
        return self.encoder(self.src_embed(source))

    def decode(self, target, memory):
        x = self.decoder(self.tgt_embed(target), memory, causal_mask(target.size(1)))
        return self.generator["proj"](x)


def attention_of(model) -> dict[str, list]:
    """The weights of the last run, as lists [layer][head][row][column]."""
    found = {"encoder": [], "decoder": [], "cross": []}
    kinds = (MultiHead, HeadsAttention, nn.MultiheadAttention)
    for name, module in model.named_modules():
        if not isinstance(module, kinds):
            continue
        cross = name.split(".")[-1] in (
            "cross_attn", "enc_dec_attn", "cross_attention_block", "cross_attention",
            "multihead_attn", "encoder_attention", "src_attn",
        )
        kind = "cross" if cross else "encoder" if "encoder" in name else "decoder"
        found[kind].append(module.weights[0].tolist())
    return found
