#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""browser.py --build DIR: a real browser takes a trace from `rangefinder open`.

A server of ours stands for https://ui.perfetto.dev: the browser is told that this name is here, and
to accept a certificate made for the occasion. The page does what Perfetto's does: it fetches the
address in its own link, and shows how many bytes came. Then the same from another origin, which the
browser must be refused. Exit status: 0 passed, 1 failed, 77 skipped."""

import argparse
import http.server
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

SLOW = int(os.environ.get("RF_TEST_SLOW") or 1)  # how many times as long as usual

PAGE = b"""<!doctype html><title>t</title><body>waiting<script>
const url = new URLSearchParams(location.hash.slice(location.hash.indexOf('?'))).get('url');
fetch(url).then(r => r.arrayBuffer())
    .then(b => { document.body.textContent = 'got ' + b.byteLength + ' bytes'; })
    .catch(e => { document.body.textContent = 'refused'; });
</script>"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def serve_page(folder):
    key, certificate = os.path.join(folder, "key"), os.path.join(folder, "certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key,
         "-out", certificate, "-subj", "/CN=ui.perfetto.dev"],
        check=True, stderr=subprocess.DEVNULL,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def browse(browser, folder, page_port, link):
    done = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--ignore-certificate-errors", f"--user-data-dir={folder}/profile",
         f"--host-resolver-rules=MAP ui.perfetto.dev:443 127.0.0.1:{page_port},"
         f"MAP example.org:443 127.0.0.1:{page_port}",
         "--disable-features=LocalNetworkAccessChecks",
         "--virtual-time-budget=20000", "--dump-dom", link],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=90 * SLOW,
    )
    found = re.search(r"<body>(.*?)</body>", done.stdout.decode(errors="replace"), re.S)
    return found[1].strip() if found else "no page"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    build = os.path.abspath(parser.parse_args().build)
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        skip("there is no chromium")
    if shutil.which("openssl") is None:
        skip("there is no openssl")
    with tempfile.TemporaryDirectory() as folder:
        rangefinder = os.path.join(build, "bin", "rangefinder")
        recording = os.path.join(folder, "run.rf")
        subprocess.run(
            [rangefinder, "profile", "-q", "-o", recording,
             os.path.join(build, "bin", "example-ranges")],
            check=True, stdout=subprocess.DEVNULL,
        )
        page_port = serve_page(folder)
        opened = subprocess.Popen(
            [rangefinder, "open", "--online", "--no-browser", f"--port={free_port()}", recording],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        link = opened.stdout.readline().strip()
        other = browse(browser, folder, page_port, link.replace("ui.perfetto.dev", "example.org"))
        shown = browse(browser, folder, page_port, link)
        if other == "no page" or shown == "no page":
            opened.kill()
            skip("the browser shows no page here")
        try:
            status = opened.wait(timeout=60 * SLOW)
        except subprocess.TimeoutExpired:
            opened.kill()
            status = "still running"
        size = int((re.match(r"got (\d+) bytes", shown) or [0, 0])[1])
        print(f"another origin: {other}; ui.perfetto.dev: {shown}; then: {status}")
        return 0 if other == "refused" and size > 100 and status == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
