# SPDX-License-Identifier: Apache-2.0
# The trace is handed out once, to pages of ui.perfetto.dev only.
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
cat >ask.py <<'END'
import http.client, sys
from urllib.parse import urlparse

url = urlparse(open("link").read().split("url=")[1].strip())
good = {"Origin": "https://ui.perfetto.dev"}

def ask(what, method="GET", path=url.path, headers=good):
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=10)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    allowed = answer.getheader("Access-Control-Allow-Origin")
    print(f"{what}: {answer.status}, for {allowed}, {'some' if body else 'no'} bytes")
    connection.close()
    return body

ask("another site", headers={"Origin": "https://example.org"})
ask("no origin", headers={})
ask("another host name", headers={**good, "Host": f"example.org:{url.port}"})
ask("two origins", headers={**good, "origin": "https://example.org"})
ask("another file", path="/trace.json")
ask("another file", path="/../etc/passwd")
ask("to write", method="POST")
ask("before it asks", method="OPTIONS")
ask("only the head", method="HEAD")
text = ask("the file")
sys.exit(0 if text == open(sys.argv[1], "rb").read() else 1)
END
rangefinder profile -q -o run act push:work pop mark:here
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
serve()
{
    rm -f link
    rangefinder open --online --no-browser --port="$port" "$@" >link 2>said &
    pid=$!
    wait_for test -s link
}
serve run.rf
sed "s/$port/PORT/g; s|/[0-9a-f]\{32\}/|/TOKEN/|; s/pftrace\|json/FORMAT/" link
# whatever it says before it waits
wait_for grep -q 'Ctrl-C ends it' said
sed "s/$port/PORT/g" said
rangefinder open --online --no-browser --port="$port" run.rf 2>&1 | sed "s/$port/PORT/"
rangefinder export -q -t json -o other.json run.rf
kill $pid
wait $pid 2>/dev/null
serve other.json
python3 ask.py other.json
echo "= $?"
wait $pid
echo "= $?"
echo '--- tracks of categories'
cp "$SOURCE/tests/golden/v1.1.rf" named.rf
rangefinder export -q named.rf -o domains.pftrace 2>/dev/null
rangefinder export -q --tracks=category -o categories.pftrace named.rf 2>/dev/null
cmp -s domains.pftrace categories.pftrace && echo 'no difference'
serve --tracks=category named.rf
python3 ask.py categories.pftrace >/dev/null
echo "= $?"
wait $pid
echo "= $?"
echo '--- two recordings'
rangefinder profile -q -o second act push:work pop
rangefinder export -q run.rf second.rf -o both.pftrace
serve run.rf second.rf
python3 ask.py both.pftrace >/dev/null
echo "= $?"
wait $pid
echo "= $?"
echo '--- the options of export'
gzip -dc "$SOURCE/tests/data/nsys_exports/b_4gpu_mixed.sqlite.gz" >nsys.sqlite
# $1: the ending; then options of both
same_as_export()
{
    ending=$1
    shift
    rangefinder export -q -f "$@" -o "exported.$ending" nsys.sqlite
    serve "$@" nsys.sqlite
    sed "s/$port/PORT/g; s|/[0-9a-f]\{32\}/|/TOKEN/|" link
    python3 ask.py "exported.$ending" >/dev/null
    echo "$*: $?"
    wait $pid
}
same_as_export pftrace -t perfetto
cp exported.pftrace all.pftrace
same_as_export pftrace --no-details
cmp -s exported.pftrace all.pftrace && echo 'no difference'
same_as_export pftrace --no-flows
cmp -s exported.pftrace all.pftrace && echo 'no difference'
same_as_export fxt -t fxt
same_as_export fxt -t fxt --no-details --no-flows
rangefinder export -q -f --no-details -o both.pftrace run.rf second.rf
serve --no-details --no-flows run.rf second.rf
python3 ask.py both.pftrace >/dev/null
echo "= $?"
wait $pid
run rangefinder open --online --no-browser -t json run.rf
run rangefinder open --online --no-browser -t fxt --at=work run.rf
run rangefinder open --online --no-browser -t fxt --tracks=category run.rf
run rangefinder open --online --no-browser -t fxt --gpu-events run.rf
run rangefinder open --online --no-browser -t fxt run.rf second.rf
run rangefinder open --online --no-browser -t fxt both.pftrace
run rangefinder open --online --no-browser --no-details both.pftrace
run rangefinder open --online --no-browser --no-flows both.pftrace
for option in --tracks=category --gpu-events --anchor=work --import=pages; do
    run timeout 20 rangefinder open --online --no-browser $option both.pftrace
done
rm -f nsys.sqlite all.pftrace exported.*
run rangefinder open --online --no-browser --at=nowhere run.rf second.rf
run rangefinder open --online --no-browser run.rf run.rf
run rangefinder open --online --no-browser --tracks=thread run.rf
for wrong in 0 -1 -18446744073709541209 +10007 ' 10007' 65536; do
    run timeout 20 rangefinder open --online --no-browser --port="$wrong" run.rf
done
run rangefinder open --online --no-browser missing.rf
# an idle connection holds up nobody, one that goes away in the middle neither, and BROWSER is asked
cat >idle.py <<'END'
import os, socket, sys
from urllib.parse import urlparse
url = urlparse(open("link").read().split("url=")[1].strip())
idle = socket.create_connection((url.hostname, url.port))
gone = socket.create_connection((url.hostname, url.port))
gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
gone.sendall(f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nOrigin: https://ui.perfetto.dev\r\n\r\n".encode())
gone.recv(1)
gone.close()
dribbling = socket.create_connection((url.hostname, url.port))
dribbling.sendall(b"GE")
os.execvp(sys.executable, [sys.executable, "ask.py", sys.argv[1]])
END
echo '--- a browser is started only where there is a desktop'
mkdir desktop
printf '#!/bin/sh\necho "$1" >started\n' >desktop/xdg-open
chmod +x desktop/xdg-open
for display in '-u DISPLAY' 'DISPLAY= WAYLAND_DISPLAY=' 'DISPLAY=:7 SSH_CONNECTION='; do
    rm -f link started
    # the words of $display are arguments
    # shellcheck disable=SC2086
    env -u WAYLAND_DISPLAY -u SSH_CONNECTION -u BROWSER $display PATH="$PWD/desktop:$PATH" \
        rangefinder open --online --port="$port" other.json >link 2>said &
    pid=$!
    wait_for test -s link
    case $display in *:7*) wait_for test -s started ;; esac
    # what it says last comes after the decision
    wait_for grep -q 'Ctrl-C ends it' said
    python3 ask.py other.json >/dev/null
    wait $pid
    echo "$display: $? $(ls started 2>/dev/null)"
done
rm -r desktop started
head -c 60000000 /dev/zero >large.json
printf '#!/bin/sh\necho "asked for $1" >asked\n' >browser
chmod +x browser
rm -f link
BROWSER=no-such-browser:./browser rangefinder open --online --port="$port" large.json >link 2>said &
pid=$!
wait_for test -s link
wait_for test -s asked
sed "s/$port/PORT/g; s|/[0-9a-f]\{32\}/|/TOKEN/|" asked
timeout 50 python3 idle.py large.json
echo "= $?"
wait $pid
echo "= $?"
