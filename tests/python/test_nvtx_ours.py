# SPDX-License-Identifier: Apache-2.0
"""What rangefinder.nvtx has beyond the package nvtx, recorded; and what it does with no tool and when
it is disabled."""

import os
import pathlib
import sys

import pytest

from conftest import HERE, run


@pytest.fixture
def case(record):
    def case(name, *arguments, **options):
        recorded = record(HERE / "ours_cases.py", name, *arguments, **options)
        assert recorded.status == 0, recorded.stderr
        return recorded

    return case


def alone(*arguments, **env):
    """Runs a program with no tool attached."""
    done = run(sys.executable, *arguments, env={**os.environ, **env})
    assert done.returncode == 0, done.stderr
    return done.stdout


def named(recorded, name):
    return [event for event in recorded.events if event.get("name") == name]


ALONE = ("generators", "coroutines", "shared_annotation", "ends_of_others", "default_domain",
         "odd_messages", "many_messages", "fork", "processes", "shutdown", "counts")


@pytest.mark.parametrize("name", ALONE)
def test_alone(name):
    alone(HERE / "ours_cases.py", name)


@pytest.mark.parametrize("name", ALONE[:-2])
def test_disabled(name):
    alone(HERE / "ours_cases.py", name, NVTX_DISABLE="1")


def test_generators(case):
    spans = named(case("generators"), "count")
    assert len(spans) == 3 and all(span["type"] == "start_end" for span in spans)
    assert not any("cut" in span for span in spans)


def test_coroutines(case):
    recorded = case("coroutines")
    blocks = {span["payload"]: span for span in named(recorded, "block")}
    assert blocks[0]["start_ns"] < blocks[2]["start_ns"] < blocks[2]["end_ns"] < blocks[0]["end_ns"]
    assert len(named(recorded, "coroutine")) == 3 and len(named(recorded, "generator")) == 3
    assert not any("cut" in event for event in recorded.events)


def test_one_annotation_in_many_tasks(case):
    spans = named(case("shared_annotation"), "shared")
    assert len(spans) == 9 and not any("cut" in span for span in spans)
    first = min(spans, key=lambda span: span["start_ns"])
    assert all(span["end_ns"] <= first["end_ns"] for span in spans)


def test_ends_of_others_are_ignored(case):
    recorded = case("ends_of_others")
    assert "cut" not in recorded.named("mine") and recorded.named("alive")


def test_default_domain(case):
    domains = {event["name"]: event["domain_id"] for event in case("default_domain").events
               if event["type"] == "mark"}
    assert domains["none"] == domains["named"] == domains["object"] == 0 != domains["other"]


def test_odd_messages(case):
    recorded = case("odd_messages")
    assert recorded.named("before") and recorded.named("lone ? surrogate")
    assert named(recorded, "domain")[-1]["domain"] == "d"


def test_bound_of_registered_strings(case):
    marks = [event for event in case("many_messages").events if event["type"] == "mark"]
    assert sum(mark.get("is_registered", False) for mark in marks) == 65536 - 1  # and one decorator
    assert marks[-1]["name"] == "inside" and "is_registered" not in marks[-1]


def test_a_trigger_is_registered_past_the_bound(case):
    options = ("-c", "nvtx", "-p", "trigger")
    assert named(case("many_messages", options=options), "inside")


def test_fork(case):
    recorded = case("fork")
    assert recorded.named("child")["pid"] != recorded.named("parent")["pid"]
    parent = [span for span in named(recorded, "before")
              if span["pid"] == recorded.named("parent")["pid"]]
    assert len(parent) == 1 and "cut" not in parent[0]


def test_multiprocessing(case):
    recorded = case("processes")
    assert len(named(recorded, "work")) == 24 and len(named(recorded, "decorated")) == 12


def test_shutdown(case):
    case("shutdown")


def test_no_references_are_left(case):
    case("counts")


# ---- In this process: no tool ----


def test_values():
    import rangefinder.nvtx as nvtx

    wrong = [
        (TypeError, "message", lambda: nvtx.mark(3)),
        (TypeError, "message", lambda: nvtx.mark(b"bytes")),
        (TypeError, "annotate()", lambda: nvtx.annotate(lambda: None) and nvtx.annotate(test_values)),
        (TypeError, "color", lambda: nvtx.mark("x", color=1.5)),
        (ValueError, "did you mean 'blue'", lambda: nvtx.mark("x", color="bleu")),
        (ValueError, "color", lambda: nvtx.mark("x", color="#12345g")),
        (ValueError, "color", lambda: nvtx.mark("x", color=2**32)),
        (ValueError, "color", lambda: nvtx.mark("x", color=-1)),
        (ValueError, "color", lambda: nvtx.mark("x", color=(1, 2))),
        (ValueError, "color", lambda: nvtx.mark("x", color=(0, 0, 256))),
        (TypeError, "color", lambda: nvtx.mark("x", color=("a", 0, 0))),
        (TypeError, "domain", lambda: nvtx.mark("x", domain=3)),
        (TypeError, "category", lambda: nvtx.mark("x", category=1.5)),
        (ValueError, "category", lambda: nvtx.mark("x", category=-1)),
        (ValueError, "category", lambda: nvtx.mark("x", category=2**32)),
        (TypeError, "payload", lambda: nvtx.mark("x", payload="1")),
        (TypeError, "payload", lambda: nvtx.mark("x", payload=[1])),
        (ValueError, "payload", lambda: nvtx.mark("x", payload=2**64)),
        (ValueError, "payload", lambda: nvtx.mark("x", payload=-(2**63) - 1)),
        (TypeError, "unexpected keyword argument 'colour'", lambda: nvtx.mark("x", colour="red")),
        (TypeError, "multiple values", lambda: nvtx.mark("x", message="y")),
        (TypeError, "at most 5", lambda: nvtx.mark(1, 2, 3, 4, 5, 6)),
        (TypeError, "range_id", lambda: nvtx.end_range(5)),
        (TypeError, "range_id", lambda: nvtx.end_range(("a", 0))),
        (TypeError, "attributes", lambda: nvtx.get_domain("d").push_range("x")),
        (TypeError, "function", lambda: nvtx.annotate()(5)),
    ]
    for kind, text, call in wrong:
        with pytest.raises(kind) as error:
            call()
        assert text in str(error.value), error.value


def test_right_values():
    import rangefinder.nvtx as nvtx

    for color in ("blue", "Blue", "rebeccapurple", "rapids", "#A0b0C0", (1, 2, 255), (0.5, 0, 1.0),
                  0, 0xFFFFFFFF, None):
        nvtx.mark("x", color)
    for payload in (0, -(2**63), 2**64 - 1, True, 1.5, float("nan"), None):
        nvtx.mark("x", payload=payload)
    for category in (0, 2**32 - 1, "", "c", None):
        nvtx.mark("x", category=category)
    assert nvtx.start_range("x") == (0, 0) and nvtx.enabled()


def test_dummy_domain():
    import rangefinder.nvtx as nvtx

    domain = nvtx.get_domain("dummy")
    assert type(domain) is nvtx.DummyDomain and isinstance(domain, nvtx.Domain)
    assert nvtx.Domain("dummy") is domain and domain.name == "dummy" and not domain.is_enabled()
    assert domain.get_category_id("a") == 1 and domain.get_category_id("b") == 2
    assert domain.start_range(message="x") == 0 and domain.end_range(5) is None


def test_wrapped():
    import inspect
    import pickle
    import rangefinder.nvtx as nvtx

    @nvtx.annotate()
    def function(a, *, b: int = 1) -> int:
        """Text."""
        return a + b

    assert function.__doc__ == "Text." and function.__wrapped__(1, b=2) == 3
    assert str(inspect.signature(function)) == "(a, *, b: int = 1) -> int"
    assert pickle.loads(pickle.dumps(nvtx.annotate("x", "red", payload=1))).__reduce__()[1][0] == "x"
    assert pickle.loads(pickle.dumps(nvtx.get_domain("p"))) is nvtx.get_domain("p")

    @nvtx.annotate()
    async def coroutine():
        pass

    assert inspect.iscoroutinefunction(coroutine)
    with pytest.raises(TypeError):
        function()


def test_disabled_decorator_is_no_decorator():
    program = """
import rangefinder.nvtx as nvtx
def f(): pass
assert nvtx.annotate("x")(f) is f and not nvtx.enabled()
assert nvtx.start_range("x") is None and type(nvtx.get_domain("d")) is nvtx.DummyDomain
with nvtx.annotate("x", color="no such color"): nvtx.mark(1, 2, 3, 4, 5, 6, 7)
"""
    alone("-c", program, NVTX_DISABLE="1")


def test_sub_interpreters_are_refused():
    program = """
import sys
import rangefinder.nvtx
text = "import rangefinder.nvtx"
try:
    if sys.version_info >= (3, 13):
        import _interpreters
        print(_interpreters.exec(_interpreters.create("legacy"), text))
    else:
        import _xxsubinterpreters as interpreters
        interpreters.run_string(interpreters.create(isolated=False), text)
        print("accepted")
except Exception as error:
    print(error)
"""
    assert "sub-interpreter" in alone("-c", program)
