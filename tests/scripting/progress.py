# SPDX-License-Identifier: Apache-2.0
"""progress.py BUILD: --progress=json prints lines as docs/json/progress.schema.json has them, whose beginnings have
ends; --progress=none and pipes have none."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "projection")]
from schemas import Schemas  # noqa: E402
from terminal_tables import on_terminal  # noqa: E402

N = 5  # recordings


def lines_of(schemas, stderr, words):
    """The lines, in pairs of begin and end."""
    text = "\n".join(line for line in stderr.splitlines() if line.startswith("{"))
    other = [line for line in stderr.splitlines() if not line.startswith(("{", "rangefinder: "))]
    assert not other, (words, other)
    lines, is_open = schemas.check_text(text), {}
    for line in lines:
        what, event = line["what"], line["event"]
        assert (what in is_open) == (event != "begin"), (words, lines)
        last = is_open.pop(what, line)
        assert line["elapsed_ms"] >= last["elapsed_ms"], (words, lines)
        assert last["done"] is None or line["done"] >= last["done"], (words, lines)
        if event != "end":
            is_open[what] = line
    assert not is_open, (words, is_open)
    return lines


class Progress:
    def __init__(self, build):
        self.schemas = Schemas()
        self.program = build / "bin" / "rangefinder"
        self.act = build / "tests" / "cli" / "apps" / "act"

    def run(self, *words, status=0):
        done = subprocess.run([self.program, *words], capture_output=True)
        assert done.returncode == status, (words, done)
        return done.stderr.decode()

    def check(self, what, *words, status=0):
        """Returns the lines about `what`."""
        assert "{" not in self.run(*words, status=status)
        lines = lines_of(self.schemas, self.run(*words, "--progress=json", status=status), words)
        found = [line for line in lines if line["what"].startswith(what)]
        assert found, (words, lines)
        return found


def check_verbs(progress, names):
    one = names[0]
    for words in (["info", one], ["stats", one], ["why", "step", one], ["advise", one]):
        progress.check("reading", *words)
        progress.check("reading", *words, "--filter-time=0/")
    lines = progress.check("exporting", "export", "-q", "-f", "-o", "one.json", one)
    assert lines[0]["done"] == 0 and lines[-1]["done"] == 1, lines
    progress.check("exporting", "export", "-f", "-o", "all.pftrace", *names)
    progress.check("summing up", "summarize", "-f", one)
    progress.check("recovering", "recover", "-f", "-o", "again.rf", one)


def check_many(progress, names):
    """Of several inputs it is known how many are done."""
    for words in (["summarize", "-q", "-f", "-o", "sum", *names], ["stats", "-q", *names],
                  ["stats", "-q", "--sum-inputs", *names], ["compare", "-q", *names[:2], "--", *names[2:]]):
        for jobs in ("--jobs=1", "--jobs=3"):
            lines = progress.check(f"reading {N} recordings", *words, jobs)
            assert [line["done"] for line in lines if line["event"] == "progress" and line["done"] is not None][:N] == [
                (i + 1) / N for i in range(N)], lines


def check_recipe(progress, names):
    done = subprocess.run([progress.program, "recipe", "nvtx_sum", "--input", *names, "--output", "job", "--csv",
                           "--mode=none", "--progress=json"], capture_output=True)
    if b"recipe needs a python3" in done.stderr:
        print("not checked: recipe, whose package is not built")
        return
    assert done.returncode == 0, done
    lines = lines_of(progress.schemas, done.stderr.decode(), "recipe")
    assert [line["done"] for line in lines][:N + 1] == [i / N for i in range(N + 1)], lines


def check_profile(progress):
    progress_lines = progress.run("profile", "-q", "-f", "-o", "run", "--export=json", "--progress=json", progress.act,
                                  "ranges:10")
    assert [line["what"] for line in lines_of(progress.schemas, progress_lines, "profile")][:1] == ["exporting"]


def check_others(progress, names):
    for value in ("json5", "", "true"):
        assert "none of auto, json, none" in progress.run("info", f"--progress={value}", names[0], status=2)
    assert "{" not in progress.run("export", "-q", "-f", "-o", "one.json", "--progress=none", names[0])
    text = on_terminal(120, progress.program, "stats", "-q", "--progress=json", names[0])
    assert '"event":"end"' in text, text


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        progress = Progress(build)
        names = [f"run{i}.rf" for i in range(N)]
        for name in names:
            progress.run("profile", "-q", "-o", name, progress.act, *["push:step", "pop"] * 20)
        check_verbs(progress, names)
        check_many(progress, names)
        check_recipe(progress, names)
        check_profile(progress)
        check_others(progress, names)


if __name__ == "__main__":
    main()
