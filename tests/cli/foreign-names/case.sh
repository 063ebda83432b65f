# SPDX-License-Identifier: Apache-2.0
# Names from anywhere: control characters in a summary and in paths reach no terminal as they are.
unset RANK LOCAL_RANK WORLD_SIZE OMPI_COMM_WORLD_RANK MV2_COMM_WORLD_RANK PMI_RANK PMIX_RANK
unset SLURM_PROCID
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
RANK=0 rangefinder profile -q -o one act push:outer pop
rangefinder summarize -q one.rf
python3 - <<'EOF'
import sqlite3
db = sqlite3.connect("one.rfsum")
db.execute("UPDATE inputs SET path = ?, host = ?", ("a\x1b[31m\nred", "b\x07\u202ec"))
db.commit()
EOF
# Whether all of a file is printable, in lines
is_printable()
{
    python3 -c '
import sys
bad = {c for line in open(sys.argv[1], encoding="utf-8").read().split("\n") for c in line
       if ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or ord(c) == 0x202e}
print(sys.argv[1], "control characters:", sorted(map(repr, bad)))' "$1"
}
for format in column table hdoc htable markdown; do
    rangefinder stats -r nvtx_sum,pace,rank_summary -f $format one.rfsum >$format 2>messages
    is_printable $format
    is_printable messages
done
grep 'from a histogram' column
wild=$(printf 'w\033[31m\nx')
cp one.rf "$wild.rf"
for command in 'stats -r nvtx_sum' 'stats -r none' 'info --job' 'summarize' 'export -t csv' 'why' 'recover'; do
    # shellcheck disable=SC2086
    rangefinder $command "$wild.rf" "$wild.gone" >out 2>err
    # shellcheck disable=SC2086
    rangefinder $command "$wild.gone" >out 2>>err
    echo "$command: lines that do not begin with rangefinder: $(grep -cv '^rangefinder: ' err)"
    is_printable err
done
rangefinder info "$wild.gone"
