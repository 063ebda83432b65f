# SPDX-License-Identifier: Apache-2.0
"""tutorials.py SOURCE: the tutorials have one form, each is listed on top, and each step has commands that run.py runs."""

import pathlib
import re
import sys

STEPS = ["You need", "Record", "Look", "Find the reason", "Next"]


def main():
    text = (pathlib.Path(sys.argv[1]) / "docs" / "tutorials.md").read_text(encoding="utf-8")
    top, *chapters = text.split("\n## ")
    names = [chapter.split("\n", 1)[0] for chapter in chapters]
    listed = re.findall(r"^\| \[(.*?)\]", top, re.MULTILINE)
    assert names == listed and len(names) == 7, (names, listed)
    for name, chapter in zip(names, chapters):
        steps = re.split(r"^\*\*(.*?)[.:]?\*\*", chapter, flags=re.MULTILINE)[1:]
        assert steps[0::2] == STEPS, (name, steps[0::2])
        for step, body in zip(steps[0::2], steps[1::2]):
            is_run = re.search(r"^```sh(?! hand)", body, re.MULTILINE) is not None
            assert is_run == (step in ("Record", "Look", "Find the reason")), (name, step)
        assert "<!-- holds " in steps[3] and "<!-- prints " in chapter, name
        assert re.search(r"\]\(\w[\w-]*\.md", steps[9]), (name, "leads nowhere")


if __name__ == "__main__":
    main()
