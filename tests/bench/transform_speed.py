#!/usr/bin/env python3
"""Time per sample of each transform, ours against torchvision in the same run, on one thread.

Usage: transform_speed.py TRANSFORM_PROBE PHOTO
"""
import json
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
import torchvision.transforms as T
import torchvision.transforms.functional as F
from PIL import Image

warnings.simplefilter("ignore")
torch.set_num_threads(1)
BYTES = {
    "ToTensor": ({}, T.ToTensor()), "Resize": ({"size": [64, 64]}, T.Resize([64, 64])),
    "CenterCrop": ({"size": 100}, T.CenterCrop(100)), "Pad": ({"padding": 4}, T.Pad(4)),
    "RandomCrop": ({"size": 128, "padding": 4}, T.RandomCrop(128, 4)),
    "RandomResizedCrop": ({"size": 64}, T.RandomResizedCrop(64)),
    "RandomHorizontalFlip": ({"p": 1}, T.RandomHorizontalFlip(1)),
    "RandomVerticalFlip": ({"p": 1}, T.RandomVerticalFlip(1)),
    "RandomRotation": ({"degrees": 30, "interpolation": "bilinear"}, T.RandomRotation(30, T.InterpolationMode.BILINEAR)),
    "RandomAffine": ({"degrees": 30, "scale": [0.8, 1.2]}, T.RandomAffine(30, scale=(0.8, 1.2))),
    "RandomPerspective": ({"p": 1}, T.RandomPerspective(p=1)),
    "ColorJitter": ({"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.1}, T.ColorJitter(0.4, 0.4, 0.4, 0.1)),
    "Grayscale": ({}, T.Grayscale()), "GaussianBlur": ({"kernel_size": 5}, T.GaussianBlur(5)),
    "RandAugment": ({}, T.RandAugment()), "RandomAutocontrast": ({"p": 1}, T.RandomAutocontrast(1)),
    "RandomInvert": ({"p": 1}, T.RandomInvert(1)), "RandomEqualize": ({"p": 1}, T.RandomEqualize(1)),
    "RandomPosterize": ({"bits": 3, "p": 1}, T.RandomPosterize(3, 1)),
    "RandomSolarize": ({"threshold": 128, "p": 1}, T.RandomSolarize(128, 1)),
    "RandomAdjustSharpness": ({"sharpness_factor": 2, "p": 1}, T.RandomAdjustSharpness(2, 1)),
}
FLOATS = {
    "Normalize": ({"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.2, 0.2]}, T.Normalize([0.5, 0.4, 0.3], [0.2, 0.2, 0.2])),
    "RandomErasing": ({"p": 1}, T.RandomErasing(1)),
}


def seconds(function, image):
    count, spent = 0, 0.0
    function(image)
    start = time.perf_counter()
    while spent < 0.3:
        function(image)
        count += 1
        spent = time.perf_counter() - start
    return spent / count


def main(probe_path, photo):
    probe = subprocess.Popen([probe_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    image = Image.open(photo).convert("RGB")
    array = np.asarray(image)
    tensor = F.to_tensor(image)
    print(f"{image.width} × {image.height} pixels\n\n| transform | ours, µs | torchvision, µs | ratio |\n|---|---|---|---|")
    for cases, source, element, values in ((BYTES, image, "uint8", array), (FLOATS, tensor, "float32", tensor.numpy())):
        for kind, (params, reference) in cases.items():
            theirs = seconds(reference, source)
            request = {"kind": kind, "params": params, "element": element, "shape": list(values.shape),
                       "values": values.flatten().tolist(), "repeat": max(20, int(0.3 / theirs))}
            probe.stdin.write(json.dumps(request) + "\n")
            probe.stdin.flush()
            answer = json.loads(probe.stdout.readline())
            if "error" in answer:
                raise SystemExit(f"{kind}: {answer['error']}")
            ours = answer["seconds"]
            print(f"| {kind} | {ours * 1e6:.1f} | {theirs * 1e6:.1f} | {theirs / ours:.2f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
