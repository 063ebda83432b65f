# SPDX-License-Identifier: Apache-2.0
# Formats, names, what exists already.
rangefinder profile -q -o run act ranges:3 mark:m
run rangefinder export run.rf
run rangefinder export -t json,csv run.rf
run rangefinder export run.rf
run rangefinder export -f run.rf
run rangefinder export -o named.json.gz run.rf
gzip -dc named.json.gz | python3 -m json.tool >/dev/null && echo json
run rangefinder export -o named.jsonl run.rf
run rangefinder export -t text,jsonl -o both run.rf
run rangefinder export -t csv -o - run.rf | wc -l
run rangefinder export -t csv,text -o - run.rf
run rangefinder export -t sqlite -o - run.rf
run rangefinder export -o missing/x.json run.rf
run rangefinder export -q --lazy=false -t csv -o quiet.csv run.rf
run rangefinder export -q --tracks=category -o tracks.pftrace run.rf
run rangefinder export --tracks=thread -t perfetto -o - run.rf
run rangefinder export --flavor=kineto --tracks=category -o - run.rf
run rangefinder export --compat=nsys2json --gpu-events -o - run.rf
# another name of what is open already: it is neither replaced nor cut
ln -s /proc/self/fd/1 named-stdout
rangefinder export -q -t csv -o - run.rf >expected
rangefinder export -t csv -o named-stdout run.rf >got && cmp got expected && test -L named-stdout && echo whole
rangefinder export -q -f -t csv -o /dev/fd/3 run.rf 3>got && cmp got expected && echo whole
rangefinder export -q -f -t csv -o named-stdout run.rf >>got && cat expected expected | cmp - got && echo appended
rangefinder export -f -t sqlite -o named-stdout run.rf >got || echo refused
rm -f got expected named-stdout
# what none of the formats follows
for option in --tracks=category --gpu-events --by-process --raw; do
    for format in json perfetto fxt csv folded sqlite csv,json; do
        run_quiet rangefinder export -q -f -t $format $option -o used run.rf
    done
done
rm -f used*
list
