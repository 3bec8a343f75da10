#!/usr/bin/env python3
"""Writes what PyTorch's layers and losses compute as JSON: initial weights, outputs, gradients.

    python3 make_layer_cases.py > ../data/layer_cases.json

{"layers": [{"kind", "params", "inputs": [Tensor], "state": {name: Tensor}, "train": [Tensor], "eval": [Tensor],
"gradient": Tensor}], "losses": [{"kind", "params", "input", "target", "loss", "gradient"}]}; a Tensor is
{"shape", "values"}. Weights follow torch.manual_seed(1); "train" follows torch.manual_seed(2); the gradient is that of
the first input when the sum of squares of the first output is differentiated.
"""
import json

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

SEED_WEIGHTS, SEED_TRAIN = 1, 2


def short(value):
    """The fewest digits that give this float32 again."""
    return float(str(np.float32(value)))


def dump(tensor):
    index = not tensor.is_floating_point()
    values = tensor.detach().flatten().tolist()
    return {"shape": list(tensor.shape), "values": values if index else [short(v) for v in values], "index": index}


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(100 + seed + sum(shape)))


class Last(nn.Module):
    """A recurrent layer with the outputs that the catalog gives it: all steps, and the last states of each direction."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        output, state = self.layer(x)
        directions = 2 if self.layer.bidirectional else 1
        states = state if isinstance(state, tuple) else (state,)
        return output, *(torch.cat(list(last[-directions:]), 1) for last in states)


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def layer_cases():
    image, flat, line, volume = numbers(2, 4, 5, 4), numbers(4, 6), numbers(2, 4, 7), numbers(2, 3, 3, 4, 3)
    sequence = numbers(2, 3, 4)

    def case(kind, params, inputs, **extra):
        inputs = inputs if isinstance(inputs, tuple) else (inputs,)
        return kind, params, inputs, extra

    yield case("Linear", {"out_features": 3}, flat, in_features=6)
    yield case("Linear", {"out_features": 3, "bias": False}, sequence, in_features=4)
    yield case("Identity", {}, flat)
    yield case("Flatten", {}, image)
    yield case("Flatten", {"start_dim": 2, "end_dim": -1}, image)
    yield case("Conv1d", {"out_channels": 5, "kernel_size": 3, "stride": 2, "padding": 1}, line, in_channels=4)
    for params in ({"kernel_size": 3}, {"kernel_size": [3, 2], "stride": [2, 1], "padding": [1, 0], "dilation": [1, 2]},
                   {"kernel_size": 3, "padding": "same", "groups": 2, "bias": False},
                   {"kernel_size": 3, "padding": "valid"}, {"kernel_size": 3, "padding": 1, "padding_mode": "reflect"},
                   {"kernel_size": 3, "padding": 2, "padding_mode": "circular"},
                   {"kernel_size": 3, "padding": 1, "padding_mode": "replicate"}):
        yield case("Conv2d", {"out_channels": 6, **params}, image, in_channels=4)
    yield case("Conv3d", {"out_channels": 2, "kernel_size": 2}, volume, in_channels=3)
    yield case("ConvTranspose2d", {"out_channels": 3, "kernel_size": 3, "stride": 2, "padding": 1, "output_padding": 1},
               image, in_channels=4)
    yield case("MaxPool1d", {"kernel_size": 2}, line)
    yield case("MaxPool2d", {"kernel_size": 2}, image)
    yield case("MaxPool2d", {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}, image)
    yield case("MaxPool2d", {"kernel_size": 2, "stride": 1, "dilation": 2}, image)
    yield case("AvgPool1d", {"kernel_size": 3, "padding": 1}, line)
    yield case("AvgPool2d", {"kernel_size": 2, "padding": 1, "count_include_pad": False}, image)
    yield case("AvgPool2d", {"kernel_size": 2, "divisor_override": 3}, image)
    yield case("AdaptiveAvgPool1d", {"output_size": 4}, line)
    yield case("AdaptiveAvgPool2d", {"output_size": 1}, image)
    yield case("AdaptiveAvgPool2d", {"output_size": [3, 2]}, image)
    yield case("AdaptiveMaxPool2d", {"output_size": [3, 2]}, image)
    yield case("BatchNorm1d", {}, flat, num_features=6)
    yield case("BatchNorm1d", {"momentum": None, "affine": False}, line, num_features=4)
    yield case("BatchNorm2d", {"eps": 0.001, "momentum": 0.3}, image, num_features=4)
    yield case("BatchNorm2d", {"track_running_stats": False}, image, num_features=4)
    yield case("BatchNorm3d", {}, volume, num_features=3)
    yield case("LayerNorm", {}, flat, normalized_shape=[6])
    yield case("LayerNorm", {"normalized_shape": [5, 4], "elementwise_affine": False}, image)
    yield case("GroupNorm", {"num_groups": 2}, image, num_channels=4)
    yield case("InstanceNorm2d", {}, image, num_features=4)
    yield case("InstanceNorm2d", {"affine": True, "track_running_stats": True, "momentum": 0.2}, image, num_features=4)
    for kind, params in (("ReLU", {}), ("ReLU6", {}), ("LeakyReLU", {"negative_slope": 0.2}), ("PReLU", {}), ("ELU", {"alpha": 0.7}),
                         ("SELU", {}), ("CELU", {"alpha": 1.3}), ("GELU", {}), ("GELU", {"approximate": "tanh"}), ("SiLU", {}),
                         ("Mish", {}), ("Hardswish", {}), ("Softplus", {"beta": 2.0, "threshold": 3.0}), ("Sigmoid", {}),
                         ("Hardsigmoid", {}), ("Tanh", {}), ("Hardtanh", {"min_val": -0.5, "max_val": 0.8}), ("Softsign", {}),
                         ("LogSoftmax", {"dim": -1}), ("Softmax", {"dim": 1})):
        yield case(kind, params, numbers(4, 6, seed=7) * 4)
    yield case("PReLU", {"num_parameters": 4, "init": 0.1}, image)
    yield case("Dropout", {"p": 0.4}, image)
    yield case("Dropout2d", {"p": 0.5}, image)
    yield case("Add", {}, (flat, numbers(4, 6, seed=1), numbers(4, 1)), function=lambda a, b, c: a + b + c)
    yield case("Subtract", {}, (flat, numbers(4, 6, seed=1)), function=torch.sub)
    yield case("Multiply", {}, (flat, numbers(4, 6, seed=1)), function=torch.mul)
    yield case("Concat", {}, (image, numbers(2, 2, 5, 4)), function=lambda a, b: torch.cat([a, b], 1))
    yield case("Concat", {"dim": -1}, (image, numbers(2, 4, 5, 2)), function=lambda a, b: torch.cat([a, b], -1))
    yield case("RNN", {"hidden_size": 3, "nonlinearity": "relu", "batch_first": True}, sequence, input_size=4)
    yield case("LSTM", {"hidden_size": 3, "num_layers": 2, "bidirectional": True, "batch_first": True}, sequence, input_size=4)
    yield case("LSTM", {"hidden_size": 4, "proj_size": 2, "batch_first": True}, sequence, input_size=4)
    yield case("GRU", {"hidden_size": 3, "num_layers": 2, "dropout": 0.5, "bias": False, "batch_first": True}, sequence, input_size=4)


def run_layer(kind, params, inputs, extra):
    function = extra.pop("function", None)
    torch.manual_seed(SEED_WEIGHTS)
    if function:
        module = Function(function)
    else:
        module = getattr(nn, kind)(**extra, **params)
    named = module
    if kind in ("RNN", "LSTM", "GRU"):
        module = Last(module)
    state = {name: dump(tensor.clone()) for name, tensor in named.state_dict().items()}
    first = inputs[0].clone().requires_grad_()
    torch.manual_seed(SEED_TRAIN)
    trained = module(first, *inputs[1:])
    trained = trained if isinstance(trained, tuple) else (trained,)
    trained[0].square().sum().backward()
    module.eval()
    with torch.no_grad():
        evaluated = module(*inputs)
    evaluated = evaluated if isinstance(evaluated, tuple) else (evaluated,)
    return {"kind": kind, "params": params, "inputs": [dump(i) for i in inputs], "state": state,
            "train": [dump(o) for o in trained], "eval": [dump(o) for o in evaluated], "gradient": dump(first.grad)}


def loss_cases():
    scores, classes = numbers(5, 4), torch.tensor([0, 3, 1, 2, 3])
    maps, pixels = numbers(2, 3, 2, 3), torch.randint(0, 3, (2, 2, 3), generator=torch.Generator().manual_seed(5))
    shares = numbers(5, 4, seed=3).softmax(1)
    binary, truth = numbers(6, 1), torch.tensor([0, 1, 1, 0, 1, 0])
    values, goals = numbers(5, 3), numbers(5, 3, seed=4)
    log, weights = F.log_softmax, [0.2, 1.0, 3.0, 0.5]

    def case(kind, params, x, y, function):
        return kind, params, x, y, function

    for reduction in ("mean", "sum"):
        r = {"reduction": reduction}
        yield case("CrossEntropyLoss", r, scores, classes, lambda x, y, r=r: F.cross_entropy(x, y, **r))
        yield case("MSELoss", r, values, goals, lambda x, y, r=r: F.mse_loss(x, y, **r))
        yield case("BCEWithLogitsLoss", r, binary, truth, lambda x, y, r=r: F.binary_cross_entropy_with_logits(x, y.float()[:, None], **r))
    yield case("CrossEntropyLoss", {"class_weight": weights, "label_smoothing": 0.1}, scores, classes,
               lambda x, y: F.cross_entropy(x, y, torch.tensor(weights), label_smoothing=0.1))
    yield case("CrossEntropyLoss", {"ignore_index": 3}, scores, classes, lambda x, y: F.cross_entropy(x, y, ignore_index=3))
    yield case("CrossEntropyLoss", {}, scores, classes[:, None], lambda x, y: F.cross_entropy(x, y[:, 0]))
    yield case("CrossEntropyLoss", {}, scores, shares, F.cross_entropy)
    yield case("CrossEntropyLoss", {}, maps, pixels, F.cross_entropy)
    yield case("NLLLoss", {"class_weight": weights}, log(scores, 1), classes, lambda x, y: F.nll_loss(x, y, torch.tensor(weights)))
    yield case("BCEWithLogitsLoss", {"pos_weight": [2.5]}, binary, truth,
               lambda x, y: F.binary_cross_entropy_with_logits(x, y.float()[:, None], pos_weight=torch.tensor([2.5])))
    yield case("BCEWithLogitsLoss", {}, binary[:, 0], truth, lambda x, y: F.binary_cross_entropy_with_logits(x, y.float()))
    yield case("BCELoss", {}, binary.sigmoid(), truth, lambda x, y: F.binary_cross_entropy(x, y.float()[:, None]))
    yield case("MSELoss", {"one_hot": True}, scores, classes, lambda x, y: F.mse_loss(x, F.one_hot(y, 4).float()))
    yield case("MSELoss", {"one_hot": True}, maps, pixels, lambda x, y: F.mse_loss(x, F.one_hot(y, 3).permute(0, 3, 1, 2).float()))
    yield case("MSELoss", {}, values[:, :1], goals[:, 0], lambda x, y: F.mse_loss(x, y[:, None]))
    yield case("MSELoss", {}, binary, truth, lambda x, y: F.mse_loss(x, y.float()[:, None]))
    yield case("L1Loss", {}, values, goals, F.l1_loss)
    yield case("SmoothL1Loss", {"beta": 0.5}, values, goals, lambda x, y: F.smooth_l1_loss(x, y, beta=0.5))
    yield case("HuberLoss", {"delta": 0.7}, values, goals, lambda x, y: F.huber_loss(x, y, delta=0.7))


def run_loss(kind, params, x, y, function):
    x = x.clone().requires_grad_()
    loss = function(x, y)
    loss.backward()
    return {"kind": kind, "params": params, "input": dump(x), "target": dump(y), "loss": loss.item(), "gradient": dump(x.grad)}


def lines(cases):
    return "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]"


if __name__ == "__main__":
    torch.set_num_threads(1)
    print('{"layers":', lines(run_layer(*case) for case in layer_cases()) + ",")
    print('"losses":', lines(run_loss(*case) for case in loss_cases()) + "}")
