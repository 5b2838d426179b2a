"""RNN encoder-decoders with attention, written as the tutorials that people follow write them.

Each class has `encode(src)` and `step(token, state)` beside its training `forward`, so that
make_recurrent_models.py can decode greedily with all of them.
"""

import torch
import torch.nn.functional as F
from torch import nn


class BahdanauEncoder(nn.Module):
    """Ben Trevett, "Neural Machine Translation by Jointly Learning to Align and Translate"."""

    def __init__(self, vocab, emb, enc_hid, dec_hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, enc_hid, bidirectional=True)
        self.fc = nn.Linear(enc_hid * 2, dec_hid)

    def forward(self, src):
        outputs, hidden = self.rnn(self.embedding(src))
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2, :, :], hidden[-1, :, :]), dim=1)))
        return outputs, hidden


class BahdanauAttention(nn.Module):
    def __init__(self, enc_hid, dec_hid):
        super().__init__()
        self.attn = nn.Linear((enc_hid * 2) + dec_hid, dec_hid)
        self.v = nn.Linear(dec_hid, 1, bias=False)

    def forward(self, hidden, encoder_outputs):
        src_len = encoder_outputs.shape[0]
        hidden = hidden.unsqueeze(1).repeat(1, src_len, 1)
        encoder_outputs = encoder_outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, encoder_outputs), dim=2)))
        return F.softmax(self.v(energy).squeeze(2), dim=1)


class BahdanauDecoder(nn.Module):
    def __init__(self, vocab, emb, enc_hid, dec_hid):
        super().__init__()
        self.attention = BahdanauAttention(enc_hid, dec_hid)
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU((enc_hid * 2) + emb, dec_hid)
        self.fc_out = nn.Linear((enc_hid * 2) + dec_hid + emb, vocab)

    def forward(self, input, hidden, encoder_outputs):
        embedded = self.embedding(input.unsqueeze(0))
        a = self.attention(hidden, encoder_outputs).unsqueeze(1)
        weighted = torch.bmm(a, encoder_outputs.permute(1, 0, 2)).permute(1, 0, 2)
        output, hidden = self.rnn(torch.cat((embedded, weighted), dim=2), hidden.unsqueeze(0))
        joined = torch.cat((output.squeeze(0), weighted.squeeze(0), embedded.squeeze(0)), dim=1)
        return self.fc_out(joined), hidden.squeeze(0), a.squeeze(1)


class Bahdanau(nn.Module):
    def __init__(self, source_vocab, target_vocab, source_emb, target_emb, enc_hid, dec_hid):
        super().__init__()
        self.encoder = BahdanauEncoder(source_vocab, source_emb, enc_hid, dec_hid)
        self.decoder = BahdanauDecoder(target_vocab, target_emb, enc_hid, dec_hid)

    def encode(self, src):
        outputs, hidden = self.encoder(src)
        return {"outputs": outputs, "hidden": hidden}

    def step(self, token, state):
        logits, hidden, weights = self.decoder(token, state["hidden"], state["outputs"])
        return logits, weights, {**state, "hidden": hidden}

    def checkpoint(self):
        return self.state_dict()


class LuongEncoder(nn.Module):
    """PyTorch's chatbot tutorial (Matthew Inkawhich): EncoderRNN."""

    def __init__(self, hidden_size, embedding, n_layers):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = embedding
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers, bidirectional=True)

    def forward(self, input_seq):
        outputs, hidden = self.gru(self.embedding(input_seq), None)
        outputs = outputs[:, :, : self.hidden_size] + outputs[:, :, self.hidden_size :]
        return outputs, hidden


class LuongAttn(nn.Module):
    def __init__(self, method, hidden_size):
        super().__init__()
        self.method = method
        if method == "general":
            self.attn = nn.Linear(hidden_size, hidden_size)
        elif method == "concat":
            self.attn = nn.Linear(hidden_size * 2, hidden_size)
            self.v = nn.Parameter(torch.randn(hidden_size))

    def forward(self, hidden, encoder_output):
        if self.method == "general":
            energies = torch.sum(hidden * self.attn(encoder_output), dim=2)
        elif self.method == "concat":
            expanded = hidden.expand(encoder_output.size(0), -1, -1)
            energy = self.attn(torch.cat((expanded, encoder_output), 2)).tanh()
            energies = torch.sum(self.v * energy, dim=2)
        else:
            energies = torch.sum(hidden * encoder_output, dim=2)
        return F.softmax(energies.t(), dim=1).unsqueeze(1)


class LuongDecoder(nn.Module):
    """LuongAttnDecoderRNN of the same tutorial; it returns logits, not their softmax."""

    def __init__(self, attn_model, embedding, hidden_size, output_size, n_layers):
        super().__init__()
        self.embedding = embedding
        self.gru = nn.GRU(hidden_size, hidden_size, n_layers)
        self.concat = nn.Linear(hidden_size * 2, hidden_size)
        self.out = nn.Linear(hidden_size, output_size)
        self.attn = LuongAttn(attn_model, hidden_size)

    def forward(self, input_step, last_hidden, encoder_outputs):
        rnn_output, hidden = self.gru(self.embedding(input_step), last_hidden)
        attn_weights = self.attn(rnn_output, encoder_outputs)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1)).squeeze(1)
        concat_input = torch.cat((rnn_output.squeeze(0), context), 1)
        output = self.out(torch.tanh(self.concat(concat_input)))
        return output, hidden, attn_weights.squeeze(1)


class Luong(nn.Module):
    def __init__(self, method, vocab, hidden, encoder_layers, decoder_layers):
        super().__init__()
        embedding = nn.Embedding(vocab, hidden)
        self.encoder = LuongEncoder(hidden, embedding, encoder_layers)
        self.decoder = LuongDecoder(method, embedding, hidden, vocab, decoder_layers)
        self.layers = decoder_layers

    def encode(self, src):
        outputs, hidden = self.encoder(src)
        return {"outputs": outputs, "hidden": hidden[: self.layers]}

    def step(self, token, state):
        logits, hidden, weights = self.decoder(token[None], state["hidden"], state["outputs"])
        return logits, weights, {**state, "hidden": hidden}

    def checkpoint(self):
        """What the tutorial saves."""
        optimizer = torch.optim.Adam(self.encoder.parameters())
        return {
            "iteration": 4000,
            "en": self.encoder.state_dict(),
            "de": self.decoder.state_dict(),
            "en_opt": optimizer.state_dict(),
            "de_opt": optimizer.state_dict(),
            "loss": 2.5,
            "voc_dict": {"name": "corpus", "word2index": {"hello": 3}},
            "embedding": self.encoder.embedding.state_dict(),
        }


class Seq2SeqAttention(nn.Module):
    """PyTorch's "NLP From Scratch: Translation with a Sequence to Sequence Network and Attention"
    (Sean Robertson): BahdanauAttention."""

    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys))).squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class Seq2SeqEncoder(nn.Module):
    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)

    def forward(self, input):
        return self.gru(self.embedding(input))


class Seq2SeqDecoder(nn.Module):
    def __init__(self, hidden_size, output_size):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = Seq2SeqAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)

    def forward_step(self, input, hidden, encoder_outputs):
        embedded = self.embedding(input)
        context, weights = self.attention(hidden.permute(1, 0, 2), encoder_outputs)
        output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
        return self.out(output), hidden, weights


class Seq2Seq(nn.Module):
    def __init__(self, source_vocab, target_vocab, hidden):
        super().__init__()
        self.encoder = Seq2SeqEncoder(source_vocab, hidden)
        self.decoder = Seq2SeqDecoder(hidden, target_vocab)

    def encode(self, src):
        outputs, hidden = self.encoder(src.t())
        return {"outputs": outputs, "hidden": hidden}

    def step(self, token, state):
        logits, hidden, weights = self.decoder.forward_step(
            token[:, None], state["hidden"], state["outputs"]
        )
        return logits[:, 0], weights[:, 0], {**state, "hidden": hidden}

    def checkpoint(self):
        return self.state_dict()


class Mixed(nn.Module):
    """No tutorial's: what the others leave out. Two bidirectional layers; the decoder, of two
    layers without biases, starts from the forward directions and reads the context first; general
    attention of the state before the step; embedding and output share their matrix behind a combining
    layer that reads all three in another order."""

    def __init__(self, source_vocab, target_vocab, source_emb, emb, hidden):
        super().__init__()
        self.src_emb = nn.Embedding(source_vocab, source_emb)
        self.enc = nn.GRU(source_emb, hidden, 2, bidirectional=True)
        self.tgt_emb = nn.Embedding(target_vocab, emb)
        self.dec = nn.GRU(2 * hidden + emb, hidden, 2, bias=False)
        self.key = nn.Linear(2 * hidden, hidden, bias=False)
        self.mix = nn.Linear(2 * hidden + hidden + emb, emb)
        self.head = nn.Linear(emb, target_vocab)
        self.head.weight = self.tgt_emb.weight

    def encode(self, src):
        outputs, hidden = self.enc(self.src_emb(src))
        return {"outputs": outputs, "hidden": hidden[0::2].contiguous()}

    def step(self, token, state):
        memory = state["outputs"].transpose(0, 1)
        scores = torch.bmm(self.key(memory), state["hidden"][-1][:, :, None])[:, :, 0]
        weights = F.softmax(scores, dim=1)
        context = torch.bmm(weights[:, None], memory)[:, 0]
        embedded = self.tgt_emb(token)
        out, hidden = self.dec(torch.cat((context, embedded), 1)[None], state["hidden"])
        features = torch.cat((embedded, context, out[0]), 1)
        return self.head(torch.tanh(self.mix(features))), weights, {**state, "hidden": hidden}

    def checkpoint(self):
        return {"model_state_dict": self.state_dict(), "epoch": 3}


class LstmSeq2Seq(nn.Module):
    """Ben Trevett, "Sequence to Sequence Learning with Neural Networks": no attention."""

    class Side(nn.Module):
        def __init__(self, vocab, emb, hid, layers):
            super().__init__()
            self.embedding = nn.Embedding(vocab, emb)
            self.rnn = nn.LSTM(emb, hid, layers)

    def __init__(self, source_vocab, target_vocab, source_emb, target_emb, hid, layers):
        super().__init__()
        self.encoder = self.Side(source_vocab, source_emb, hid, layers)
        self.decoder = self.Side(target_vocab, target_emb, hid, layers)
        self.decoder.fc_out = nn.Linear(hid, target_vocab)

    def encode(self, src):
        _, state = self.encoder.rnn(self.encoder.embedding(src))
        return {"state": state}

    def step(self, token, state):
        embedded = self.decoder.embedding(token[None])
        output, new = self.decoder.rnn(embedded, state["state"])
        return self.decoder.fc_out(output[0]), None, {"state": new}

    def checkpoint(self):
        return self.state_dict()


class GruContext(nn.Module):
    """Ben Trevett, "Learning Phrase Representations using RNN Encoder-Decoder": each step reads the
    encoder's last state."""

    def __init__(self, source_vocab, target_vocab, source_emb, target_emb, hid):
        super().__init__()
        self.encoder = nn.Module()
        self.encoder.embedding = nn.Embedding(source_vocab, source_emb)
        self.encoder.rnn = nn.GRU(source_emb, hid)
        self.decoder = nn.Module()
        self.decoder.embedding = nn.Embedding(target_vocab, target_emb)
        self.decoder.rnn = nn.GRU(target_emb + hid, hid)
        self.decoder.fc_out = nn.Linear(target_emb + hid * 2, target_vocab)

    def encode(self, src):
        _, hidden = self.encoder.rnn(self.encoder.embedding(src))
        return {"context": hidden, "hidden": hidden}

    def step(self, token, state):
        embedded, context = self.decoder.embedding(token[None]), state["context"]
        _, hidden = self.decoder.rnn(torch.cat((embedded, context), dim=2), state["hidden"])
        output = torch.cat((embedded[0], hidden[0], context[0]), dim=1)
        return self.decoder.fc_out(output), None, {"context": context, "hidden": hidden}

    def checkpoint(self):
        return self.state_dict()


class LstmEnergy(nn.Module):
    """Aladdin Persson's "Seq2Seq with Attention": ReLU of one number, no tanh in front of the decoder."""

    def __init__(self, source_vocab, target_vocab, source_emb, target_emb, hid):
        super().__init__()
        self.encoder = nn.Module()
        self.encoder.embedding = nn.Embedding(source_vocab, source_emb)
        self.encoder.rnn = nn.LSTM(source_emb, hid, 1, bidirectional=True)
        self.encoder.fc_hidden = nn.Linear(hid * 2, hid)
        self.encoder.fc_cell = nn.Linear(hid * 2, hid)
        self.decoder = nn.Module()
        self.decoder.embedding = nn.Embedding(target_vocab, target_emb)
        self.decoder.rnn = nn.LSTM(hid * 2 + target_emb, hid, 1)
        self.decoder.energy = nn.Linear(hid * 3, 1)
        self.decoder.fc = nn.Linear(hid, target_vocab)

    def encode(self, src):
        states, (hidden, cell) = self.encoder.rnn(self.encoder.embedding(src))
        hidden = self.encoder.fc_hidden(torch.cat((hidden[0:1], hidden[1:2]), dim=2))
        cell = self.encoder.fc_cell(torch.cat((cell[0:1], cell[1:2]), dim=2))
        return {"states": states, "hidden": hidden, "cell": cell}

    def step(self, token, state):
        states, hidden = state["states"], state["hidden"]
        repeated = hidden.repeat(len(states), 1, 1)
        energy = F.relu(self.decoder.energy(torch.cat((repeated, states), dim=2)))
        weights = F.softmax(energy, dim=0)
        context = torch.einsum("snk,snl->knl", weights, states)
        embedded = self.decoder.embedding(token[None])
        output, (hidden, cell) = self.decoder.rnn(torch.cat((context, embedded), dim=2), (hidden, state["cell"]))
        return self.decoder.fc(output[0]), weights[:, :, 0].t(), {"states": states, "hidden": hidden, "cell": cell}

    def checkpoint(self):
        return self.state_dict()


class LstmLayers(nn.Module):
    """No tutorial's: two layers of LSTMs each; each decoder layer starts from a projection of its encoder
    layer; the source reads backwards; attention of a projected query over the encoder's outputs."""

    def __init__(self, source_vocab, target_vocab, emb, hid):
        super().__init__()
        self.src = nn.Embedding(source_vocab, emb)
        self.enc = nn.LSTM(emb, hid, 2, bidirectional=True)
        self.bridge_h = nn.Linear(2 * hid, hid)
        self.bridge_c = nn.Linear(2 * hid, hid)
        self.tgt = nn.Embedding(target_vocab, emb)
        self.dec = nn.LSTM(emb, hid, 2)
        self.query = nn.Linear(hid, 2 * hid)
        self.mix = nn.Linear(3 * hid, hid)
        self.out = nn.Linear(hid, target_vocab)

    def encode(self, src):
        outputs, states = self.enc(self.src(src))
        both = [torch.stack([torch.cat((s[2 * i], s[2 * i + 1]), dim=1) for i in range(2)]) for s in states]
        return {"outputs": outputs, "state": (torch.tanh(self.bridge_h(both[0])), torch.tanh(self.bridge_c(both[1])))}

    def step(self, token, state):
        top, new = self.dec(self.tgt(token[None]), state["state"])
        memory = state["outputs"].transpose(0, 1)
        weights = F.softmax(torch.bmm(memory, self.query(top[0])[:, :, None])[:, :, 0], dim=1)
        context = torch.bmm(weights[:, None], memory)[:, 0]
        mixed = torch.tanh(self.mix(torch.cat((top[0], context), dim=1)))
        return self.out(mixed), weights, {**state, "state": new}

    def checkpoint(self):
        return self.state_dict()


class LstmTop(nn.Module):
    """No tutorial's: additive attention before the step; both decoder layers start from the same
    projections of the top layer's states."""

    def __init__(self, source_vocab, target_vocab, emb, enc_hid, hid):
        super().__init__()
        self.src = nn.Embedding(source_vocab, emb)
        self.enc = nn.LSTM(emb, enc_hid, 2, bidirectional=True)
        self.bridge_h = nn.Linear(2 * enc_hid, hid)
        self.bridge_c = nn.Linear(2 * enc_hid, hid)
        self.tgt = nn.Embedding(target_vocab, emb)
        self.attn = nn.Linear(2 * enc_hid + hid, hid)
        self.v = nn.Linear(hid, 1, bias=False)
        self.dec = nn.LSTM(2 * enc_hid + emb, hid, 2)
        self.out = nn.Linear(hid + 2 * enc_hid, target_vocab)

    def encode(self, src):
        outputs, states = self.enc(self.src(src))
        top = [torch.cat((s[-2], s[-1]), dim=1) for s in states]
        first = torch.tanh(self.bridge_h(top[0])), torch.tanh(self.bridge_c(top[1]))
        return {"outputs": outputs, "state": tuple(s.repeat(2, 1, 1) for s in first)}

    def step(self, token, state):
        memory = state["outputs"].transpose(0, 1)
        query = state["state"][0][-1][:, None].expand(-1, memory.shape[1], -1)
        weights = F.softmax(self.v(torch.tanh(self.attn(torch.cat((query, memory), dim=2))))[:, :, 0], dim=1)
        context = torch.bmm(weights[:, None], memory)[:, 0]
        out, new = self.dec(torch.cat((self.tgt(token), context), dim=1)[None], state["state"])
        return self.out(torch.cat((out[0], context), dim=1)), weights, {**state, "state": new}

    def checkpoint(self):
        return self.state_dict()


class Extras(nn.Module):
    """No tutorial's: what trained models of strangers have. The source is one-hot; tanh follows the
    layer behind the encoder; the query is the sum of both decoder layers' states; the energies pass a
    ReLU; a ReLU layer reads context and embedding; LeakyReLU precedes the output."""

    def __init__(self, source_vocab, target_vocab, emb, hid, memory):
        super().__init__()
        self.enc = nn.GRU(source_vocab, hid, bidirectional=True)
        self.memory = nn.Linear(2 * hid, memory)
        self.bridge = nn.Linear(2 * hid, hid)
        self.tgt = nn.Embedding(target_vocab, emb)
        self.query = nn.Linear(hid, 9)
        self.key = nn.Linear(memory, 9)
        self.energy = nn.Linear(9, 1)
        self.pre = nn.Linear(memory + emb, 21)
        self.dec = nn.GRU(21, hid, 2)
        self.mix = nn.Linear(hid + memory, 17)
        self.slope = 0.2
        self.out = nn.Linear(17, target_vocab)

    def encode(self, src):
        outputs, hidden = self.enc(F.one_hot(src, self.enc.input_size).float())
        first = torch.tanh(self.bridge(torch.cat((hidden[-2], hidden[-1]), dim=1)))
        return {"outputs": torch.tanh(self.memory(outputs)), "hidden": first.repeat(2, 1, 1)}

    def step(self, token, state):
        memory = state["outputs"].transpose(0, 1)
        query = self.query(state["hidden"].sum(0))[:, None]
        energies = F.relu(self.energy(torch.tanh(query + self.key(memory))))
        weights = F.softmax(energies[:, :, 0], dim=1)
        context = torch.bmm(weights[:, None], memory)[:, 0]
        read = F.relu(self.pre(torch.cat((context, self.tgt(token)), dim=1)))
        out, hidden = self.dec(read[None], state["hidden"])
        mixed = F.leaky_relu(self.mix(torch.cat((out[0], context), dim=1)), self.slope)
        return self.out(mixed), weights, {**state, "hidden": hidden}

    def checkpoint(self):
        return self.state_dict()


class GruMean(nn.Module):
    """No tutorial's: both decoder layers start from a projection of the outputs' mean; the query has a
    layer, with a bias; the memory is a layer behind the encoder."""

    def __init__(self, source_vocab, target_vocab, emb, hid, memory):
        super().__init__()
        self.src = nn.Embedding(source_vocab, emb)
        self.enc = nn.GRU(emb, hid, 2, bidirectional=True)
        self.memory = nn.Linear(2 * hid, memory)
        self.bridge = nn.Linear(memory, hid)
        self.tgt = nn.Embedding(target_vocab, emb)
        self.dec = nn.GRU(emb, hid, 2)
        self.query = nn.Linear(hid, memory)
        self.mix = nn.Linear(hid + memory, hid)
        self.out = nn.Linear(hid, target_vocab)

    def encode(self, src):
        memory = self.memory(self.enc(self.src(src))[0])
        return {"memory": memory, "hidden": torch.tanh(self.bridge(memory.mean(0))).repeat(2, 1, 1)}

    def step(self, token, state):
        top, hidden = self.dec(self.tgt(token[None]), state["hidden"])
        memory = state["memory"].transpose(0, 1)
        weights = F.softmax(torch.bmm(memory, self.query(top[0])[:, :, None])[:, :, 0], dim=1)
        context = torch.bmm(weights[:, None], memory)[:, 0]
        mixed = torch.tanh(self.mix(torch.cat((top[0], context), dim=1)))
        return self.out(mixed), weights, {**state, "hidden": hidden}

    def checkpoint(self):
        return self.state_dict()


class GruPlain(nn.Module):
    """Keras' AdditiveAttention: no layer for query or keys, which are as wide as a layer behind the encoder."""

    def __init__(self, source_vocab, target_vocab, emb, enc_hid, hid):
        super().__init__()
        self.src = nn.Embedding(source_vocab, emb)
        self.enc = nn.GRU(emb, enc_hid, bidirectional=True)
        self.memory = nn.Linear(2 * enc_hid, hid)
        self.tgt = nn.Embedding(target_vocab, emb)
        self.dec = nn.GRU(emb, hid)
        self.scale = nn.Parameter(torch.randn(hid))
        self.out = nn.Linear(2 * hid, target_vocab)

    def encode(self, src):
        outputs, _ = self.enc(self.src(src))
        hidden = torch.zeros(1, src.shape[1], self.dec.hidden_size)
        return {"memory": self.memory(outputs), "hidden": hidden}

    def step(self, token, state):
        top, hidden = self.dec(self.tgt(token[None]), state["hidden"])
        scores = (self.scale * torch.tanh(top + state["memory"])).sum(2)
        weights = F.softmax(scores, dim=0)
        context = (weights[:, :, None] * state["memory"]).sum(0)
        return self.out(torch.cat((context, top[0]), dim=1)), weights.t(), {**state, "hidden": hidden}

    def checkpoint(self):
        return self.state_dict()
