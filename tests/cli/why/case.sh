# SPDX-License-Identifier: Apache-2.0
# Why instances of a range were slow, of databases that are made here.
command -v python3 >/dev/null || exit 77
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SOURCE/tests/cli python3 - <<'MAKE'
from planted_steps import Run

Run("clean.sqlite", 1).steps(100)
Run("read.sqlite", 2).steps(100, read=4)
Run("gap.sqlite", 3).steps(100, gap=40000)
Run("lock.sqlite", 4).steps(100, lock=60000)
Run("more.sqlite", 5).steps(100, layers=9)
Run("few.sqlite", 6).steps(7, read=4)
Run("refill.sqlite", 7).steps(60, refill=90000)
MAKE
for cause in clean read gap lock more few refill; do
    run rangefinder why 'step 0' $cause.sqlite
done
# several recordings: those without slow instances say what is typical
run rangefinder why 'step 0' few.sqlite clean.sqlite read.sqlite
run rangefinder why --filter-time=0/2ms 'step 0@' read.sqlite
run rangefinder why load read.sqlite
run rangefinder why "it's <b>" read.sqlite
run rangefinder why --json 'step 0' lock.sqlite
run rangefinder why --json 'step 0' few.sqlite
# of summaries, of what is not there
rangefinder summarize -q clean.sqlite
run rangefinder why 'step 0' clean.rfsum
run rangefinder why 'step 0' clean.rfsum gap.sqlite nothing.sqlite | sed -n 1p
run rangefinder why stap clean.sqlite few.sqlite
run rangefinder why 'step 0'
run rangefinder why
run rangefinder why --filter-rank=3 --filter-process=70 'step 0' clean.sqlite
# a copy is counted once; pieces of a run that was split, and snapshots, are recordings of their own
rangefinder profile -q -o run act push:a pop
cp run.rf copy.rf
run rangefinder why a run.rf copy.rf
run_quiet rangefinder advise run.rf copy.rf
