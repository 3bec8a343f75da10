#!/usr/bin/env python3
"""Writes resize.json: images scaled by PyTorch (python3-torch) and, the nearest pixels of bytes, by Pillow
(python3-pil), which the tests hold ours against."""
import json
import os

import torch
import torch.nn.functional as F
from PIL import Image


def scale(pixels, size, mode):
    options = {"mode": mode} if mode.startswith("nearest") else {"mode": mode, "align_corners": False, "antialias": True}
    return F.interpolate(pixels[None], size=size, **options)[0]


def scale_bytes(pixels, size, mode):
    """As Pillow: first the width, then the height, rounded and limited after each."""
    if mode == "nearest":
        planes = [Image.fromarray(plane.byte().numpy()).resize(size[::-1], Image.NEAREST) for plane in pixels]
        return torch.stack([torch.tensor(list(plane.getdata())).view(*size) for plane in planes])
    pixels = scale(pixels, (pixels.shape[1], size[1]), mode).add(0.5).floor().clamp(0, 255)
    return scale(pixels, size, mode).add(0.5).floor().clamp(0, 255)


generator = torch.Generator().manual_seed(3)
cases = []
for channels, height, width in ((1, 7, 5), (3, 12, 9)):
    pixels = torch.randint(0, 256, (channels, height, width), generator=generator).double()
    for mode in ("bilinear", "bicubic", "nearest"):
        for size in ((3, 4), (height, 3), (2 * height + 1, width), (15, 14), (1, 1)):
            cases.append({"mode": mode, "shape": list(pixels.shape), "pixels": pixels.int().flatten().tolist(),
                          "size": size, "floats": [round(v, 4) for v in scale(pixels, size, mode).flatten().tolist()],
                          "bytes": scale_bytes(pixels, size, mode).int().flatten().tolist()})
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "resize.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
