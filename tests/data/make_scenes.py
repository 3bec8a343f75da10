#!/usr/bin/python3
"""Draws small colour pictures, "suns" and "trees", and keeps them as JPEGs: scenes/train and scenes/val."""
from pathlib import Path

import numpy as np
from PIL import Image

SIDE = 48
rng = np.random.default_rng(7)


def texture(strength):
    coarse = rng.normal(size=(SIDE // 4, SIDE // 4, 1)).repeat(4, 0).repeat(4, 1)
    return strength * (0.6 * coarse + rng.normal(size=(SIDE, SIDE, 1)))


def scene(kind):
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(float) / SIDE
    horizon = rng.uniform(0.45, 0.75)
    sky = np.array([rng.uniform(60, 140), rng.uniform(130, 190), rng.uniform(200, 250)])
    ground = np.array([rng.uniform(60, 150), rng.uniform(90, 160), rng.uniform(20, 70)])
    picture = np.where((y < horizon)[..., None], sky * (0.6 + 0.5 * y[..., None]), ground * (0.5 + 0.6 * y[..., None]))
    cx, cy = rng.uniform(0.2, 0.8), rng.uniform(0.15, 0.35)
    if kind == "sun":
        disc = (x - cx) ** 2 + (y - cy) ** 2 < rng.uniform(0.008, 0.03)
        picture[disc] = [250, rng.uniform(180, 230), 60]
    else:
        trunk = (abs(x - cx) < 0.04) & (y > horizon - 0.2) & (y < horizon + 0.1)
        crown = (x - cx) ** 2 + (y - horizon + 0.3) ** 2 < rng.uniform(0.015, 0.04)
        picture[trunk] = [90, 60, 30]
        picture[crown] = [40, rng.uniform(90, 140), 40]
    return np.clip(picture + texture(rng.uniform(6, 14)), 0, 255).astype(np.uint8)


for part, count in (("train", 20), ("val", 8)):
    for kind in ("sun", "tree"):
        folder = Path(__file__).parent / "scenes" / part / kind
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            Image.fromarray(scene(kind)).save(folder / f"{number:02}.jpg", quality=80)
