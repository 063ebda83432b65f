# SPDX-License-Identifier: Apache-2.0
# Page and trace are served from here: only what the viewer's manifest names, only below a path that
# cannot be guessed, and until the page has both.
command -v python3 >/dev/null || {
    echo 'python3 is not installed'
    exit 77
}
mkdir -p viewer/v1.0-abc/assets
echo "<body data-perfetto_version='{\"stable\":\"v1.0-abc\"}'>" >viewer/index.html
cat >viewer/v1.0-abc/manifest.json <<'END'
{"resources": {"frontend_bundle.js": "sha256-x", "trace_processor.wasm": "sha256-x", "link.js": "sha256-x",
 "assets/a.woff2": "sha256-x", "assets": "sha256-x", "assets/b c.woff2": "sha256-x", "assets/d\\u0022.woff2": "sha256-x", ".woff2": "sha256-x", "../../secret": "sha256-x", "gone.js": "sha256-x"}}
END
for file in frontend_bundle.js trace_processor.wasm assets/a.woff2 unnamed.js; do
    echo "this is $file" >viewer/v1.0-abc/$file
done
echo secret >secret
ln -s ../../secret viewer/v1.0-abc/link.js
cat >ask.py <<'END'
import http.client, re, sys
from urllib.parse import urlparse

link = urlparse(open("link").read().strip())
page, host = link.path, f"127.0.0.1:{link.port}"
trace = urlparse(link.fragment.split("url=")[1].split("&")[0]).path

def ask(path, method="GET", **headers):
    connection = http.client.HTTPConnection(link.hostname, link.port, timeout=60)
    connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    body = answer.read()
    shown = path.replace(page, "TOKEN/").replace(page[:-2], "/SHORTER").replace("v1.0-abc", "VERSION")
    print(f"{method} {shown} {' '.join(headers)}: {answer.status} {answer.getheader('Content-Type')}, "
          f"{'some' if body else 'no'} bytes")
    connection.close()
    return answer, body

for name in ("frontend_bundle.js", "assets/a.woff2", "trace_processor.wasm?1", "manifest.json",
             "unnamed.js", "link.js", "gone.js", "assets", "../../secret", "assets/../frontend_bundle.js", ""):
    ask(page + "v1.0-abc/" + name)
for path in (page + "../secret", page + "v1.0-abc", "/", "/v1.0-abc/frontend_bundle.js", "/live_reload",
             page[:-2] + "/", "/" + "0" * 32 + "/"):
    ask(path)
answer, _ = ask(page)
print("no other host:", "connect-src 'self' data: blob: http://127.0.0.1:9001" in answer.getheader("Content-Security-Policy"))
print("for others:", answer.getheader("Access-Control-Allow-Origin"))
print("fonts:", re.sub(r"v1.0-abc", "VERSION", answer.getheader("Link")))
ask(page + "index.html", method="HEAD")
ask(page, method="POST")
ask(page, method="OPTIONS")
ask(page, Origin="https://example.org")
ask(page, Origin="https://ui.perfetto.dev")
ask(page, Sec_Fetch_Site="cross-site")
ask(page, Host="example.org")
ask(page, Origin=f"http://{host}", Sec_Fetch_Site="same-origin")
for text in (b"\r\n\r\n", b"GET / HTTP/1.1\0\r\n\r\n", b"G" * 9000, b"GET " + b"/" * 4000 + b" HTTP/1.1\r\n\r\n",
             b"GET index.html HTTP/1.1\r\n\r\n", b"GET / FTP\r\n\r\n"):
    import socket
    one = socket.create_connection((link.hostname, link.port), timeout=60)
    one.sendall(text)
    print(f"{text[:16]!r}:", one.makefile("rb").readline())
    one.close()
_, text = ask(trace)
sys.exit(0 if text == open(sys.argv[1], "rb").read() else 1)
END
rangefinder profile -q -o run act push:work pop mark:here
rangefinder export -q -o run.pftrace run.rf
serve()
{
    rm -f link
    "$@" >link 2>said &
    pid=$!
    wait_for test -s link
}
hide()
{
    sed 's|:[0-9]*/[0-9a-f]\{32\}/|:PORT/TOKEN/|g' "$1"
}
serve rangefinder open --no-browser --offline=viewer run.rf
hide link
cat said
python3 ask.py run.pftrace
echo "= $?"
wait $pid
echo "= $?"
echo '--- a port that is taken is no matter, unless it was asked for; the variable names the viewer'
RANGEFINDER_VIEWER=viewer serve rangefinder open --no-browser run.pftrace
mv link first
first=$pid
RANGEFINDER_VIEWER=viewer serve rangefinder open --no-browser run.pftrace
port=$(sed 's|.*url=http://127.0.0.1:\([0-9]*\)/.*|\1|' link)
rangefinder open --no-browser --offline=viewer --port="$port" run.pftrace 2>&1 | sed "s/$port/PORT/"
python3 ask.py run.pftrace >/dev/null && wait $pid
echo "= $?"
mv first link
python3 ask.py run.pftrace >/dev/null && wait $first
echo "= $?"
echo '--- the page of the site is used where it is asked for'
RANGEFINDER_VIEWER=viewer serve rangefinder open --no-browser --online run.pftrace
sed "s/127.0.0.1:[0-9]*/127.0.0.1:PORT/; s|/[0-9a-f]\{32\}/|/TOKEN/|" link
kill $pid
echo '--- what is no viewer'
run rangefinder open --no-browser --offline=nowhere run.rf
mkdir empty other
run rangefinder open --no-browser --offline=empty run.rf
RANGEFINDER_VIEWER=empty run rangefinder open --no-browser run.rf
cp viewer/index.html other
run rangefinder open --no-browser --offline=other run.rf
echo "<body data-perfetto_version='{\"stable\":\"../viewer\"}'>" >other/index.html
run rangefinder open --no-browser --offline=other run.rf
run rangefinder open --no-browser --offline --online run.rf
