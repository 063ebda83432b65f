# SPDX-License-Identifier: Apache-2.0
# --import: which reader of a SQLite database, and that it is told why.
gunzip -c "$SOURCE/tests/data/nsys_exports/d_4proc_same_device.sqlite.gz" >t.sqlite
readers()
{
    sed 's/.*\("import_reader":"[^"]*","import_why":"[^"]*"\).*/\1/' "$1"
}
for how in auto pages library; do
    rangefinder info --json --import=$how t.sqlite >"$how.json"
    readers "$how.json"
    rangefinder stats -q -r cuda_gpu_kern_sum --import $how t.sqlite >"$how.txt"
    rangefinder export -q -t json --import=$how -o "$how.trace.json" t.sqlite
    nsys2json -f t.sqlite -o "$how.nsys2json" --import $how
    for ending in txt trace.json nsys2json; do
        cmp "auto.$ending" "$how.$ending"
    done
done
# a journal that is empty, as some modes leave it
: >t.sqlite-journal
rangefinder info --json t.sqlite >journal.json
readers journal.json
run rangefinder info --import=pages t.sqlite
run rangefinder export -q -t json -o - --import=pages t.sqlite
run rangefinder info --import=fast t.sqlite
run rangefinder stats --import t.sqlite
run nsys2json -f t.sqlite --import fast
# recordings of our own are read as always
run rangefinder profile -q -o r true
rangefinder info --json --import=pages r.rf | grep -c import_reader
