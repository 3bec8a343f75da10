"""The layering check finds what it is there to find. Usage: test_layering.py ROOT"""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import check_layering

ROOT = Path(sys.argv.pop(1))


class LayeringTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        (self.root / "cmake").mkdir()
        shutil.copy(ROOT / "cmake/add_module.cmake", self.root / "cmake")
        self.write("engine/graph/graph.h", '#include "engine/base/result.h"\n#include <vector>\n')
        self.write("engine/data/batch.h", "#include <torch/types.h>\n")
        self.write("ui/plot/qcustomplot_wrap.h", "#include <qcustomplot.h>\n")
        self.write("ui/script/qscintilla_wrap.h", "#include <Qsci/qsciscintilla.h>\n")
        self.write("app/main_cli.cpp", '#include "engine/run/run_controller.h"\n#include <CLI/CLI.hpp>\n')
        self.write("app/main_gui.cpp", '#include "ui/shell/main_window.h"\n#include <QApplication>\n')

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def assert_planted(self, path, include, why):
        self.write(path, f"// planted\n#include {include}\n")
        problems = check_layering.check_tree(self.root)
        self.assertEqual(len(problems), 1, problems)
        self.assertTrue(problems[0].startswith(f"{path}:2: "), problems)
        self.assertIn(why, problems[0])

    def test_table_matches_the_folders(self):
        modules = check_layering.read_module_table(ROOT)
        self.assertEqual(modules["engine/graph"], {"engine/base"})
        self.assertLessEqual(modules["engine/train"], modules["engine/run"])
        self.assertIn("engine/run", modules["ui/shell"])
        for module in modules:
            self.assertTrue((ROOT / module).is_dir(), module)

    def test_clean_tree_passes(self):
        self.assertEqual(check_layering.check_tree(self.root), [])

    def test_qt_in_the_engine(self):
        self.assert_planted("engine/base/a.cpp", "<QString>", "Qt belongs to")
        (self.root / "engine/base/a.cpp").unlink()
        self.assert_planted("engine/base/b.cpp", "<QtCore/QString>", "Qt belongs to")

    def test_window_in_the_engine(self):
        self.assert_planted("engine/run/a.cpp", '"ui/bridge/session_bridge.h"',
                            "engine/run may not depend on ui/bridge")

    def test_window_in_the_command_line(self):
        self.assert_planted("app/cli/a.cpp", '"ui/theme/theme.h"', "may not depend on the window")

    def test_upward_dependency(self):
        self.assert_planted("engine/base/a.h", '"engine/graph/graph.h"', "engine/base may not depend on engine/graph")

    def test_sideways_dependency(self):
        self.assert_planted("ui/graph/a.h", '"ui/plot/metric_plot.h"', "ui/graph may not depend on ui/plot")

    def test_torch_in_a_torch_free_module(self):
        for header in ("torch/torch.h", "ATen/ATen.h", "c10/util/Exception.h"):
            self.assert_planted("engine/graph/a.cpp", f"<{header}>", "LibTorch belongs to")

    def test_torch_in_an_unlisted_header(self):
        self.assert_planted("engine/train/a.h", "<torch/types.h>", "a header must not show LibTorch")

    def test_qcustomplot_outside_its_wrapper(self):
        self.assert_planted("ui/plot/a.cpp", "<qcustomplot.h>", "QCustomPlot belongs to")

    def test_qscintilla_outside_its_wrapper(self):
        self.assert_planted("ui/graph/a.cpp", "<Qsci/qsciscintilla.h>", "QScintilla belongs to")

    def test_third_party_outside_its_home(self):
        self.assert_planted("engine/train/a.cpp", "<opencv2/core.hpp>", "OpenCV belongs to")
        (self.root / "engine/train/a.cpp").unlink()
        self.assert_planted("ui/bridge/a.cpp", "<SQLiteCpp/Database.h>", "SQLite belongs to")

    def test_module_that_is_not_in_the_table(self):
        self.write("engine/new/a.cpp", "\n")
        self.assertEqual(check_layering.check_tree(self.root), ["engine/new/a.cpp: engine/new is not in the module table"])

    def test_comments_and_strings_are_no_includes(self):
        self.write("engine/base/a.cpp", '// #include <QString>\nauto text = "#include <QString>";\n')
        self.assertEqual(check_layering.check_tree(self.root), [])


if __name__ == "__main__":
    unittest.main()
