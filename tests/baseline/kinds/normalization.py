"""Normalizations over the batch, the channels, or the axes of a sample."""
from kind_reference import Input, Reference


def batch_case(ranks):
    def case(draw):
        axes = draw.pick(*ranks) - 2
        return [Input(draw.floats(draw.batch, draw.int(1, 5), *draw.extents(axes, 1, 4)))]
    return case


def instance_case(axes):
    def case(draw):
        return [Input(draw.floats(draw.batch, draw.int(1, 5), *draw.extents(axes, 2, 4)))]
    return case


def group_case(draw):
    channels = draw.get("num_groups") * draw.int(1, 3)
    return [Input(draw.floats(draw.batch, channels, *draw.extents(draw.int(0, 3), 2, 4)))]


def layer_case(draw):
    shape = draw.extents(draw.int(1, 3), 2, 5)
    if draw.chance(0.5):
        draw.params["normalized_shape"] = draw.pick(shape[-1], shape[-1:], shape[-2:], shape)
    return [Input(draw.floats(draw.batch, *shape))]


def response_case(draw):
    return [Input(draw.floats(draw.batch, draw.int(1, 6), *draw.extents(draw.int(1, 3), 1, 4)))]


def features(params, inputs):
    return {"num_features": inputs[0].shape[1]}


def wrong_groups(draw):
    yield "groups that do not divide the channels", {"num_groups": 3}, [Input(draw.floats(2, 4, 5))]


def wrong_shape(draw):
    for shape in (5, [3, 4], [2, 3, 4], [1, 2, 3, 4]):
        yield "another shape than the input's", {"normalized_shape": shape}, [Input(draw.floats(2, 4, 4))]


def one_position(axes):
    def cases(draw):
        yield "one position per channel", {}, [Input(draw.floats(2, 4, *[1] * axes))]
    return cases


KINDS = {
    # From version 2.1 on PyTorch can leave the shift β out.
    "LayerNorm": Reference(layer_case, ranks=set(range(2, 8)), wrong=wrong_shape, ours={"bias"},
                           inferred=lambda params, inputs: {"normalized_shape": [inputs[0].shape[-1]]}),
    "GroupNorm": Reference(group_case, ranks={2, 3, 4, 5}, wrong=wrong_groups,
                           inferred=lambda params, inputs: {"num_channels": inputs[0].shape[1]}),
    "LocalResponseNorm": Reference(response_case, ranks={3, 4, 5}),
}
for n in (1, 2, 3):
    ranks = {2, 3} if n == 1 else {n + 2}
    KINDS[f"BatchNorm{n}d"] = Reference(batch_case(sorted(ranks)), inferred=features, ranks=ranks)
    KINDS[f"InstanceNorm{n}d"] = Reference(instance_case(n), inferred=features, ranks={n + 2}, wrong=one_position(n))
