# SPDX-License-Identifier: Apache-2.0
"""Records programs that use the stand-ins for libcuda, libcudart and libcupti (../double), and
compares what was recorded with what the stand-ins say they did.

That shows that the recorder does what we believe CUPTI wants; it proves nothing about CUPTI."""

import collections
import json
import os

import harness
from harness import SLOW, Failure, Skip, expect_equal, fail_if, shorten  # noqa: F401

# As the stand-in calls it: the type in `export -t jsonl`.
TYPES = {"kernel": "kernel", "memcpy": "memcpy", "peer": "memcpy", "memset": "memset",
         "sync": "sync", "graph": "graph", "memory": "memory", "event": "cuda_event"}
CALLS = {1: "cuda_driver", 2: "cuda_runtime"}
# Calls of the recorder's own; the programs make none of these.
OWN = ("cuDriverGetVersion", "cuDeviceGetAttribute", "cuDeviceGetPCIBusId")
NOISE = ("cudaGetDevice_v3020", "cudaGetLastError_v3020", "cuCtxGetCurrent",
         "__cudaPushCallConfiguration_v13000", "__cudaPopCallConfiguration_v13000")

CLOCK_ERROR_NS = 50_000  # one is usual; a machine that does much else reads its clocks apart


class Test(harness.Test):
    def __init__(self, build):
        super().__init__(build)
        self.double = os.path.join(self.build, "tests", "cuda", "double")
        self.app = os.path.join(self.double, "app")
        self.cupti = os.path.join(self.double, "cupti", "libcupti.so.12")
        if not os.path.exists(self.app):
            raise Skip("the stand-ins were not built")

    def environment(self, truth=None, env=None):
        result = super().environment(truth, env)
        return {k: v for k, v in result.items() if v is not None}

    def cuda_environment(self, run, **double):
        """double: settings of the stand-ins, as in zero_times=3."""
        env = {"RANGEFINDER_CUPTI": self.cupti,
               "RF_DOUBLE_TRUTH": run.path("truth"),
               "RF_DOUBLE_CALLS": run.path("calls"),
               "RF_DOUBLE_VIOLATIONS": run.path("violations")}
        env.update({f"RF_DOUBLE_{k.upper()}": str(v) for k, v in double.items()})
        return env

    def cuda(self, steps, options=(), status=0, env=None, trace=("-t", "cuda,nvtx"), **double):
        """Records the program with these steps, by CUPTI's rules; returns a Run."""
        run = Run(self)
        steps = steps.split() if isinstance(steps, str) else list(steps)
        everything = {**self.cuda_environment(run, **double), **(env or {})}
        run.outcome = self.run([self.rangefinder, "profile", "-o", run.output, *trace, *options,
                                self.app, *steps], env=everything)
        expect_equal(run.outcome.status, status, f"exit status ({run.says})")
        run.check_rules()
        return run


class Run:
    def __init__(self, test):
        test.n_runs += 1
        self.test = test
        self.folder = test.path(f"cuda{test.n_runs}")
        os.mkdir(self.folder)
        self.output = self.path("run.rf")
        self.outcome = None
        self.exported = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    @property
    def says(self):
        return self.outcome.stderr.decode()

    def text(self, name):
        if not os.path.exists(self.path(name)):
            return ""
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def violations(self):
        return self.text("violations").splitlines()

    def all_calls(self):
        """What the recorder asked CUPTI for, word by word, call by call."""
        return [line.split()[3:] for line in self.text("calls").splitlines()]

    def calls(self, word):
        """The words behind this one."""
        return [line[1:] for line in self.all_calls() if line[0] == word]

    def truth(self, *whats):
        """What happened; without calls that failed, which CUPTI may or may not tell of."""
        notes = [json.loads(line) for line in self.text("truth").splitlines()]
        return [n for n in notes if n["what"] in whats and not n.get("result")]

    def items(self, path=None):
        path = path or self.output
        if path not in self.exported:
            done = self.test.command("export", "-t", "jsonl", "-o", "-", path)
            self.exported[path] = [json.loads(line) for line in done.stdout.splitlines()]
        return self.exported[path]

    def of_type(self, *types, path=None):
        return [i for i in self.items(path) if i["type"] in types]

    def info(self, path=None):
        return self.of_type("recording", path=path)[0]

    def facts(self):
        """What `info` says, as JSON."""
        return json.loads(self.test.command("info", "--json", self.output).stdout)

    # ---- Comparison ----

    def check_rules(self):
        fail_if(self.violations(), f"CUPTI's rules were broken: {shorten(self.violations())}")
        fail_if(self.truth("refusal"), "InitializeInjection() returned 0")

    def check(self, nodes=False, noise=False, path=None, **wanted):
        """Everything that happened is recorded, once, at its time. wanted: memory, event: were
        they asked for; nodes: graphs node by node."""
        self.check_calls(noise, path)
        for what in TYPES:
            if what in ("memory", "event") and not wanted.get(what):
                expected = []
            else:
                expected = [n for n in self.truth(what) if self.is_reported(n, nodes)]
            self.check_ops(what, expected, path)
        return self

    @staticmethod
    def is_reported(note, nodes):
        if note["what"] == "graph":
            return not nodes
        return nodes or not note["node"]

    def check_calls(self, noise, path):
        expected = collections.defaultdict(list)
        for note in self.truth("call"):
            if note["name"] in OWN:
                continue
            if noise or note["name"] not in NOISE:
                expected[note["pid"], note["correlation"]].append(note)
        for call in self.of_type(*CALLS.values(), path=path):
            found = expected.pop((call["pid"], call.get("correlation")), None)
            fail_if(found is None, f"a call that was not made, or is there twice: {call}")
            note = found[0]
            expect_equal([call["type"], call["name"], call["tid"], call["result"]],
                         [CALLS[note["domain"]], note["name"], note["tid"], note["result"]],
                         f"call {note}")
            self.check_time(call, note, path)
        fail_if(expected, f"calls that are missing: {shorten(list(expected.values()))}")

    def check_ops(self, what, expected, path):
        wanted = collections.defaultdict(list)
        for note in expected:
            wanted[note["pid"], note["correlation"], note["node"]].append(note)
        for op in self.of_type(TYPES[what], path=path):
            if what in ("memcpy", "peer") and (op["copy_kind"] == "PtoP") != (what == "peer"):
                continue
            key = op["pid"], op.get("correlation"), op.get("graph_node", 0)
            fail_if(not wanted[key], f"a {what} that was not, or is there twice: {op}")
            note = wanted[key].pop()
            self.check_time(op, note, path)
            self.check_content(what, op, note)
        missing = [notes for notes in wanted.values() if notes]
        fail_if(missing, f"{what}: missing {shorten(missing)}")

    def check_content(self, what, op, note):
        pairs = [(op["stream"], note["stream"]), (op["context"], note["context"])]
        if what in ("kernel", "memcpy", "peer", "memset", "graph"):
            pairs += [(op["device"], note["device"])]
        if what == "kernel":
            pairs += [(op["grid"][0], note["grid"]), (op["block"][0], note["block"]),
                      (op["name"], SHORT_NAMES[note["name"]]),
                      (op["full_name"], FULL_NAMES[note["name"]])]
        if what in ("memcpy", "peer", "memset"):
            pairs += [(op["bytes"], note["bytes"])]
        if what == "sync" and note["sync"] in (1, 4):
            pairs = pairs[1:]  # no stream
        if what == "event":
            pairs = pairs[:2]
        for got, right in pairs:
            expect_equal(got, right, f"{what} {op}")

    def real_time(self, ns, path=None):
        """CLOCK_REALTIME of a time in the recording."""
        return self.info(path)["epoch_utc_ns"] + ns

    def check_time(self, item, note, path=None):
        for edge in ("start", "end"):
            if edge + "_ns" not in item:
                continue
            off = self.real_time(item[edge + "_ns"], path) - note[edge]
            fail_if(abs(off) > CLOCK_ERROR_NS, f"{edge} is off by {off} ns: {item}, truth {note}")

    def count(self, *types, path=None):
        return len(self.of_type(*types, path=path))


SHORT_NAMES = {"_Z9vectorAddPKfS0_Pfi": "vectorAdd", "_ZN3net7forwardIfEEvPT_i": "forward",
               "plain_c_kernel": "plain_c_kernel"}
FULL_NAMES = {"_Z9vectorAddPKfS0_Pfi": "vectorAdd(float const*, float const*, float*, int)",
              "_ZN3net7forwardIfEEvPT_i": "void net::forward<float>(float*, int)",
              "plain_c_kernel": "plain_c_kernel"}
