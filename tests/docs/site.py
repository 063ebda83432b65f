# SPDX-License-Identifier: Apache-2.0
"""site.py SOURCE: the site is made without a warning, with every page; a link to a page, a heading
or a file that is not there is one."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
PYTHON = SOURCE / "build" / "wheels" / "bin" / "python3"
BROKEN = ["[a](nowhere.md)", "[a](slow.md#nowhere)", "[a](../src/nowhere.c)"]


def make(folder):
    return subprocess.run([PYTHON, "-m", "mkdocs", "build", "--strict"], cwd=folder, capture_output=True, text=True)


def main():
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", "import mkdocs"], capture_output=True).returncode != 0:
        print("SKIP: no mkdocs: python3 -m venv build/wheels; build/wheels/bin/pip install mkdocs")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for one in SOURCE.iterdir():  # links lead there
            if one.name not in ("docs", "mkdocs.yml", "build", ".git"):
                (folder / one.name).symlink_to(one)
        (folder / "cmake").unlink()
        for one in "docs", "cmake":
            shutil.copytree(SOURCE / one, folder / one)
        shutil.copy(SOURCE / "mkdocs.yml", folder)
        done = make(folder)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        site = folder / "build" / "site"
        missing = [page.stem for page in (SOURCE / "docs").glob("*.md") if page.stem != "README" and
                   not (site / f"{page.stem}.html").exists()]
        if missing:
            sys.exit(f"not in the site: {missing}")
        contents = (site / "index.html").read_text()
        unlisted = [page.stem for page in (SOURCE / "docs").glob("*.md")
                    if page.stem != "README" and contents.count(f'href="{page.stem}.html"') < 2]
        if unlisted:
            sys.exit(f"not in a section of docs/README.md: {unlisted}")
        page = folder / "docs" / "glossary.md"
        text = page.read_text()
        for link in BROKEN:
            page.write_text(f"{text}\n{link}\n")
            if make(folder).returncode == 0:
                sys.exit(f"{link} was not noticed")
    print("every page, and no broken link")


if __name__ == "__main__":
    main()
