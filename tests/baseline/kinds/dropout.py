"""Layers that draw at random in training."""
from kind_reference import Input, Reference


def some_case(draw):
    return [Input(draw.floats(draw.batch, *draw.extents(draw.int(0, 3))))]


def image_case(draw):
    return [Input(draw.floats(draw.batch, *draw.extents(3)))]


KINDS = {
    "Dropout": Reference(some_case),
    "AlphaDropout": Reference(some_case),
    "Dropout2d": Reference(image_case, ranks={4}),
}
