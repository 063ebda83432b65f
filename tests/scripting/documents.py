# SPDX-License-Identifier: Apache-2.0
"""documents.py BUILD: everything that verbs print with --json is as its schema in docs/json says, and has no
member that is not in it. Each schema refuses a document of which any member is missing or of another type."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(HERE), str(TESTS / "import"), str(TESTS / "cli")]
import roundtrip  # noqa: E402
import schemas as of_schemas  # noqa: E402
from planted_steps import Run  # noqa: E402

SLOW = int(os.environ.get("RF_TEST_SLOW") or 1)
RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK",
         "SLURM_PROCID", "SLURM_NTASKS", "MV2_COMM_WORLD_RANK")
# Members of which no document here has a value: they need a GPU, a full disk, a metric of CUPTI's own.
UNSEEN = ("why: causes.work", "profile: session_directory", "gpu-metrics-check: metrics.instead")


class Documents:
    """Runs verbs, checks what they print, and keeps it by its schema."""

    def __init__(self, build, folder):
        self.schemas = of_schemas.Schemas()
        self.program = build / "bin" / "rangefinder"
        self.act = build / "tests" / "cli" / "apps" / "act"
        self.folder = folder
        self.found = {name: [] for name in self.schemas.schema}
        self.environment = {name: value for name, value in os.environ.items() if name not in RANKS}
        self.environment["RANGEFINDER_RUNTIME_DIR"] = str(folder / "runtime")

    def run(self, *words, status=(0,), **environment):
        done = subprocess.run([self.program, *words], capture_output=True, cwd=self.folder,
                              env={**self.environment, **environment})
        assert done.returncode in status, (words, done)
        return done

    def take(self, text):
        for document in self.schemas.check_text(text):
            self.found[document["schema"]].append(document)

    def of(self, *words, status=(0,), **environment):
        """What a verb prints."""
        self.take(self.run(*words, status=status, **environment).stdout.decode())

    def profile(self, name, *words, status=(0,), **environment):
        """Records, and takes its summary."""
        self.run("profile", "-q", "-f", "-o", name, f"--summary-json={name}.facts", *words, status=status, **environment)
        self.take((self.folder / f"{name}.facts").read_text())

    def wait_for(self, condition):
        for _ in range(3000 * SLOW):
            if condition():
                return
            time.sleep(0.02)
        raise AssertionError("waited in vain")


def check_machine(documents):
    documents.of("version", "--json")
    documents.of("--version", "--json")
    documents.of("doctor", "--json", status=(0, 1))
    documents.of("status", "-e", "--json", status=(0, 1))
    documents.of("doctor", "--json", status=(1,), RANGEFINDER_SESSION="/no/such/directory")


def check_recordings(documents):
    """Of every format version, kind of run and kind of import."""
    act = documents.act
    for golden in sorted((TESTS / "golden").glob("*.rf")):
        documents.of("info", "--json", golden)
    documents.profile("run", act, "push:a", "mark:b", "pop")
    documents.profile("packed", "--compress", "--export=json,sqlite", act, "ranges:1000", status=(0, 125))
    documents.profile("cut", act, "push:a", "kill:9", status=(137,))
    documents.profile("focus", "-c", "nvtx", "-p", "step", "--capture-range-end=repeat", act, "trigger:step", "mark:m",
                      "pop", "repeat:3")
    documents.profile("never", "-c", "nvtx", "-p", "nothing", act, "push:step", "pop", status=(3,))
    documents.profile("pieces", "--split=1s", act, "push:a", "pop")
    documents.profile("nothing", "true")
    documents.profile("missing", "there-is-no-such-program", status=(127,))
    names = ["run", "cut", "focus.1", "focus.2", "pieces.1", "nothing"]
    if (documents.folder / "packed.rf").exists():
        names.append("packed")
    for name in names:
        documents.of("info", "--json", f"{name}.rf")
    documents.of("export", "--json", "-q", "-t", "json,csv", "cut.rf")
    documents.of("export", "--json", "-q", "-t", "text", "-o", "/dev/null", "cut.rf")
    documents.of("scrub", "--json", "cut.rf")
    documents.of("recover", "--json", "cut.rf")
    everything = documents.folder / "everything.sqlite"
    roundtrip.make_places(everything)
    documents.of("info", "--json", everything)


def check_ring(documents):
    """A recorder that is full, a snapshot of it, and what it shows while it runs."""
    ready, end = documents.folder / "ready", documents.folder / "end"
    words = [documents.program, "profile", "-q", "-o", "ring", "--ring=1M", "--session-new=flying",
             "--snapshot-on=slow:long:1us", "--summary-json=ring.facts", documents.act, "push:outer", "ranges:200000",
             "mark:m", "push:long", "sleep:1", "pop", f"touch:{ready}", f"await:{end}"]
    environment = {**documents.environment, "RANK": "0", "WORLD_SIZE": "2"}
    with subprocess.Popen(words, cwd=documents.folder, env=environment) as running:
        try:
            documents.wait_for(ready.exists)
            documents.of("sessions", "list", "--json")
            documents.of("status", "--json", "--session=flying")
            documents.of("top", "--json", "-n", "2", "-i", "0.1", "--session=flying")
            documents.of("info", "--json", "--job", "ring.rfdir")
            documents.wait_for((documents.folder / "ring.snapshot1.rf").exists)  # by the rule
            documents.of("snapshot", "--json", "--session=flying", "--reason=to see")
            for number in (1, 2):
                documents.of("info", "--json", f"ring.snapshot{number}.rf")
        finally:
            end.touch()
        assert running.wait() == 0
    documents.take((documents.folder / "ring.facts").read_text())
    documents.of("info", "--json", "ring.rf")
    documents.of("sessions", "list", "--json")


def check_live(documents):
    """What is seen of a program that annotates all the time, in a capture."""
    words = [documents.program, "launch", "-q", "-o", "live", "--session-new=live", "--summary-json=live.facts",
             documents.act, "domain:d", "push:outer", "push:inner", "sleep:1", "pop", "pop", "repeat:1000000"]
    with subprocess.Popen(words, cwd=documents.folder, env=documents.environment) as running:
        try:
            documents.wait_for(lambda: "live" in documents.run("sessions", "list").stdout.decode())
            documents.run("start", "--session=live")
            documents.of("top", "--json", "-n", "3", "-i", "0.2", "live")
            documents.of("stop", "--json", "--session=live")
        finally:
            documents.run("shutdown", "--session=live")
        assert running.wait() == 0
    documents.take((documents.folder / "live.facts").read_text())


def check_job(documents):
    act = documents.act
    for rank, words in enumerate((("push:a", "pop"), ("push:step 1", "kill:9"), ("exit:3",))):
        documents.profile(f"job.{rank}", "--ranks=0-2", act, *words, status=(0, 3, 137), RANK=str(rank), WORLD_SIZE="5",
                          LOCAL_RANK=str(rank))
    files = [f"job.{rank}.rf" for rank in range(3)]
    documents.of("info", "--json", *files)
    documents.of("info", "--json", "--job", *files)
    documents.of("summarize", "-q", "--json", "-o", "job", *files)
    documents.of("info", "--json", "job.rfsum")


def check_answers(documents):
    folder = documents.folder
    for name, options in (("clean", {}), ("read", {"read": 4}), ("lock", {"lock": 60000})):
        Run(folder / f"{name}.sqlite", len(name)).steps(100, **options)
    Run(folder / "few.sqlite", 6).steps(7, read=4)
    Run(folder / "refill.sqlite", 7).steps(60, refill=90000)
    for name in ("clean", "read", "lock", "few", "refill"):
        documents.of("why", "--json", "step 0", f"{name}.sqlite")
        documents.of("advise", "--json", f"{name}.sqlite")
        documents.of("info", "--json", f"{name}.sqlite")
    documents.of("compare", "--json", "clean.sqlite", "--", "lock.sqlite")
    documents.of("compare", "-f", "json", "--fail-on", "counts,cannot-tell", "clean.sqlite", "--", "read.sqlite",
                 status=(0, 4))
    for side, layers in (("a", 4), ("b", 9)):
        for seed in range(5):
            Run(folder / f"{side}{seed}.sqlite", seed).steps(100, layers=layers)
            documents.profile(f"threads.{side}{seed}", documents.act, f"ranges:{20 + layers}", OMP_NUM_THREADS=str(layers))
    sides = [[f"{side}{seed}" for seed in range(5)] for side in "ab"]
    documents.of("compare", "--json", "--fail-on=slower,counts", *[f"{name}.sqlite" for name in sides[0]], "--",
                 *[f"{name}.sqlite" for name in sides[1]], status=(0, 4))
    documents.of("compare", "--json", *[f"threads.{name}.rf" for name in sides[0]], "--",
                 *[f"threads.{name}.rf" for name in sides[1]])
    documents.of("compare", "--json", "a0.sqlite", "--", "b0.sqlite")
    for name, duration in (("fast", 10000), ("slower", 20000)):
        for seed in range(5):
            loop = Run(folder / f"{name}{seed}.sqlite", seed)
            for i in range(50):
                loop.range(f"step {i}", 500, lambda: loop.range("work", duration))
            loop.db.commit()
    documents.of("compare", "--json", "--fail-on=slower", *[f"fast{seed}.sqlite" for seed in range(5)], "--",
                 *[f"slower{seed}.sqlite" for seed in range(5)], status=(4,))


def check_metrics(documents, build):
    """On stand-ins for libcupti and libcuda. Returns whether they were built."""
    double = build / "tests" / "pmsampling" / "double"
    if not (double / "libcupti.so.13").exists():
        print("not checked: gpu-metrics, whose stand-ins are not built")
        return False
    environment = {"RANGEFINDER_CUPTI": str(double / "libcupti.so.13"), "RF_DOUBLE_CUPTI_VERSION": "130500",
                   "LD_LIBRARY_PATH": str(double), "RF_PM_DOUBLE_DRIVER": "devices=0",
                   "RF_DOUBLE_VIOLATIONS": str(documents.folder / "violations")}
    for words in (("--list",), ("--list", "hit_rate"), ("--sets",), ("--set", "gh100"), ("--set", "TriageCompute"),
                  ("--check", "sm__cycles_active.avg"), ("--check", "sm__cycle_active.avg", "sm__cycles_active", "dram__bytes.sum")):
        documents.of("gpu-metrics", "--json", *words, "--chip=GH100", status=(0, 1), **environment)
    return True


def check_progress(documents):
    """Of every verb that has it: lines on standard error, each begun is ended."""
    for words in (("export", "-t", "json", "-o", "-"), ("stats",), ("info",), ("why", "step 0"), ("advise",),
                  ("summarize", "-f")):
        done = documents.run(*words, "--progress=json", "read.sqlite")
        lines = [line for line in done.stderr.decode().splitlines() if line.startswith("{")]
        documents.take("\n".join(lines))


def check_forgeries(documents, left_out):
    """Every schema has a document, and refuses all that can be wrong with it."""
    n_refused = 0
    for name, schema in documents.schemas.schema.items():
        if name.startswith(left_out):
            continue
        assert documents.found[name], f"nothing was printed for {name}"
        for document in sorted(documents.found[name], key=lambda one: -len(json.dumps(one)))[:2]:
            for what, forged in of_schemas.forgeries(schema, document):
                assert not documents.schemas.open[name].is_valid(forged), f"{name}: {what} is not refused"
                n_refused += 1
            for path, strange in of_schemas.strangers(schema, document):
                assert documents.schemas.open[name].is_valid(strange), f"{name}: a later member at {path} is refused"
                assert not documents.schemas.strict[name].is_valid(strange), f"{name}: an unknown member at {path}"
    print(f"{sum(map(len, documents.found.values()))} documents are valid, {n_refused} forgeries were refused")
    assert n_refused > 1000


def check_members(documents, left_out):
    """Every member of a schema was seen with a value."""
    unseen = []
    for name, schema in documents.schemas.schema.items():
        if name.startswith(left_out):
            continue
        seen = set()
        for document in documents.found[name]:
            collect(schema, document, (), seen)
        unseen += [f"{name}: {'.'.join(path)}" for path in described(schema, ()) if path not in seen]
    known = {path for path in UNSEEN if not path.startswith(left_out)}
    assert set(unseen) == known, f"no document has {sorted(set(unseen) ^ known)}"


def described(schema, at):
    for name, one in schema.get("properties", {}).items():
        yield (*at, name)
        yield from described(one, (*at, name))
    if "items" in schema:
        yield from described(schema["items"], at)


def collect(schema, document, at, seen):
    """Adds the members that have a value."""
    if isinstance(document, list):
        for item in document:
            collect(schema.get("items", {}), item, at, seen)
    elif isinstance(document, dict):
        for name, one in schema.get("properties", {}).items():
            if document.get(name) is not None:
                seen.add((*at, name))
                collect(one, document[name], (*at, name), seen)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as folder:
        documents = Documents(build, pathlib.Path(folder))
        check_machine(documents)
        check_recordings(documents)
        check_ring(documents)
        check_live(documents)
        check_job(documents)
        check_answers(documents)
        check_progress(documents)
        left_out = () if check_metrics(documents, build) else ("gpu-metrics",)
        check_forgeries(documents, left_out)
        check_members(documents, left_out)


if __name__ == "__main__":
    main()
