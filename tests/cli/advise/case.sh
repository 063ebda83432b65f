# SPDX-License-Identifier: Apache-2.0
# What would make programs faster, of databases that are made here.
command -v python3 >/dev/null || exit 77
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SOURCE/tests/cli python3 - <<'MAKE'
from planted_steps import Run

Run("clean.sqlite", 1).steps(100)
Run("read.sqlite", 2).steps(100, read=4)
Run("gap.sqlite", 3).steps(100, gap=40000)
Run("refill.sqlite", 7).steps(60, refill=90000)
Run("it's.sqlite", 4).steps(100, lock=60000)
MAKE
for cause in clean read gap refill "it's"; do
    run rangefinder advise $cause.sqlite
done
run rangefinder analyze --filter-time=0/3ms read.sqlite
# several recordings: the time to gain is that of all
run rangefinder advise read.sqlite clean.sqlite gap.sqlite
run rangefinder advise --json "it's.sqlite" clean.sqlite
run rangefinder advise --json clean.sqlite
# what cannot be read, what is not there
rangefinder summarize -q clean.sqlite
run rangefinder advise clean.rfsum
run rangefinder advise clean.rfsum read.sqlite nothing.sqlite | sed -n 1p
run rangefinder advise
run rangefinder advise --filter-rank=3 clean.sqlite
