# SPDX-License-Identifier: Apache-2.0
"""exits.py BUILD: every exit status of the table in docs/scripting.md is produced, and no other; rangefinder(1)
has the same ones."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "cli"))
from planted_steps import Run  # noqa: E402

SLOW = int(os.environ.get("RF_TEST_SLOW") or 1)
SIGNALED = "128 + N"
OWN = "the program's own"


class Exits:
    """Runs commands, and notes which rows of the table they are of."""

    def __init__(self, build, folder):
        self.environment = {**os.environ, "RANGEFINDER_RUNTIME_DIR": str(folder / "runtime"),
                            "PATH": f"{build / 'bin'}:{build / 'tests' / 'cli' / 'apps'}:{os.environ['PATH']}"}
        self.seen = set()

    def start(self, *words, **options):
        return subprocess.Popen(["rangefinder", *words], env=self.environment, **options)

    def expect(self, row, status, *words):
        done = subprocess.run(["rangefinder", *words], env=self.environment, capture_output=True)
        assert done.returncode == status, (words, status, done)
        self.seen.add(row)
        return done


def check_verbs(exits):
    exits.expect("0", 0, "profile", "-q", "-o", "run", "act", "push:a", "pop")
    for words in (["info", "run.rf"], ["stats", "run.rf"], ["export", "-o", "run.json", "run.rf"], ["version"], ["help"],
                  ["summarize", "run.rf"], ["sessions", "list"], ["why", "a", "run.rf"], ["advise", "run.rf"]):
        exits.expect("0", 0, *words)
    for words in (["info", "none.rf"], ["stats", "none.rf"], ["export", "none.rf"], ["summarize", "none.rf"],
                  ["why", "a", "none.rf"], ["advise", "none.rf"], ["recover", "none.rf"], ["scrub", "none.rf"],
                  ["open", "--online", "--no-browser", "none.rf"], ["status"], ["start"], ["stop"], ["cancel"],
                  ["shutdown"], ["snapshot"], ["top"], ["compare", "run.rf", "--", "none.rf"],
                  ["summarize", "run.rf"],  # it is there already
                  ["gpu-metrics", "--set", "none", "--chip=GH100"]):
        exits.expect("1", 1, *words)
    check_data(exits)
    # of several inputs one cannot be read: the others are shown
    assert b"PushPop,:a" in exits.expect("1", 1, "stats", "-f", "csv", "-r", "nvtx_sum", "run.rf", "none.rf").stdout
    listed = exits.expect("0", 0, "help").stdout.decode().partition("\nverbs:\n")[2].split("\n\n")[0]
    verbs = re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)
    assert len(verbs) > 20, verbs
    for verb in verbs:
        exits.expect("2", 2, verb, "--no-such-option")
    for words in ([], ["frobnicate"], ["profile"], ["info"], ["sessions"], ["export", "-t", "nothing", "run.rf"]):
        exits.expect("2", 2, *words)


def check_data(exits):
    """What a recording lacks is a fact of the data; what no recording can have is wrong usage."""
    filters = [f"--filter-{word}" for word in ("nvtx=zzz", "process=zzz", "thread=zzz", "gpu=7", "rank=7", "payload=zzz=1")]
    for words in [["info"], ["stats"], ["export", "-t", "json", "-o", "-"], ["advise"], ["why", "a"],
                  ["summarize", "-f", "-o", "sum"], ["open", "--online", "--no-browser"]]:
        for option in filters:
            exits.expect("1", 1, *words, option, "run.rf")
        exits.expect("1", 1, *words, "--filter-nvtx=a/5", "run.rf")
        for option in ("--filter-time=zzz", "--filter-activity=zzz", "--filter-gpu=zzz", "--filter-rank=zzz", "--filter-name=/(/",
                       "--filter-payload=a=2..1", "--no-such-option"):
            exits.expect("2", 2, *words, option, "run.rf")
    exits.expect("0", 0, "profile", "-q", "-o", "other", "act", "push:a", "pop")
    two = ["run.rf", "other.rf"]
    for words in (["why", "zzz", "run.rf"], ["why", "zzz", *two], ["open", "--online", "--no-browser", "--at=zzz", "run.rf"],
                  ["open", "--online", "--no-browser", "--at=zzz", *two], ["stats", "-r", "osrt_sum", "run.rf"],
                  ["stats", "-r", "nvtx_sum", "--group-by=zzz", "run.rf"], ["stats", "-r", "steps", "--step=zzz", "run.rf"],
                  ["stats", "-r", "collectives", "--collective=zzz", "run.rf"],
                  ["stats", "--filter-rank=7", *two], ["info", "--filter-rank=7", *two], ["advise", "--filter-rank=7", *two],
                  ["export", "-t", "json", "-o", "-", "--filter-rank=7", *two],
                  ["export", "-t", "json", "-o", "-", "--anchor=zzz", *two],
                  ["summarize", "-f", "-o", "sum", "--step=zzz", "run.rf"],
                  ["compare", "--step=zzz", "run.rf", "--", "other.rf"]):
        exits.expect("1", 1, *words)


def check_profile(exits):
    own = ["profile", "-q", "-f", "-o", "own"]
    for status in (1, 2, 3, 77, 125):
        exits.expect(OWN, status, *own, "act", f"exit:{status}")
    exits.expect(SIGNALED, 128 + 9, *own, "act", "kill:9")
    exits.expect(SIGNALED, 128 + 15, *own, "act", "kill:15")
    never = ["-c", "nvtx", "-p", "nothing"]
    exits.expect("3", 3, *own, *never, "act", "push:a", "pop")
    exits.expect(OWN, 5, *own, *never, "act", "exit:5")  # the program's goes first
    exits.expect("2", 2, *own, "--wait=never", "act", "touch:started")
    assert not pathlib.Path("started").exists()
    exits.expect("125", 125, "profile", "-q", "-o", "run", "act", "touch:started")  # run.rf is there
    assert not pathlib.Path("started").exists()
    exits.expect("127", 127, *own, "there-is-no-such-program")
    pathlib.Path("script").write_text("#!/no/such/interpreter\n")
    exits.expect("126", 126, *own, "./script")  # nobody may execute it
    pathlib.Path("script").chmod(0o755)
    exits.expect("127", 127, *own, "./script")
    # we end the program as it was asked for
    exits.expect("0", 0, *own, "-c", "nvtx", "-p", "a", "--capture-range-end=stop-shutdown", "act", "trigger:a", "pop",
                 "await:never")


def check_gate(exits):
    for name, duration in (("a", 10000), ("b", 20000)):
        for seed in range(5):
            loop = Run(f"{name}{seed}.sqlite", seed)
            for i in range(50):
                loop.range(f"step {i}", duration)
            loop.db.commit()
    sides = [*[f"a{seed}.sqlite" for seed in range(5)], "--", *[f"b{seed}.sqlite" for seed in range(5)]]
    exits.expect("4", 4, "compare", "-q", "--fail-on=slower", *sides)
    exits.expect("0", 0, "compare", "-q", "--fail-on=counts", *sides)
    exits.expect("0", 0, "compare", "-q", *sides)


def check_signals(exits):
    """A verb that a signal ends looks so to whoever waits for it; what it was writing is not left behind."""
    exits.expect("0", 0, "profile", "-q", "-o", "large", "act", "ranges:100000")
    with exits.start("export", "-t", "jsonl", "-o", "-", "large.rf", stdout=subprocess.PIPE) as blocked:
        blocked.stdout.read(1)  # it writes more than a pipe holds
        blocked.send_signal(signal.SIGTERM)
        assert blocked.wait() == -signal.SIGTERM, blocked.returncode
    with exits.start("profile", "-q", "-o", "session", "--session-new=s", "act", "touch:ready", "await:end") as running:
        for _ in range(3000 * SLOW):
            if pathlib.Path("ready").exists():
                break
            time.sleep(0.02)
        with exits.start("top", "--json", "-i", "0.1", "s", stdout=subprocess.PIPE) as top:
            top.stdout.readline()
            top.send_signal(signal.SIGINT)
            assert top.wait() in (130, -signal.SIGINT), top.returncode
        exits.expect("0", 0, "shutdown", "--session=s")
        assert running.wait() == 0, "it was asked for"
    exits.seen.add(SIGNALED)


def check_documents(exits):
    """The table has the rows that were seen, and rangefinder(1) has the same."""
    text = (ROOT / "docs" / "scripting.md").read_text()
    table = re.findall(r"^\| ([^|]+?) \| [^|]*\|[^|]*\|$", text.partition("\n## Exit statuses\n")[2].partition("\n## ")[0],
                       re.MULTILINE)
    rows = {row.strip("`") for row in table} - {"status", "---"}
    assert rows == exits.seen, (rows, exits.seen)
    page = (ROOT / "docs" / "man" / "rangefinder.1").read_text().partition(".SH EXIT STATUS\n")[2].partition("\n.SH")[0]
    listed = set(re.findall(r"^\.TP\n(.+)$", page, re.MULTILINE))
    assert listed == rows, (listed, rows)
    print("produced:", ", ".join(sorted(rows)))


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exits = Exits(build, pathlib.Path(folder))
        check_verbs(exits)
        check_profile(exits)
        check_gate(exits)
        check_signals(exits)
        check_documents(exits)


if __name__ == "__main__":
    main()
