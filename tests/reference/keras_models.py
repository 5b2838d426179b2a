"""Models in Keras with PyTorch below it: the Transformers of keras.io's and TensorFlow's tutorials, and one of GRUs.

The Transformers have `encode` and `decode` as own_models.py describes them and `attention()`, the weights of the last
run; the GRUs what recurrent_models.py describes. `keras` is the model that examples/keras/export.py saves. No padding
is masked, and the last layer gives logits.
"""

import os
import sys
from pathlib import Path

os.environ["KERAS_BACKEND"] = "torch"
sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "keras"))

import export  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402
import train as keras_io  # noqa: E402
from keras import layers, ops  # noqa: E402


class KerasModel:
    """What make_own_models.py and make_recurrent_models.py ask of a module of PyTorch."""

    has_config = True

    def __init__(self, model):
        self.keras = model
        rng = np.random.default_rng(1)
        for variable in model.trainable_variables:
            if variable.ndim == 1:
                variable.assign(rng.normal(float(variable.name == "gamma"), 0.15, variable.shape))

    def save(self, folder):
        export.save(self.keras, folder / "model.npz")
        if self.has_config:
            self.keras.save(folder / "model.keras")

    def parameters(self):
        return [variable.value for variable in self.keras.trainable_variables]

    def named_parameters(self):
        return []  # They are rough already.

    def train(self):
        pass

    def eval(self):
        return self


class KerasTransformer(KerasModel):
    """Its attention can be seen; `attentions` has the layers by kind."""

    def __init__(self, model, attentions):
        super().__init__(model)
        self.attentions, self.shown = attentions, {}
        for layer in sum(attentions.values(), []):
            self.watch(layer)

    def watch(self, layer):
        compute = layer._compute_attention

        def watched(query, key, value, mask=None, training=None, return_attention_scores=False, **more):
            output, scores = compute(query, key, value, mask, training, True, **more)
            self.shown[id(layer)] = scores[0]
            return output, scores

        layer._compute_attention = watched

    def attention(self):
        return {kind: [self.shown[id(layer)].tolist() for layer in of_kind]
                for kind, of_kind in self.attentions.items()}


class KerasIo(KerasTransformer):
    """"English-to-Spanish translation with a sequence-to-sequence Transformer", with the layers of examples/keras."""

    def __init__(self, source, target, width, inner, heads, count, max_len):
        encoder_inputs = keras.Input((None,), dtype="int64", name="encoder_inputs")
        x = keras_io.PositionalEmbedding(max_len, source, width)(encoder_inputs)
        encoder_layers = [keras_io.TransformerEncoder(width, inner, heads) for _ in range(count)]
        for layer in encoder_layers:
            x = layer(x)
        encoder_outputs = x
        decoder_inputs = keras.Input((None,), dtype="int64", name="decoder_inputs")
        x = keras_io.PositionalEmbedding(max_len, target, width)(decoder_inputs)
        decoder_layers = [keras_io.TransformerDecoder(width, inner, heads) for _ in range(count)]
        for layer in decoder_layers:
            x = layer([x, encoder_outputs])
        outputs = layers.Dense(target)(layers.Dropout(0.5)(x))
        self.decoder = keras.Model([decoder_inputs, encoder_outputs], outputs)
        self.encoder = keras.Model(encoder_inputs, encoder_outputs)
        outputs = self.decoder([decoder_inputs, encoder_outputs])
        super().__init__(keras.Model([encoder_inputs, decoder_inputs], outputs), {
            "encoder": [layer.attention for layer in encoder_layers],
            "decoder": [layer.attention_1 for layer in decoder_layers],
            "cross": [layer.attention_2 for layer in decoder_layers],
        })

    def encode(self, source):
        return self.encoder(source)

    def decode(self, target, memory):
        return self.decoder([target, memory])


# ---- TensorFlow's "Neural machine translation with a Transformer and Keras" ------------------------------------------


def positional_encoding(length, depth):
    """All sines, then all cosines."""
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(depth // 2)[None, :] / (depth / 2))
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1).astype("float32")


class PositionalEmbedding(layers.Layer):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.d_model = d_model
        self.embedding = layers.Embedding(vocab_size, d_model)
        self.pos_encoding = ops.convert_to_tensor(positional_encoding(2048, d_model))

    def call(self, x):
        return self.embedding(x) * ops.sqrt(float(self.d_model)) + self.pos_encoding[None, : ops.shape(x)[1]]


class BaseAttention(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__()
        self.mha = layers.MultiHeadAttention(**kwargs)
        self.layernorm = layers.LayerNormalization()
        self.add = layers.Add()


class CrossAttention(BaseAttention):
    def call(self, x, context):
        return self.layernorm(self.add([x, self.mha(query=x, key=context, value=context)]))


class GlobalSelfAttention(BaseAttention):
    def call(self, x):
        return self.layernorm(self.add([x, self.mha(query=x, value=x, key=x)]))


class CausalSelfAttention(BaseAttention):
    def call(self, x):
        return self.layernorm(self.add([x, self.mha(query=x, value=x, key=x, use_causal_mask=True)]))


class FeedForward(layers.Layer):
    def __init__(self, d_model, dff, dropout_rate=0.1):
        super().__init__()
        self.seq = keras.Sequential(
            [layers.Dense(dff, activation="relu"), layers.Dense(d_model), layers.Dropout(dropout_rate)]
        )
        self.add = layers.Add()
        self.layer_norm = layers.LayerNormalization()

    def call(self, x):
        return self.layer_norm(self.add([x, self.seq(x)]))


class EncoderLayer(layers.Layer):
    def __init__(self, d_model, num_heads, dff):
        super().__init__()
        self.self_attention = GlobalSelfAttention(num_heads=num_heads, key_dim=d_model)
        self.ffn = FeedForward(d_model, dff)

    def call(self, x):
        return self.ffn(self.self_attention(x))


class Encoder(layers.Layer):
    def __init__(self, num_layers, d_model, num_heads, dff, vocab_size):
        super().__init__()
        self.pos_embedding = PositionalEmbedding(vocab_size, d_model)
        self.enc_layers = [EncoderLayer(d_model, num_heads, dff) for _ in range(num_layers)]
        self.dropout = layers.Dropout(0.1)

    def call(self, x):
        x = self.dropout(self.pos_embedding(x))
        for layer in self.enc_layers:
            x = layer(x)
        return x


class DecoderLayer(layers.Layer):
    def __init__(self, d_model, num_heads, dff):
        super().__init__()
        self.causal_self_attention = CausalSelfAttention(num_heads=num_heads, key_dim=d_model)
        self.cross_attention = CrossAttention(num_heads=num_heads, key_dim=d_model)
        self.ffn = FeedForward(d_model, dff)

    def call(self, x, context):
        return self.ffn(self.cross_attention(self.causal_self_attention(x), context))


class Decoder(layers.Layer):
    def __init__(self, num_layers, d_model, num_heads, dff, vocab_size):
        super().__init__()
        self.pos_embedding = PositionalEmbedding(vocab_size, d_model)
        self.dropout = layers.Dropout(0.1)
        self.dec_layers = [DecoderLayer(d_model, num_heads, dff) for _ in range(num_layers)]

    def call(self, x, context):
        x = self.dropout(self.pos_embedding(x))
        for layer in self.dec_layers:
            x = layer(x, context)
        return x


class Transformer(keras.Model):
    def __init__(self, num_layers, d_model, num_heads, dff, input_vocab_size, target_vocab_size):
        super().__init__()
        self.encoder = Encoder(num_layers, d_model, num_heads, dff, input_vocab_size)
        self.decoder = Decoder(num_layers, d_model, num_heads, dff, target_vocab_size)
        self.final_layer = layers.Dense(target_vocab_size)

    def call(self, inputs):
        context, x = inputs
        return self.final_layer(self.decoder(x, self.encoder(context)))


class TensorFlow(KerasTransformer):
    has_config = False

    def __init__(self, source, target, width, inner, heads, count, max_len):
        model = Transformer(count, width, heads, inner, source, target)
        model((np.zeros((1, 2), "int64"), np.zeros((1, 2), "int64")))
        super().__init__(model, {
            "encoder": [layer.self_attention.mha for layer in model.encoder.enc_layers],
            "decoder": [layer.causal_self_attention.mha for layer in model.decoder.dec_layers],
            "cross": [layer.cross_attention.mha for layer in model.decoder.dec_layers],
        })

    def encode(self, source):
        return self.keras.encoder(source)

    def decode(self, target, memory):
        return self.keras.final_layer(self.keras.decoder(target, memory))


# ---- GRUs ------------------------------------------------------------------------------------------------------------


class Recurrent(KerasModel):
    """Bidirectional GRU, AdditiveAttention of the decoder's state after its step; some layers have names."""

    def __init__(self, source, target, embedding, hidden, units):
        self.source_embedding = layers.Embedding(source, embedding)
        self.target_embedding = layers.Embedding(target, embedding)
        self.encoder = layers.Bidirectional(layers.GRU(hidden, return_sequences=True, return_state=True))
        self.bridge = layers.Dense(units, activation="tanh", name="bridge")
        self.decoder = layers.GRU(units, return_sequences=True, return_state=True)
        self.query = layers.Dense(units, use_bias=False, name="query")
        self.key = layers.TimeDistributed(layers.Dense(units))
        self.attention = layers.AdditiveAttention()
        self.output = layers.Dense(target)
        inputs = [keras.Input((None,), dtype="int64") for _ in range(2)]
        memory, state = self.read(inputs[0])
        super().__init__(keras.Model(inputs, self.write(inputs[1], memory, state)[0]))

    def read(self, source):
        memory, forward, backward = self.encoder(self.source_embedding(source))
        return memory, self.bridge(ops.concatenate([forward, backward], axis=-1))

    def write(self, target, memory, state):
        hidden, state = self.decoder(self.target_embedding(target), initial_state=state)
        context, weights = self.attention(
            [self.query(hidden), memory, self.key(memory)], return_attention_scores=True
        )
        return self.output(layers.Concatenate()([hidden, context])), weights, state

    def encode(self, source):
        memory, state = self.read(source.t())
        return {"memory": memory, "state": state}

    def step(self, token, state):
        logits, weights, new = self.write(token[:, None], state["memory"], state["state"])
        return logits[:, 0], weights[:, 0], {**state, "state": new}
