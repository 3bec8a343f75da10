"""Attention and the layers around it, batch first. Our masks are 1 where a step is valid, PyTorch's where it is not."""
import torch
from torch import nn

from kind_reference import ByPort, Input, Reference
from kinds.recurrent import mask_of


def heads(draw, name):
    draw.params["batch_first"] = True
    draw.params[name] = draw.int(1, 3)
    return draw.params[name] * draw.int(1, 3)


def maybe_mask(draw, inputs, port, steps):
    if draw.chance(0.5):
        inputs.append(Input(mask_of(draw, steps), port))


def padding(mask):
    return None if mask is None else mask == 0


def causal(how, queries, keys):
    return torch.ones(queries, keys).triu(1).bool() if how == "causal" else None


def extended(base, own):
    """`base` with our additional parameters (with defaults) taken off its constructor."""
    class Layer(ByPort, base):
        def __init__(self, **params):
            self_own = {name: params.pop(name, default) for name, default in own.items()}
            base.__init__(self, **params)
            self.own = self_own
    return Layer


class Attention(extended(nn.MultiheadAttention, {"attn_mask": "none", "average_attn_weights": True})):
    def compute(self, query, key, value, key_padding_mask=None):
        return nn.MultiheadAttention.forward(
            self, query, key, value, padding(key_padding_mask),
            attn_mask=causal(self.own["attn_mask"], query.shape[1], key.shape[1]),
            average_attn_weights=self.own["average_attn_weights"])


class Encoder(extended(nn.TransformerEncoderLayer, {"src_mask": "none"})):
    def compute(self, src, src_key_padding_mask=None):
        return nn.TransformerEncoderLayer.forward(self, src, causal(self.own["src_mask"], src.shape[1], src.shape[1]),
                                                  padding(src_key_padding_mask))


class Decoder(extended(nn.TransformerDecoderLayer, {"tgt_mask": "none", "memory_mask": "none"})):
    def compute(self, tgt, memory, tgt_key_padding_mask=None, memory_key_padding_mask=None):
        steps, keys = tgt.shape[1], memory.shape[1]
        return nn.TransformerDecoderLayer.forward(
            self, tgt, memory, causal(self.own["tgt_mask"], steps, steps), causal(self.own["memory_mask"], steps, keys),
            padding(tgt_key_padding_mask), padding(memory_key_padding_mask))


def attention_case(draw):
    width = heads(draw, "num_heads")
    steps, keys = draw.int(1, 5), draw.int(1, 5)
    same = draw.chance(0.4)
    inputs = [Input(draw.floats(draw.batch, steps, width), "query"),
              Input(draw.floats(draw.batch, keys, width if same else draw.int(1, 5)), "key"),
              Input(draw.floats(draw.batch, keys, width if same else draw.int(1, 5)), "value")]
    maybe_mask(draw, inputs, "key_padding_mask", keys)
    return inputs


def attention_features(params, inputs):
    query, key, value = inputs[:3]
    return {"embed_dim": query.shape[2], "kdim": key.shape[2], "vdim": value.shape[2]}


def projection_macs(attention, queries, keys):
    width = attention.embed_dim
    return 2 * queries * width**2 + keys * (attention.kdim + attention.vdim) * width


def attention_macs(module, inputs, outputs):
    queries, keys, seen = inputs[0].shape[1], inputs[1].shape[1], outputs[1].shape[-1]
    return projection_macs(module, queries, keys) + 2 * queries * seen * module.embed_dim


def block_macs(attention, queries, keys):
    return projection_macs(attention, queries, keys) + 2 * queries * keys * attention.embed_dim


def feed_forward_macs(module, steps):
    return steps * (module.linear1.weight.numel() + module.linear2.weight.numel())


def encoder_case(draw):
    width = heads(draw, "nhead")
    draw.params["dim_feedforward"] = draw.int(1, 6)
    steps = draw.int(1, 5)
    inputs = [Input(draw.floats(draw.batch, steps, width), "src")]
    maybe_mask(draw, inputs, "src_key_padding_mask", steps)
    return inputs


def encoder_macs(module, inputs, outputs):
    steps = inputs[0].shape[1]
    return block_macs(module.self_attn, steps, steps) + feed_forward_macs(module, steps)


def decoder_case(draw):
    width = heads(draw, "nhead")
    draw.params["dim_feedforward"] = draw.int(1, 6)
    steps, keys = draw.int(1, 5), draw.int(1, 5)
    inputs = [Input(draw.floats(draw.batch, steps, width), "tgt"), Input(draw.floats(draw.batch, keys, width), "memory")]
    maybe_mask(draw, inputs, "tgt_key_padding_mask", steps)
    maybe_mask(draw, inputs, "memory_key_padding_mask", keys)
    return inputs


def decoder_macs(module, inputs, outputs):
    steps, keys = inputs[0].shape[1], inputs[1].shape[1]
    return (block_macs(module.self_attn, steps, steps) + block_macs(module.multihead_attn, steps, keys)
            + feed_forward_macs(module, steps))


def wrong_attention(draw):
    sound = {"num_heads": 2, "batch_first": True}
    query, key, value = (Input(draw.floats(2, 3, 4), port) for port in ("query", "key", "value"))
    yield "the batch as the second axis", {"num_heads": 2}, [query, key, value]
    yield "heads that do not divide the features", {**sound, "num_heads": 3}, [query, key, value]
    yield "other values than keys", sound, [query, key, Input(draw.floats(2, 5, 4), "value")]
    yield "a key that is no sequence", sound, [query, Input(draw.floats(2, 4), "key"), value]
    yield "a mask of another length", sound, [query, key, value, Input(torch.ones(2, 4), "key_padding_mask")]
    yield "another width", {**sound, "embed_dim": 6}, [query, key, value]


def wrong_encoder(draw):
    sound = {"nhead": 2, "batch_first": True, "dim_feedforward": 3}
    x = Input(draw.floats(2, 3, 4), "src")
    yield "the batch as the second axis", {"nhead": 2}, [x]
    yield "heads that do not divide the features", {**sound, "nhead": 3}, [x]
    yield "a mask of another length", sound, [x, Input(torch.ones(2, 4), "src_key_padding_mask")]
    yield "another width", {**sound, "d_model": 6}, [x]


def wrong_decoder(draw):
    sound = {"nhead": 2, "batch_first": True, "dim_feedforward": 3}
    x, memory = Input(draw.floats(2, 3, 4), "tgt"), Input(draw.floats(2, 5, 4), "memory")
    yield "the batch as the second axis", {"nhead": 2}, [x, memory]
    yield "a memory of another width", sound, [x, Input(draw.floats(2, 5, 6), "memory")]
    yield "a mask of another length", sound, [x, memory, Input(torch.ones(2, 4), "memory_key_padding_mask")]


def width(params, inputs):
    return {"d_model": inputs[0].shape[2]}


KINDS = {
    "MultiheadAttention": Reference(attention_case, make=lambda params: Attention(**params), ranks={3},
                                    inferred=attention_features, macs=attention_macs, wrong=wrong_attention),
    "TransformerEncoderLayer": Reference(encoder_case, make=lambda params: Encoder(**params), ranks={3}, inferred=width,
                                         macs=encoder_macs, wrong=wrong_encoder, ours={"activation", "bias"}),
    "TransformerDecoderLayer": Reference(decoder_case, make=lambda params: Decoder(**params), ranks={3}, inferred=width,
                                         macs=decoder_macs, wrong=wrong_decoder, ours={"activation", "bias"}),
}
