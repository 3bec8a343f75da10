"""Nodes of several inputs."""
from functools import reduce

import torch

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


KINDS = {
    "Add": Reference(many_case, make=folded(torch.add), wrong=unlike(("input", "input"))),
    "Multiply": Reference(many_case, make=folded(torch.mul), wrong=unlike(("input", "input"))),
    "Subtract": Reference(pair_case, make=folded(torch.sub), wrong=unlike(("input", "other"))),
    "Concat": Reference(concat_case, make=lambda params: lambda *inputs: torch.cat(inputs, params.get("dim", 1)),
                        wrong=wrong_concat),
}
