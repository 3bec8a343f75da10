#!/usr/bin/env python3
"""Writes the arrays in npy/ (python3-numpy). The values are given here in full: the tests compare with them."""
import os

import numpy as np

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "npy")
os.makedirs(folder, exist_ok=True)


def save(name, array, version=None):
    with open(os.path.join(folder, name + ".npy"), "wb") as file:
        np.lib.format.write_array(file, np.asarray(array), version=version)


count = np.arange(24).reshape(2, 3, 4)
save("f4", (count / 4).astype("<f4"))
save("f8", (count / 3).astype("<f8"))
save("i4", (count - 5).astype("<i4"))
save("i8", (count * 10**10).astype("<i8"))
save("u1", (count * 10).astype("u1"))
save("bool", count % 3 == 0)
save("fortran", np.asfortranarray(count.astype("<f4")))
save("fortran_i8", np.asfortranarray(np.array([[1, 2], [3, 4], [5, 6]], "<i8")))
save("version2", np.array([1.5, -2.5], "<f4"), (2, 0))
save("version3", np.array([1.5, -2.5], "<f4"), (3, 0))
save("big_endian", np.array([1.5, -2.5], ">f4"))
save("half", np.array([1.5, -2.5], "<f2"))
save("text", np.array(["a", "bc"]))
save("scalar", np.array(3.0, "<f4"))
save("structured", np.array([(1, 2.0)], [("a", "<i4"), ("b", "<f4")]))
with open(os.path.join(folder, "objects.npy"), "wb") as file:
    np.lib.format.write_array(file, np.array([{"a": 1}, None], dtype=object), allow_pickle=True)

# Two samples each, as NumpyFile takes them.
save("pixels_last", np.arange(2 * 2 * 5 * 3, dtype="u1").reshape(2, 2, 5, 3))
save("pixels_first", np.arange(2 * 2 * 5 * 3, dtype="u1").reshape(2, 2, 5, 3).transpose(0, 3, 1, 2).copy())
save("pixels_gray", np.arange(2 * 2 * 5, dtype="u1").reshape(2, 2, 5))
save("labels", np.array([3, 1], "<i8"))
save("labels_column", np.array([[3], [1]], "<i4"))
save("labels_float", np.array([3, 1], "<f4"))
save("labels_fraction", np.array([0.5, 1], "<f4"))
save("labels_bool", np.array([True, False]))
save("target", np.array([0.25, -1], "<f8"))
save("target_int", np.array([7, 8], "<i8"))
save("tokens", np.array([[5, 0, 2], [1, 1, 9]], "<i8"))
save("three", np.zeros(3, "<f4"))
save("none", np.zeros((0, 2), "<f4"))
