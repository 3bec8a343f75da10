"""Every sample trains, and trains well; every template learns. Usage: test_samples.py ROOT CLI"""
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

# Steps after which the loss is clearly lower than at the start.
TEMPLATES = {
    "autoencoder.athanor": 40, "character-lstm.athanor": 30, "lenet-5.athanor": 40, "mlp.athanor": 40,
    "mobilenet-v2.athanor": 40, "resnet-18.athanor": 12, "siamese.athanor": 40, "text-cnn.athanor": 250,
    "transformer-encoder.athanor": 250, "two-tower.athanor": 60, "u-net.athanor": 20, "vae.athanor": 40,
    "vgg-11.athanor": 0,  # takes gigabytes and minutes: only checked here
}
LOWER = 0.9  # the mean of the last fifth against the first fifth


class SamplesTest(unittest.TestCase):
    def test_list_is_complete(self):
        listed = json.loads((SAMPLES / "samples.json").read_text(encoding="utf-8"))
        files = {file.name for file in SAMPLES.glob("*.athanor")}
        self.assertEqual({entry["file"] for entry in listed}, files)
        self.assertEqual(set(GOALS) | set(TEMPLATES), files)
        for entry in listed:
            own = "template" if entry["file"] in TEMPLATES else "picture"
            self.assertEqual(set(entry), {"file", "title", "description", own})
            self.assertTrue(own == "template" or (SAMPLES / entry["picture"]).is_file(), entry)

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

    def test_templates_learn(self):
        for file, steps in TEMPLATES.items():
            with self.subTest(file), tempfile.TemporaryDirectory() as folder:
                store = f"{folder}/runs.sqlite"
                if steps == 0:
                    subprocess.run([CLI, "check", SAMPLES / file, "--json"], stdout=subprocess.PIPE, check=True)
                    continue
                done = subprocess.run([CLI, "train", SAMPLES / file, "--json", "--steps", str(steps), "--store", store,
                                       "--set", "training.validate_every=1000000"],
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                result = json.loads(done.stdout)
                self.assertEqual(result["findings"], [])
                said = subprocess.run([CLI, "runs", "series", str(result["run"]), "train/loss", "--json", "--store", store],
                                      stdout=subprocess.PIPE, text=True, check=True)
                losses = json.loads(said.stdout)["series"]["train/loss"]["values"]
                self.assertEqual(len(losses), steps)
                few = max(1, steps // 5)
                self.assertLess(sum(losses[-few:]), LOWER * sum(losses[:few]), losses)


if __name__ == "__main__":
    unittest.main()
