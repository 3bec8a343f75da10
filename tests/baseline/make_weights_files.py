#!/usr/bin/env python3
"""Writes files of weights as PyTorch and others write them, good ones and others, and what is in them.

    /usr/bin/python3 make_weights_files.py FOLDER

expected.json: {file: {"entry", "tensors": [[name, shape, type, device, sha256 of the contiguous bytes]]}} of the good ones.
"""
import argparse
import collections
import hashlib
import json
import os
import pickle
import struct
import sys
import zipfile

import numpy
import torch
import torchvision
from torch import nn

CODES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
         torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL"}
EXPECTED = {}


def raw(tensor):
    flat = tensor.detach().contiguous().reshape(-1)
    return (flat.view(torch.uint8) if flat.dtype != torch.bool else flat.to(torch.uint8)).numpy().tobytes() if flat.numel() else b""


def expect(file, state, entry="", device="cpu"):
    EXPECTED[file] = {"entry": entry, "tensors": [
        [name, list(tensor.shape), str(tensor.dtype).split(".")[1], device, hashlib.sha256(raw(tensor)).hexdigest()]
        for name, tensor in state.items()]}


class Net(nn.Sequential):
    def __init__(self):
        super().__init__(collections.OrderedDict(fc=nn.Linear(3, 2), bn=nn.BatchNorm1d(2)))


class Marker:
    """An object whose class a reader would have to call: it must be refused, not run."""

    def __reduce__(self):
        return os.mkdir, ("the-code-of-the-file-was-run",)


def prefixed(prefix, state):
    return collections.OrderedDict((prefix + name, tensor) for name, tensor in state.items())


def good_torch_files():
    torch.manual_seed(4)
    state = Net().state_dict()
    base = torch.arange(12, dtype=torch.float32).view(3, 4)

    def save(file, content, inside=None, entry="", **options):
        torch.save(content, file, **options)
        expect(file, content if inside is None else inside, entry)

    save("state_dict.pt", state)
    save("protocol4.pt", state, pickle_protocol=4)
    save("dict.pt", dict(state))
    optimizer = torch.optim.Adam(Net().parameters())
    nested = {"epoch": 3, "loss": 0.5, "done": True, "best": None, "big": 2 ** 40, "huge": 2 ** 90, "negative": -7, "note": "naïve",
              "bytes": b"ab", "set": {1, 2}, "optimizer": optimizer.state_dict(), "size": torch.Size([2]), "dtype": torch.float16,
              "device": torch.device("cpu"), "best_acc": numpy.float64(0.5), "history": numpy.arange(3),
              "args": argparse.Namespace(lr=0.1), "counts": collections.Counter("ab"), "lists": collections.defaultdict(list)}
    for key in ("state_dict", "model_state_dict", "model", "net", "network"):
        save(f"under_{key}.pt", {**nested, key: state}, state, key)
    save("two_deep.pt", {**nested, "model": {"state_dict": state}}, state, "model.state_dict")
    save("with_ema.pt", {"state_dict": state, "state_dict_ema": Net().state_dict()}, state, "state_dict")
    pair = {"encoder": Net().state_dict(), "decoder": Net().state_dict()}
    save("pair.pt", {**pair, "optimizer": optimizer.state_dict()},
         {**prefixed("encoder.", pair["encoder"]), **prefixed("decoder.", pair["decoder"])})
    save("data_parallel.pt", nn.DataParallel(Net()).state_dict())
    model = Net()
    model.fc.weight.note = "an attribute"
    save("parameters.pt", dict(model.named_parameters()))
    save("views.pt", {"rows": base[1:], "columns": base.t(), "one": base[2, 3], "none": base[:0], "steps": base[:, ::2],
                      "expanded": base[0, 1].expand(1000), "whole": base})
    save("empty.pt", {"empty": torch.empty(0), "flat": torch.empty(3, 0, 2), "bool": torch.empty(0, dtype=torch.bool), "scalar": torch.tensor(7.0)})
    save("types.pt", {str(t).split(".")[1]: torch.tensor([[1, 0, 3]]).to(t) for t in CODES})
    tied = nn.Linear(4, 4, bias=False)
    save("tied.pt", {"a.weight": tied.weight, "b.weight": tied.weight, "b.bias": torch.ones(4)})
    save("non_finite.pt", {"w": torch.tensor([float("nan"), float("inf"), -0.0, 1e-45])})
    save("many.pt", {f"w{i}": torch.tensor(float(i)) for i in range(66000)})
    location, torch.serialization.location_tag = torch.serialization.location_tag, lambda storage: "cuda:1"
    torch.save(state, "from_gpu.pt")
    torch.serialization.location_tag = location
    expect("from_gpu.pt", state, device="cuda:1")
    resnet = torchvision.models.resnet18()
    save("resnet18.pt", resnet.state_dict())
    save("resnet18_half.pt", {"epoch": 90, "state_dict": nn.DataParallel(resnet).half().state_dict(), "arch": "resnet18"},
         prefixed("module.", resnet.state_dict()), "state_dict")
    return state


def safetensors(file, tensors, metadata=True, padding=0, **changes):
    header, data = {"__metadata__": {"format": "pt"}} if metadata else {}, b""
    for name, tensor in tensors.items():
        header[name] = {"dtype": CODES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw(tensor))]}
        data += raw(tensor)
    header.update(changes)
    text = json.dumps(header).encode() + b" " * padding
    with open(file, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


def good_safetensors(state):
    def save(file, tensors, **options):
        safetensors(file, tensors, **options)
        expect(file, tensors)

    save("weights.safetensors", state)
    save("plain.safetensors", state, metadata=False, padding=5)
    save("types.safetensors", {str(t).split(".")[1]: torch.tensor([[1, 0, 3]]).to(t) for t in CODES})
    save("empty.safetensors", {"none": torch.empty(0, 3), "scalar": torch.tensor(2.5)})
    save("resnet18.safetensors", torchvision.models.resnet18().state_dict())


def other_torch_files(state):
    torch.save(Net(), "module.pt")
    torch.save({"model": Net(), "epoch": 1}, "module_inside.pt")
    torch.jit.script(nn.Sequential(nn.Linear(3, 2))).save("script.pt")
    torch.save(state, "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save({"w": torch.ones(2), "marker": Marker()}, "object.pt")
    torch.save([torch.ones(2)], "list.pt")
    torch.save(torch.ones(2), "tensor.pt")
    torch.save({"epoch": 3}, "no_tensors.pt")
    torch.save({"w": torch.ones(2, dtype=torch.complex64)}, "complex.pt")
    torch.save({"s": torch.ones(2, 2).to_sparse()}, "sparse.pt")
    with open("pickle.pkl", "wb") as out:
        pickle.dump({"a": 1}, out)
    numpy.savez("arrays.npz", a=numpy.arange(3))
    with zipfile.ZipFile("state_dict.pt") as source, zipfile.ZipFile("compressed.pt", "w", zipfile.ZIP_DEFLATED) as out:
        for name in source.namelist():
            out.writestr(name, source.read(name))
    with zipfile.ZipFile("state_dict.pt") as source, zipfile.ZipFile("big_endian.pt", "w") as out:
        for name in source.namelist():
            out.writestr(name, source.read(name))
        out.writestr("state_dict/byteorder", "big")
    for file, content in (("nothing.pt", b""), ("text.pt", b"these are not the weights"), ("keras.h5", b"\x89HDF\r\n\x1a\n" + bytes(100)),
                          ("array.npy", b"\x93NUMPY" + bytes(100)), ("packed.pt.gz", b"\x1f\x8b" + bytes(100))):
        with open(file, "wb") as out:
            out.write(content)


def damaged_safetensors():
    base = {"w": torch.arange(12, dtype=torch.float32).view(3, 4), "v": torch.ones(2)}
    entry = {"dtype": "F32", "shape": [3, 4], "data_offsets": [0, 48]}
    for name, change in {"outside": {"data_offsets": [16, 64]}, "backwards": {"data_offsets": [48, 0]}, "negative": {"shape": [-3, -4]},
                         "huge": {"shape": [2 ** 62, 2 ** 62]}, "wrong_shape": {"shape": [3, 5]}, "no_shape": {"shape": None},
                         "enormous": {"shape": [2 ** 40], "data_offsets": [0, 2 ** 42]}, "half_number": {"shape": [1.5, 8]}}.items():
        safetensors(f"{name}.safetensors", base, w={**entry, **change})
    safetensors("twice.safetensors", base, x=entry)
    safetensors("float8.safetensors", base, v={"dtype": "F8_E4M3", "shape": [8], "data_offsets": [48, 56]})
    with open("long_header.safetensors", "wb") as out:
        out.write(struct.pack("<Q", 2 ** 40) + b"{}")
    with open("no_json.safetensors", "wb") as out:
        out.write(struct.pack("<Q", 8) + b"{\"w\": [}")


def main(folder):
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    state = good_torch_files()
    good_safetensors(state)
    other_torch_files(state)
    damaged_safetensors()
    with open("expected.json", "w") as out:
        json.dump(EXPECTED, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
