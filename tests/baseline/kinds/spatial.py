"""Layers that change the extents behind the channels."""
from torch import nn

from kind_reference import Input, Reference

MODES = {"nearest": (1, 2, 3), "linear": (1,), "bilinear": (2,), "bicubic": (2,), "trilinear": (3,)}


def upsample_case(draw):
    axes = draw.pick(*MODES[draw.get("mode")])
    shape = draw.extents(axes, 2, 4)
    if draw.get("mode") == "nearest":
        draw.set("align_corners", None)
    draw.params.pop("size", None)
    draw.params.pop("scale_factor", None)
    if draw.chance(0.5):
        draw.set("recompute_scale_factor", draw.pick(None, False))
        draw.params["size"] = draw.pick(draw.int(1, 8), [draw.int(1, 8)], draw.extents(axes, 1, 8))
    else:
        factors = [draw.int(5, 30) / 10 for _ in range(axes)]
        draw.params["scale_factor"] = draw.pick(factors[0], factors[:1], factors, draw.int(1, 3))
    return [Input(draw.floats(draw.batch, draw.int(1, 3), *shape))]


def upsample(params):
    """PyTorch wants one number for all, or as many as there are axes."""
    def plain(value):
        return value[0] if isinstance(value, list) and len(value) == 1 else \
            tuple(value) if isinstance(value, list) else value
    return nn.Upsample(**{name: plain(value) for name, value in params.items()})


def wrong_upsample(draw):
    x = [Input(draw.floats(2, 3, 4, 4))]
    yield "no size at all", {}, x
    yield "size and factor", {"size": 4, "scale_factor": 2}, x
    yield "three factors for two axes", {"scale_factor": [2, 2, 2]}, x
    yield "three extents for two axes", {"size": [2, 2, 2]}, x
    yield "nothing left", {"scale_factor": 0.2}, x
    yield "linear on an image", {"scale_factor": 2, "mode": "linear"}, x
    yield "trilinear on an image", {"scale_factor": 2, "mode": "trilinear"}, x
    yield "corners of nearest", {"scale_factor": 2, "align_corners": True}, x
    yield "a factor that is not there", {"size": 4, "recompute_scale_factor": True}, x


def shuffle_case(draw):
    factor = draw.params["upscale_factor"] = draw.int(1, 3)
    return [Input(draw.floats(draw.batch, factor**2 * draw.int(1, 2), *draw.extents(2, 1, 4)))]


def wrong_shuffle(draw):
    yield "channels that the square does not divide", {"upscale_factor": 2}, [Input(draw.floats(2, 6, 3, 3))]


def padding_case(axes, reflect, crop):
    def case(draw):
        one = draw.params["padding"] = draw.pick(draw.int(-1 if crop else 0, 3),
                                                 [draw.int(-1 if crop else 0, 3) for _ in range(2 * axes)])
        shape = []
        for axis in range(axes):
            pair = one[2 * (axes - 1 - axis):][:2] if isinstance(one, list) else [one, one]
            least = max(1 - sum(pair), max(pair) + 1 if reflect else 1, 1)
            shape.append(least + draw.int(0, 2))
        return [Input(draw.floats(draw.batch, draw.int(1, 3), *shape))]
    return case


def wrong_padding(axes, reflect, crop):
    def cases(draw):
        x = [Input(draw.floats(2, 3, *[3] * axes))]
        if reflect:
            yield "more than can be reflected", {"padding": 3}, x
            yield "more than can be reflected behind", {"padding": [0, 3] + [0] * (2 * axes - 2)}, x
        if crop:
            yield "nothing left", {"padding": -2}, x
    return cases


def padding(axes, reflect=False, crop=False):
    return Reference(padding_case(axes, reflect, crop), ranks={axes + 2}, wrong=wrong_padding(axes, reflect, crop))


KINDS = {
    "Upsample": Reference(upsample_case, make=upsample, wrong=wrong_upsample, ranks={3, 4, 5}),
    "PixelShuffle": Reference(shuffle_case, wrong=wrong_shuffle, ranks={4}),
    "ZeroPad2d": padding(2, crop=True),
}
for n in (1, 2, 3):
    KINDS[f"ReflectionPad{n}d"] = padding(n, reflect=True)
    KINDS[f"ReplicationPad{n}d"] = padding(n)
