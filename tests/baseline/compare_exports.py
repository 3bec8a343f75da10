#!/usr/bin/env python3
"""Reads what athanor-cli exported as others would, and compares every bit with the checkpoint.

    /usr/bin/python3 compare_exports.py CHECKPOINT STATE_DICT SAFETENSORS
"""
import json
import struct
import sys

import torch

TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
         "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool}


def read_safetensors(file):
    with open(file, "rb") as stream:
        content = stream.read()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8:8 + length]), content[8 + length:]
    assert header.pop("__metadata__") == {"format": "pt"}
    tensors, end = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, stop = entry["data_offsets"]
        assert begin == end, "the data has a hole before " + name
        end, kind = stop, TYPES[entry["dtype"]]
        flat = torch.frombuffer(bytearray(data[begin:stop]), dtype=kind) if stop > begin else torch.empty(0, dtype=kind)
        tensors[name] = flat.reshape(entry["shape"])
    assert end == len(data) and (8 + length) % 8 == 0
    return tensors


def bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def main(checkpoint, state_dict, safetensors):
    wanted = torch.load(checkpoint)["state_dict"]
    pickled = torch.load(state_dict, weights_only=True)
    assert type(torch.load(state_dict)).__name__ == "OrderedDict"
    for state in (pickled, read_safetensors(safetensors)):
        assert sorted(state) == sorted(wanted), (sorted(state), sorted(wanted))
        for name, tensor in wanted.items():
            assert type(state[name]) is torch.Tensor, name
            assert state[name].dtype == tensor.dtype and state[name].shape == tensor.shape, name
            assert bits(state[name]) == bits(tensor), name
    # It fits a module of the same layers, strictly.
    model = torch.nn.ModuleDict({"fc1": torch.nn.Linear(3, 16), "bn": torch.nn.BatchNorm1d(16), "fc2": torch.nn.Linear(16, 2)})
    model.load_state_dict(pickled, strict=True)
    print(json.dumps({"tensors": len(wanted)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
