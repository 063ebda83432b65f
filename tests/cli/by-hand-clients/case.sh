# SPDX-License-Identifier: Apache-2.0
# Clients that say nothing, or nonsense, or too much, or go away, keep nobody waiting.
cat >clients.py <<'END'
import glob, os, select, socket
path = glob.glob(os.environ["RANGEFINDER_RUNTIME_DIR"] + "/*.sock")[0]

def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    s.settimeout(200)
    return s

def ask(data):
    s = connect()
    try:
        s.sendall(data)
        s.shutdown(socket.SHUT_WR)
        answer = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            answer += piece
    except ConnectionError as error: # not all was read of it
        return "connection closed"
    return answer.decode().strip().split("%20")[0] or "no answer"

silent = [connect() for _ in range(8)]
for s in silent[:4]:
    s.sendall(b"status proto")
print("nonsense:", ask(b"\x00\xff\n"))
print("unknown:", ask(b"dance protocol=1\n"))
print("no version:", ask(b"status\n"))
print("other version:", ask(b"status protocol=2\n"))
print("bad escape:", ask(b"start protocol=1 output=%zz\n"))
print("bad signal:", ask(b"shutdown protocol=1 signal=1000000\n"))
print("too long:", ask(b"status protocol=1 x=" + b"y" * 100000 + b"\n"))
print("cut:", ask(b"status protocol=1"))
for _ in range(200): # goes away without waiting
    s = connect()
    s.sendall(b"status protocol=1\n")
    s.close()
s = connect()
for byte in b"status protocol=1\n": # in pieces
    s.sendall(bytes([byte]))
print("in pieces:", s.makefile().readline().startswith("ok name=run verb=launch "))
gone, _, _ = select.select(silent, [], [], 0)
print("before all silent ones were sent away:", len(gone) < len(silent))
# as many as there can be, and more: the others wait until the silent ones are sent away
crowd = [connect() for _ in range(20)]
print("in a crowd:", ask(b"status protocol=1\n").split(" ")[0])
END
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
rangefinder launch -q --session-new=run act touch:ready await:go mark:in touch:done await:end &
pid=$!
wait_for test -f ready
python3 clients.py
run rangefinder start
touch go
wait_for test -f done
run rangefinder stop
# a command line that is stopped
kill -STOP $pid
run rangefinder status 2>&1 | sed 's/[0-9][0-9][0-9]*/N/g'
rangefinder sessions list | sed 's/  */ /g; s/[0-9][0-9][0-9]*/N/g'
kill -CONT $pid
run rangefinder status
touch end
wait $pid
echo "= $?"
events report1.rf
