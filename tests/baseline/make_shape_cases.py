#!/usr/bin/env python3
"""Asks PyTorch for output shapes and parameter counts of randomly configured layers.

    python3 make_shape_cases.py > ../data/shape_cases.json

Each case is what a node of the network graph says and gets: kind, params, input extents (batch first), and
either the output extents with the number of trainable parameters, or null where PyTorch refuses.
"""
import json
import random
import warnings

import torch

warnings.simplefilter("ignore")
BATCH = 2
rng = random.Random(20240611)


def pick(*values):
    return rng.choice(values)


def per_axis(axes, low, high):
    """An int for all axes, a list with one entry each, or a list with a single entry."""
    if rng.random() < 0.6:
        return rng.randint(low, high)
    return [rng.randint(low, high) for _ in range(axes)]


def extents(axes, low=1, high=14):
    return [rng.randint(low, high) for _ in range(axes)]


def maybe(params, name, make, chance=0.5):
    if rng.random() < chance:
        params[name] = make()


def convolution(axes):
    groups = pick(1, 1, 1, 2, 3)
    channels = pick(1, 2, 3, 4, 6)
    params = {"out_channels": pick(1, 2, 4, 6), "kernel_size": per_axis(axes, 1, 5)}
    maybe(params, "stride", lambda: per_axis(axes, 1, 3))
    maybe(params, "padding", lambda: pick("same", "valid", per_axis(axes, 0, 4)))
    maybe(params, "dilation", lambda: per_axis(axes, 1, 3), 0.3)
    maybe(params, "groups", lambda: groups)
    maybe(params, "bias", lambda: pick(True, False), 0.3)
    maybe(params, "padding_mode", lambda: pick("zeros", "reflect", "replicate", "circular"), 0.4)
    if axes == 3 and params.get("padding_mode") == "reflect":
        params["padding_mode"] = "zeros"
    return f"Conv{axes}d", params, [channels] + extents(axes), {"in_channels": channels}


def transposed():
    channels = pick(1, 2, 3, 4)
    params = {"out_channels": pick(1, 2, 4, 6), "kernel_size": per_axis(2, 1, 5)}
    maybe(params, "stride", lambda: per_axis(2, 1, 3))
    maybe(params, "padding", lambda: per_axis(2, 0, 3))
    maybe(params, "output_padding", lambda: per_axis(2, 0, 2), 0.3)
    maybe(params, "groups", lambda: pick(1, 2), 0.4)
    maybe(params, "bias", lambda: pick(True, False), 0.3)
    maybe(params, "dilation", lambda: per_axis(2, 1, 3), 0.3)
    return "ConvTranspose2d", params, [channels] + extents(2, 1, 7), {"in_channels": channels}


def pooling(which, axes):
    params = {"kernel_size": per_axis(axes, 1, 5)}
    maybe(params, "stride", lambda: per_axis(axes, 1, 4))
    maybe(params, "padding", lambda: per_axis(axes, 0, 2))
    if which == "Max":
        maybe(params, "dilation", lambda: per_axis(axes, 1, 3), 0.3)
    maybe(params, "ceil_mode", lambda: pick(True, False))
    if which == "Avg":
        maybe(params, "count_include_pad", lambda: pick(True, False), 0.3)
    return f"{which}Pool{axes}d", params, [pick(1, 3)] + extents(axes), {}


def adaptive(which, axes):
    return f"Adaptive{which}Pool{axes}d", {"output_size": per_axis(axes, 1, 7)}, [3] + extents(axes), {}


def normalization():
    kind = pick("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm2d")
    ranks = {"BatchNorm1d": pick(0, 1), "BatchNorm2d": 2, "BatchNorm3d": 3, "InstanceNorm2d": 2}
    axes = pick(ranks[kind], ranks[kind], ranks[kind], 2)
    params = {}
    maybe(params, "affine", lambda: pick(True, False))
    maybe(params, "track_running_stats", lambda: pick(True, False), 0.3)
    channels = pick(1, 3, 5)
    return kind, params, [channels] + extents(axes, 1, 4), {"num_features": channels}


def group_norm():
    channels = pick(4, 6, 8)
    params = {"num_groups": pick(1, 2, 3, 4, 8)}
    maybe(params, "affine", lambda: pick(True, False))
    return "GroupNorm", params, [channels] + extents(pick(0, 1, 2), 2, 4), {"num_channels": channels}


def layer_norm():
    shape = extents(pick(1, 2, 3), 1, 5)
    params, inferred = {}, {}
    if rng.random() < 0.6:
        params["normalized_shape"] = pick(shape[-1], shape[-1:], shape[-2:], [shape[0] + 1])
    else:
        inferred["normalized_shape"] = shape[-1]
    maybe(params, "elementwise_affine", lambda: pick(True, False))
    return "LayerNorm", params, shape, inferred


def linear():
    shape = extents(pick(1, 1, 2, 3), 1, 9)
    params = {"out_features": rng.randint(1, 12)}
    maybe(params, "bias", lambda: pick(True, False))
    return "Linear", params, shape, {"in_features": shape[-1]}


def flatten():
    params = {}
    maybe(params, "start_dim", lambda: pick(1, 1, 2, -2, -1, 3))
    maybe(params, "end_dim", lambda: pick(-1, -2, 1, 2, 4))
    return "Flatten", params, extents(pick(1, 2, 3), 2, 6), {}


def softmax():
    return pick("Softmax", "LogSoftmax"), {"dim": pick(0, 1, 2, 3, -1, -3, -5)}, extents(pick(1, 2, 3), 1, 4), {}


def prelu():
    return "PReLU", {"num_parameters": pick(1, 3, 4)}, [pick(3, 4)] + extents(pick(0, 2), 1, 3), {}


def recurrent():
    kind = pick("RNN", "LSTM", "GRU")
    size = pick(2, 5)
    params = {"hidden_size": pick(3, 7), "batch_first": True}
    maybe(params, "num_layers", lambda: pick(1, 2, 3))
    maybe(params, "bias", lambda: pick(True, False), 0.3)
    maybe(params, "bidirectional", lambda: pick(True, False))
    if kind == "LSTM":
        maybe(params, "proj_size", lambda: pick(0, 2, 7), 0.4)
    return kind, params, extents(1, 1, 6) + [size], {"input_size": size}


MAKERS = (
    [(lambda a=a: convolution(a), n) for a, n in ((1, 80), (2, 160), (3, 60))]
    + [(transposed, 100)]
    + [(lambda w=w, a=a: pooling(w, a), 60) for w in ("Max", "Avg") for a in (1, 2)]
    + [(lambda w=w, a=a: adaptive(w, a), 10) for w, a in (("Avg", 1), ("Avg", 2), ("Max", 2))]
    + [(normalization, 60), (group_norm, 30), (layer_norm, 40), (linear, 30), (flatten, 60), (softmax, 30)]
    + [(prelu, 15), (recurrent, 60)]
)


def ask(kind, params, shape, inferred):
    try:
        layer = getattr(torch.nn, kind)(**{**inferred, **params})
        output = layer(torch.zeros(BATCH, *shape))
        if isinstance(output, tuple):
            output = output[0]
        if 0 in output.shape or output.shape[0] != BATCH:
            return None  # an empty output, or samples mixed with each other
    except Exception:
        return None
    count = sum(p.numel() for p in layer.parameters() if p.requires_grad)
    return {"shape": list(output.shape)[1:], "parameters": count, "state": list(layer.state_dict())}


def main():
    cases = []
    for make, number in MAKERS:
        for _ in range(number):
            kind, params, shape, inferred = make()
            cases.append({"kind": kind, "params": params, "input": shape, "output": ask(kind, params, shape, inferred)})
    print("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]")


if __name__ == "__main__":
    main()
