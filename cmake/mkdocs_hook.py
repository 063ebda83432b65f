# SPDX-License-Identifier: Apache-2.0
"""A hook of mkdocs. The sections of docs/README.md are those of the site. What pages refer to elsewhere
in the project is in its repository; whether it is there is looked at, as mkdocs does for pages."""

import logging
import pathlib
import posixpath
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTSIDE = re.compile(r"(\]\()((?:\.\./|(?:man|json)(?=[)#])|[\w/]*\.py\b)[^)#\s]*)")


def anchor(heading, separator):
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", separator)


def on_config(config):
    sections = [{"Overview": "README.md"}]
    for text in (pathlib.Path(config["docs_dir"]) / "README.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        pages = re.findall(r"^\| \[[^]]*\]\((\w[^)#]*\.md)\)", text, re.MULTILINE)
        sections.append({text.split("\n")[0]: pages})
    config["nav"] = sections
    config["mdx_configs"]["toc"] = {"slugify": anchor}
    return config


def on_page_markdown(markdown, page, config, **_):
    def to_repository(match):
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), match[2]))
        if not (ROOT / path).exists():
            logging.getLogger("mkdocs").warning("%s: there is no %s", page.file.src_uri, path)
        return f"{match[1]}{config['repo_url']}/blob/main/{path}"
    # of a fence, Python's Markdown takes one word alone
    return OUTSIDE.sub(to_repository, re.sub(r"^```(\w+) .*$", r"```\1", markdown, flags=re.MULTILINE))
