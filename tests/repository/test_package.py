"""Builds the .deb of a build folder and looks into it. Usage: test_package.py ROOT BUILD VERSION UI(1|0)"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, BUILD = Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
VERSION, UI = sys.argv.pop(1), sys.argv.pop(1) == "1"


def output_of(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        output_of("cpack", "-G", "DEB", "-B", cls.folder / "out", cwd=BUILD)
        packages = list((cls.folder / "out").glob("*.deb"))
        assert len(packages) == 1, packages
        cls.package = packages[0]
        cls.tree = cls.folder / "tree"
        output_of("dpkg-deb", "-x", cls.package, cls.tree)
        cls.contents = {line.split(None, 5)[5].lstrip("."): line for line in
                        output_of("dpkg-deb", "-c", cls.package).splitlines()}

    def field(self, name):
        return output_of("dpkg-deb", "-f", self.package, name).strip()

    def test_control(self):
        self.assertEqual(self.field("Package"), "athanor")
        self.assertEqual(self.field("Version"), VERSION)
        self.assertEqual(self.field("Architecture"), output_of("dpkg", "--print-architecture").strip())
        self.assertIn("training neural networks", self.field("Description").splitlines()[0])
        self.assertEqual(self.package.name, f"athanor_{VERSION}_{self.field('Architecture')}.deb")

    def test_dependencies(self):
        depends = [re.split(r"[ (]", entry.strip())[0] for entry in self.field("Depends").split(",")]
        # Names carry a version and may carry Debian 13's t64 suffix.
        wanted = ["libopenblas0-openmp", "libc6", r"libstdc\+\+6", r"libtorch[\d.]+", r"libopencv-imgcodecs\d+(t64)?",
                  "libsqlite3-0", r"libgvc6(t64)?", r"libxxhash0"]
        if UI:
            wanted += [r"libqt6core6(t64)?", r"libqt6widgets6(t64)?", r"libqt6svg6", r"libqcustomplot[\d.]+-qt6(t64)?",
                       r"libqscintilla2-qt6-15(t64)?"]
        for pattern in wanted:
            self.assertTrue(any(re.fullmatch(pattern, name) for name in depends), f"{pattern} in {depends}")
        self.assertEqual([name for name in depends if name.startswith("libqt5") or name.endswith("-dev")], [])

    def test_contents(self):
        wanted = ["bin/athanor-cli", "share/man/man1/athanor-cli.1.gz", "share/doc/athanor/copyright",
                  "share/doc/athanor/changelog.gz", "share/athanor/samples/digits.athanor"]
        if UI:
            wanted += ["bin/athanor", "share/man/man1/athanor.1.gz", "share/applications/athanor.desktop",
                       "share/mime/packages/athanor.xml", "share/icons/hicolor/scalable/apps/athanor.svg",
                       "share/icons/hicolor/scalable/mimetypes/application-x-athanor.svg"]
        for path in wanted:
            self.assertIn(f"/usr/{path}", self.contents)
        for path, line in self.contents.items():
            self.assertTrue(path == "/" or path.startswith("/usr/"), path)
            self.assertIn(" root/root ", line)
            self.assertRegex(line, r"^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--) ")
            if not path.endswith("/"):
                self.assertEqual(line.startswith("-rwx"), path.startswith("/usr/bin/"), line)
            self.assertFalse(path.endswith((".py", ".h", ".a")), path)

    def test_programs_do_not_depend_on_the_checkout(self):
        for program in (self.tree / "usr/bin").iterdir():
            self.assertNotIn(str(ROOT).encode(), program.read_bytes(), program)
            paths = re.findall(r"^ *R(?:UN)?PATH +(.*)$", output_of("objdump", "-p", program), re.MULTILINE)
            self.assertEqual(paths, ["$ORIGIN/../lib/athanor"], program)
        self.assertTrue((self.tree / "usr/lib/athanor/libathanor_pieces.so").is_file())

    def test_samples_open_where_they_are_installed(self):
        samples = self.tree / "usr/share/athanor/samples"
        listed = json.loads((samples / "samples.json").read_text())
        self.assertEqual({entry["file"] for entry in listed}, {file.name for file in samples.glob("*.athanor")})
        for entry in listed:
            self.assertTrue((samples / entry.get("picture", entry["file"])).is_file(), entry)
            output_of(self.tree / "usr/bin/athanor-cli", "check", samples / entry["file"])

    def test_manual_tells_every_command(self):
        manual = gzip.decompress((self.tree / "usr/share/man/man1/athanor-cli.1.gz").read_bytes()).decode()
        overview = output_of(self.tree / "usr/bin/athanor-cli", "--help")
        commands = re.findall(r"^  ([a-z][a-z-]+) ", overview.split("Subcommands:")[1], re.MULTILINE)
        self.assertIn("train", commands)
        for command in commands:
            self.assertRegex(manual, rf'(?m)^\.BI? "?{command}\b', command)

    @unittest.skipUnless(UI, "a package without the window has no desktop entry")
    def test_desktop_entry_and_type(self):
        output_of("desktop-file-validate", self.tree / "usr/share/applications/athanor.desktop")
        mime = self.folder / "mime"
        shutil.copytree(self.tree / "usr/share/mime", mime)
        output_of("update-mime-database", mime, env={**os.environ, "XDG_DATA_DIRS": str(self.folder)})
        self.assertIn("50:application/x-athanor:*.athanor", (mime / "globs2").read_text().splitlines())


if __name__ == "__main__":
    unittest.main()
