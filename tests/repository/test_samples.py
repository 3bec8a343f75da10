"""Every sample trains, and trains well. Usage: test_samples.py ROOT CLI"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, CLI = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
SAMPLES = ROOT / "resources/samples"

# What a PyTorch script with the same network, split sizes and settings reaches, with room for another shuffle.
GOALS = {
    "digits.athanor": ("val/accuracy", 0.97),
    "iris.athanor": ("val/accuracy", 0.93),
    "wine-quality.athanor": ("val/r2", 0.30),
    "two-spirals.athanor": ("val/accuracy", 0.95),
}


class SamplesTest(unittest.TestCase):
    def test_list_is_complete(self):
        listed = json.loads((SAMPLES / "samples.json").read_text(encoding="utf-8"))
        files = {file.name for file in SAMPLES.glob("*.athanor")}
        self.assertEqual({entry["file"] for entry in listed}, files)
        self.assertEqual(set(GOALS), files)
        for entry in listed:
            self.assertEqual(set(entry), {"file", "title", "description", "picture"})
            self.assertTrue((SAMPLES / entry["picture"]).is_file(), entry["picture"])

    def test_data_is_declared(self):
        licences = (SAMPLES / "LICENSES.md").read_text(encoding="utf-8")
        for file in (SAMPLES / "data").iterdir():
            self.assertIn(f"`data/{file.name}`", licences)

    def test_samples_train_well(self):
        for file, (series, goal) in GOALS.items():
            with self.subTest(file), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([CLI, "train", SAMPLES / file, "--json", "--store", f"{folder}/runs.sqlite"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(result["status"], "finished")
                self.assertGreaterEqual(result["metrics"][series], goal)
                self.assertEqual(result["findings"], [], "a sample is a healthy run")


if __name__ == "__main__":
    unittest.main()
