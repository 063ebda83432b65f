# SPDX-License-Identifier: Apache-2.0
# A recording counts once in sums, whatever files it comes in.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
mkdir sh
for i in 0 1; do
    RANK=$i rangefinder profile -q -o sh/r$i act push:outer ranges:$((i + 2)) pop
done
counts() { run rangefinder stats -q -r nvtx_sum -f csv "$@" | sed 's/^\([^,]*,\)\{2\}\([^,]*,\)[^,]*,[^,]*,\([^,]*\).*,\(.*\)$/\2\3,\4/'; }
# a recording and its own summary in one folder, and a copy
rangefinder summarize -q sh/r0.rf
counts --sum-inputs sh
cp sh/r0.rf sh/copy.rf
counts --sum-inputs sh
run rangefinder stats -q -r rank_summary --allow-empty sh 2>&1 >/dev/null
rm sh/copy.rf
# what was added up, together with its parts
run rangefinder summarize -q --merge sh -o sh/total
counts --sum-inputs sh
run rangefinder summarize --merge sh -o more
run rangefinder summarize --merge sh/total.rfsum sh/r1.rf -o more
run rangefinder stats -q -r nvtx_sum --sum-inputs sh/r1.rf sh/total.rfsum
cp sh/total.rfsum again.rfsum
run rangefinder summarize --merge sh/total.rfsum again.rfsum -o more
run rangefinder summarize -q sh/total.rfsum sh/r1.rf -o both
run rangefinder summarize --merge both.rfsum -o more
# other recordings, and other parts of one, are added to it
RANK=2 rangefinder profile -q -o r2 act push:outer pop
run rangefinder summarize -q --merge sh/total.rfsum r2.rf -o three
counts three.rfsum
rangefinder summarize -q --filter-name=outer sh/r1.rf -o part
rangefinder summarize -q --merge part.rfsum sh/r1.rf -o parts
counts parts.rfsum
# the order of adding makes no difference
rangefinder summarize -q --merge r2.rf sh/r1.rf sh/r0.rf -o other
cmp three.rfsum other.rfsum
# files without identities are read; of what they added up nothing is known
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
python3 - <<'EOF'
import sqlite3
for name in ("sh/r0", "sh/total"):
    db = sqlite3.connect(name + ".rfsum")
    print(sorted(row[0] for row in db.execute("SELECT count(*) FROM identities")))
    db.execute("DROP TABLE identities")
    db.commit()
EOF
counts --sum-inputs sh/r0.rf sh/r0.rfsum
counts --sum-inputs sh/r0.rf sh/total.rfsum
python3 - <<'EOF'
import sqlite3
db = sqlite3.connect("three.rfsum")
db.execute("INSERT INTO identities SELECT * FROM identities")
db.commit()
EOF
run rangefinder stats -q -r nvtx_sum three.rfsum
