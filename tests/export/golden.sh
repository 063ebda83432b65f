#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# golden.sh [-u] PROGRAM: what export_golden (PROGRAM) writes is what expected/ holds; -u makes it
# so. The version stands as VERSION.
set -eu

update=0
[ "${1:-}" = -u ] && update=1 && shift
program=$1
expected=$(dirname "$0")/expected
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$program" "$folder"
for file in "$folder"/*; do
    sed -e 's/\(Rangefinder \)[0-9][0-9.]*/\1VERSION/g' \
        -e "s/\('EXPORT_PRODUCT_VERSION'|'\)[0-9.]*/\1VERSION/" "$file" >"$file.new"
    mv "$file.new" "$file"
done
if [ $update = 1 ]; then
    mkdir -p "$expected"
    rm -f "$expected"/*
    cp "$folder"/* "$expected"/
    exit 0
fi

# An expected file that cannot be read as what it claims to be is a wrong expectation.
if command -v python3 >/dev/null; then
    python3 - "$folder" <<'EOF'
import csv, json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
for path in folder.glob('*.json'):
    json.loads(path.read_text(encoding='utf-8'))
for path in folder.glob('*.jsonl'):
    for line in path.read_text(encoding='utf-8').split('\n')[:-1]:
        assert isinstance(json.loads(line), dict)
for path in folder.glob('*.csv'):
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.reader(file, strict=True))
    assert len({len(row) for row in rows}) == 1, path
EOF
    for name in sample focused empty gpu; do
        python3 "$(dirname "$0")/check_trace.py" "$folder/$name.json" "$folder/$name.kineto.json"
    done
fi
diff -ru "$expected" "$folder"
