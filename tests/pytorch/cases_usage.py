# SPDX-License-Identifier: Apache-2.0
"""What is wrong is said before the program is started."""

import os

from harness import expect_equal, fail_if


def expect_refused(test, *options, says):
    done = test.run([test.rangefinder, "profile", "-o", "refused", *options, "touch", "started"])
    text = done.stderr.decode()
    expect_equal(done.status, 2, f"exit status ({text})")
    fail_if(says not in text, f"{text!r} does not say {says!r}")
    fail_if(os.path.exists(test.path("started")), "the program was started")


def case_usage(test):
    expect_refused(test, "--pytorch=autograd-nvt", says="did you mean 'autograd-nvtx'?")
    expect_refused(test, "--pytorch=functions", says="did you mean 'functions-trace'?")
    expect_refused(test, "--pytorch=everything", says="it takes autograd-nvtx,")
    expect_refused(test, "--pytorch=", says="unknown value ''")
    expect_refused(test, "--pytorch=none,autograd-nvtx", says="'none' stands alone")
    for name in ("autograd", "functions"):
        plain = {"autograd": "autograd-nvtx", "functions": "functions-trace"}[name]
        sizes = {"autograd": "autograd-shapes-nvtx", "functions": "functions-trace-shapes"}[name]
        expect_refused(test, f"--pytorch={sizes},{plain}", says=f"'{plain}' or '{sizes}', not both")


def case_usage_functions_file(test):
    for text, says in (
        ("", "line 1, column 1: expected '['"),
        ('{"module": "a"}', "line 1, column 1: expected '['"),
        ('[\n  {"module": "a", "functions": "b"}]', "line 2, column 32: expected '['"),
        ('[{"module": "a"}]', "line 1, column 2: this object has no \"functions\""),
        ('[{"functions": []}]', "line 1, column 2: this object has no \"module\""),
        ('[{"module": "", "functions": []}]', "the name of a module is empty"),
        ('[{"module": "__main__", "functions": ["f"]}]', "functions of '__main__'"),
        ('[{"module": "a", "functions": ["b",]}]', "line 1, column 36: expected the name"),
        ('[{"module": "a", "functions": ["b"]}', "expected ',' or ']'"),
        ('[{"module": "a", "functions": ["b"]}]]', "something follows the end"),
        ('[{"module": "a\\q", "functions": []}]', "this cannot follow a backslash"),
        ('[{"module": "a\\u12", "functions": []}]', "four hexadecimal digits"),
        ('[{"module": "a\n", "functions": []}]', "the text has no end on its line"),
        ('[{"module": "a", "functions": [], "x": 01}]', "not a number of JSON"),
        ('[{"module": "a", "functions": [], "x": ' + "[" * 100 + "]}]", "nested too deeply"),
        ('[{"module": "a", "functions": [], "color": true}]', "not a number of JSON"),
        ('[{"module": "\udcff", "functions": []}]', "it is not UTF-8"),
        ("\0", "it has NUL bytes"),
    ):
        with open(test.path("f.json"), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        expect_refused(test, "--python-functions-trace=f.json", says=says)
    expect_refused(test, "--python-functions-trace=none.json", says="cannot open 'none.json'")
    expect_refused(test, "--python-functions-trace=.", says="cannot read '.'")
