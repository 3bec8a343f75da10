"""The configurations that leave parts out, and the module table's guard. Usage: test_configure.py ROOT"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))


def cmake(*arguments, folder):
    done = subprocess.run(["cmake", *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    return done.returncode, done.stdout


class ConfigureTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def configure(self, *options):
        status, output = cmake("-S", str(ROOT), "-B", "build", "-G", "Ninja", *options, folder=self.folder)
        self.assertEqual(status, 0, output)
        targets = subprocess.run(["ninja", "-C", str(self.folder / "build"), "-t", "targets", "all"],
                                 stdout=subprocess.PIPE, text=True, check=True).stdout
        return {line.split(":")[0] for line in targets.splitlines()}

    def test_engine_and_its_tests_without_qt_widgets(self):
        targets = self.configure("-DATHANOR_UI=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_Qt6Widgets=ON",
                                 "-DCMAKE_DISABLE_FIND_PACKAGE_Qt6Gui=ON",
                                 "-DCMAKE_DISABLE_FIND_PACKAGE_QCustomPlotQt6=ON")
        self.assertIn("athanor-cli", targets)
        self.assertIn("tst_cli", targets)
        self.assertEqual([name for name in targets if name.startswith("ui_") or name == "athanor"], [])

    def test_command_line_without_any_qt(self):
        targets = self.configure("-DATHANOR_UI=OFF", "-DATHANOR_TESTS=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_Qt6=ON")
        self.assertIn("athanor-cli", targets)
        self.assertIn("engine_run", targets)

    def add_module(self, arguments):
        (self.folder / "guard.cmake").write_text(
            f'cmake_minimum_required(VERSION 3.25)\ninclude("{ROOT}/cmake/add_module.cmake")\nathanor_add_module({arguments})\n')
        return cmake("-P", "guard.cmake", folder=self.folder)

    def test_forbidden_dependency_stops_the_configuration(self):
        status, output = self.add_module("NAME engine_base SOURCES a.cpp DEPENDS engine_graph")
        self.assertNotEqual(status, 0)
        self.assertIn("engine_base may not depend on engine_graph", " ".join(output.split()))

    def test_unknown_module_stops_the_configuration(self):
        status, output = self.add_module("NAME engine_new SOURCES a.cpp")
        self.assertNotEqual(status, 0)
        self.assertIn("engine_new is not in the module table", " ".join(output.split()))

    def test_presets(self):
        status, output = cmake("--list-presets=all", folder=ROOT)
        self.assertEqual(status, 0, output)
        for name in ("dev", "release", "asan-ubsan", "tsan", "no-qt"):
            self.assertEqual(output.count(f'"{name}"'), 3, output)


if __name__ == "__main__":
    unittest.main()
