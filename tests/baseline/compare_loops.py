"""The loss of each step, and the weights at the end, against a careful loop in PyTorch that does more than stepping.

Usage: compare_loops.py STEP_TRACE CASE
"""
import copy
import glob
import sys
import tempfile

import torch
from torch.nn import functional as F

from pytorch_twin import Report, cnn, mlp, optimizer_of

SGD = {"kind": "SGD", "lr": 0.05, "momentum": 0.9}
CASES = {
    # name: (network, training, samples, relative tolerance)
    "accumulate": (mlp, {"steps": 60, "optimizer": SGD, "accumulate": 4}, 296, 1e-5),
    "accumulate_all": (cnn, {"steps": 20, "optimizer": SGD, "accumulate": 3, "clip_grad_norm": 0.5, "averaging": {"decay": 0.9}}, 120, 1e-5),
    "clip_norm": (mlp, {"steps": 100, "optimizer": SGD, "clip_grad_norm": 0.3}, None, 1e-5),
    "clip_value": (mlp, {"steps": 100, "optimizer": SGD, "clip_grad_value": 0.01}, None, 1e-5),
    "one_cycle": (mlp, {"steps": 100, "optimizer": SGD, "scheduler": {"kind": "OneCycleLR", "max_lr": 0.2}}, None, 1e-5),
    "one_cycle_adam": (mlp, {"steps": 100, "optimizer": {"kind": "AdamW"}, "scheduler": {"kind": "OneCycleLR", "max_lr": 0.01}}, None, 1e-5),
    "ema": (cnn, {"steps": 60, "optimizer": SGD, "averaging": {"decay": 0.95, "use_buffers": True, "start": 10}}, None, 1e-5),
    "swa": (cnn, {"steps": 60, "optimizer": SGD, "averaging": {"kind": "swa", "every": 7, "start": 20}}, None, 1e-5),
    "scaler": (mlp, {"steps": 60, "optimizer": {"kind": "SGD", "lr": 1e-6}, "grad_scaler": {"init_scale": 2.0 ** 127, "growth_interval": 7}}, None, 1e-5),
    "bf16": (mlp, {"steps": 50, "optimizer": SGD, "precision": "bf16", "autocast_exclude": ["out"]}, None, 1e-5),
    "lbfgs": (mlp, {"steps": 12, "optimizer": {"kind": "LBFGS", "lr": 0.2, "max_iter": 4}}, None, 1e-5),
    "lbfgs_wolfe": (mlp, {"steps": 8, "optimizer": {"kind": "LBFGS", "max_iter": 4, "line_search_fn": "strong_wolfe"}}, None, 1e-5),
}


class Averages:
    """torch.optim.swa_utils.AveragedModel's rule, with the start and the interval that a project has."""

    def __init__(self, settings, model):
        self.settings, self.model, self.count = settings, model, 0
        self.average = copy.deepcopy(model)

    def step(self, number):
        every = self.settings.get("every", 1)
        if number <= self.settings.get("start", 0) or number % every:
            return
        swa = self.settings.get("kind") == "swa"
        share = 1 / (self.count + 1) if swa else 1 - self.settings["decay"]
        tensors = [(a, b) for a, b in zip(self.average.parameters(), self.model.parameters())]
        buffers = list(zip(self.average.buffers(), self.model.buffers()))
        if self.settings.get("use_buffers"):
            tensors += [(a, b) for a, b in buffers if a.is_floating_point()]
        with torch.no_grad():
            for average, newest in tensors:
                average.copy_(newest if self.count == 0 else average + (newest - average) * share)
        self.count += 1

    def state(self):
        state = self.average.state_dict()
        for name, value in self.model.named_buffers():
            if not (self.settings.get("use_buffers") and value.is_floating_point()):
                state[name] = value
        return state


def grouped(batches, count):
    """Groups of an epoch's batches; what is left at its end is a smaller one."""
    batches = list(batches)
    while True:
        for begin in range(0, len(batches), count):
            yield batches[begin:begin + count]


def loop(twin, training, report, series, relative):
    model = twin.model()
    model.train()
    updater = optimizer_of(training, model.parameters())
    scheduler = training.get("scheduler")
    if scheduler:
        scheduler = torch.optim.lr_scheduler.OneCycleLR(updater, max_lr=scheduler["max_lr"], total_steps=training["steps"])
    averages = Averages(training["averaging"], model) if "averaging" in training else None
    scale, grown, skipped = training.get("grad_scaler", {}).get("init_scale", 1.0), 0, 0
    groups = grouped(twin.batches(), training.get("accumulate", 1))
    evaluates = training["optimizer"]["kind"] == "LBFGS"
    for step in range(1, training["steps"] + 1):
        group = next(groups)
        samples = sum(len(y) for _, y in group)

        def evaluate():
            updater.zero_grad()
            total = 0.0
            for x, y in group:
                with torch.autocast("cpu", torch.bfloat16, enabled=training.get("precision") == "bf16"):
                    for name, *_ in twin.layers:
                        if name in training.get("autocast_exclude", []):
                            with torch.autocast("cpu", enabled=False):
                                x = getattr(model, name)(x.float())
                        else:
                            x = getattr(model, name)(x)
                    loss = F.cross_entropy(x, y) * (len(y) / samples)
                (loss * scale).backward()
                total += loss.item()
            return torch.tensor(total)

        if evaluates:
            total = updater.step(evaluate).item()
        else:
            total = evaluate().item()
            for p in model.parameters():
                p.grad.mul_(1 / scale)
            overflow = not all(torch.isfinite(p.grad).all() for p in model.parameters())
            if "grad_scaler" in training:
                report.compare(f"scale at step {step}", series["scaler/scale"][step], scale, 0.0)
            if training.get("clip_grad_norm"):
                torch.nn.utils.clip_grad_norm_(model.parameters(), training["clip_grad_norm"])
            if training.get("clip_grad_value"):
                torch.nn.utils.clip_grad_value_(model.parameters(), training["clip_grad_value"])
            if not overflow:
                updater.step()
            if "grad_scaler" in training:
                skipped += overflow
                grown = 0 if overflow else grown + 1
                if overflow:
                    scale *= 0.5
                elif grown == training["grad_scaler"]["growth_interval"]:
                    scale, grown = (scale * 2.0 if scale * 2.0 < 3.4e38 else scale), 0
                report.compare(f"skipped at step {step}", series["scaler/skipped"][step], skipped, 0.0)
        if averages:
            averages.step(step)
        report.compare(f"loss at step {step}", series["train/loss"][step], total, relative)
        report.compare(f"lr at step {step}", series["lr"][step], scheduler.get_last_lr()[0] if scheduler else training["optimizer"].get("lr", series["lr"][step]), 1e-12)
        if scheduler:
            scheduler.step()
    return model, averages, skipped


def compare_state(report, what, ours, theirs, relative):
    assert set(ours) == set(theirs), (sorted(ours), sorted(theirs))
    for name, tensor in theirs.items():
        distance = (ours[name].double() - tensor.double()).abs().max().item()
        largest = max(tensor.double().abs().max().item(), 1e-12)
        report.compare(f"{what} {name}", 1 + distance / largest, 1.0, relative)


def main(step_trace, case):
    torch.set_num_threads(1)
    network, training, samples, relative = CASES[case]
    twin = network(training)
    if samples:
        twin.x, twin.y = twin.x[:samples], twin.y[:samples]
    if case == "scaler":
        twin.x *= 300  # so that gradients are large enough to overflow
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        series = twin.trace(step_trace, folder, "--checkpoints", folder + "/checkpoints")
        checkpoint = torch.load(sorted(glob.glob(folder + "/checkpoints/step-*.pt"))[-1])
    model, averages, skipped = loop(twin, training, report, series, relative)
    compare_state(report, "weights", checkpoint["state_dict"], model.state_dict(), relative * 20)
    if averages:
        assert averages.count > 3
        compare_state(report, "averaged", checkpoint["averaged"], averages.state(), relative * 20)
    if case == "scaler":
        assert 3 < skipped < 30, skipped
    return report.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
