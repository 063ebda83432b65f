# SPDX-License-Identifier: Apache-2.0
"""A source distribution is made, a wheel of that, and the wheel is used in an environment of its own
that sees nothing of the build."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest

from conftest import BUILD, HERE
from limits import SLOW

SOURCE = HERE.parent.parent
EXAMPLES = SOURCE / "examples" / "python"
MAX_WHEEL_BYTES = 4 << 20
FASTER = "-DCMAKE_C_FLAGS_RELEASE=-O0"  # to compile: what the code does is tested elsewhere
VERSION = re.search(r"VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text().split("project(")[1])[1]

MAKE_SDIST = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"

# Says what runs, and which files of the build it has in it.
WHERE = """
import rangefinder, sys
import rangefinder.nvtx as nvtx
from rangefinder import _pm_sampling, _reader, _session
with nvtx.annotate("here"), open("/proc/self/maps") as maps:
    print(rangefinder.__file__)
    print([line for line in maps if any(folder in line for folder in sys.argv[1:])])
"""

RECORD_ITSELF = """
import rangefinder, rangefinder.nvtx as nvtx
with rangefinder.profile("itself.rf"):
    nvtx.mark("recorded")
print([mark.name for mark in rangefinder.open("itself.rf").marks])
"""


def run(*command, **options):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=1000 * SLOW, **options
    )


def make_environment(folder):
    done = run(sys.executable, "-m", "venv", folder)
    if done.returncode != 0:
        pytest.skip("no virtual environment can be made: python3-venv is not installed")
    return folder / "bin"


def pip(environment, *arguments, **variables):
    return run(
        environment / "python", "-m", "pip", "-q", "--disable-pip-version-check", *arguments, cwd="/",
        env={**os.environ, **variables},
    )


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """(an environment with the build backend, the source distribution)"""
    tools = make_environment(tmp_path_factory.mktemp("tools"))
    done = pip(tools, "install", "--retries", "1", "--timeout", "10", "scikit-build-core>=0.11")
    if done.returncode != 0:
        pytest.skip("the build backend scikit-build-core cannot be had from PyPI")
    folder = tmp_path_factory.mktemp("sdist")
    done = run(tools / "python", "-c", MAKE_SDIST, folder, cwd=SOURCE)
    assert done.returncode == 0, done.stderr
    return tools, folder / f"rangefinder_profiler-{VERSION}.tar.gz"


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    tools, source = sdist
    folder = tmp_path_factory.mktemp("wheel")
    done = pip(
        tools, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source,
        SKBUILD_CMAKE_ARGS=FASTER,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """(the environment's bin, the variables of a user who has activated it)"""
    environment = make_environment(tmp_path_factory.mktemp("user"))
    done = pip(environment, "install", "--no-index", wheel)
    assert done.returncode == 0, done.stderr
    kept = {key: os.environ[key] for key in ("HOME", "TMPDIR", "LANG") if key in os.environ}
    return environment, {**kept, "PATH": f"{environment}:/usr/bin:/bin"}


@pytest.fixture
def use(installed, tmp_path):
    """use(command...): runs it in the environment, in a folder of its own; its standard output"""

    def use(*command):
        done = run(*command, cwd=tmp_path, env=installed[1])
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return use


def test_sdist(sdist):
    with tarfile.open(sdist[1]) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
    assert {"CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml"} <= names
    assert not any(name.startswith(("tests/", ".git", "build")) for name in names)


def test_wheel(wheel):
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert wheel.name.startswith(f"rangefinder_profiler-{VERSION}-{tag}-{tag}-linux_")
    assert wheel.stat().st_size < MAX_WHEEL_BYTES
    with zipfile.ZipFile(wheel) as archive:
        names = {re.sub(r"\.cpython-[^.]*", "", name) for name in archive.namelist()}
    package = {name for name in names if not name.startswith(f"rangefinder_profiler-{VERSION}.dist-info/")}
    scripts = {name for name in package if not name.startswith("rangefinder/")}
    assert {name.split(".data/")[1] for name in scripts} == {"scripts/nsys2json", "scripts/rangefinder"}
    assert {
        "rangefinder/_reader.so", "rangefinder/include/nvtx3/nvToolsExt.h", "rangefinder/_session.so", "rangefinder/bin/rangefinder",
        "rangefinder/lib/librangefinder-inject.so", "rangefinder/lib/librangefinder-profiler.so",
        "rangefinder/lib/rangefinder/python/sitecustomize.py", "rangefinder/nvtx/__init__.pyi",
        "rangefinder/nvtx/_nvtx.so", "rangefinder/py.typed",
    } <= package
    there = {str(path.relative_to(SOURCE / "python")) for path in SOURCE.glob("python/rangefinder/**/*.py*")}
    assert {name for name in there if "__pycache__" not in name} <= package


def test_doctor(use, installed, tmp_path):
    said = use("python", "-m", "rangefinder.doctor")
    assert said.startswith(f"ok    package        {installed[0].parent}")
    assert "ok    self-test " in said
    # PyPI's distribution of the package's name, as pip leaves it
    other = tmp_path / "rangefinder-0.3.0.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: rangefinder\nVersion: 0.3.0\n")
    warning = use("python", "-m", "rangefinder.doctor").splitlines()[1]
    assert warning.startswith(f"warn  package        '{tmp_path}/rangefinder' belongs to another project")


def test_nothing_of_the_build_is_used(use, installed):
    file, mapped = use("python", "-c", WHERE, BUILD, SOURCE).splitlines()
    assert file.startswith(str(installed[0].parent)) and mapped == "[]"
    mapped = use("rangefinder", "profile", "-q", "-o", "here", "python", "-c", WHERE, BUILD, SOURCE)
    assert mapped.splitlines() == [file, "[]"]


def test_command(use, installed):
    assert use("rangefinder", "--version") == f"rangefinder {VERSION}\n"
    assert use("python", "-m", "rangefinder", "--version") == f"rangefinder {VERSION}\n"
    assert use("nsys2json", "--help").startswith("usage: nsys2json ")
    assert str(installed[0].parent) in use("rangefinder", "doctor")


def test_command_elsewhere(wheel, tmp_path):
    """With pip's --target; and a command that was taken away from its package says so."""
    target = tmp_path / "target"
    done = run(sys.executable, "-m", "pip", "-q", "install", "--no-index", "--target", target, wheel)
    if "No module named pip" in done.stderr:
        pytest.skip("this interpreter has no pip")
    assert done.returncode == 0, done.stderr
    assert run(target / "bin" / "rangefinder", "--version").stdout == f"rangefinder {VERSION}\n"
    (tmp_path / "alone").mkdir()
    alone = (target / "bin" / "rangefinder").rename(tmp_path / "alone" / "rangefinder")
    done = run(alone, "--version")
    assert done.returncode == 1 and "cannot find its package in" in done.stderr


def test_headers(use):
    """A program in C finds the headers that the wheel carries."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    include = use("python", "-c", "import rangefinder; print(rangefinder.get_include())").strip()
    program = "#include <nvtx3/nvToolsExt.h>\nint main(void) { nvtxMarkA(\"c\"); return 0; }\n"
    use("sh", "-c", 'printf %s "$1" >mark.c && cc "-I$2" mark.c -o mark -ldl', "sh", program, include)
    use("rangefinder", "profile", "-q", "-o", "mark", "./mark")
    assert '"type":"mark"' in use("rangefinder", "export", "-q", "-t", "jsonl", "-o", "-", "mark.rf")


def test_example(use):
    use("rangefinder", "profile", "-q", "-o", "loop", "python", EXAMPLES / "training_loop.py")
    assert use("python", EXAMPLES / "reading.py", "loop.rf").startswith("ranges: 401, marks: 1, ")
    assert ":step" in use("rangefinder", "stats", "loop.rf")


def test_recipe(use, installed, tmp_path):
    """It finds the interpreter that has the package, in an environment that is not activated too."""
    use("rangefinder", "profile", "-q", "-o", "loop", "python", EXAMPLES / "training_loop.py")
    done = run(installed[0] / "rangefinder", "recipe", "nvtx_sum", "--input", "loop.rf", "--csv", "--output", "out",
               cwd=tmp_path, env={**installed[1], "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and "1 of 1 files" in done.stderr, done.stderr
    assert "training:step" in (tmp_path / "out" / "nvtx_sum.csv").read_text()


def test_functions_trace(use):
    """The files that the command line gives to Python programs are there."""
    use(
        "rangefinder", "profile", "-q", f"--python-functions-trace={EXAMPLES / 'functions.json'}",
        "-o", "pool", "python", EXAMPLES / "thread_pool.py",
    )
    assert "Counting:collections.Counter.most_common" in use("rangefinder", "stats", "pool.rf")


def test_recording_itself(use):
    assert use("python", "-c", RECORD_ITSELF) == "['recorded']\n"
