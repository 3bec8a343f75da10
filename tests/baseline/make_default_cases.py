#!/usr/bin/env python3
"""Writes names and defaults of PyTorch's optimizers, schedulers and initializers as JSON.

    python3 make_default_cases.py > ../data/pytorch_defaults.json

{"optimizers": {"SGD": {"lr": "(required)", "momentum": 0, …}, …}, "schedulers": …}
"""
import inspect
import json

import torch

OPTIMIZERS = "SGD Adam AdamW RAdam NAdam Adamax Adagrad Adadelta RMSprop LBFGS".split()
SCHEDULERS = """StepLR MultiStepLR ExponentialLR CosineAnnealingLR LinearLR ConstantLR CosineAnnealingWarmRestarts OneCycleLR
CyclicLR PolynomialLR ReduceLROnPlateau LambdaLR ChainedScheduler""".split()
INITIALIZERS = """normal uniform zeros ones constant xavier_uniform xavier_normal kaiming_uniform kaiming_normal
orthogonal trunc_normal eye dirac sparse""".split()
# Not settings, or deprecated there.
SKIPPED = {"self", "args", "kwargs", "tensor", "params", "optimizer", "last_epoch", "verbose", "foreach", "capturable",
           "differentiable", "fused", "epochs", "steps_per_epoch", "scale_fn", "scale_mode"}
# Not in PyTorch: as its paper's authors have it.
LION = {"lr": 0.0001, "betas": [0.9, 0.99], "weight_decay": 0.0}


def value(default):
    if default is inspect.Parameter.empty or repr(default).startswith("<required"):
        return "(required)"
    return list(default) if isinstance(default, tuple) else default


def defaults(function):
    return {name: value(p.default) for name, p in inspect.signature(function).parameters.items() if name not in SKIPPED}


def main():
    print(json.dumps({
        "optimizers": {kind: defaults(getattr(torch.optim, kind).__init__) for kind in OPTIMIZERS} | {"Lion": LION},
        "schedulers": {kind: defaults(getattr(torch.optim.lr_scheduler, kind).__init__) for kind in SCHEDULERS},
        "initializers": {kind: defaults(getattr(torch.nn.init, kind + "_")) for kind in INITIALIZERS},
    }, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
