#!/usr/bin/python3
"""Draws the cards of the sample gallery (320×180, SVG) from the samples' own data.

The colours are Okabe-Ito's on a dark ground of their own, so that a card looks the same in both themes.
"""
import base64
import csv
import gzip
import math
import random
import struct
import zlib
from pathlib import Path

HERE = Path(__file__).parent
WIDTH, HEIGHT, MARGIN = 320, 180, 16
GROUND, GRID = "#111827", "#253044"
ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"


def write_card(name, body):
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}">\n<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>\n'
            + "\n".join(body) + "\n</svg>\n")
    (HERE / f"{name}.svg").write_text(text, encoding="utf-8")


def dots(points, color, radius, opacity):
    circles = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>' for x, y in points)
    return f'<g fill="{color}" fill-opacity="{opacity}">{circles}</g>'


def grid():
    lines = "".join(f"M{x} 0V{HEIGHT}" for x in range(40, WIDTH, 40))
    lines += "".join(f"M0 {y}H{WIDTH}" for y in range(30, HEIGHT, 30))
    return f'<path d="{lines}" stroke="{GRID}" fill="none"/>'


def to_card(values_x, values_y):
    """A function from data to card coordinates that fits all values inside the margins."""
    low_x, high_x, low_y, high_y = min(values_x), max(values_x), min(values_y), max(values_y)
    return lambda x, y: (MARGIN + (x - low_x) / (high_x - low_x) * (WIDTH - 2 * MARGIN),
                         HEIGHT - MARGIN - (y - low_y) / (high_y - low_y) * (HEIGHT - 2 * MARGIN))


def read_table(name):
    with (HERE / "data" / name).open(newline="") as file:
        return [row for row in csv.reader(file) if row]


def png(rows):
    """A grey 8-bit PNG of rows of bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    pixels = b"".join(b"\0" + bytes(row) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels, 9)) + chunk(b"IEND", b"")


def enlarge(rows, factor):
    """Bilinear enlargement of rows of bytes."""
    height, width = len(rows), len(rows[0])

    def at(position, size):
        position = min(max((position + 0.5) / factor - 0.5, 0), size - 1)
        low = int(position)
        return low, min(low + 1, size - 1), position - low

    out = []
    for y in range(height * factor):
        y0, y1, fy = at(y, height)
        line = []
        for x in range(width * factor):
            x0, x1, fx = at(x, width)
            top = rows[y0][x0] * (1 - fx) + rows[y0][x1] * fx
            bottom = rows[y1][x0] * (1 - fx) + rows[y1][x1] * fx
            line.append(round(top * (1 - fy) + bottom * fy))
        out.append(line)
    return out


def digits():
    """The first images of the set, on the card's ground."""
    columns, lines, size = 9, 5, 28
    data = gzip.decompress((HERE / "data/t10k-images-idx3-ubyte.gz").read_bytes())[16:]
    ground, ink = 0x18, 0xf0
    rows = []
    for line in range(lines):
        for y in range(size):
            row = []
            for column in range(columns):
                start = ((line * columns + column) * size + y) * size
                row += data[start:start + size]
            rows.append([ground + value * (ink - ground) // 255 for value in row])
    image = base64.b64encode(png(enlarge(rows, 2))).decode()
    height = WIDTH * lines // columns
    # The images stand on grey; the ground's hue is laid over them.
    write_card("digits", [
        f'<image x="0" y="{(HEIGHT - height) // 2}" width="{WIDTH}" height="{height}" '
        f'xlink:href="data:image/png;base64,{image}"/>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#1d4ed8" fill-opacity="0.12"/>'])


def iris():
    """Petal length and width, one colour a species."""
    table = read_table("iris.csv")
    place = to_card([float(row[2]) for row in table], [float(row[3]) for row in table])
    generator = random.Random(1)
    body = [grid()]
    for species, color in zip(sorted({row[4] for row in table}), (SKY, ORANGE, GREEN)):
        # Many flowers share their rounded measures: a little scatter shows them all.
        points = [place(float(row[2]) + generator.uniform(-.04, .04), float(row[3]) + generator.uniform(-.04, .04))
                  for row in table if row[4] == species]
        body.append(dots(points, color, 4, 0.8))
    write_card("iris", body)


def wine():
    """Alcohol and mark, with the mean mark along it."""
    table = [(float(row[10]), float(row[11])) for row in read_table("winequality-red.csv")]
    table = [(alcohol, mark) for alcohol, mark in table if 9 <= alcohol <= 13]
    place = to_card([8.95, 13.05], [2.6, 8.4])
    generator = random.Random(1)
    points = [place(alcohol + generator.uniform(-.045, .045), mark + generator.uniform(-.3, .3)) for alcohol, mark in table]
    means = []
    for step in range(16):
        center = 9.125 + step * 0.25
        near = [mark for alcohol, mark in table if abs(alcohol - center) <= 0.3]
        means.append(place(center, sum(near) / len(near)))
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in means)
    write_card("wine-quality", [grid(), dots(points, "#cc79a7", 1.8, 0.55),
                                f'<polyline points="{line}" fill="none" stroke="{YELLOW}" stroke-width="3" '
                                f'stroke-linejoin="round" stroke-linecap="round"/>'])


def spirals():
    generator = random.Random(1)
    body = [grid()]
    for arm, color in ((0, SKY), (1, ORANGE)):
        points = []
        for index in range(150):
            along = math.sqrt((index + 3) / 153)
            angle = along * 3.5 * math.pi + arm * math.pi
            radius = along * (HEIGHT / 2 - 8)
            points.append((WIDTH / 2 + radius * math.cos(angle) * 1.5 + generator.gauss(0, 1.2),
                           HEIGHT / 2 + radius * math.sin(angle) + generator.gauss(0, 1.2)))
        body.append(dots(points, color, 3, 0.9))
    write_card("two-spirals", body)


if __name__ == "__main__":
    digits()
    iris()
    wine()
    spirals()
