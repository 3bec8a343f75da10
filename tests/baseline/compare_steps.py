"""The loss of each of 100 steps against PyTorch, from equal weights and batches.

Usage: compare_steps.py STEP_TRACE NETWORK OPTIMIZER, with mlp or cnn, and sgd, adam or adamw.
"""
import sys
import tempfile

import torch
from torch.nn import functional as F

from pytorch_twin import Report, cnn, mlp, optimizer_of

OPTIMIZERS = {
    "sgd": {"kind": "SGD", "lr": 0.05, "momentum": 0.9, "weight_decay": 0.0005},
    "nesterov": {"kind": "SGD", "lr": 0.05, "momentum": 0.9, "nesterov": True},
    "adam": {"kind": "Adam", "lr": 0.002},
    "amsgrad": {"kind": "Adam", "lr": 0.002, "amsgrad": True, "weight_decay": 0.001},
    "adamw": {"kind": "AdamW", "lr": 0.002, "weight_decay": 0.02},
}
RELATIVE = {"mlp": 1e-5, "cnn": 1e-4}


def main(step_trace, network, optimizer):
    torch.set_num_threads(1)
    training = {"steps": 100, "optimizer": OPTIMIZERS[optimizer]}
    twin = {"mlp": mlp, "cnn": cnn}[network](training)
    with tempfile.TemporaryDirectory() as folder:
        series = twin.trace(step_trace, folder)
    model = twin.model()
    model.train()
    updater = optimizer_of(training, model.parameters())
    report = Report()
    for step, (x, y) in enumerate(twin.batches(), 1):
        updater.zero_grad()
        loss = F.cross_entropy(twin.forward(model, x), y)
        loss.backward()
        updater.step()
        report.compare(f"loss at step {step}", series["train/loss"][step], loss.item(), RELATIVE[network])
    assert step == 100 and len(series["train/loss"]) == 100
    return report.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
