#!/usr/bin/env python3
"""Writes photos/: the raccoon that comes with SciPy (python3-scipy, scipy.misc.face; a photograph by Judy Weggelaar
of 2008, in the public domain), made small, and parts of it."""
import os

from PIL import Image
from scipy import misc

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "photos")
os.makedirs(folder, exist_ok=True)
whole = Image.fromarray(misc.face())
whole.resize((211, 157), Image.LANCZOS).save(os.path.join(folder, "raccoon.png"))
for number, (left, top) in enumerate(((420, 120), (600, 300), (100, 500))):
    part = whole.crop((left, top, left + 256, top + 256)).resize((32, 32), Image.LANCZOS)
    part.save(os.path.join(folder, f"part{number}.png"))
