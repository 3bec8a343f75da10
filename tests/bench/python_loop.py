"""A bare PyTorch loop for bench_step: no hooks, no logging, batches ready in memory.

Usage: python_loop.py NETWORK THREADS, with mlp, cnn or resnet. Each line of input is a number of steps to run; the answer is
microseconds per step.
"""
import sys
import time

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

NETWORKS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)), (784,), 32),
    "cnn": (lambda: nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                                  nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10)), (1, 28, 28), 64),
    "resnet": (lambda: torchvision.models.resnet18(num_classes=10), (3, 32, 32), 32),
}


def main(network, threads):
    torch.set_num_threads(int(threads))
    torch.manual_seed(1)
    make, sample, batch = NETWORKS[network]
    model = make()
    batches = [(torch.randn(batch, *sample), torch.randint(0, 10, (batch,))) for _ in range(16)]
    if network == "resnet":
        optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9, weight_decay=1e-4)
    else:
        optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    number = 0
    for line in sys.stdin:
        steps = int(line)
        start = time.perf_counter()
        for _ in range(steps):
            number += 1
            x, y = batches[number % len(batches)]
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        print((time.perf_counter() - start) / steps * 1e6, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
