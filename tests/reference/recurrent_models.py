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
