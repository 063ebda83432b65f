# SPDX-License-Identifier: Apache-2.0
# The same GPU work without its details.
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
gzip -dc "$SOURCE/tests/data/nsys_exports/b_4gpu_mixed.sqlite.gz" >run.sqlite
cat >count.py <<'END'
import collections, json, sys

sys.path.insert(0, sys.argv[1])
import decode

def pftrace(path):
    return [(s.category, s.args) for s in decode.Trace(decode.read(path)).slices]

def chrome(path):
    return [(e["cat"], e.get("args", {})) for e in json.load(open(path))["traceEvents"] if e["ph"] == "X"]

for path in sys.argv[2:]:
    work = [(kind, args) for kind, args in (pftrace if path.endswith("pftrace") else chrome)(path)
            if kind in ("gpu_kernel", "kernel", "gpu_memcpy", "gpu_memset",
                        "nvtx_gpu_projection", "nvtx_gpu")]
    words = {word for _, args in work for word in args}
    print(path, sorted(collections.Counter(kind for kind, _ in work).items()),
          sorted(words & {"grid", "block", "bytes", "kernel", "nvtx_range", "nvtx range",
                          "calls", "gpu_ops", "busy_ns", "range_start_ns", "range_duration_ns",
                          "gpu calls", "gpu operations", "gpu busy (us)", "range start (us)",
                          "range duration (us)"}))
END
rangefinder export -q -t json,perfetto -o whole run.sqlite
rangefinder export -q --no-details -t json,perfetto -o less run.sqlite
python3 count.py "$SOURCE/tests/perfetto" whole.json less.json whole.pftrace less.pftrace
test "$(wc -c <less.pftrace)" -lt "$(wc -c <whole.pftrace)" && echo smaller
for what in '-t sqlite' '-t json,csv' '--flavor=kineto' '--compat=nsys2json'; do
    # the words of $what are arguments
    # shellcheck disable=SC2086
    run rangefinder export --no-details $what -o refused run.sqlite
    # shellcheck disable=SC2086
    run rangefinder export --no-flows $what -o refused run.sqlite
done
list
