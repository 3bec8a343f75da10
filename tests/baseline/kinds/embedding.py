"""Tables of vectors that indices look up, and vectors that tell positions apart."""
import math

import torch
from torch import nn

from kind_reference import Input, Reference


def table_case(draw, *shape):
    rows = draw.int(4, 8)
    draw.params["num_embeddings"] = rows
    draw.params["embedding_dim"] = draw.int(1, 5)
    if draw.get("padding_idx") is not None:
        draw.set("padding_idx", draw.int(-rows, rows - 1))
    if draw.get("max_norm") is not None:
        draw.set("max_norm", draw.int(1, 8) / 4)
    indices = draw.indices(rows, draw.batch, *shape)
    if draw.get("sparse"):
        draw.set("scale_grad_by_freq", False)
    return [Input(indices, classes=draw.pick(0, rows, rows - 1))]


def embedding_case(draw):
    return table_case(draw, *draw.extents(draw.int(0, 2), 1, 4))


def bag_case(draw):
    inputs = table_case(draw, draw.int(1, 5))
    if draw.get("mode") == "max":
        draw.set("scale_grad_by_freq", False)
        draw.set("sparse", False)
    if draw.get("mode") == "sum" and draw.chance(0.6):
        inputs.append(Input(draw.floats(*inputs[0].tensor.shape), "per_sample_weights"))
    return inputs


class Bag(nn.EmbeddingBag):
    def forward(self, indices, weights=None):
        return super().forward(indices, per_sample_weights=weights)


class Positions(nn.Module):
    """Attention Is All You Need, section 3.5; learned positions as nn.Embedding draws them."""

    def __init__(self, d_model, max_len=5000, mode="sinusoidal", dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        if mode == "learned":
            self.weight = nn.Embedding(max_len, d_model).weight
        else:
            self.table = torch.tensor([[self.wave(t, i, d_model) for i in range(d_model)] for t in range(min(max_len, 20))])

    @staticmethod
    def wave(position, feature, features):
        angle = position / 10000 ** (feature // 2 * 2 / features)
        return math.cos(angle) if feature % 2 else math.sin(angle)

    def forward(self, x):
        table = self.weight if hasattr(self, "weight") else self.table
        return self.dropout(x + table[:x.shape[1]])


def positions_case(draw):
    steps = draw.int(1, 6)
    draw.set("max_len", draw.int(steps, 9))
    return [Input(draw.floats(draw.batch, steps, draw.int(1, 7)))]


def wrong_table(draw):
    sound = {"num_embeddings": 4, "embedding_dim": 2}
    x = Input(draw.indices(4, 3, 2), classes=4)
    yield "numbers", sound, [Input(draw.floats(3, 2))]
    yield "more indices than rows", {**sound, "num_embeddings": 3}, [x]
    yield "padding beyond the rows", {**sound, "padding_idx": 4}, [x]
    yield "padding before the rows", {**sound, "padding_idx": -5}, [x]
    yield "indices of which nobody knows how many", {"embedding_dim": 2}, [Input(x.tensor)]
    yield "sparse gradients by frequency", {**sound, "sparse": True, "scale_grad_by_freq": True}, [x]
    yield "an index beyond the rows", sound, [Input(torch.tensor([[0], [4]]))]


def wrong_bag(draw):
    yield from wrong_table(draw)
    sound = {"num_embeddings": 4, "embedding_dim": 2, "mode": "sum"}
    x = Input(draw.indices(4, 3, 2), classes=4)
    weights = Input(draw.floats(3, 2), "per_sample_weights")
    yield "weights for a mean", {**sound, "mode": "mean"}, [x, weights]
    yield "weights of another length", sound, [x, Input(draw.floats(3, 4), "per_sample_weights")]
    yield "gradients of a maximum by frequency", {**sound, "mode": "max", "scale_grad_by_freq": True}, [x]
    yield "sparse gradients of a maximum", {**sound, "mode": "max", "sparse": True}, [x]


def wrong_positions(draw):
    x = Input(draw.floats(2, 5, 4))
    yield "a sequence that is too long", {"max_len": 4}, [x]
    yield "another width", {"d_model": 6}, [x]


KINDS = {
    "Embedding": Reference(embedding_case, wrong=wrong_table, takes_index=True),
    "EmbeddingBag": Reference(bag_case, make=lambda params: Bag(**params), wrong=wrong_bag, takes_index=True,
                              ranks={2}, ours={"include_last_offset"}),
    "PositionalEncoding": Reference(positions_case, make=lambda params: Positions(**params), wrong=wrong_positions,
                                    ranks={3}, inferred=lambda params, inputs: {"d_model": inputs[0].shape[2]}),
}
