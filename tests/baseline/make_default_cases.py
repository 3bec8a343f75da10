#!/usr/bin/env python3
"""Writes names and defaults of PyTorch's layers, optimizers, schedulers and initializers as JSON.

    python3 make_default_cases.py > ../data/pytorch_defaults.json

{"layers": {"Conv2d": {"stride": 1, "out_channels": "(required)", …}}, "optimizers": …}
"""
import inspect
import json

import torch

LAYERS = """Linear Identity Flatten Conv1d Conv2d Conv3d ConvTranspose2d MaxPool1d MaxPool2d AvgPool1d AvgPool2d
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool2d BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm GroupNorm
InstanceNorm2d Dropout Dropout2d ReLU ReLU6 LeakyReLU PReLU ELU SELU CELU GELU SiLU Mish Hardswish Hardsigmoid Hardtanh
Sigmoid Tanh Softplus Softsign Softmax LogSoftmax CrossEntropyLoss MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss
BCEWithLogitsLoss NLLLoss""".split()
OPTIMIZERS = ["SGD", "Adam", "AdamW"]
SCHEDULERS = ["StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "LinearLR", "ConstantLR"]
INITIALIZERS = """normal uniform zeros ones constant xavier_uniform xavier_normal kaiming_uniform kaiming_normal
orthogonal trunc_normal""".split()
# Not settings of a layer, or deprecated there.
SKIPPED = {"self", "args", "kwargs", "device", "dtype", "size_average", "reduce", "tensor", "params", "optimizer",
           "last_epoch", "verbose", "foreach", "capturable", "differentiable", "fused", "return_indices", "inplace",
           "min_value", "max_value"}


def value(default):
    if default is inspect.Parameter.empty or repr(default).startswith("<required"):
        return "(required)"
    return list(default) if isinstance(default, tuple) else default


def defaults(function):
    return {name: value(p.default) for name, p in inspect.signature(function).parameters.items() if name not in SKIPPED}


def main():
    print(json.dumps({
        "layers": {kind: defaults(getattr(torch.nn, kind).__init__) for kind in LAYERS},
        "optimizers": {kind: defaults(getattr(torch.optim, kind).__init__) for kind in OPTIMIZERS},
        "schedulers": {kind: defaults(getattr(torch.optim.lr_scheduler, kind).__init__) for kind in SCHEDULERS},
        "initializers": {kind: defaults(getattr(torch.nn.init, kind + "_")) for kind in INITIALIZERS},
    }, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
