"""Convolutions and their transposes."""
from math import prod

from kind_reference import Input, Reference


def choose_channels(draw):
    """Channels that the groups divide; returns those of the input."""
    groups = draw.get("groups")
    draw.params["out_channels"] = groups * draw.int(1, 2)
    return groups * draw.int(1, 2)


def extent(draw, axis):
    """An extent that the filter fits into, and that its padding can be made of."""
    reach = draw.axis("dilation", axis) * (draw.axis("kernel_size", axis) - 1) + 1
    padding = draw.get("padding")
    if isinstance(padding, str):
        around, least = (0, reach) if padding == "valid" else (reach // 2, 1)
    else:
        around = draw.axis("padding", axis)
        least = reach - 2 * around
    if draw.get("padding_mode") in ("reflect", "circular"):
        least = max(least, around + 1)
    return max(1, least) + draw.int(0, 3)


def convolution_case(axes):
    def case(draw):
        if "padding_mode" in draw.params and draw.chance(0.4):  # unequal axes, which are easily mixed up
            draw.params.update(padding="same", kernel_size=draw.extents(axes, 1, 4),
                               padding_mode=draw.pick("reflect", "replicate", "circular"))
        if draw.get("padding") == "same":
            draw.set("stride", 1)
        channels = choose_channels(draw)
        return [Input(draw.floats(draw.batch, channels, *(extent(draw, axis) for axis in range(axes))))]
    return case


def transposed_case(axes):
    def case(draw):
        channels = choose_channels(draw)
        room = [max(draw.axis("stride", axis), draw.axis("dilation", axis)) for axis in range(axes)]
        draw.set("output_padding", [draw.int(0, most - 1) for most in room])
        shape = []
        for axis in range(axes):
            reach = draw.axis("dilation", axis) * (draw.axis("kernel_size", axis) - 1) + 1
            missing = 2 * draw.axis("padding", axis) + 1 - reach - draw.axis("output_padding", axis)
            shape.append(1 + max(0, -(-missing // draw.axis("stride", axis))) + draw.int(0, 2))
        return [Input(draw.floats(draw.batch, channels, *shape))]
    return case


def channels(params, inputs):
    return {"in_channels": inputs[0].shape[1]}


def convolution_macs(module, inputs, outputs):
    return prod(outputs[0].shape[1:]) * module.in_channels // module.groups * prod(module.kernel_size)


def transposed_macs(module, inputs, outputs):
    return prod(inputs[0].shape[1:]) * module.out_channels // module.groups * prod(module.kernel_size)


def wrong(axes, transposed):
    def cases(draw):
        x = [Input(draw.floats(2, 4, *[6] * axes))]
        base = {"out_channels": 4, "kernel_size": 3}
        yield "groups that do not divide the input", {**base, "groups": 3, "out_channels": 6}, x
        yield "groups that do not divide the output", {**base, "groups": 4, "out_channels": 6}, x
        if transposed:
            yield "an empty output", {**base, "padding": 9}, x
            yield "an output_padding as large as the stride", {**base, "stride": 2, "output_padding": 2}, x
        else:
            yield "a kernel larger than the input", {**base, "kernel_size": 7}, x
            yield "same with a stride", {**base, "padding": "same", "stride": 2}, x
            yield "too much to reflect", {**base, "padding": 6, "padding_mode": "reflect"}, x
            yield "too much to wrap", {**base, "padding": 7, "padding_mode": "circular"}, x
    return cases


KINDS = {}
for n in (1, 2, 3):
    KINDS[f"Conv{n}d"] = Reference(convolution_case(n), inferred=channels, macs=convolution_macs, ranks={n + 2},
                                   wrong=wrong(n, False))
    # PyTorch refuses all padding modes but zeros there, so that there is nothing to set.
    KINDS[f"ConvTranspose{n}d"] = Reference(transposed_case(n), inferred=channels, macs=transposed_macs,
                                            ranks={n + 2}, wrong=wrong(n, True), ours={"padding_mode"})
