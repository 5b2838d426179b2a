"""The reference model of the fixtures: Hugging Face's Marian, plus norm options it has dropped.

transformers 5 reads but ignores three fields of Marian's config.json. transformers 3.x, where
Marian was a thin layer over BART, honoured them; `ReferenceMarian` restores that on top of the
installed Marian classes. Every linear map, attention, embedding and position table is
transformers' own code.

  normalize_before      each sublayer f: x + f(norm(x)) instead of norm(x + f(x)); same norm tensors
  normalize_embedding   x = layernorm_embedding(embedding * scale + positions), encoder and decoder
  add_final_layer_norm  x = layer_norm(x) after the last layer, encoder and decoder

The flags are independent. The encoder's `layer_norm` feeds cross attention, whose keys and values
are not normalised again. All epsilons are 1e-5. Tensors, below model.encoder and model.decoder:
layernorm_embedding.{weight,bias} and layer_norm.{weight,bias}.

With all three false this is exactly MarianMTModel.
"""

import torch
from torch import nn
from transformers import MarianConfig, MarianMTModel
from transformers.models.marian.modeling_marian import MarianDecoderLayer, MarianEncoderLayer


class PreNormEncoderLayer(MarianEncoderLayer):
    def forward(self, hidden_states, attention_mask, **kwargs):
        attended, _ = self.self_attn(
            self.self_attn_layer_norm(hidden_states), attention_mask=attention_mask, **kwargs
        )
        hidden_states = hidden_states + attended
        normed = self.final_layer_norm(hidden_states)
        return hidden_states + self.fc2(self.activation_fn(self.fc1(normed)))


class PreNormDecoderLayer(MarianDecoderLayer):
    def forward(
        self,
        hidden_states,
        attention_mask=None,
        encoder_hidden_states=None,
        encoder_attention_mask=None,
        past_key_values=None,
        **kwargs,
    ):
        attended, _ = self.self_attn(
            self.self_attn_layer_norm(hidden_states),
            past_key_values=past_key_values,
            attention_mask=attention_mask,
            **kwargs,
        )
        hidden_states = hidden_states + attended
        attended, _ = self.encoder_attn(
            self.encoder_attn_layer_norm(hidden_states),
            key_value_states=encoder_hidden_states,
            attention_mask=encoder_attention_mask,
            past_key_values=past_key_values,
            **kwargs,
        )
        hidden_states = hidden_states + attended
        normed = self.final_layer_norm(hidden_states)
        return hidden_states + self.fc2(self.activation_fn(self.fc1(normed)))


class ReferenceMarian(MarianMTModel):
    """MarianMTModel that honours normalize_before, normalize_embedding and add_final_layer_norm."""

    def __init__(self, config: MarianConfig):
        super().__init__(config)
        encoder, decoder = self.model.encoder, self.model.decoder
        if getattr(config, "normalize_before", False):
            encoder.layers = nn.ModuleList(PreNormEncoderLayer(config) for _ in encoder.layers)
            decoder.layers = nn.ModuleList(
                PreNormDecoderLayer(config, layer_idx=i) for i in range(len(decoder.layers))
            )
        # Hooks put the extra norms before the first and after the last layer, so that the
        # encoder's and decoder's own forward code runs unchanged.
        for stack in (encoder, decoder):
            if getattr(config, "normalize_embedding", False):
                norm = stack.layernorm_embedding = nn.LayerNorm(config.d_model)
                stack.layers[0].register_forward_pre_hook(
                    lambda _, args, norm=norm: (norm(args[0]), *args[1:])
                )
            if getattr(config, "add_final_layer_norm", False):
                norm = stack.layer_norm = nn.LayerNorm(config.d_model)
                stack.layers[-1].register_forward_hook(lambda _, args, out, norm=norm: norm(out))
        self.post_init()


def has_extra_norms(config: MarianConfig) -> bool:
    """True where ReferenceMarian and the installed MarianMTModel differ."""
    names = ("normalize_before", "normalize_embedding", "add_final_layer_norm")
    return any(getattr(config, name, False) for name in names)


def load(folder: str) -> MarianMTModel:
    """Loads a folder in float32; also the form with shared.weight and lm_head.weight alone, in
    which transformers 4 saved models with tie_word_embeddings false."""
    model, info = ReferenceMarian.from_pretrained(
        folder, dtype=torch.float32, output_loading_info=True
    )
    embeddings = {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"}
    missing = set(info["missing_keys"])
    if missing == embeddings and model.config.share_encoder_decoder_embeddings:
        with torch.no_grad():
            model.model.encoder.embed_tokens.weight.copy_(model.model.shared.weight)
            model.model.decoder.embed_tokens.weight.copy_(model.model.shared.weight)
    elif missing or info["unexpected_keys"]:
        raise ValueError(f"{folder}: missing {missing}, unexpected {info['unexpected_keys']}")
    return model.eval()
