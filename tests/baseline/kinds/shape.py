"""Layers that rearrange numbers."""
from math import prod

import torch

from kind_reference import Input, Reference


def flatten_case(draw):
    rank = draw.int(2, 5)
    first = draw.int(1, rank - 1)
    last = draw.int(first, rank - 1)
    draw.set("start_dim", draw.pick(first, first - rank))
    draw.set("end_dim", draw.pick(last, last - rank) if "start_dim" in draw.params else draw.pick(-1, rank - 1))
    return [Input(draw.floats(draw.batch, *draw.extents(rank - 1, 1, 4)))]


def wrong_flatten(draw):
    x = [Input(draw.floats(2, 3, 4))]
    yield "the batch merged with what follows", {"start_dim": 0}, x
    yield "an end before the start", {"start_dim": 2, "end_dim": 1}, x
    yield "an axis that is not there", {"start_dim": 3}, x


def unflatten_case(draw):
    rank = draw.int(2, 4)
    axis = draw.int(1, rank - 1)
    parts = draw.extents(draw.int(1, 3), 1, 4)
    shape = [draw.batch] + draw.extents(rank - 1, 1, 4)
    shape[axis] = prod(parts)
    if draw.chance(0.4):
        parts[draw.int(0, len(parts) - 1)] = -1
    draw.params.update(dim=draw.pick(axis, axis - rank), unflattened_size=parts)
    return [Input(draw.floats(*shape))]


def wrong_unflatten(draw):
    x = [Input(draw.floats(2, 12, 5))]
    for size in ([5, 2], [5, -1], [-1, -1], [0, -1]):
        yield f"parts {size} of 12", {"dim": 1, "unflattened_size": size}, x
    yield "the batch", {"dim": 0, "unflattened_size": [1, 2]}, x
    yield "an axis that is not there", {"dim": 3, "unflattened_size": [1, 2]}, x


def reshape_case(draw):
    shape = draw.extents(draw.int(1, 3), 1, 4)
    parts = [prod(shape[:1]), prod(shape[1:])]
    draw.params["shape"] = draw.pick([prod(shape)], parts, parts[::-1], [1] + parts, [-1], [parts[0], -1], [-1, parts[1]])
    return [Input(draw.floats(draw.batch, *shape))]


def wrong_reshape(draw):
    for shape in ([11], [3, 5], [5, -1], [-1, -1], [0], [2, 3, 4]):
        yield f"{shape} of 12 numbers", {"shape": shape}, [Input(draw.floats(2, 3, 4))]


def permute_case(draw):
    rank = draw.int(2, 5)
    order = list(range(1, rank))
    draw.rng.shuffle(order)
    draw.params["dims"] = [draw.pick(axis, axis - rank) for axis in [0] + order]
    return [Input(draw.floats(draw.batch, *draw.extents(rank - 1, 1, 4)))]


def wrong_permute(draw):
    for dims in ([1, 0, 2], [0, 1], [0, 1, 2, 3], [0, 1, 1], [0, 1, 3], [0, 0, 1], [0, 1, -2]):
        yield f"the order {dims}", {"dims": dims}, [Input(draw.floats(2, 3, 4))]


def squeeze_case(draw):
    rank = draw.int(2, 5)
    ones = [axis for axis in range(1, rank) if draw.chance(0.6)] or [rank - 1]
    shape = [draw.batch] + [1 if axis in ones else draw.int(2, 4) for axis in range(1, rank)]
    if draw.get("dim") is not None:
        axis = draw.pick(*ones)
        draw.set("dim", draw.pick(axis, axis - rank, ones, [one - rank for one in ones]))
    return [Input(draw.floats(*shape))]


def squeeze(params):
    def function(x):
        axes = params.get("dim")
        axes = list(range(1, x.dim())) if axes is None else axes if isinstance(axes, list) else [axes]
        for axis in sorted((a % x.dim() for a in axes), reverse=True):
            x = x.squeeze(axis)
        return x
    return function


def wrong_squeeze(draw):
    x = [Input(draw.floats(1, 3, 1))]
    for dim in (0, 1, 3, [1, 2], [2, 2], [2, -1], [0, 2], -4):
        yield f"axis {dim} of 1x3x1", {"dim": dim}, x


def unsqueeze_case(draw):
    rank = draw.int(1, 4)
    axis = draw.int(1, rank)
    draw.params["dim"] = draw.pick(axis, axis - rank - 1)
    return [Input(draw.floats(draw.batch, *draw.extents(rank - 1)))]


def wrong_unsqueeze(draw):
    for dim in (0, 4, -4, -5):
        yield f"axis {dim} before the batch or not there", {"dim": dim}, [Input(draw.floats(2, 3, 4))]


def slice_case(draw):
    rank = draw.int(2, 4)
    axis = draw.int(1, rank - 1) if "dim" in draw.params else 1
    shape = [draw.batch] + draw.extents(rank - 1, 2, 7)
    start, end = sorted(draw.rng.sample(range(shape[axis] + 1), 2))
    draw.set("dim", draw.pick(axis, axis - rank))
    draw.set("start", draw.pick(start, start - shape[axis], -9 if start == 0 else start))
    if "start" not in draw.params or draw.get("end") is not None:
        draw.set("end", draw.pick(None, end, end - shape[axis] if end < shape[axis] else 9))
    return [Input(draw.floats(*shape))]


def sliced(params):
    dim, cut = params.get("dim", 1), slice(params.get("start", 0), params.get("end"), params.get("step", 1))
    return lambda x: x[tuple(cut if axis == dim % x.dim() else slice(None) for axis in range(x.dim()))]


def wrong_slice(draw):
    x = [Input(draw.floats(2, 5, 4))]
    for start, end in ((5, None), (3, 3), (3, 2), (-1, -2), (0, -5), (0, 0)):
        yield f"nothing between {start} and {end} of 5", {"start": start, "end": end}, x
    yield "the batch", {"dim": 0}, x
    yield "an axis that is not there", {"dim": 3}, x


KINDS = {
    "Flatten": Reference(flatten_case, takes_index=True, wrong=wrong_flatten, ranks=set(range(2, 8))),
    "Unflatten": Reference(unflatten_case, takes_index=True, wrong=wrong_unflatten),
    "Reshape": Reference(reshape_case, takes_index=True, wrong=wrong_reshape,
                         make=lambda params: lambda x: x.reshape(x.size(0), *params["shape"])),
    "Permute": Reference(permute_case, takes_index=True, wrong=wrong_permute,
                         make=lambda params: lambda x: torch.permute(x, params["dims"])),
    "Squeeze": Reference(squeeze_case, takes_index=True, wrong=wrong_squeeze, make=squeeze),
    "Unsqueeze": Reference(unsqueeze_case, takes_index=True, wrong=wrong_unsqueeze,
                           make=lambda params: lambda x: x.unsqueeze(params["dim"])),
    "Slice": Reference(slice_case, takes_index=True, wrong=wrong_slice, make=sliced),
}
