#!/usr/bin/python3
"""Plants faults in real data and sees whether the pre-flight check finds them, and stays silent without them.

Usage: plant_faults.py CLI DATA. DATA holds cifar10/{train,test}/CLASS/*.jpg and tabular/*.csv; nothing is written there.
Exit status 1 when a fault was missed or a healthy set raised a warning.
"""
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

CLI, DATA = sys.argv[1], Path(sys.argv[2])
rng = np.random.default_rng(3)
failures = 0


def check(project, *settings):
    arguments = [CLI, "check", str(project), "--data", "--json", "--fresh"]
    for setting in settings:
        arguments += ["--set", setting]
    out = subprocess.run(arguments, capture_output=True, text=True).stdout
    return json.loads(out)["findings"]


def new(data, project):
    made = subprocess.run([CLI, "new", str(data), "-o", str(project), "--force", "--json"], capture_output=True, text=True)
    if made.returncode:
        print(made.stdout, made.stderr)
    return project


def report(name, findings, rule=None, planted=()):
    global failures
    alarms = [f for f in findings if f["severity"] != "info"]
    if rule is None:
        failures += bool(alarms)
        print(f"{'ok ' if not alarms else 'BAD'} healthy {name}: " + ("; ".join(f["rule"] + ": " + f["message"] for f in alarms) or "silent"))
        return
    found = next((f for f in findings if f["rule"] == rule), None)
    named = {s["name"] for s in found["samples"]} if found else set()
    hits = len(named & set(planted))
    ok = found and (not planted or hits)
    failures += not ok
    others = sorted({f["rule"] for f in alarms} - {rule})
    recall = f", {hits} of {len(planted)} planted samples among {found['sample_count']}" if found and planted else ""
    print(f"{'ok ' if ok else 'BAD'} {name}: {found['severity'] + ': ' + found['message'] if found else 'missed'}{recall}"
          + (f" (also {', '.join(others)})" if others else ""))


def rows_of(table):
    with open(DATA / "tabular" / table, encoding="utf-8") as file:
        return [row for row in csv.reader(file) if row]


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    pictures = folder / "cifar10"
    shutil.copytree(DATA / "cifar10", pictures)
    project = new(pictures, folder / "cifar.athanor")
    report("cifar10", check(project))
    train = sorted((pictures / "train").glob("*/*.jpg"))

    chosen = [train[i] for i in rng.choice(len(train), len(train) // 100, replace=False)]
    for ending, options in ((".png", {}), (".jpg", {"quality": 95}), (".jpg", {"quality": 90})):
        kept = {path: path.read_bytes() for path in chosen}
        names = []
        for path in chosen:
            turned = Image.fromarray(np.asarray(Image.open(path).convert("RGB"))[..., ::-1])
            path.unlink()
            turned.save(path.with_suffix(ending), **options)
            names.append(f"{path.parent.name}/{path.with_suffix(ending).name}")
        report(f"1 % with red and blue exchanged, saved as {ending} {options}", check(project), "data/layout-scrambled", names)
        for path, content in kept.items():
            path.with_suffix(ending).unlink()
            path.write_bytes(content)

    copies = []
    for i in rng.choice(len(train), 5, replace=False):
        copy = pictures / "test" / train[i].parent.name / f"again_{i}.jpg"
        shutil.copy(train[i], copy)
        copies.append(copy)
    report("5 pictures of train in test", check(project), "data/split-leak", [f"{c.parent.name}/{c.name}" for c in copies])
    for copy in copies:
        copy.unlink()

    near = pictures / "test" / train[7].parent.name / "near.jpg"
    Image.open(train[7]).resize((40, 40)).resize((32, 32)).save(near, quality=60)
    report("a picture of train compressed again", check(project), "data/split-leak", [f"{near.parent.name}/near.jpg"])
    near.unlink()

    black = pictures / "train" / train[0].parent.name / "black.png"
    Image.new("RGB", (32, 32)).save(black)
    report("a black picture", check(project), "data/constant-input", [f"{black.parent.name}/black.png"])
    black.unlink()

    half = train[3].read_bytes()
    train[3].write_bytes(half[:len(half) // 2])
    report("a picture cut off", check(project), "data/unreadable-sample", [f"{train[3].parent.name}/{train[3].name}"])
    train[3].write_bytes(half)

    report("sorted, shuffle off", check(project, "data.loader.shuffle=false"), "data/sorted-unshuffled")

    for table in sorted((DATA / "tabular").glob("*.csv")):
        report(table.name, check(new(table, folder / "table.athanor")))

    pima = rows_of("pima-indians-diabetes.csv")
    project = new(DATA / "tabular" / "pima-indians-diabetes.csv", folder / "pima.athanor")
    table = folder / "pima.csv"

    def sick(rows, *settings):
        write(table, rows)
        return check(project, f"data.table.path={table}", *settings)

    rows = [list(row) for row in pima]
    rows[316][4] = "nan"
    report("one NaN cell", sick(rows), "data/non-finite", ["pima.csv, line 317"])
    report("label column off by one", sick(pima, "data.table.target=7"), "data/label-mismatch")
    report("labels shifted by one row", sick([row[:-1] + [other[-1]] for row, other in zip(pima[1:], pima)]), "data/label-mismatch")
    report("leaked target column", sick([row[:3] + [row[-1]] + row[3:] for row in pima], "data.table.target=9"), "data/target-leak")
    rows = [list(row) for row in pima]
    rows[100][1] = "14800"
    report("one value typed wrong", sick(rows), "data/outlier", ["pima.csv, line 101"])
    report("one class only", sick([row[:-1] + ["1"] for row in pima]), "data/label-single-class")
    report("class of 1 %", sick([row for i, row in enumerate(pima) if row[-1] == "0" or i % 50 == 0]), "data/class-imbalance")

    wine = rows_of("winequality-red.csv")
    project = new(DATA / "tabular" / "winequality-red.csv", folder / "wine.athanor")
    table = folder / "wine.csv"
    report("leaked target in wine", sick([[row[-1]] + row for row in wine], "data.table.target=12"), "data/target-leak")
    report("target × 10⁴", sick([row[:-1] + [str(float(row[-1]) * 1e4)] for row in wine]), "data/badly-scaled-target")

sys.exit(1 if failures else 0)
