"""Layers that rearrange numbers."""
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


KINDS = {
    "Flatten": Reference(flatten_case, takes_index=True, wrong=wrong_flatten, ranks=set(range(2, 8))),
}
