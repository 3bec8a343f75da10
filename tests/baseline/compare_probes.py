"""Every probe's value against the one that PyTorch computes by hand for the same step.

Usage: compare_probes.py STEP_TRACE NETWORK
"""
import sys
import tempfile

import torch
from torch.nn import functional as F

from pytorch_twin import Report, cnn, mlp, optimizer_of

# Clipped on the MLP only: PyTorch rounds the total norm to float, so factors may differ in the last bit. In the
# CNN the gradients of the biases before a BatchNorm are pure rounding noise, which one such bit makes anew.
CLIP = {"mlp": 0.5, "cnn": None}


def activation(tensor):
    values = tensor.detach()
    return {"mean": values.mean(), "std": values.std(), "min": values.min(), "max": values.max(),
            "zeros": (values == 0).double().mean(), "non_finite": (~torch.isfinite(values)).sum()}


def main(step_trace, network):
    torch.set_num_threads(1)
    training = {"steps": 30, "optimizer": {"kind": "AdamW", "lr": 0.002, "weight_decay": 0.02}, "clip_grad_norm": CLIP[network],
                "scheduler": {"kind": "StepLR", "step_size": 10, "gamma": 0.5, "interval": "step"}, "metrics": ["accuracy"]}
    twin = mlp(training) if network == "mlp" else cnn(training, dropout=0.3)
    with tempfile.TemporaryDirectory() as folder:
        series = twin.trace(step_trace, folder)
    model = twin.model()
    model.train()
    updater = optimizer_of(training, model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(updater, step_size=10, gamma=0.5)
    report = Report()
    seen = set()

    def check(name, step, value, absolute):
        seen.add(name)
        report.compare(f"{name} at step {step}", series[name][step], float(value), 2e-5, absolute)

    for step, (x, y) in enumerate(twin.batches(), 1):
        activations = {}
        updater.zero_grad()
        output = twin.forward(model, x, lambda name, value: activations.__setitem__(name, activation(value)))
        loss = F.cross_entropy(output, y)
        loss.backward()
        check("lr", step, scheduler.get_last_lr()[0], 0)
        check("train/loss", step, loss, 0)
        check("train/accuracy", step, (output.argmax(1) == y).double().mean(), 0)
        # The gradients of biases before a BatchNorm are noise around zero: compared with the total.
        total = torch.stack([p.grad.norm() for p in model.parameters()]).norm().item()
        for name, parameter in model.named_parameters():
            check(f"grad_norm/{name}", step, parameter.grad.norm(), 2e-6 * total)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP[network] or float("inf"))
        check("grad_norm", step, norm, 0)
        if CLIP[network]:
            check("clip/norm", step, max(0.0, 1 - CLIP[network] / (float(norm) + 1e-6)), 1e-6)
        before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
        updater.step()
        scheduler.step()
        for name, parameter in model.named_parameters():
            if before[name].norm() == 0:
                assert step not in series[f"update_ratio/{name}"], "there is no ratio to a norm of zero"
                continue
            check(f"update_ratio/{name}", step, (parameter.detach() - before[name]).norm() / before[name].norm(), 2e-6)
        for name, statistics in activations.items():
            for what, value in statistics.items():
                scale = float(statistics["std"]) if what in ("mean", "min", "max") else 0
                check(f"activation/{name}/{what}", step, value, 2e-5 * scale)
        for name, buffer in model.named_buffers():
            node, _, what = name.rpartition(".")
            if what.startswith("running_"):
                for channel, value in enumerate(buffer):
                    check(f"bn_{what}/{node}/{channel}", step, value, 1e-6)
    machine = {"time/step", "time/data_wait", "time/probes", "samples_per_second", "epoch"}
    unchecked = {name for name in series if name not in seen and name not in machine}
    assert not unchecked, f"no twin for {unchecked}"
    print(len(seen), "series of", step, "steps compared")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
