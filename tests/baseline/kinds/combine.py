"""Nodes of several inputs."""
from functools import reduce
from math import prod

import torch
from torch.nn import functional as F

from kind_reference import Input, Reference


def repeated(draw, shape):
    """The shape with some extents 1, which are repeated."""
    return [1 if draw.chance(0.3) else extent for extent in shape]


def many_case(draw):
    shape = draw.extents(draw.int(0, 3))
    return [Input(draw.floats(draw.batch, *repeated(draw, shape))) for _ in range(draw.int(1, 4))]


def pair_case(draw):
    shape = draw.extents(draw.int(0, 3))
    ports = ("input", "other")
    return [Input(draw.floats(draw.batch, *repeated(draw, shape)), port) for port in ports]


def folded(operation):
    return lambda params: lambda *inputs: reduce(operation, inputs)


def concat_case(draw):
    rank = draw.int(2, 4)
    axis = draw.int(1, rank - 1) if "dim" in draw.params else 1
    draw.set("dim", draw.pick(axis, axis - rank))
    shape = [draw.batch] + draw.extents(rank - 1)
    inputs = []
    for _ in range(draw.int(1, 4)):
        shape[axis] = draw.int(1, 4)
        inputs.append(Input(draw.floats(*shape)))
    return inputs


def unlike(ports):
    def cases(draw):
        for shapes in (([2, 3, 4], [2, 3, 5]), ([2, 3, 4], [2, 3]), ([2, 3], [2, 3, 1, 1])):
            inputs = [Input(draw.floats(*shape), port) for shape, port in zip(shapes, ports)]
            yield f"shapes {shapes}", {}, inputs
    return cases


def wrong_concat(draw):
    yield "the batch as the axis", {"dim": 0}, [Input(draw.floats(2, 3)), Input(draw.floats(2, 3))]
    yield "an axis that is not there", {"dim": 2}, [Input(draw.floats(2, 3)), Input(draw.floats(2, 3))]
    yield "other extents elsewhere", {}, [Input(draw.floats(2, 3, 4)), Input(draw.floats(2, 3, 5))]
    yield "another rank", {}, [Input(draw.floats(2, 3)), Input(draw.floats(2, 3, 1))]


def apart_from_zero(draw):
    first, second = pair_case(draw)
    return [first, Input(second.tensor.sign() * (second.tensor.abs() + 0.3), "other")]


def matrices_case(draw):
    outer = [draw.batch] + draw.extents(draw.int(0, 2), 1, 3)
    rows, inner, columns = draw.extents(3, 1, 4)
    other = [draw.batch] + repeated(draw, outer[1:])
    return [Input(draw.floats(*outer, rows, inner)), Input(draw.floats(*other, inner, columns), "other")]


def matrix_macs(module, inputs, outputs):
    return prod(outputs[0].shape[1:]) * inputs[0].shape[-1]


def wrong_matrices(draw):
    for shapes in (([2, 3], [2, 3]), ([2, 3, 4], [2, 3, 4]), ([2, 3, 4], [2, 4]), ([2, 3, 4], [2, 1, 4, 5]),
                   ([2, 2, 3, 4], [2, 3, 4, 5])):
        yield f"matrices {shapes}", {}, [Input(draw.floats(*shapes[0])), Input(draw.floats(*shapes[1]), "other")]


def stack_case(draw):
    rank = draw.int(1, 4)
    axis = draw.int(1, rank) if "dim" in draw.params else 1
    draw.set("dim", draw.pick(axis, axis - rank - 1))
    shape = [draw.batch] + draw.extents(rank - 1)
    return [Input(draw.floats(*shape)) for _ in range(draw.int(1, 4))]


def wrong_stack(draw):
    yield "the batch as the axis", {"dim": 0}, [Input(draw.floats(2, 3)), Input(draw.floats(2, 3))]
    yield "an axis that is not there", {"dim": 3}, [Input(draw.floats(2, 3)), Input(draw.floats(2, 3))]
    yield "unlike shapes", {}, [Input(draw.floats(2, 3)), Input(draw.floats(2, 4))]
    yield "a shape to repeat", {}, [Input(draw.floats(2, 3)), Input(draw.floats(2, 1))]
    yield "unlike ranks", {}, [Input(draw.floats(2, 3)), Input(draw.floats(2, 3, 1))]


def reduction_case(draw):
    rank = draw.int(2, 5)
    axes = [axis for axis in range(1, rank) if draw.chance(0.5)] or [1]
    if draw.get("dim") is not None:
        draw.set("dim", draw.pick(axes[0], axes[0] - rank, axes, [axis - rank for axis in axes]))
    return [Input(draw.floats(draw.batch, *draw.extents(rank - 1, 1, 4)))]


def reduction(function):
    def make(params):
        def compute(x):
            axes = params.get("dim")
            return function(x, list(range(1, x.dim())) if axes is None else axes, params.get("keepdim", False))
        return compute
    return make


def wrong_reduction(draw):
    for dim in (0, 3, -4, [0, 1], [1, 1], [1, -2]):
        yield f"the axes {dim}", {"dim": dim}, [Input(draw.floats(2, 3, 4))]


def match_case(draw):
    axes = draw.int(1, 3)
    first, second = draw.extents(2, 1, 3)
    return [Input(draw.floats(draw.batch, first, *draw.extents(axes, 1, 6))),
            Input(draw.floats(draw.batch, second, *draw.extents(axes, 1, 6)), "other")]


def pad_to_match(x, other):
    """As the U-Nets of the literature do it: half of the difference in front, the rest behind."""
    sides = []
    for axis in reversed(range(2, x.dim())):
        difference = other.shape[axis] - x.shape[axis]
        front = int(difference / 2)
        sides += [front, difference - front]
    return F.pad(x, sides)


def wrong_match(draw):
    for shapes in (([2, 3], [2, 3]), ([2, 3, 4], [2, 3, 4, 4]), ([2, 3, 4, 4], [2, 3])):
        yield f"shapes {shapes}", {}, [Input(draw.floats(*shapes[0])), Input(draw.floats(*shapes[1]), "other")]


KINDS = {
    "Add": Reference(many_case, make=folded(torch.add), wrong=unlike(("input", "input"))),
    "Multiply": Reference(many_case, make=folded(torch.mul), wrong=unlike(("input", "input"))),
    "Subtract": Reference(pair_case, make=folded(torch.sub), wrong=unlike(("input", "other"))),
    "Divide": Reference(apart_from_zero, make=folded(torch.div), wrong=unlike(("input", "other"))),
    "MatMul": Reference(matrices_case, make=folded(torch.matmul), macs=matrix_macs, wrong=wrong_matrices),
    "Concat": Reference(concat_case, make=lambda params: lambda *inputs: torch.cat(inputs, params.get("dim", 1)),
                        wrong=wrong_concat),
    "Stack": Reference(stack_case, make=lambda params: lambda *inputs: torch.stack(inputs, params.get("dim", 1)),
                       wrong=wrong_stack),
    "PadToMatch": Reference(match_case, make=lambda params: pad_to_match, wrong=wrong_match),
}
for kind, function in (("Mean", torch.mean), ("Sum", torch.sum), ("Max", torch.amax), ("Min", torch.amin)):
    KINDS[kind] = Reference(reduction_case, make=reduction(function), wrong=wrong_reduction)
