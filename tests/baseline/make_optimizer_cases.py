#!/usr/bin/env python3
"""Writes what PyTorch's optimizers and schedulers do as JSON.

    python3 make_optimizer_cases.py > ../data/optimizer_cases.json

"start", "gradients": parameters to begin with and their gradients at each of 50 steps (null: the parameter gets none),
the same for all cases. "optimizers": parameters after some of the steps. "losses": the same for optimizers that evaluate
f = Σ (1 - a)² + 10 (b - a²)² themselves. "schedulers": learning rates of two groups (and momenta) over 100 steps.
Lion is not in PyTorch: it is written here as in its paper (Chen et al. 2023, algorithm 2).
"""
import json
import math

import numpy as np
import torch
from torch.optim import lr_scheduler

STEPS = 50
SHOWN = [1, 2, 3, 5, 10, 20, 35, 50]
SHAPES = {"a": (3, 5), "b": (7,), "c": (2, 2)}


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, maximize=False):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay, maximize=maximize))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = -p.grad if group["maximize"] else p.grad
                state = self.state[p]
                if not state:
                    state["exp_avg"] = torch.zeros_like(p)
                p.mul_(1 - group["lr"] * group["weight_decay"])
                update = state["exp_avg"].mul(beta1).add_(grad, alpha=1 - beta1).sign_()
                p.add_(update, alpha=-group["lr"])
                state["exp_avg"].mul_(beta2).add_(grad, alpha=1 - beta2)


def values_of(tensor):
    """Each with the fewest digits that give its float32 again."""
    return [float(str(np.float32(value))) for value in tensor.detach().flatten().tolist()]


def numbers(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def start():
    return {name: numbers(*shape, seed=i) for i, (name, shape) in enumerate(SHAPES.items())}


def gradient(name, step):
    # "c" gets none at steps 1 and 4: PyTorch leaves it, its momentum and its count of steps alone.
    if name == "c" and step in (0, 3):
        return None
    return numbers(*SHAPES[name], seed=100 * step + 10 + list(SHAPES).index(name)) * (0.1 + step % 7)


def optimizer_cases():
    for kind, base in {"SGD": {"lr": 0.01}, "Adam": {}, "AdamW": {}, "RAdam": {}, "NAdam": {}, "Adamax": {}, "Adagrad": {},
                       "Adadelta": {}, "RMSprop": {}, "Lion": {"lr": 0.001}}.items():
        yield {"kind": kind, **base}
        yield {"kind": kind, **base, "weight_decay": 0.1}
        if kind not in ("RAdam", "NAdam"):  # those came with PyTorch 2
            yield {"kind": kind, **base, "maximize": True, "weight_decay": 0.05}
        yield {"kind": kind, **base, "lr": 0.02, "groups": [{"match": "b", "lr": 0.05, "weight_decay": 0.3}]}
    for kind in ("Adam", "AdamW", "RAdam", "NAdam", "Adamax", "Lion"):
        yield {"kind": kind, "lr": 0.01, "betas": [0.7, 0.95]}
    for kind in ("Adam", "AdamW", "RAdam", "NAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop"):
        yield {"kind": kind, "lr": 0.01, "eps": 0.01}
    yield {"kind": "SGD", "lr": 0.01, "momentum": 0.9}
    yield {"kind": "SGD", "lr": 0.01, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.01}
    yield {"kind": "SGD", "lr": 0.01, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}
    yield {"kind": "Adam", "amsgrad": True}
    yield {"kind": "AdamW", "amsgrad": True, "weight_decay": 0.2}
    yield {"kind": "NAdam", "momentum_decay": 0.05}
    yield {"kind": "RAdam", "lr": 0.01, "betas": [0.9, 0.6]}  # rectified from the first step on, or never
    yield {"kind": "Adagrad", "lr_decay": 0.05, "initial_accumulator_value": 0.3}
    yield {"kind": "Adadelta", "lr": 0.5, "rho": 0.7}
    yield {"kind": "RMSprop", "alpha": 0.8, "momentum": 0.9}
    yield {"kind": "RMSprop", "centered": True}
    yield {"kind": "RMSprop", "centered": True, "momentum": 0.5, "weight_decay": 0.01, "maximize": True}


def make(settings, parameters):
    rest = dict(settings)
    kind, groups = rest.pop("kind"), rest.pop("groups", [])
    left = dict(parameters)
    split = [{"params": [left.pop(group["match"])], **{k: v for k, v in group.items() if k != "match"}} for group in groups]
    split.insert(0, {"params": list(left.values())})
    return (Lion if kind == "Lion" else getattr(torch.optim, kind))(split, **rest)


def run_optimizer(settings):
    parameters = {name: torch.nn.Parameter(value) for name, value in start().items()}
    optimizer = make(settings, parameters)
    after = {}
    for step in range(STEPS):
        for name, parameter in parameters.items():
            parameter.grad = gradient(name, step)
        optimizer.step()
        if step + 1 in SHOWN:
            after[str(step + 1)] = {n: values_of(p) for n, p in parameters.items()}
    return {"optimizer": settings, "after": after}


def loss_cases():
    yield {"kind": "LBFGS", "lr": 0.05, "max_iter": 4}, 50
    yield {"kind": "LBFGS", "lr": 0.1, "max_iter": 3, "history_size": 3}, 50
    yield {"kind": "LBFGS", "max_iter": 5, "line_search_fn": "strong_wolfe"}, 50
    yield {"kind": "LBFGS", "lr": 0.5, "max_iter": 20, "max_eval": 7, "history_size": 5, "line_search_fn": "strong_wolfe"}, 50


def run_loss(settings, steps):
    a = torch.nn.Parameter(numbers(4, seed=1))
    b = torch.nn.Parameter(numbers(4, seed=2))
    first = {"a": values_of(a), "b": values_of(b)}
    optimizer = torch.optim.LBFGS([a, b], **{k: v for k, v in settings.items() if k != "kind"})

    def closure():
        optimizer.zero_grad()
        loss = ((1 - a) ** 2 + 10 * (b - a ** 2) ** 2).sum()
        loss.backward()
        return loss

    after = {}
    for step in range(steps):
        optimizer.step(closure)
        if step + 1 in SHOWN:
            after[str(step + 1)] = {"a": values_of(a), "b": values_of(b)}
    return {"optimizer": settings, "start": first, "after": after}


def scheduler_cases():
    """(specs in sequence, their lengths but the last's, metric per step)."""
    for one in (
            {"kind": "StepLR", "step_size": 7, "gamma": 0.5},
            {"kind": "MultiStepLR", "milestones": [10, 20, 20, 60], "gamma": 0.3},
            {"kind": "ConstantLR", "factor": 0.25, "total_iters": 12},
            {"kind": "ExponentialLR", "gamma": 0.97},
            {"kind": "CosineAnnealingLR", "T_max": 30, "eta_min": 0.001},
            {"kind": "CosineAnnealingWarmRestarts", "T_0": 9, "eta_min": 0.002},
            {"kind": "CosineAnnealingWarmRestarts", "T_0": 5, "T_mult": 2},
            {"kind": "OneCycleLR", "max_lr": 0.7, "total_steps": 101},
            {"kind": "OneCycleLR", "max_lr": 0.7, "total_steps": 120, "pct_start": 0.25, "anneal_strategy": "linear",
             "three_phase": True, "div_factor": 10.0, "final_div_factor": 50.0, "base_momentum": 0.8, "max_momentum": 0.9},
            {"kind": "OneCycleLR", "max_lr": 0.2, "total_steps": 104, "cycle_momentum": False},
            {"kind": "CyclicLR", "base_lr": 0.01, "max_lr": 0.3, "step_size_up": 8},
            {"kind": "CyclicLR", "base_lr": 0.01, "max_lr": 0.3, "step_size_up": 5, "step_size_down": 11, "mode": "triangular2"},
            {"kind": "CyclicLR", "base_lr": 0.02, "max_lr": 0.3, "step_size_up": 7, "mode": "exp_range", "gamma": 0.98,
             "cycle_momentum": False},
            {"kind": "LinearLR", "start_factor": 0.1, "end_factor": 0.8, "total_iters": 40},
            {"kind": "PolynomialLR", "total_iters": 80, "power": 2.0},
            {"kind": "PolynomialLR", "total_iters": 101},
            {"kind": "LambdaLR", "lr_lambda": "0.95 ** t"},
            {"kind": "LambdaLR", "lr_lambda": "min((t + 1) ** -0.5, (t + 1) * 20 ** -1.5)"},
            {"kind": "ReduceLROnPlateau"},
            {"kind": "ReduceLROnPlateau", "factor": 0.5, "patience": 3, "threshold": 0.05, "threshold_mode": "abs", "cooldown": 4,
             "min_lr": 0.01},
            {"kind": "ReduceLROnPlateau", "mode": "max", "factor": 0.3, "patience": 2, "eps": 0.005},
            {"kind": "ChainedScheduler", "schedulers": [{"kind": "LinearLR", "start_factor": 0.2, "total_iters": 10},
                                                        {"kind": "ExponentialLR", "gamma": 0.98},
                                                        {"kind": "StepLR", "step_size": 25, "gamma": 0.5}]}):
        yield [one]
    yield [{"kind": "LinearLR", "start_factor": 0.1, "total_iters": 10}, {"kind": "CosineAnnealingLR", "T_max": 90}]
    yield [{"kind": "StepLR", "step_size": 5, "gamma": 0.5, "duration": 30}, {"kind": "ConstantLR", "factor": 0.5, "total_iters": 20},
           {"kind": "ExponentialLR", "gamma": 0.99}]


def metric(step):
    return math.sin(step / 9.0) + 1.0 / (1 + step)


def make_scheduler(optimizer, spec):
    rest = {k: v for k, v in spec.items() if k not in ("kind", "duration")}
    if spec["kind"] == "LambdaLR":
        source = rest["lr_lambda"]
        return lr_scheduler.LambdaLR(optimizer, lambda t: eval(source, {"t": t, "min": min}))
    if spec["kind"] == "ChainedScheduler":
        return lr_scheduler.ChainedScheduler([make_scheduler(optimizer, one) for one in rest["schedulers"]])
    return getattr(lr_scheduler, spec["kind"])(optimizer, **rest)


def length(spec):
    return spec.get("duration", spec.get("T_max", spec.get("total_iters")))


def run_scheduler(specs):
    groups = [{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": lr} for lr in (0.4, 0.03)]
    optimizer = torch.optim.SGD(groups, lr=1, momentum=0.6)
    schedulers = [make_scheduler(optimizer, spec) for spec in specs]
    if len(specs) == 1:
        scheduler = schedulers[0]
    else:
        milestones = [sum(length(s) for s in specs[:i + 1]) for i in range(len(specs) - 1)]
        scheduler = lr_scheduler.SequentialLR(optimizer, schedulers, milestones)
    watches = specs[0]["kind"] == "ReduceLROnPlateau"
    rates, momenta, metrics = [], [], []
    for step in range(100):
        rates.append([group["lr"] for group in optimizer.param_groups])
        momenta.append(optimizer.param_groups[0]["momentum"])
        optimizer.step()
        if watches:
            metrics.append(metric(step))
            scheduler.step(metric(step))
        else:
            scheduler.step()
    case = {"schedulers": specs, "bases": [0.4, 0.03], "rates": rates}
    if watches:
        case["metrics"] = metrics
    if any(m != 0.6 for m in momenta):
        case["momenta"] = momenta
    return case


def lines(cases):
    return "[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]"


if __name__ == "__main__":
    torch.set_num_threads(1)
    table = [{n: None if gradient(n, s) is None else values_of(gradient(n, s)) for n in SHAPES} for s in range(STEPS)]
    print('{"shapes":', json.dumps(SHAPES) + ",")
    print('"start":', json.dumps({n: values_of(v) for n, v in start().items()}) + ",")
    print('"gradients":', lines(table) + ",")
    print('"optimizers":', lines(map(run_optimizer, optimizer_cases())) + ",")
    print('"losses":', lines(run_loss(*case) for case in loss_cases()) + ",")
    print('"schedulers":', lines(map(run_scheduler, scheduler_cases())) + "}")
