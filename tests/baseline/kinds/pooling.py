"""Pools of all kinds, over one to three axes."""
from torch import nn

from kind_reference import Input, Reference


def window_extent(draw, axis):
    reach, least = draw.axis("kernel_size", axis), 1
    if "dilation" in draw.specs:
        reach = draw.axis("dilation", axis) * (reach - 1) + 1
        least = draw.axis("dilation", axis)  # or PyTorch would look beside the tensor
    padding = 2 * draw.axis("padding", axis) if "padding" in draw.specs else 0
    return max(least, reach - padding) + draw.int(0, 3)


def pool_case(axes, unpadded=False):
    """With `unpadded` the window fits into the input without its padding."""
    def case(draw):
        if "padding" in draw.specs:
            draw.set("padding", [draw.int(0, draw.axis("kernel_size", axis) // 2) for axis in range(axes)])
        shape = [window_extent(draw, axis) for axis in range(axes)]
        if unpadded:
            shape = [max(extent, draw.axis("kernel_size", axis)) for axis, extent in enumerate(shape)]
        return [Input(draw.floats(draw.batch, draw.int(1, 3), *shape))]
    return case


def adaptive_case(axes):
    def case(draw):
        return [Input(draw.floats(draw.batch, draw.int(1, 3), *draw.extents(axes)))]
    return case


def power_case(axes):
    """Away from zero, where the gradient of a norm is not defined, and positive, where it is real."""
    def case(draw):
        inputs = pool_case(axes)(draw)
        return [Input(inputs[0].tensor.abs() + 0.1)]
    return case


def wrong(axes, padded, strict=False):
    def cases(draw):
        x = [Input(draw.floats(2, 3, *[6] * axes))]
        yield "a window larger than the input", {**norm(draw), "kernel_size": 8}, x
        if padded:
            yield "more padding than half the window", {"kernel_size": 3, "padding": 2}, x
        if "dilation" in draw.specs:
            short = [Input(draw.floats(2, 3, *[1] * axes))]
            yield "a window that steps over the input", {"kernel_size": 2, "padding": 1, "dilation": 2}, short
        if strict:
            yield "a window that only the padding makes room for", {"kernel_size": 8, "padding": 4}, x
    return cases


def norm(draw):
    return {"norm_type": 2} if "norm_type" in draw.specs else {}


def line_norm_pool(params):
    """PyTorch multiplies with the kernel size, which cannot be a list here."""
    return nn.LPPool1d(**{name: value[0] if isinstance(value, list) else value for name, value in params.items()})


KINDS = {}
for n in (1, 2, 3):
    for which in ("Max", "Avg"):
        strict = (which, n) == ("Avg", 3)
        KINDS[f"{which}Pool{n}d"] = Reference(pool_case(n, strict), ranks={n + 2}, wrong=wrong(n, True, strict))
        KINDS[f"Adaptive{which}Pool{n}d"] = Reference(adaptive_case(n), ranks={n + 2})
for n in (1, 2):
    KINDS[f"LPPool{n}d"] = Reference(power_case(n), make=line_norm_pool if n == 1 else None, ranks={n + 2},
                                     wrong=wrong(n, False))
