#!/usr/bin/env python3
"""Writes what PyTorch's optimizers, schedulers and initializers do as JSON.

    python3 make_training_cases.py > ../data/training_cases.json

"optimizers": parameters after each of 6 steps, from given starts and gradients (null: the parameter gets none).
"schedulers": learning rates of two groups over steps. "initializers": statistics, or numbers, after a seed.
"""
import json

import numpy as np
import torch
from torch.optim import lr_scheduler

STEPS = 6


def values_of(tensor):
    """Each with the fewest digits that give its float32 again."""
    return [float(str(np.float32(value))) for value in tensor.detach().flatten().tolist()]


def numbers(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def optimizer_cases():
    yield {"kind": "SGD", "lr": 0.1}
    yield {"kind": "SGD", "lr": 0.1, "weight_decay": 0.1, "maximize": True}
    yield {"kind": "SGD", "lr": 0.1, "momentum": 0.9}
    yield {"kind": "SGD", "lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.05}
    yield {"kind": "SGD", "lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.01}
    yield {"kind": "Adam", "lr": 0.01}
    yield {"kind": "Adam", "lr": 0.01, "betas": [0.7, 0.9], "eps": 0.001, "weight_decay": 0.1}
    yield {"kind": "Adam", "lr": 0.01, "amsgrad": True, "maximize": True}
    yield {"kind": "AdamW", "lr": 0.01}
    yield {"kind": "AdamW", "lr": 0.02, "weight_decay": 0.2, "amsgrad": True}
    yield {"kind": "Adam", "lr": 0.01, "groups": [{"match": "b*", "lr": 0.1, "weight_decay": 0.3}]}
    yield {"kind": "SGD", "lr": 0.1, "momentum": 0.5, "groups": [{"match": "a", "momentum": 0.0}, {"match": "*", "lr": 0.3}]}


def run_optimizer(settings):
    # "c" gets no gradient at steps 1 and 4: PyTorch leaves it, its momentum and its count of steps alone.
    parameters = {name: torch.nn.Parameter(numbers(*shape, seed=i)) for i, (name, shape) in enumerate({"a": (3, 5), "b": (7,), "c": (2, 2)}.items())}
    rest = dict(settings)
    kind, groups = rest.pop("kind"), rest.pop("groups", [])
    split = []
    left = dict(parameters)
    for group in groups:
        match = group["match"].rstrip("*")
        chosen = [n for n in left if n.startswith(match)]
        split.append({"params": [left.pop(n) for n in chosen], **{k: v for k, v in group.items() if k != "match"}})
    if left:
        split.insert(0, {"params": list(left.values())})
    optimizer = getattr(torch.optim, kind)(split, **rest)
    start = {n: values_of(p) for n, p in parameters.items()}
    shapes = {n: list(p.shape) for n, p in parameters.items()}
    gradients, after = [], []
    for step in range(STEPS):
        optimizer.zero_grad(set_to_none=True)
        for i, (name, parameter) in enumerate(parameters.items()):
            if not (name == "c" and step in (0, 3)):
                parameter.grad = numbers(*parameter.shape, seed=100 * step + 10 + i) * 10.0 ** (step - 3)
        gradients.append({n: values_of(p.grad) if p.grad is not None else None for n, p in parameters.items()})
        optimizer.step()
        after.append({n: values_of(p) for n, p in parameters.items()})
    return {"optimizer": settings, "shapes": shapes, "start": start, "gradients": gradients, "after": after}


def scheduler_cases():
    """(spec or list of specs, number of intervals); all by step but the last."""
    yield [{"kind": "StepLR", "step_size": 3, "gamma": 0.5}], 12
    yield [{"kind": "MultiStepLR", "milestones": [2, 5, 5, 9], "gamma": 0.3}], 12
    yield [{"kind": "ExponentialLR", "gamma": 0.9}], 12
    yield [{"kind": "CosineAnnealingLR", "T_max": 8, "eta_min": 0.01}], 24
    yield [{"kind": "LinearLR", "start_factor": 0.25, "end_factor": 0.75, "total_iters": 6}], 12
    yield [{"kind": "ConstantLR", "factor": 0.5, "total_iters": 4}], 10
    yield [{"kind": "LinearLR", "start_factor": 0.1, "total_iters": 5}, {"kind": "CosineAnnealingLR", "T_max": 10}], 15
    yield [{"kind": "ConstantLR", "factor": 0.1, "total_iters": 2}, {"kind": "LinearLR", "start_factor": 0.5, "total_iters": 4},
           {"kind": "ExponentialLR", "gamma": 0.8}], 14


def length(spec):
    return spec.get("T_max", spec.get("total_iters"))


def make_scheduler(optimizer, spec):
    return getattr(lr_scheduler, spec["kind"])(optimizer, **{k: v for k, v in spec.items() if k != "kind"})


def run_scheduler(specs, count):
    groups = [{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": lr} for lr in (0.4, 0.03)]
    optimizer = torch.optim.SGD(groups, lr=1)
    schedulers = [make_scheduler(optimizer, spec) for spec in specs]
    if len(specs) == 1:
        scheduler = schedulers[0]
    else:
        milestones = [sum(length(s) for s in specs[:i + 1]) for i in range(len(specs) - 1)]
        scheduler = lr_scheduler.SequentialLR(optimizer, schedulers, milestones)
    rates = []
    for _ in range(count):
        rates.append([group["lr"] for group in optimizer.param_groups])
        optimizer.step()
        scheduler.step()
    return {"schedulers": specs, "bases": [0.4, 0.03], "rates": rates}


def initializer_cases():
    yield {"kind": "normal", "mean": 0.5, "std": 2.0}
    yield {"kind": "uniform", "a": -3.0, "b": -1.0}
    yield {"kind": "zeros"}
    yield {"kind": "ones"}
    yield {"kind": "constant", "value": 0.25}
    yield {"kind": "xavier_uniform", "gain": 2.0}
    yield {"kind": "xavier_normal"}
    yield {"kind": "kaiming_uniform"}
    yield {"kind": "kaiming_uniform", "a": 0.3, "mode": "fan_out"}
    yield {"kind": "kaiming_uniform", "nonlinearity": "selu"}
    yield {"kind": "kaiming_normal", "nonlinearity": "relu"}
    yield {"kind": "kaiming_normal", "nonlinearity": "tanh", "mode": "fan_out"}
    yield {"kind": "kaiming_normal", "nonlinearity": "selu"}
    yield {"kind": "orthogonal", "gain": 1.5}
    yield {"kind": "trunc_normal", "mean": 0.1, "std": 0.5, "a": -0.4, "b": 0.9}
    yield {"kind": "eye"}
    yield {"kind": "sparse", "sparsity": 0.3, "std": 0.5}
    yield {"kind": "dirac"}, (5, 3, 3)
    yield {"kind": "dirac", "groups": 2}, (6, 2, 4, 3)
    yield {"kind": "dirac", "groups": 3}, (6, 3, 2, 3, 1)
    yield {"kind": "xavier_normal", "gain": 0.5}, (4, 3, 3, 3)
    yield {"kind": "kaiming_uniform", "mode": "fan_out", "nonlinearity": "relu"}, (4, 3, 5)
    yield {"kind": "orthogonal"}, (3, 2, 3)


def run_initializer(case):
    settings, shape = case if isinstance(case, tuple) else (case, (6, 4))
    rest = dict(settings)
    kind = rest.pop("kind")
    if kind == "constant":
        rest["val"] = rest.pop("value")
    weight = torch.empty(*shape)
    torch.manual_seed(11)
    getattr(torch.nn.init, kind + "_")(weight, **rest)
    return {"init": settings, "shape": list(shape), "values": values_of(weight)}


def lines(cases):
    return "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]"


if __name__ == "__main__":
    torch.set_num_threads(1)
    print('{"optimizers":', lines(map(run_optimizer, optimizer_cases())) + ",")
    print('"schedulers":', lines(run_scheduler(*case) for case in scheduler_cases()) + ",")
    print('"initializers":', lines(map(run_initializer, initializer_cases())) + "}")
