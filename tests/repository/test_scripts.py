"""./run, ./test and .ci/run against faked package tools, compiler and programs. Usage: test_scripts.py ROOT

The scripts see a PATH with nothing but the fakes and the few tools they are known to use, so that a tool that a
bare system lacks would be noticed.
"""
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
TOOLS = ["bash", "awk", "cat", "cut", "dirname", "env", "grep", "mkdir", "nproc", "readlink", "sed", "tr"]

# Each fake writes its call to $CALLS. apt-get keeps what it "installed" in $INSTALLED, and what the user had been
# told by then in $TOLD.
FAKES = {
    "dpkg-query": r'''for name; do
        grep -qx "$name" "$INSTALLED" && printf 'installed:%s ' "$name" && found=1
    done; [ "${found:-}" ]''',
    "apt-get": r'''[ "${APT_FAILS:-}" ] && { echo "E: Unable to locate package libtorch-dev"; exit 100; }
    case " $* " in
    *" --assume-no "*) echo "Need to get 12 MB of archives."; exit 1 ;;
    *" install "*) cat "$OUTPUT" >"$TOLD"; printf '%s\n' "$@" >>"$INSTALLED" ;;
    esac''',
    "sudo": 'exec "$@"',
    "id": 'echo "${FAKE_UID:-0}"',
    "cmake": r'''[ "${BUILD_FAILS:-}" ] && { echo "a.cpp:1:2: error: expected ';'"; exit 1; }
    [ "$1" = --preset ] && : >"$ATHANOR/build/build.ninja"
    mkdir -p "$ATHANOR/build/bin"
    for name in athanor athanor-cli; do
        printf '#!/usr/bin/env bash\necho "%s $*" >>"$CALLS"\n' $name >"$ATHANOR/build/bin/$name"
        /bin/chmod +x "$ATHANOR/build/bin/$name"
    done''',
    "ctest": 'exit "${CTEST_STATUS:-0}"',
}


class ScriptTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "a folder"
        for name in ("run", "test", ".ci/run", "cmake/setup.sh"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        sample = self.root / "resources/samples/digits.athanor"
        sample.parent.mkdir(parents=True)
        sample.write_text("{}")
        self.sample = str(sample)

        self.bin = Path(folder.name) / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool, path="/usr/bin:/bin"))
        for name, body in FAKES.items():
            file = self.bin / name
            file.write_text(f'#!/bin/bash\necho "{name} $*" >>"$CALLS"\n{body}\n')
            file.chmod(file.stat().st_mode | stat.S_IXUSR)
        self.state = {name: Path(folder.name) / name.lower() for name in ("CALLS", "INSTALLED", "TOLD", "OUTPUT")}
        for file in self.state.values():
            file.touch()

    def start(self, script, *arguments, **environment):
        self.state["CALLS"].write_text("")
        with self.state["OUTPUT"].open("w") as output:
            done = subprocess.run(
                [str(self.root / script), *arguments], stdout=output, stderr=subprocess.PIPE, text=True, timeout=60,
                env={"PATH": str(self.bin), "ATHANOR": str(self.root), **environment}
                    | {name: str(file) for name, file in self.state.items()})
        self.output = self.state["OUTPUT"].read_text()
        self.errors = done.stderr.splitlines()
        self.calls = self.state["CALLS"].read_text().splitlines()
        return done.returncode

    def called(self, start):
        return [call for call in self.calls if call.startswith(start)]

    def assert_one_line(self, *words):
        self.assertEqual(len(self.errors), 1, self.errors)
        for word in words:
            self.assertIn(word, self.errors[0])

    def test_help(self):
        for script in ("run", "test"):
            self.assertEqual(self.start(script, "--help"), 0)
            self.assertIn("--no-install", self.output)
            self.assertEqual(self.calls, [])

    def test_wrong_use(self):
        self.assertEqual(self.start("run", "--bild-only"), 2)
        self.assert_one_line("--bild-only")
        self.assertEqual(self.start("run", "missing.athanor"), 2)
        self.assert_one_line("missing.athanor")
        self.assertEqual(self.calls, [])

    def test_says_what_it_installs_before_it_does(self):
        self.assertEqual(self.start("run", "--build-only"), 0, self.errors)
        installs = self.called("apt-get install --yes")
        self.assertEqual(len(installs), 1)
        packages = installs[0].split()[4:]
        self.assertIn("libopenblas0-openmp", packages)
        told = self.state["TOLD"].read_text()
        self.assertIn("run: installs through apt: " + " ".join(packages), told)
        self.assertIn("Need to get 12 MB", told)
        self.assertEqual(self.called("sudo"), [])

    def test_second_time_installs_and_configures_nothing(self):
        self.start("run", "--build-only")
        self.assertEqual(self.start("run", "--build-only"), 0)
        self.assertEqual(self.called("apt-get"), [])
        self.assertEqual(self.called("cmake --preset"), [])
        self.assertEqual(len(self.called("cmake --build")), 1)

    def test_installs_only_what_is_missing(self):
        self.start("run", "--build-only")
        kept = [line for line in self.state["INSTALLED"].read_text().split() if line != "ccache"]
        self.state["INSTALLED"].write_text("\n".join(kept) + "\n")
        self.assertEqual(self.start("run", "--build-only"), 0)
        self.assertEqual(self.called("apt-get install --yes"),
                         ["apt-get install --yes --no-install-recommends ccache"])

    def test_sudo_only_when_not_root(self):
        self.assertEqual(self.start("run", "--build-only", FAKE_UID="1000"), 0)
        self.assertEqual(len(self.called("sudo env DEBIAN_FRONTEND=noninteractive apt-get install")), 1)
        self.assertIn("(with sudo)", self.output)

    def test_no_root_and_no_sudo(self):
        (self.bin / "sudo").unlink()
        self.assertEqual(self.start("run", FAKE_UID="1000"), 1)
        self.assert_one_line("sudo", "apt-get install g++")
        self.assertEqual(self.called("apt-get"), [])

    def test_other_system_names_the_packages_and_stops(self):
        (self.bin / "apt-get").unlink()
        self.assertEqual(self.start("run"), 1)
        self.assert_one_line("not a Debian-like system", "libtorch-dev", "--no-install")
        self.assertEqual(self.called("cmake"), [])
        self.assertEqual(self.start("run", "--no-install", "--build-only"), 0)

    def test_failed_installation(self):
        self.assertEqual(self.start("run", APT_FAILS="1"), 1)
        self.assert_one_line("E: Unable to locate package libtorch-dev")
        self.assertEqual(self.called("cmake"), [])

    def test_failed_build(self):
        self.start("run", "--build-only")
        self.assertEqual(self.start("run", BUILD_FAILS="1"), 1)
        self.assert_one_line("the build failed", "a.cpp:1:2: error: expected ';'")
        self.assertEqual(self.called("athanor"), [])

    def test_trains_in_the_terminal_without_a_display(self):
        self.assertEqual(self.start("run"), 0, self.errors)
        self.assertEqual(self.called("athanor"), [f"athanor-cli train {self.sample}"])

    def test_opens_the_window_on_a_display(self):
        for display in ("DISPLAY", "WAYLAND_DISPLAY"):
            self.assertEqual(self.start("run", **{display: ":7"}), 0)
            self.assertEqual(self.called("athanor"), [f"athanor {self.sample}"])

    def test_takes_a_project(self):
        project = self.root / "my.athanor"
        project.write_text("{}")
        self.assertEqual(self.start("run", str(project)), 0)
        self.assertEqual(self.called("athanor"), [f"athanor-cli train {project}"])

    def test_tests_build_everything_and_pass_options_to_ctest(self):
        self.assertEqual(self.start("test", "-L", "engine", CTEST_STATUS="8"), 8)
        self.assertEqual([call for call in self.called("cmake --build") if "--target" in call], [])
        self.assertTrue(self.called("ctest")[0].endswith(" -L engine"))
        packages = self.called("apt-get install --yes")[0].split()
        self.assertIn("python3-torch", packages)
        self.assertIn("libtorch-dev", packages)

    def test_ci_is_the_tests(self):
        self.assertEqual(self.start(".ci/run", CTEST_STATUS="3"), 3)
        self.assertEqual(len(self.called("ctest")), 1)


if __name__ == "__main__":
    unittest.main()
