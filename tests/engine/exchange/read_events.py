"""Reads TensorBoard event files by the public formats alone (TFRecord, protocol buffers, event.proto), with nothing but
Python's own library: python3 read_events.py FILE… prints {tag: [[step, wall, bits of the double]]} as JSON. Every
checksum is checked; anything that is not as it should be is an exception."""
import json
import struct
import sys

TABLE = []
for n in range(256):
    for _ in range(8):
        n = (n >> 1) ^ (0x82F63B78 if n & 1 else 0)
    TABLE.append(n)


def masked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    at = 0
    while at < len(data):
        header = data[at:at + 8]
        (length,) = struct.unpack("<Q", header)
        assert struct.unpack("<I", data[at + 8:at + 12])[0] == masked(header), "checksum of a length"
        body = data[at + 12:at + 12 + length]
        assert len(body) == length
        assert struct.unpack("<I", data[at + 12 + length:at + 16 + length])[0] == masked(body), "checksum of a record"
        at += 16 + length
        yield body


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        elif kind == 5:
            value, at = data[at:at + 4], at + 4
        else:
            assert kind == 2, f"wire type {kind}"
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        yield key >> 3, value


def scalar(value):
    parts = dict(fields(value))
    if 2 in parts:
        return struct.unpack("<f", parts[2])[0]
    tensor = dict(fields(parts[8]))
    assert tensor[1] == 2, "DT_DOUBLE"
    assert dict(fields(dict(fields(parts[9]))[1]))[1] == b"scalars"
    return struct.unpack("<d", tensor[4])[0]


def main():
    out = {}
    for name in sys.argv[1:]:
        with open(name, "rb") as file:
            events = list(records(file.read()))
        assert dict(fields(events[0]))[3] == b"brain.Event:2"
        for event in events[1:]:
            parts = dict(fields(event))
            wall = struct.unpack("<d", parts[1])[0]
            step = parts.get(2, 0)
            for number, value in fields(parts[5]):
                assert number == 1
                tag = dict(fields(value))[1].decode()
                out.setdefault(tag, []).append([step, wall, struct.pack(">d", scalar(value)).hex()])
    json.dump(out, sys.stdout)


main()
