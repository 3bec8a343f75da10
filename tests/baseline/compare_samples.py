"""Loss curves of a bundled sample over 200 steps against the same loop in Python, from equal weights and batches.

Usage: compare_samples.py STEP_TRACE BATCH_DUMP SAMPLES_FOLDER NAME
"""
import json
import os
import subprocess
import sys
import tempfile

import torch
from torch import nn
from torch.nn import functional as F

from pytorch_twin import Report, optimizer_of

STEPS = 200
RELATIVE = 1e-4


def layer(kind, params, x):
    """The PyTorch module of a node, for an input like x."""
    made = {"Linear": lambda p: nn.Linear(x.shape[-1], **p), "Conv2d": lambda p: nn.Conv2d(x.shape[1], **p),
            "ConvTranspose2d": lambda p: nn.ConvTranspose2d(x.shape[1], **p), "BatchNorm2d": lambda p: nn.BatchNorm2d(x.shape[1], **p)}
    return made[kind](params) if kind in made else getattr(nn, kind)(**params)


def chain_of(network):
    """Nodes from the input to the loss in their order, and the field of the target."""
    nodes = {node["id"]: node for node in network["nodes"]}
    following = {}
    for begin, end in network["edges"]:
        if end == "loss:target":
            target = nodes[begin]["params"]["field"]
        else:
            following.setdefault(begin, end.split(":")[0])
    begins = [n for n in nodes if nodes[n]["kind"] == "Input" and n in following]
    chain, name = [], begins[0]
    while nodes[name]["kind"] not in ("CrossEntropyLoss", "MSELoss"):
        chain.append(nodes[name])
        name = following[name]
    return chain, target, nodes[name]["kind"]


def scheduler_of(training, optimizer):
    spec = training.get("scheduler")
    if not spec:
        return None
    assert spec["interval"] == "epoch"
    return getattr(torch.optim.lr_scheduler, spec["kind"])(optimizer, **{k: v for k, v in spec.items() if k not in ("kind", "interval")})


def trace(step_trace, project, folder):
    file = os.path.join(folder, "sample.athanor")
    with open(file, "w") as out:
        json.dump(project, out)
    output = os.path.join(folder, "trace.json")
    subprocess.run([step_trace, file, output], check=True, stderr=subprocess.DEVNULL)
    with open(output) as read:
        return {step: float(value) for step, value in json.load(read)["series"]["train/loss"]}


def main(step_trace, batch_dump, samples, name):
    torch.set_num_threads(1)
    with open(os.path.join(samples, name + ".athanor")) as file:
        project = json.load(file)
    training = project["training"]
    training.pop("epochs")
    training.pop("early_stopping", None)
    training.update(steps=STEPS, device="cpu", deterministic=True)
    for node in project["data"]["nodes"]:  # relative paths go on leading to the same files
        for key in ("path", "images", "labels"):
            if key in node.get("params", {}):
                node["params"][key] = os.path.join(samples, node["params"][key])
    with tempfile.TemporaryDirectory() as folder:
        losses = trace(step_trace, project, folder)
        dump = os.path.join(folder, "batches.pt")
        subprocess.run([batch_dump, os.path.join(folder, "sample.athanor"), str(STEPS), dump], check=True)
        batches = torch.load(dump)
    torch.use_deterministic_algorithms(True)
    chain, target, loss_kind = chain_of(project["network"])
    torch.manual_seed(training["seed"])
    model, passing = nn.Sequential(), batches[0][chain[0]["params"]["field"]]
    for node in chain[1:]:
        made = layer(node["kind"], node.get("params", {}), passing)
        model.add_module(node["id"], made)
        state = torch.get_rng_state()
        with torch.no_grad():
            passing = made.eval()(passing)
        torch.set_rng_state(state)
    model.train()
    optimizer = optimizer_of(training, model.parameters())
    scheduler = scheduler_of(training, optimizer)
    report, epoch = Report(), 0
    for step, batch in enumerate(batches, 1):
        if batch["epoch"].item() != epoch:
            epoch = batch["epoch"].item()
            if scheduler:
                scheduler.step()
        optimizer.zero_grad()
        output = model(batch[chain[0]["params"]["field"]])
        wanted = batch[target]
        loss = F.cross_entropy(output, wanted) if loss_kind == "CrossEntropyLoss" else F.mse_loss(output, wanted.view_as(output))
        loss.backward()
        if "clip_grad_norm" in training:
            torch.nn.utils.clip_grad_norm_(model.parameters(), training["clip_grad_norm"])
        optimizer.step()
        report.compare(f"loss at step {step}", losses[step], loss.item(), RELATIVE)
    assert step == STEPS and losses[STEPS] < losses[1]
    return report.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
