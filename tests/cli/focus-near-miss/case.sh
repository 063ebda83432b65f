# SPDX-License-Identifier: Apache-2.0
# A near miss is said while the program runs, once.
rangefinder profile -c nvtx -p TRIG -o a act push:TRIG pop push:TRIG pop await:go 2>said &
pid=$!
wait_for grep -q nvtx-capture-unregistered said
cat said
touch go
wait $pid
echo "= $?"
cat said
