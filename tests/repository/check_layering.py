"""Holds every #include of the product against the layers of docs/architecture.md.

The module table is read from cmake/add_module.cmake, so that there is one truth. Usage: check_layering.py ROOT;
exit status 1 and one line per violation when something is where it must not be.
"""
import re
import sys
from pathlib import Path

SOURCE_SUFFIXES = {".h", ".cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# Third-party headers stay where they are wrapped: (what, pattern, files and folders that may include it).
HOMES = [
    ("LibTorch", re.compile(r"^(torch|ATen|c10|caffe2)/"), ("engine/script", "engine/data", "engine/train")),
    ("OpenCV", re.compile(r"^opencv2/"), ("engine/data",)),
    ("SQLite", re.compile(r"^(sqlite3\.h|SQLiteCpp/)"), ("engine/store",)),
    ("Graphviz", re.compile(r"^(graphviz/|gvc\.h|cgraph\.h)"), ("engine/graph",)),
    ("CLI11", re.compile(r"^CLI/"), ("app",)),
    ("QCustomPlot", re.compile(r"^qcustomplot\.h$"), ("ui/plot/qcustomplot_wrap.h",)),
    ("the QCustomPlot wrapper", re.compile(r"^ui/plot/qcustomplot_wrap\.h$"), ("ui/plot",)),
    ("QScintilla", re.compile(r"^Qsci/"), ("ui/script/qscintilla_wrap.h",)),
    ("the QScintilla wrapper", re.compile(r"^ui/script/qscintilla_wrap\.h$"), ("ui/script",)),
    ("Qt", re.compile(r"^Q[A-Z]|^Qt[A-Z][A-Za-z]*/"), ("ui", "app/main_gui.cpp", "app/gui")),
]

# A torch header costs every file that sees it 14 s and 1.1 GB: these headers alone show it.
TORCH_HEADERS = {"engine/script/script_compiler.h", "engine/data/batch.h", "engine/train/compiled_network.h", "engine/train/layers/attention.h",
                 "engine/train/probe.h"}

# app/ is no module of the table: the command line is the engine alone.
GUI_ENTRY = ("app/main_gui.cpp", "app/gui")


def is_inside(path, places):
    return any(path == place or path.startswith(place + "/") for place in places)


def read_module_table(root):
    """{"engine/base": {"engine/graph", …}} from the ATHANOR_ALLOW_ lists."""
    text = (root / "cmake/add_module.cmake").read_text(encoding="utf-8")
    allowed = {}
    for name, body in re.findall(r"^set\(ATHANOR_ALLOW_(\w+)\s+([^)]*)\)", text, re.MULTILINE):
        names = set()
        for word in body.split():
            reference = re.fullmatch(r"\$\{ATHANOR_ALLOW_(\w+)\}", word)
            names |= allowed[reference.group(1)] if reference else {word.strip('"')}
        allowed[name] = names - {""}
    if not allowed:
        raise SystemExit("cmake/add_module.cmake holds no module table")

    def folder(module):
        return module.replace("_", "/", 1)

    return {folder(name): {folder(other) for other in names} for name, names in allowed.items()}


def module_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] in ("engine", "ui") and len(parts) > 2 else ""


def check_include(path, header, modules):
    """Why the file may not include the header; nothing when it may."""
    for name, pattern, homes in HOMES:
        if pattern.search(header) and not is_inside(path, homes):
            yield f"{name} belongs to {', '.join(homes)}"
    if HOMES[0][1].search(header) and path.endswith(".h") and path not in TORCH_HEADERS:
        yield "a header must not show LibTorch"

    target = module_of(header)
    if not target:
        return
    if target not in modules:
        yield f"{target} is not in the module table"
        return
    home = module_of(path)
    if home:
        if target != home and target not in modules.get(home, set()):
            yield f"{home} may not depend on {target}"
    elif target.startswith("ui/") and not is_inside(path, GUI_ENTRY):
        yield "the command line may not depend on the window"


def check_tree(root):
    modules = read_module_table(root)
    problems = []
    for folder in ("engine", "ui", "app"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SOURCE_SUFFIXES:
                continue
            path = file.relative_to(root).as_posix()
            home = module_of(path)
            if home and home not in modules:
                problems.append(f"{path}: {home} is not in the module table")
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    problems += [f"{path}:{number}: {match.group(2)}: {why}"
                                 for why in check_include(path, match.group(2), modules)]
    return problems


if __name__ == "__main__":
    found = check_tree(Path(sys.argv[1]))
    print("\n".join(found) if found else "every include keeps to the layers")
    sys.exit(1 if found else 0)
