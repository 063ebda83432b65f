# SPDX-License-Identifier: Apache-2.0
# Two installations meet: the command line refuses the recorder of another version, and a recorder
# a session that it does not know; both say which is which.
mkdir -p tree/bin tree/lib
cp "$BUILD/bin/rangefinder" tree/bin
cp -P "$BUILD"/lib/librangefinder* tree/lib
recorder_of()
{
    LC_ALL=C sed "s/\(rangefinder-recorder-of-version: \)[0-9.]*/\1$1/" \
        "$BUILD/lib/librangefinder-inject.so" >tree/lib/librangefinder-inject.so
}
run tree/bin/rangefinder profile -q -o same act mark:x
recorder_of 9.8.7
tree/bin/rangefinder profile -o other act mark:x 2>&1 | sed 's/9\.8\.7/THEIRS/'
tree/bin/rangefinder doctor | sed -n '/^[a-zA-Z]* *recorder/s/9\.8\.7/THEIRS/p'
NVTX_INJECTION64_PATH=$PWD/tree/lib/librangefinder-inject.so rangefinder doctor |
    sed -n '/^[a-zA-Z]* *injection/,+1s/9\.8\.7/THEIRS/p;'
LC_ALL=C sed 's/rangefinder-recorder-of-version: /rangefinder-recorder-of-nothing: /' \
    "$BUILD/lib/librangefinder-inject.so" >tree/lib/librangefinder-inject.so
run tree/bin/rangefinder profile -o other act mark:x
: >tree/lib/librangefinder-inject.so
run tree/bin/rangefinder profile -o other act mark:x

# a Python package of another version, and one whose recorder is of yet another
if command -v python3 >/dev/null; then
    mkdir -p package/rangefinder/fleet package/rangefinder/lib
    echo '__version__ = "9.8.7"' >package/rangefinder/__init__.py
    echo '__version__ = "9.8.7"' >package/rangefinder/_reader.py
    : >package/rangefinder/_standby.py
    echo 'def main(words): raise SystemExit("was run")' >package/rangefinder/fleet/__main__.py
    PYTHONPATH=$PWD/package tree/bin/rangefinder recipe nvtx_sum --input same.rf 2>&1 |
        sed 's/9\.8\.7/THEIRS/'
    PYTHONPATH=$PWD/package rangefinder doctor |
        sed -n '/^[a-zA-Z]* *python/,+1s/9\.8\.7/THEIRS/p'
    recorder_of 9.8.6
    mv tree/lib/librangefinder-inject.so package/rangefinder/lib
    PYTHONPATH=$PWD/package rangefinder doctor |
        sed -n '/^[a-zA-Z]* *python/,+1s/9\.8\.[67]/THEIRS/gp'
fi

# the recorder's side: a session that is shorter, and one of another format
NVTX_INJECTION64_PATH=$BUILD/lib/librangefinder-inject.so
export NVTX_INJECTION64_PATH
(act mark:x)
mv rangefinder-*.rfdir known
record_into()
{
    RANGEFINDER_SESSION=$PWD/$1 act mark:x
    echo "= $?"
    sed 's/^process [0-9]*/process PID/' "$1/refused"
}
mkdir short format
head -c 100 known/session >short/session
{ head -c 8 known/session; printf '\011'; tail -c +10 known/session; } >format/session
record_into short
record_into format
