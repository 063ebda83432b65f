#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page.py BUILD: pages of `export -t html` in Chromium, from disk. The console has no errors, nothing is
asked for, the icicle answers to keys and a search, nothing sticks out at 400 pixels, and it prints.
Pictures are left in BUILD/viewer. Exit status: 0 passed, 1 failed, 77 skipped."""

import gzip
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[1:1] = [str(TESTS / "perfetto"), str(HERE), str(TESTS / "export")]
import perfetto  # noqa: E402
from html_page import HOSTILE, database  # noqa: E402, in tests/export


def make_pages(build, folder):
    """(name, file) of each."""
    rangefinder = build / "bin" / "rangefinder"
    subprocess.run([rangefinder, "profile", "-q", "-o", folder / "pipeline.rf",
                    build / "bin" / "example-pipeline"], check=True, stdout=subprocess.DEVNULL)
    packed = TESTS / "data/nsys_exports/c_real_h100_2gpu.sqlite.gz"
    (folder / "gpus.sqlite").write_bytes(gzip.decompress(packed.read_bytes()))
    rows = [(1000, 100000, "outer")]
    rows += [(2000 + 1000 * i, 2500 + 1000 * i, name) for i, name in enumerate(HOSTILE)]
    database(folder / "hostile.sqlite", rows)
    database(folder / "empty.sqlite", [])
    for inputs in (["pipeline.rf"], ["gpus.sqlite"], ["hostile.sqlite"], ["empty.sqlite"],
                   ["pipeline.rf", "gpus.sqlite"]):
        name = "+".join(pathlib.Path(path).stem for path in inputs)
        out = folder / f"{name}.html"
        subprocess.run([rangefinder, "export", "-q", "-t", "html", "-o", out,
                        *[folder / path for path in inputs]], check=True)
        yield name, out


def check_keys(page, name):
    """Down, up, zoom and back; what is focused is said."""
    boxes = page.locator("#icicle button")
    n = boxes.count()
    assert n > 1, f"{name}: {n} boxes"
    page.locator("#icicle button[tabindex='0']").or_(boxes.first).first.focus()
    page.keyboard.press("ArrowDown")
    said = page.locator("#said").inner_text()
    assert " of all)" in said, (name, said)
    page.keyboard.press("Enter")
    focused = page.evaluate("document.activeElement.getBoundingClientRect().width")
    whole = page.evaluate("document.getElementById('icicle').getBoundingClientRect().width")
    assert focused > 0.99 * whole, (name, focused, whole)
    page.keyboard.press("Escape")
    assert boxes.count() == n, (name, boxes.count(), n)
    page.keyboard.press("ArrowUp")
    page.locator("#find").fill("e")
    assert " names, " in page.locator("#found").inner_text(), name


def check(browser, name, path, pictures):
    errors, asked = [], []
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.on("console", lambda message: errors.append(message.text))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: (errors.append("a dialog"), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    if name != "empty":
        check_keys(page, name)
    page.screenshot(path=pictures / f"page-{name}.png", full_page=True)
    page.set_viewport_size({"width": 400, "height": 800})
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 400, f"{name}: {wide} pixels wide on a screen of 400"
    page.screenshot(path=pictures / f"page-{name}-narrow.png", full_page=True)
    page.emulate_media(color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper not in ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"), (name, paper)
    assert page.pdf().startswith(b"%PDF"), name
    context.close()
    asked = [url for url in asked if url != path.as_uri() and not url.startswith("data:")]
    assert not errors and not asked, (name, errors, asked)
    print(f"{name}: {path.stat().st_size} bytes, no errors")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        perfetto.skip("there is no chromium")
    sync_playwright = perfetto.import_playwright()
    pictures = build / "viewer"
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for kind, path in make_pages(build, pathlib.Path(name)):
            check(browser, kind, path, pictures)
        browser.close()


if __name__ == "__main__":
    main()
