# SPDX-License-Identifier: Apache-2.0
# Python programs, by every method.
command -v python3 >/dev/null && [ -e "$BUILD/lib/libnvtx-shim.so" ] || {
    echo 'python3 or libnvtx-shim.so is not there'
    exit 77
}
cat >program.py <<'END'
import ctypes, os, sys, time

shim = ctypes.CDLL(os.environ["BUILD"] + "/lib/libnvtx-shim.so")
this = ctypes.CDLL(None)

def step(name):
    shim.shim_push(name.encode())
    shim.shim_pop()

def child():
    if os.fork() == 0:
        step("child")
        os._exit(0)
    os.wait()

step("before")
shim.shim_push(b"around")
if "cuda" in sys.argv:
    this.cudaProfilerStart()
shim.shim_push(b"profile")
step("inside")
child()
if "slow" in sys.argv:
    time.sleep(3)
shim.shim_pop()
if "cuda" in sys.argv:
    this.cudaProfilerStop()
step("after")
shim.shim_pop()
print("done")
END
run rangefinder profile -q -c nvtx -p profile --nvtx-capture-unregistered -o nvtx python3 program.py
events nvtx.rf
run rangefinder profile -q -c cudaProfilerApi -o cuda python3 program.py cuda
events cuda.rf
run rangefinder profile -q -d 2 -o time python3 program.py slow
events time.rf
rangefinder launch -q --session-new=python sh -c 'while [ ! -e go ]; do sleep 0.01; done; python3 program.py; touch done; while [ ! -e end ]; do sleep 0.01; done' &
pid=$!
wait_for sh -c 'rangefinder status --session=python >/dev/null'
rangefinder start --session=python -o hand >/dev/null
touch go
wait_for test -e done
rangefinder stop --session=python >/dev/null
touch end
wait $pid
events hand.rf
