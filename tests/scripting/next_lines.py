# SPDX-License-Identifier: Apache-2.0
"""next_lines.py BUILD: whoever types what stands behind "next:" comes from `profile` to `why`, and on to the
slowest instance, on a terminal and where output is read by programs; these find the same commands in the member next of documents."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "projection"))
from terminal_tables import on_terminal  # noqa: E402

NEXT = "rangefinder: next: "


def next_of(text):
    found = [line[len(NEXT):] for line in text.replace("\r", "").split("\n") if line.startswith(NEXT)]
    assert len(found) <= 1, found
    return found[0] if found else None


class Shell:
    """is_terminal: whether the commands run on one."""

    def __init__(self, build, folder, is_terminal=True):
        self.is_terminal = is_terminal
        self.environment = {**os.environ, "RANGEFINDER_RUNTIME_DIR": str(folder / "runtime"), "TERM": "dumb",
                            "PATH": f"{build / 'bin'}:{build / 'tests' / 'cli' / 'apps'}:{os.environ['PATH']}"}

    def type(self, line):
        """The command that the verb says comes next, or None."""
        if self.is_terminal:
            return next_of(on_terminal(120, "sh", "-c", line, env=self.environment))
        done = self.run(line)
        assert NEXT.encode() not in done.stdout, line
        return next_of(done.stderr.decode())

    def run(self, line):
        return subprocess.run(line, shell=True, check=True, capture_output=True, stdin=subprocess.DEVNULL,
                              env=self.environment)

    def pipe(self, line):
        return self.run(line).stdout

    def document(self, line):
        return json.loads(self.pipe(line))


def slow_program(n=80):
    """Steps, of which every tenth is slow: it waits longer than the others by more than a busy machine costs."""
    words = []
    for i in range(n):
        words += [f"push:step {i}", "push:load", *(["sleep:200"] if i % 10 == 3 else []), "pop", "push:compute",
                  "sleep:5", "pop", "pop"]
    return " ".join(map(shlex.quote, ["act", *words]))


def check_chain(shell):
    line, verbs = f"rangefinder profile -o 'my run' --summary-json=facts.json {slow_program()}", []
    while line is not None and len(verbs) < 10:
        words = shlex.split(line)
        assert words[0] == "rangefinder", line
        verbs.append(words[1])
        if words[1] == "open":
            break
        line = shell.type(line)
    assert verbs[0] == "profile" and "why" in verbs and verbs[-1] == "open", verbs
    print(" -> ".join(verbs))
    assert words[2] == "--at" and words[-1] == "my run.rf", words
    name, index = words[3].split("@/")
    assert name == "load" and int(index) % 10 == 3, words
    return line


def follow(shell, line):
    """The verbs of a chain, which ends by itself."""
    lines = []
    while line is not None and shlex.split(line)[1] != "open":
        assert line not in lines, f"round and round: {lines}"
        lines.append(line)
        line = shell.type(line)
    return " ".join(shlex.split(words)[1] for words in (*lines, *([line] if line else [])))


def check_chains(shell, build):
    """Programs with less to say than the slow one."""
    double = build / "tests" / "cuda" / "double"
    of_gpu = (f"env LD_LIBRARY_PATH={double}/lib RANGEFINDER_CUPTI={double}/cupti rangefinder profile -o gpu "
              f"{double}/app push=step launch=5 copy=1000 sync pop")
    programs = [("rangefinder profile -o marks act mark:one mark:two", "profile stats info open"),
                ("rangefinder profile -o one act push:a pop", "profile stats advise export"),
                # which of its ranges are slow is the machine's choice, and so is the finding of advise
                ("rangefinder profile -o many act ranges:100", "profile stats .*(open|export|advise stats)"),
                ("rangefinder profile -o nothing true", "profile")]
    if (double / "lib" / "libcuda.so.1").exists():
        programs.append((of_gpu, "profile stats .*(open|export|advise stats)"))
    for line, wanted in programs:
        verbs = follow(shell, line).replace(of_gpu.split()[1], "profile")
        assert re.fullmatch(wanted, verbs), (line, verbs)
    marks = shell.document("rangefinder info --json marks.rf")
    assert marks["next"] == "rangefinder open marks.rf", marks["next"]


def check_documents(shell, opened):
    """What is for programs says nothing: its documents have it."""
    facts = json.loads(pathlib.Path("facts.json").read_text())
    assert facts["next"] == "rangefinder stats 'my run.rf'", facts["next"]
    assert shell.document("rangefinder info --json 'my run.rf'")["next"] == facts["next"]
    assert shell.document("rangefinder why --json load 'my run.rf'")["next"] == opened
    for name in "ab":
        shell.run(f"rangefinder profile -q -o {name} act ranges:100")
    for line in ("info --json {}", "why --json load {}", "advise --json {}", "summarize --json -o sum.rfsum {}",
                 "compare -f json a.rf -- b.rf", "compare -f csv a.rf -- b.rf", "stats -f csv {}", "stats -r steps -f json {}",
                 "stats -q {}"):
        done = shell.run("rangefinder " + line.format("'my run.rf'"))
        assert b"next:" not in done.stderr, (line, done.stderr)


def check_others(shell):
    """What each of the other verbs says."""
    shell.pipe("rangefinder profile -q -o even act ranges:100")
    shell.pipe("rangefinder profile -q -o cut act push:a kill:9; true")
    for line, wanted in (
            ("rangefinder info even.rf", "rangefinder stats even.rf"),
            ("rangefinder summarize even.rf", "rangefinder stats even.rfsum"),
            ("rangefinder scrub even.rf", "rangefinder info even-scrubbed.rf"),
            ("rangefinder recover -o again cut.rf", "rangefinder info again.rf"),
            ("rangefinder stats -r steps 'my run.rf'", "rangefinder why 'step 0' 'my run.rf'"),
            ("rangefinder export -t perfetto even.rf", "rangefinder open even.pftrace"),
            ("rangefinder export -t csv,fxt even.rf", "rangefinder open even.fxt"),
            ("rangefinder export -t sqlite even.rf", None),
            ("rangefinder export -q -t json even.rf", None),
            ("rangefinder advise 'my run.rf'", "rangefinder why 'step 0@' 'my run.rf'"),
            ("rangefinder profile -q -o quiet act ranges:3", None),
            ("rangefinder stats -q even.rf", None)):
        found = shell.type(line)
        assert found == wanted, (line, found)


def check_sessions(shell):
    """A capture and a snapshot that were saved by hand."""
    for options, end, wanted in (("launch -q -o capture --session-new=s", "stop", "capture.1.rf"),
                                 ("profile -q -o ring --ring=1M --session-new=s", "snapshot", "ring.snapshot1.rf")):
        line = f"""set -e
            rangefinder {options} act touch:{end}.ready await:{end}.end & pid=$!
            until test -e {end}.ready; do sleep 0.02; done
            case {end} in stop) rangefinder start --session=s;; esac
            rangefinder {end} --session=s
            touch {end}.end; wait $pid"""
        found = shell.type(line)
        assert found is not None and found.endswith(wanted) and found.startswith("rangefinder stats /"), found


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for is_terminal in (True, False):
            place = pathlib.Path(folder) / ("terminal" if is_terminal else "pipes")
            place.mkdir()
            os.chdir(place)
            shell = Shell(build, place, is_terminal)
            opened = check_chain(shell)
            check_chains(shell, build)
            check_documents(shell, opened)
            check_others(shell)
            check_sessions(shell)
        os.chdir("/")


if __name__ == "__main__":
    main()
