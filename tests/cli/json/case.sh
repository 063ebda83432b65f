# SPDX-License-Identifier: Apache-2.0
# --json of verbs that have no other case for it, and --progress. tests/scripting compares all documents
# with their schemas.
rangefinder version --json | sed 's/"version":"[0-9.]*"/"version":"VERSION"/; s/recording_format":"[0-9.]*"/recording_format":"FORMAT"/g'
rangefinder doctor --json >doctor.json
rangefinder status -e --json | cut -c 1-40
cut -c 1-40 doctor.json
rangefinder profile -q -o run act push:a pop
run rangefinder summarize -q --json run.rf | sed "s/_ns\":[0-9]*/_ns\":N/g; s/\"host\":\"[^\"]*/\"host\":\"HOST/"
run rangefinder summarize -f --json=false run.rf
run rangefinder compare --json run.rf -- nothing.rf
run rangefinder compare --json=false -q run.rf -- run.rfsum
run rangefinder status --json
# a full disk does not look like success
for words in version 'sessions list' 'info run.rf' 'advise run.rf' doctor; do
    # shellcheck disable=SC2086
    rangefinder $words --json >/dev/full
    echo "$words = $?"
done
run rangefinder doctor extra
run rangefinder version extra
run rangefinder info --progress=lines run.rf
run rangefinder info --progress
rangefinder export -q --progress=json -o run.json run.rf 2>&1 | sed 's/_ms":[0-9]*/_ms":N/'
run rangefinder export -q --progress=none -f -o run.json run.rf
list
