# SPDX-License-Identifier: Apache-2.0
# Whether a program became slower, of databases that are made here.
command -v python3 >/dev/null || exit 77
python3 - <<'MAKE'
import random
import sqlite3


class Run:
    """A loop of steps: load, forward (layers), backward."""

    def __init__(self, path, seed, host_factor=0.01, domain=None):
        self.db = sqlite3.connect(path)
        self.db.execute("CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, domainId)")
        self.domain = 1 if domain else 0
        if domain:
            self.db.execute("INSERT INTO NVTX_EVENTS VALUES(0, NULL, 75, ?, ?, 1)", (domain, 1 << 48 | 70 << 24))
        self.tid = 1 << 48 | 70 << 24 | 71
        self.at = 1000
        self.random = random.Random(seed)
        self.factor = 1 + host_factor * (self.random.random() - 0.5)

    def range(self, name, *durations):
        start = self.at
        for duration in durations:
            if isinstance(duration, int):
                self.at += round(duration * self.factor * (1 + 0.02 * self.random.random()))
            else:
                duration()
        self.db.execute("INSERT INTO NVTX_EVENTS VALUES(?, ?, 59, ?, ?, ?)",
                        (start, self.at, name, self.tid, self.domain))

    def steps(self, n, backward=50000, layers=4, step="step", more=(), read=80000):
        self.range("init", 20000, lambda: self.range("read", read))
        for i in range(n):
            self.range(step.replace("#", str(i)),
                       lambda: self.range("load", 20000),
                       lambda: self.range("forward", *[lambda: self.range("layer", 10000)
                                                       for _ in range(layers)]),
                       lambda: self.range("backward", backward),
                       *[lambda name=name: self.range(name, 5000) for name in more])
            self.at += 500
        self.db.commit()


for i in range(5):
    Run(f"a{i}.sqlite", 10 + i).steps(50)
    Run(f"b{i}.sqlite", 20 + i).steps(50, backward=60000)
    Run(f"same{i}.sqlite", 30 + i).steps(60)  # ran for longer
    Run(f"more{i}.sqlite", 40 + i).steps(50, layers=5, more=["it's <b>\033[31m"])
    Run(f"noisy{i}.sqlite", 50 + i, 0.5).steps(50)
    Run(f"n{i}.sqlite", 60 + i).steps(50, step="step #", backward=45000)
    run = Run(f"ops{i}.sqlite", 80 + i)  # whose names differ from run to run
    for op in range(1200):
        run.range(f"op_{op * (i + 1)}", 1000)
    run.db.commit()
    Run(f"late{i}.sqlite", 90 + i).steps(50, read=160000)
    Run(f"lib{i}.sqlite", 100 + i, domain="lib").steps(50)
    Run(f"slowlib{i}.sqlite", 110 + i, domain="lib").steps(50, backward=60000)
    for name, inner in (("short", 50000), ("long", 90000)):  # nothing repeats
        run = Run(f"{name}{i}.sqlite", 120 + i)
        run.range("main", 40000, lambda: run.range("inner", inner))
        run.db.commit()
    Run(f"other{i}.sqlite", 70 + i).range("something else", 5000000)
MAKE
# what differs between the sides: nothing, a range, counts, the noise, the names of steps
run rangefinder compare a?.sqlite -- same?.sqlite
run rangefinder compare a?.sqlite -- b?.sqlite
run rangefinder compare b?.sqlite -- a?.sqlite --rows=1
run rangefinder compare a?.sqlite -- more?.sqlite
run rangefinder compare -f markdown a?.sqlite -- more?.sqlite
run rangefinder compare --rows=3 a?.sqlite -- noisy?.sqlite
# what is slower is not the step; or it is in a domain; or nothing repeats: `why` finds it
run rangefinder compare --rows=4 a?.sqlite -- late?.sqlite
run rangefinder compare --rows=4 lib?.sqlite -- slowlib?.sqlite
run rangefinder compare short?.sqlite -- long?.sqlite
run_quiet rangefinder why init late0.sqlite
run_quiet rangefinder why step@lib slowlib0.sqlite
run rangefinder compare -f csv n0.sqlite n1.sqlite n2.sqlite -- n3.sqlite n4.sqlite
run rangefinder compare --fold-numbers --step=step n?.sqlite -- a?.sqlite
# names with numbers, which are one, unless that is not wanted
run rangefinder compare --fail-on=counts ops0.sqlite ops1.sqlite -- ops2.sqlite ops3.sqlite
run rangefinder compare --fold-numbers=false --rows=2 ops0.sqlite ops1.sqlite -- ops2.sqlite ops3.sqlite
# gates
run_quiet rangefinder compare --fail-on=slower,counts,cannot-tell a?.sqlite -- same?.sqlite
run_quiet rangefinder compare --fail-on slower a?.sqlite -- b?.sqlite
run_quiet rangefinder compare --fail-on counts a?.sqlite -- b?.sqlite
run_quiet rangefinder compare a?.sqlite -- more?.sqlite --fail-on counts
run_quiet rangefinder compare --fail-on slower,counts a?.sqlite -- noisy?.sqlite
run_quiet rangefinder compare --fail-on cannot-tell a?.sqlite -- noisy?.sqlite
run_quiet rangefinder compare --fail-on slower --effect=25% a?.sqlite -- b?.sqlite
run_quiet rangefinder compare --fail-on slower --effect=8 a?.sqlite -- b?.sqlite
# one run a side fails no gate
run rangefinder compare --fail-on slower,counts a0.sqlite -- b0.sqlite
run rangefinder compare --fail-on slower,counts -f json --rows=1 a0.sqlite -- more?.sqlite
# summaries and folders, which give the same answer
rangefinder summarize -q a?.sqlite -o a.rfsum
mkdir b
mv b?.sqlite b
rangefinder compare -f json a.rfsum -- b >summaries.json
rangefinder compare -f json a?.sqlite -- b >recordings.json
run cmp summaries.json recordings.json
run python3 -c 'import json; print(*json.load(open("recordings.json")), sep=" ")'
# machines that differ
rangefinder summarize -q b -o b.rfsum
for gpu in a b; do
    python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1] + ".rfsum") as db:
    db.execute("DELETE FROM settings")
    db.execute("INSERT INTO settings SELECT input, \"gpu\", \"1 x \033\" || ? FROM inputs", sys.argv[1])' $gpu
done
run rangefinder compare --fail-on=slower,counts --rows=2 a.rfsum -- b.rfsum
run_quiet rangefinder compare --fail-on=slower --ignore=gpu a.rfsum -- b.rfsum
run_quiet rangefinder compare --fail-on=slower --ignore=cpu,recorder a.rfsum -- b.rfsum
# what cannot be compared
run rangefinder compare a?.sqlite -- other?.sqlite
run rangefinder compare a?.sqlite
run rangefinder compare -- b
run rangefinder compare a?.sqlite --
run rangefinder compare a?.sqlite -- a3.sqlite
cp a3.sqlite again.sqlite
run_quiet rangefinder compare a?.sqlite -- again.sqlite
run_quiet rangefinder compare a0.sqlite a0.sqlite -- b
head -c 5000 a1.sqlite >damaged.sqlite
run_quiet rangefinder compare a?.sqlite damaged.sqlite -- b nothing.rf
run_quiet rangefinder compare nothing.rf -- b
run_quiet rangefinder compare --step=stap a?.sqlite -- b
run_quiet rangefinder compare --fail-on slow a?.sqlite -- b
run_quiet rangefinder compare --effect=0 a?.sqlite -- b
run_quiet rangefinder compare --effect=nan a?.sqlite -- b
run_quiet rangefinder compare --format=html a?.sqlite -- b
run_quiet rangefinder compare --format=csv:dur=parsecs a?.sqlite -- b
# a recording that comes again, as a copy, in a summary or in a sum; the others of a summary stay
for i in 0 1 2; do
    rangefinder profile -q -o rec$i act push:step pop push:step pop push:step pop
done
cp rec0.rf copy.rf
rangefinder summarize -q rec0.rf rec1.rf -o two
rangefinder summarize -q --merge rec0.rf rec1.rf -o sum
for a in 'rec0.rf two.rfsum' 'two.rfsum copy.rf' 'rec0.rf sum.rfsum' 'sum.rfsum two.rfsum'; do
    # shellcheck disable=SC2086
    run rangefinder compare $a -- rec2.rf | grep -o '^[+=].*\|^A: . runs'
done
for b in two.rfsum sum.rfsum copy.rf 'rec2.rf copy.rf'; do
    # shellcheck disable=SC2086
    run_quiet rangefinder compare rec0.rf -- $b
done
run_quiet rangefinder compare --rank-from=order rec0.rf -- rec2.rf copy.rf
run_quiet rangefinder compare sum.rfsum -- two.rfsum
