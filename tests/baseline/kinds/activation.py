"""Activations, element by element or along an axis."""
from torch import nn

from kind_reference import Input, Reference


def elementwise_case(draw):
    return [Input(draw.floats(draw.batch, *draw.extents(draw.int(0, 3))) * 3)]


def axis_case(draw):
    rank = draw.int(2, 4)
    draw.set("dim", draw.int(-rank, rank - 1))
    return [Input(draw.floats(draw.batch, *draw.extents(rank - 1)))]


def prelu_case(draw):
    channels = draw.int(1, 4)
    draw.set("num_parameters", draw.pick(1, channels))
    return [Input(draw.floats(draw.batch, channels, *draw.extents(draw.int(0, 2))))]


def bounds_case(draw):
    draw.set("min_val", -draw.real({"minimum": 0.1, "maximum": 2}))
    draw.set("max_val", draw.real({"minimum": 0.1, "maximum": 2}))
    return elementwise_case(draw)


def wrong_axis(draw):
    for axis in (3, -4):
        yield "an axis that is not there", {"dim": axis}, [Input(draw.floats(2, 3, 4))]


def wrong_slopes(draw):
    yield "slopes for other channels", {"num_parameters": 3}, [Input(draw.floats(2, 4, 3))]


def wrong_bounds(draw):
    yield "bounds the wrong way round", {"min_val": 1.0, "max_val": 0.5}, [Input(draw.floats(2, 4))]


PLAIN = """ReLU ReLU6 LeakyReLU ELU SELU CELU GELU SiLU Mish Hardswish Hardsigmoid Softplus Sigmoid Tanh
Softsign""".split()
KINDS = {kind: Reference(elementwise_case) for kind in PLAIN}
KINDS["PReLU"] = Reference(prelu_case, wrong=wrong_slopes)
KINDS["Hardtanh"] = Reference(bounds_case, wrong=wrong_bounds)
for softmax in (nn.Softmax, nn.LogSoftmax):
    # PyTorch guesses an axis from the rank when there is none, and says that one should not rely on it.
    KINDS[softmax.__name__] = Reference(axis_case, make=lambda params, softmax=softmax: softmax(params.get("dim", 1)),
                                        wrong=wrong_axis, ours={"dim"})
