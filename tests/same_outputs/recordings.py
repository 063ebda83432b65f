# SPDX-License-Identifier: Apache-2.0
"""The recordings whose exports are compared: those that the tests keep, and those that they make.

The scripts and programs that make recordings are those of the older build and of its source tree, so
that a folder of recordings does not depend on the newer one. They lie in sub-folders that say how
much is asked of each: whole/ everything, short/ the main forms.

usage: recordings.py BUILD FOLDER [MORE...]: makes FOLDER; MORE are folders with recordings and
databases that are to be in it, too. A process of its own, since it loads modules of another tree."""

import glob
import gzip
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import zlib

FORMATS_CASES = ("programs", "clocks", "captures", "cuda", "metrics", "directories", "by_hand")
DAMAGED_CASES = ("damaged", "corpus")


def note(text):
    print(f"recordings: {text}", file=sys.stderr, flush=True)


def source_of(build):
    """The source tree of a build folder."""
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_HOME_DIRECTORY"):
            return pathlib.Path(line.split("=", 1)[1])
    sys.exit(f"'{build}' is no build folder")


class Tree:
    """The tests of the older source tree, wherever its folders are."""

    def __init__(self, build):
        self.build, self.source = build, source_of(build)
        self.rangefinder = build / "bin" / "rangefinder"

    def find(self, name, text=""):
        """The file of this name, with this text in it, below tests/ or bench/."""
        for folder in ("tests", "bench"):
            for path in sorted((self.source / folder).rglob(name)):
                if text in path.read_text(errors="replace"):
                    return path
        return None

    def module(self, name, text=""):
        """A script as a module, or None where there is none."""
        path = self.find(name, text)
        if path is None:
            note(f"there is no '{name}': what it makes is left out")
            return None
        sys.path[:0] = [str(path.parent), str(self.source / "tests" / "support")]
        harness = self.find("harness.py")
        if harness:
            sys.path.append(str(harness.parent))
        spec = importlib.util.spec_from_file_location(f"older_{path.stem}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def make(build, folder, more):
    tree = Tree(build)
    whole, short = folder / "whole", folder / "short"
    for path in (whole, short):
        path.mkdir(parents=True)
    kept(tree, whole, short)
    databases(tree, whole, short)
    recorded(tree, whole)
    of_the_formats_test(tree, FORMATS_CASES, whole)
    of_the_formats_test(tree, DAMAGED_CASES, short)
    for number, path in enumerate(more):
        of_a_folder(path, f"more{number}", whole)


def paths_in(folder):
    """The recordings of such a folder, and whether everything is asked of them."""
    return [(path, is_whole) for name, is_whole in (("whole", True), ("short", False))
            for path in sorted((folder / name).iterdir())]


# ---- Files that are there ----

def unpack(packed, to):
    to.write_bytes(gzip.decompress(packed.read_bytes()))


def kept(tree, whole, short):
    tests = tree.source / "tests"
    for path in sorted(tests.rglob("*.rf")):
        shutil.copy(path, whole / f"kept-{path.name}")
    for path in sorted(tests.rglob("*.sqlite.gz")):
        unpack(path, whole / f"kept-{path.name[:-3]}")
    for path in sorted(tests.rglob("corpus_rf/*")):
        shutil.copy(path, short / f"fuzz-{path.name[:12]}.rf")
    for path in sorted(tests.rglob("corpus_nsys/*")):
        shutil.copy(path, short / f"fuzz-{path.name[:12]}.sqlite")


def of_a_folder(folder, prefix, whole):
    for path in sorted(folder.rglob("*")):
        name = f"{prefix}-{'-'.join(path.relative_to(folder).parts)}"
        if path.suffix in (".rf", ".sqlite") and path.is_file():
            shutil.copy(path, whole / name)
        elif path.name.endswith(".sqlite.gz"):
            unpack(path, whole / name[:-3])
        elif path.suffix == ".rfdir":
            copy_session(path, whole / name)


def copy_session(path, to):
    """A session directory whose pools may be links to shared memory."""
    subprocess.run(["cp", "-RL", "--sparse=always", path, to], check=True)


# ---- Databases in the schema of nsys ----

def databases(tree, whole, short):
    roundtrip = tree.module("roundtrip.py", "def make_places")
    if roundtrip:
        roundtrip.make_everything(whole / "made-everything.sqlite")
        roundtrip.make_places(whole / "made-places.sqlite")
    counters = tree.module("counters.py", "TARGET_INFO_GPU_METRICS")
    if counters:
        counters.make(whole / "made-counters.sqlite")
    hostile = tree.module("hostile_files.py", "def complete")
    if hostile:
        odd_databases(hostile, whole, short)
    maker = tree.find("make_nsys.py")
    for name, options in (("text", []), ("registered", ["--names", "registered"]),
                          ("both", ["--names", "both", "--processes", "2", "--small-ranges", "1"]),
                          ("same-device", ["--processes", "3", "--same-device", "--idle-threads",
                                           "3", "--long-ranges", "20"])):
        if maker:
            subprocess.run([sys.executable, maker, whole / f"made-training-{name}.sqlite",
                            "--kernels", "1500", *options], check=True, capture_output=True)


def odd_databases(hostile, whole, short):
    """Every table filled; with values missing or of another type here and there; without a table."""
    hostile.complete(whole / "made-complete.sqlite")

    def changer(seed, odd):
        def change(table, column, i, value):
            number = zlib.crc32(f"{table}.{column}.{i}.{seed}".encode())
            return odd[number // 7 % len(odd)] if number % 7 == 0 else value
        return change

    for seed in range(4):
        hostile.complete(short / f"made-nulls-{seed}.sqlite", changer(seed, [None]))
        hostile.complete(short / f"made-types-{seed}.sqlite",
                         changer(seed, ["text", 1.5, -1, 1 << 62, b"\xff\x00", "7"]))
    for table in hostile.TABLES:
        rest = {name: columns for name, columns in hostile.TABLES.items() if name != table}
        hostile.complete(short / f"made-without-{table}.sqlite", tables=rest)


# ---- Recorded here ----

def recorded(tree, whole):
    examples = sorted(path for path in (tree.build / "bin").glob("example-*")
                      if not path.name.startswith("example-cuda-"))  # these need a GPU
    for example in examples:
        profile(tree, whole, example.name, [], [example])
    for name, options in (("one", []), ("repeat", ["--capture-range-end=repeat"])):
        profile(tree, whole, f"captures-{name}", ["-c", "nvtx", "-p", "profile@training", *options],
                [tree.build / "bin" / "example-training_loop"])
    app = tree.build / "tests" / "cuda" / "double" / "app"
    steps = tree.module("cases_exports.py", "STEPS =") if app.exists() else None
    if steps:
        environment = {"RANGEFINDER_CUPTI": str(app.parent / "cupti" / "libcupti.so.12")}
        profile(tree, whole, "cuda-two", ["-t", "cuda,nvtx", *steps.OPTIONS],
                ["sh", "-c", f"{app} {steps.STEPS} & {app} {steps.STEPS}; wait"], environment)
        profile(tree, whole, "cuda-names", ["-t", "cuda,nvtx"], [app, *steps.NAMES.split()],
                environment)


def profile(tree, whole, name, options, program, environment=None):
    done = subprocess.run(
        [tree.rangefinder, "profile", "-q", *options, "-o", whole / f"recorded-{name}", *program],
        env={**os.environ, **(environment or {})}, cwd=whole, capture_output=True, check=False)
    if not glob.glob(str(whole / f"recorded-{name}*.rf")):
        note(f"{name} was not recorded: {done.stderr.decode()}")


def of_the_formats_test(tree, cases, to):
    """What the test of the format page makes, kept instead of compared."""
    module = tree.module("recordings.py", "class Maker")
    if module is None:
        return

    class Keeper(module.Maker):
        def check(self, path, least=0):
            self.n += 1
            name = f"{self.case}-{self.n}-{os.path.basename(path)}"
            (copy_session if os.path.isdir(path) else shutil.copy)(path, to / name)

        def check_live(self, directory):
            """What it shows depends on when it is read."""

    for case in cases:
        folder = tree.build / f"same-outputs-{os.getpid()}"
        folder.mkdir()
        keeper = Keeper(str(tree.build), str(tree.source), str(folder))
        keeper.case, keeper.n = case, 0
        try:
            getattr(module, f"case_{case}")(keeper)
        except (module.Skip, module.compare.Difference) as why:
            note(f"{case}: {why}")
        finally:
            keeper.close()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), [pathlib.Path(p) for p in sys.argv[3:]])
