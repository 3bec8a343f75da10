#!/usr/bin/env python3
"""Runs `athanor-cli doctor` on cases with a known cause, and prints a scored table.

    run_cases.py CLI CASES EXPECTED [--only I01,H02] [--seeds 0,1,2] [--json FILE]

CASES is a folder of <case>-s<seed>.athanor; EXPECTED a JSON file of sick cases: {"I01": {"cause": [rule, …], "blame": [place, …]}}.
Every other case is healthy and must raise no warning or error. A cause is right in first place when the first finding has one
of its rules; a place is right when it stands in that finding's node, series, message, fixes or evidence.
"""
import argparse
import json
import pathlib
import re
import subprocess
import time


def blamed(finding, places):
    text = json.dumps([finding.get(key) for key in ("node", "series", "message", "fixes", "evidence", "samples")], ensure_ascii=False)
    words = set(re.split(r"[^A-Za-z0-9_.]+", text.replace("/", " ").replace("=", " ")))
    spelled = text.replace("/", ".")
    return any(place in words or (("." in place or " " in place) and place in spelled) for place in places)


def examine(cli, project):
    start = time.time()
    done = subprocess.run([cli, "doctor", project, "--json"], capture_output=True, text=True, check=False)
    seconds = time.time() - start
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None, seconds, done.stderr.strip()[-200:]
    if "verdict" not in answer:
        return None, seconds, done.stdout.strip()[-200:]
    return answer, seconds, ""


def judge(case, answer, expected):
    """What is right of an answer, and what it said first."""
    loud = [finding for finding in answer["findings"] if finding["severity"] != "info"]
    first = loud[0]["rule"] if loud else "-"
    if case not in expected:
        return {"healthy": True, "silent": not loud, "said": ", ".join(f["rule"] for f in loud) or "-"}
    rules = expected[case]["cause"]
    hit = next((finding for finding in loud[:2] if finding["rule"] in rules), None)
    return {
        "healthy": False,
        "sick": answer["verdict"] == "sick",
        "first": first in rules,
        "two": hit is not None,
        "place": hit is not None and blamed(hit, expected[case]["blame"]),
        "said": ", ".join(finding["rule"] for finding in loud[:3]) or "-",
    }


def share(rows, key):
    return f"{sum(bool(row[key]) for row in rows)}/{len(rows)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("expected", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", default="")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    expected = json.loads(arguments.expected.read_text())
    only = set(filter(None, arguments.only.split(",")))
    seeds = set(filter(None, arguments.seeds.split(",")))
    rows = []
    for project in sorted(arguments.cases.glob("*.athanor")):
        case, seed = project.stem.rsplit("-s", 1)
        if (only and case not in only) or (seeds and seed not in seeds):
            continue
        answer, seconds, error = examine(arguments.cli, str(project))
        if answer is None:
            row = {"healthy": case not in expected, "silent": False, "sick": False, "first": False, "two": False,
                   "place": False, "said": "FAILED: " + error}
        else:
            row = judge(case, answer, expected)
        row.update(case=project.stem, seconds=round(seconds, 1))
        rows.append(row)
        marks = ["silent"] if row["healthy"] else ["sick", "first", "two", "place"]
        print(f"{project.stem:10s} {' '.join(('+' if row[m] else '-') + m for m in marks):32s} {seconds:5.1f} s  {row['said']}", flush=True)
    sick = [row for row in rows if not row["healthy"]]
    healthy = [row for row in rows if row["healthy"]]
    if sick:
        print("sick cases:", ", ".join(f"{key} {share(sick, key)}" for key in ("sick", "first", "two", "place")))
    if healthy:
        print("healthy cases: silent", share(healthy, "silent"))
    if rows:
        print(f"slowest: {max(row['seconds'] for row in rows)} s")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
