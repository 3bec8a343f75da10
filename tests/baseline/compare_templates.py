"""A template's network against the reference that it names: number of parameters, state, and outputs with its weights.

Usage: compare_templates.py NETWORK_PROBE SAMPLES TEMPLATE
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch import nn

TOLERANCE = 1e-5


def resnet_18():
    from torchvision.models import resnet18
    names = {}
    model = resnet18(num_classes=10)
    for theirs in model.state_dict():
        ours = theirs
        for stage in (2, 3, 4):
            ours = ours.replace(f"layer{stage}.", f"layer{stage}_", 1)
        names[ours.replace("downsample.", "downsample_")] = theirs
    return model, names, {"image": torch.randn(2, 3, 64, 64)}


def vgg_11():
    from torchvision.models import vgg11
    model = vgg11(num_classes=10)
    convolutions = [n for n, m in model.features.named_children() if isinstance(m, nn.Conv2d)]
    linear = [n for n, m in model.classifier.named_children() if isinstance(m, nn.Linear)]
    names = {}
    for end in ("weight", "bias"):
        names.update({f"conv{i}.{end}": f"features.{n}.{end}" for i, n in enumerate(convolutions, 1)})
        names.update({f"fc{i}.{end}": f"classifier.{n}.{end}" for i, n in enumerate(linear, 1)})
    return model, names, {"image": torch.randn(2, 3, 32, 32)}


class Double(nn.Sequential):
    def __init__(self, channels_in, channels):
        layers = []
        for size in (channels_in, channels):
            layers += [nn.Conv2d(size, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()]
        super().__init__(*layers)


class UNet(nn.Module):
    """Ronneberger et al. (2015) in small, with padding, so that nothing need be cropped."""

    def __init__(self):
        super().__init__()
        self.down1, self.down2, self.middle = Double(1, 16), Double(16, 32), Double(32, 64)
        self.up2, self.right2 = nn.ConvTranspose2d(64, 32, 2, 2), Double(64, 32)
        self.up1, self.right1 = nn.ConvTranspose2d(32, 16, 2, 2), Double(32, 16)
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        first = self.down1(x)
        second = self.down2(nn.functional.max_pool2d(first, 2))
        x = self.middle(nn.functional.max_pool2d(second, 2))
        x = self.right2(torch.cat([second, self.up2(x)], 1))
        return self.out(self.right1(torch.cat([first, self.up1(x)], 1)))


def u_net():
    model = UNet()
    inside = {"0": "conv1", "1": "bn1", "3": "conv2", "4": "bn2"}
    names = {}
    for theirs in model.state_dict():
        part, *rest = theirs.split(".")
        ours = [part, inside[rest[0]], *rest[1:]] if len(rest) > 1 else [part, *rest]
        names[".".join(ours)] = theirs
    return model, names, {"image": torch.rand(2, 1, 28, 28)}


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1500, 64, padding_idx=0)
        layer = nn.TransformerEncoderLayer(64, 4, 128, 0.2, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(64, 4)

    def forward(self, tokens, mask):
        places = torch.arange(tokens.size(1)).unsqueeze(1)
        rates = torch.pow(10000.0, -torch.arange(0, 64, 2) / 64)
        position = torch.zeros(tokens.size(1), 64)
        position[:, 0::2] = torch.sin(places * rates)
        position[:, 1::2] = torch.cos(places * rates)
        x = self.layers(self.embed(tokens) + position, src_key_padding_mask=mask == 0)
        return self.out((x * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True))


def transformer_encoder():
    model = Encoder()
    names = {}
    for theirs in model.state_dict():
        names[theirs.replace("layers.layers.", "layer", 1)] = theirs
    mask = torch.ones(3, 24)
    mask[0, 9:] = 0
    mask[2, 17:] = 0
    tokens = torch.randint(1, 1500, (3, 24)) * mask.long()
    return model, names, {"tokens": tokens, "mask": mask}


REFERENCES = {"resnet-18": resnet_18, "vgg-11": vgg_11, "u-net": u_net, "transformer-encoder": transformer_encoder}


def noiseless(project):
    """The project without random noise on its input."""
    for node in project["network"]["nodes"]:
        if node["id"] == "noise":
            node.update(kind="Identity", params={})
    return project


def shake(model):
    """Weights and statistics that differ from layer to layer."""
    for name, value in model.state_dict().items():
        if name.endswith("running_mean"):
            value.normal_(0, 0.1)
        elif name.endswith("running_var"):
            value.uniform_(0.5, 1.5)
        elif value.dtype.is_floating_point and value.dim() == 1:
            value.add_(torch.randn_like(value) * 0.05)


def absolute(project, samples):
    for node in project["data"]["nodes"]:
        params = node.get("params", {})
        for key in ("images", "labels"):
            if key in params:
                params[key] = str(samples / params[key])
        if "fields" in params:
            params["fields"] = {field: str(samples / file) for field, file in params["fields"].items()}
    return project


def ask(probe, project, state, inputs):
    with tempfile.TemporaryDirectory() as folder:
        file, weights = Path(folder, "template.athanor"), Path(folder, "weights.pt")
        file.write_text(json.dumps(project))
        torch.save(state, weights)
        said = {name: {"shape": list(t.shape), "values": t.flatten().tolist(), "index": not t.is_floating_point()}
                for name, t in inputs.items()}
        done = subprocess.run([probe, str(file), str(weights)], input=json.dumps(said), text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main(probe, samples, template):
    torch.manual_seed(5)
    torch.set_num_threads(1)
    model, names, inputs = REFERENCES[template]()
    shake(model)
    model.eval()
    theirs = model.state_dict()
    samples = Path(samples).resolve()
    project = noiseless(absolute(json.loads((samples / f"{template}.athanor").read_text()), samples))
    count = next(iter(inputs.values())).shape[0]
    answer = ask(probe, project, {ours: theirs[name] for ours, name in names.items()},
                 {**inputs, "label": torch.zeros(count, dtype=torch.long)})
    assert set(names.values()) == set(theirs), "the test's map leaves out a name of the reference"
    assert set(answer["state"]) == set(names), sorted(set(answer["state"]) ^ set(names))
    for ours, name in names.items():
        assert answer["state"][ours] == list(theirs[name].shape), (ours, answer["state"][ours], theirs[name].shape)
    assert answer["parameters"] == sum(p.numel() for p in model.parameters()), answer["parameters"]
    with torch.no_grad():
        wanted = model(*inputs.values()).flatten()
    got = torch.tensor(answer["outputs"][0])
    far = (got - wanted).abs().max() / wanted.abs().max()
    print(f"{template}: {answer['parameters']} parameters, {len(names)} tensors, outputs within {far:.1e} of the largest")
    assert far <= TOLERANCE, (got, wanted)


if __name__ == "__main__":
    main(*sys.argv[1:])
