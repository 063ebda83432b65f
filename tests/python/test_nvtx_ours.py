# SPDX-License-Identifier: Apache-2.0
"""What rangefinder.nvtx has beyond the package nvtx, recorded; and what it does with no tool and when
it is disabled."""

import os
import pathlib
import re
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


ALONE = ("generators", "coroutines", "nested_tasks", "shared_annotation", "ends_of_others",
         "ends_elsewhere", "odd_ids", "numbers",
         "odd_values", "like_text", "bare_decorator", "default_domain",
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


def test_tasks_are_part_of_what_their_task_had_open(case):
    import rangefinder

    with rangefinder.open(case("nested_tasks").path) as recording:
        ranges = list(recording.ranges)
        told = [row for row in ranges if row.payload is not None]
        assert len(told) == 2 + 1 + 1 + 3 * 5
        for row in told:
            parent = "123" if row.name == "4" else str(row.payload) if row.payload else "outside"
            assert row.parent.name in parent, row
        for row in ranges:
            children = [child for child in ranges if child.parent == row]
            assert row.children == children, row
            assert row.depth == (row.parent.depth + 1 if row.parent else 0)
        by_name = {row.name: row for row in ranges}
        assert len({row.thread.index for row in told}) > 1
        assert [row.name for row in by_name["8"].children] == ["1", "2", "3"]
        assert by_name["pushed"].parent == by_name["started"]  # by nesting
        assert by_name["started"].parent is None
        assert [row.name for row in by_name["outside"].children] == ["9", "7"]
        part = recording.filter(name="/^(9|1|11|90)$/").ranges
        names = {row.name: row.parent.name if row.parent else None for row in part}
        assert names == {"9": None, "1": "9", "11": "1", "90": "9"}


def test_one_annotation_in_many_tasks(case):
    spans = named(case("shared_annotation"), "shared")
    assert len(spans) == 9 and not any("cut" in span for span in spans)
    first = min(spans, key=lambda span: span["start_ns"])
    assert all(span["end_ns"] <= first["end_ns"] for span in spans)


def test_ends_of_others_are_ignored(case):
    recorded = case("ends_of_others")
    assert "cut" not in recorded.named("mine") and recorded.named("alive")


def test_ends_in_other_processes(case):
    recorded = case("ends_elsewhere")
    for name in ("forked", "given"):
        (event,) = named(recorded, name)
        (mark,) = named(recorded, f"{name} end")
        assert "cut" not in event and event["end_ns"] <= mark["start_ns"]
        assert event["flags"] == "foreign_end"


def warned(recorded):
    """(line, text) of the warnings that a program printed."""
    return re.findall(r"ours_cases.py:(\d+): NvtxWarning: (.*)", recorded.stderr)


def test_odd_ids(case):
    recorded = case("odd_ids", env={"PYTHONWARNINGS": "always"})
    for name in ("through JSON", "numbers of another type", "of a Domain"):
        assert "cut" not in recorded.named(name)
    assert recorded.named("left")["cut"]
    assert len(set(warned(recorded))) == len(warned(recorded))
    assert {text for _, text in warned(recorded)} == {
        f"range_id must be what start_range() returned, not {kind}: ignored"
        for kind in ("str", "bytes", "int", "tuple", "list", "dict", "float", "object", "Raising")}


def test_numbers(case):
    recorded = case("numbers")
    marks = [(mark["payload_type"], mark["payload"]) for mark in recorded.events if mark["type"] == "mark"]
    if marks[-2] == ("int64", 1):  # before 2.0 numpy's bool_ has an __index__
        marks[-2] = ("double", 1.0)
    assert not warned(recorded) and marks == [("int64", 7), ("int64", 1), ("double", 2.5), ("int64", 8), ("uint64", 2**64 - 1),
          ("double", 1.25), ("double", 0.5), ("double", 0.25), ("int64", 5), ("double", 5.0),
          ("double", 1.0), ("int64", 6)]


def test_odd_values(case):
    """What cannot be recorded is left out, the rest is there; each is said once."""
    recorded = case("odd_values", env={"PYTHONWARNINGS": "always"})
    marks = [event for event in recorded.events if event["type"] == "mark"]
    payloads = [mark for mark in marks if mark["name"] == "payload"]
    assert len(payloads) == 30 and not any("payload" in mark for mark in payloads)
    assert all(mark["color"] == "#000000ff" for mark in payloads)
    names = [mark.get("name") for mark in marks]
    assert [names.count(name) for name in ("3", "1.5", "<class 'NoneType'>", "[1]")] == [3] * 4
    assert [names.count(name) for name in (None, "color", "category", "domain")] == [3, 36, 15, 9]
    assert not any("color" in mark for mark in marks if mark["name"] == "color")
    assert not any("category" in mark for mark in marks)
    assert not any("domain" in event for event in recorded.events if "start_ns" in event)
    assert len(named(recorded, "domain")) == 9 + 18
    texts = warned(recorded)
    assert len(texts) == len(set(texts)) == 39, texts
    assert {text.split()[0] for _, text in texts} == {
        "payload", "message", "color", "category", "domain"}
    assert any("did you mean 'blue'?" in text for _, text in texts)


def test_odd_attributes(case):
    recorded = case("odd_attributes")
    assert recorded.named("text")["type"] == "push_pop" and recorded.named("inside")
    assert len(named(recorded, "attributes")) == 2 and recorded.named("5")
    assert len(warned(recorded)) == 16, recorded.stderr


def test_like_text(case):
    recorded = case("like_text")
    messages = named(recorded, "message")
    assert len(messages) == 2 and messages[0]["is_registered"] and not warned(recorded)
    assert {(mark["color"], mark["domain"], mark["category_name"]) for mark in messages} == {
        ("#00ff0000", "d", "c")}
    assert len(named(recorded, "bytes")) == 2 and recorded.named("list")["category"] == 9
    assert recorded.named("list")["color"] == recorded.named("mixed")["color"] == "#00ff0000"


def test_bare_decorator(case):
    recorded = case("bare_decorator")
    for name in ("function", "method", "static"):
        assert recorded.named(name)["type"] == "push_pop"


def test_warnings_as_errors(record):
    """Who asks for errors gets them, and no event of the call."""
    program = """
import warnings, rangefinder.nvtx as nvtx
warnings.simplefilter("error")
for _ in range(2):
    try:
        nvtx.mark("x", payload={})
    except nvtx.NvtxWarning as warning:
        print(warning)
"""
    recorded = record("-c", program)
    assert recorded.stdout == "payload must be a number, list, bytes or array, not dict: left out\n" * 2
    assert not named(recorded, "x")


def test_no_event_behind_a_warning(record):
    """Where a payload is refused, the text of a message beyond the bound of registered ones is given back once."""
    program = """
import sys, warnings, rangefinder.nvtx as nvtx
domain = nvtx.get_domain("full")
for i in range(65536):
    domain.mark(message=f"message {i}")
warnings.simplefilter("error")
makers = [
    lambda: domain.get_event_attributes(message=message, payload=object()),
    lambda: nvtx.annotate(message, domain="full", payload=object()),
]
for i in range(200):
    for make in makers:
        message = f"beyond the bound {i}"
        try:
            make()
        except nvtx.NvtxWarning:
            continue
        raise AssertionError("no warning")
    kept = [bytes(i) for i in range(64)]  # in its place
print("done")
"""
    recorded = record("-c", program)
    assert (recorded.status, recorded.stdout) == (0, "done\n"), recorded.stderr


def test_an_annotate_that_cannot_begin_anew_stays_what_it_was(record):
    program = """
import warnings, rangefinder.nvtx as nvtx
class Annotation(nvtx.annotate): pass
annotation = Annotation("first", domain="one", category="c")
warnings.simplefilter("error")
try:
    annotation.__init__("second", domain="two", payload=object())
except nvtx.NvtxWarning:
    pass
with annotation:
    pass
"""
    recorded = record("-c", program)
    assert recorded.status == 0, recorded.stderr
    (span,) = [event for event in recorded.events if event["type"] == "push_pop"]
    assert (span["name"], span["domain"], span["category_name"]) == ("first", "one", "c")


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


def test_wrong_calls():
    """What a call says wrong, whatever the values are."""
    import rangefinder.nvtx as nvtx

    wrong = [
        (TypeError, "unexpected keyword argument 'colour'", lambda: nvtx.mark("x", colour="red")),
        (TypeError, "multiple values", lambda: nvtx.mark("x", message="y")),
        (TypeError, "at most 5", lambda: nvtx.mark(1, 2, 3, 4, 5, 6)),
        (TypeError, "missing", lambda: nvtx.end_range()),
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


def test_excluded_domain(record):
    program = """if True:
        from rangefinder import nvtx
        wanted, unwanted = nvtx.get_domain("wanted"), nvtx.get_domain("unwanted")
        for domain in wanted, unwanted:
            domain.mark(domain.get_event_attributes("x", payload=[1, 2]))
            domain.get_counter("c", int).sample(1)
            print(domain.is_enabled())
    """
    recorded = record("-c", program, options=("--nvtx-domain-exclude=unwanted",))
    assert recorded.stdout.split() == ["True", "False"], recorded.stderr
    assert [event["domain"] for event in recorded.events if event["type"] == "mark"] == ["wanted"]
    assert len([event for event in recorded.events if event["type"] == "sample"]) == 1


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
