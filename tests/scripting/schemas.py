# SPDX-License-Identifier: Apache-2.0
"""The schemas of docs/json, and documents against them."""

import copy
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "docs" / "json"
sys.path.insert(0, str(ROOT / "tests" / "support"))
import unique_json  # noqa: E402

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_OTHERS = {"string": 7, "integer": "7", "number": "7", "boolean": 7, "array": {}, "object": []}


def validator_class():
    """Ends the test as skipped where there is none."""
    sys.path += map(str, ROOT.glob("build/wheels/lib/python{}.{}/site-packages".format(*sys.version_info)))
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        print("SKIP: no jsonschema of version 4: apt-get install python3-jsonschema, or "
              "python3 -m venv build/wheels; build/wheels/bin/pip install jsonschema")
        sys.exit(77)
    return Draft202012Validator


def closed(schema):
    """The schema, without what it leaves open for later versions: members that it does not name."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    if "properties" in found and "additionalProperties" not in found and isinstance(found["properties"], dict):
        found["additionalProperties"] = False
    return found


class Schemas:
    """All of them, by name."""

    def __init__(self):
        validator = validator_class()
        self.schema = {}
        for path in sorted(FOLDER.glob("*.schema.json")):
            name = path.name[:-len(".schema.json")]
            schema = self.schema[name] = unique_json.loads(path.read_text())
            validator.check_schema(schema)
            assert schema["$schema"] == DRAFT and schema["$id"] == f"urn:rangefinder:json:{name}:1", path
            assert schema["properties"]["schema"] == {"description": "The name of this schema.", "const": name}, path
        self.open = {name: validator(schema) for name, schema in self.schema.items()}
        self.strict = {name: validator(closed(schema)) for name, schema in self.schema.items()}

    def check(self, document):
        """Raises AssertionError where a document has another form than its schema says."""
        name = document.get("schema")
        assert name in self.strict, f"no schema {name}: {document}"
        errors = [f"{error.json_path}: {error.message}" for error in self.strict[name].iter_errors(document)]
        assert not errors, f"{name}: {errors[:5]}"

    def check_text(self, text):
        """Of lines of JSON; returns the documents."""
        documents = unique_json.lines(text)
        assert documents, "nothing was printed"
        for document in documents:
            self.check(document)
        return documents


def places(schema, document, at=()):
    """(path in the document, its schema) of every value that a schema describes, outermost first."""
    yield at, schema
    if isinstance(document, dict):
        for name, one in schema.get("properties", {}).items():
            if name in document:
                yield from places(one, document[name], (*at, name))
        rest = schema.get("additionalProperties")
        for name in document if isinstance(rest, dict) else ():
            yield from places(rest, document[name], (*at, name))
    elif isinstance(document, list) and document and "items" in schema:
        yield from places(schema["items"], document[0], (*at, 0))


def found_at(document, path):
    for step in path:
        document = document[step]
    return document


def changed(document, path, value):
    """A copy with another value there; value(): what it becomes, of the container and the key."""
    other = copy.deepcopy(document)
    if not path:
        return value
    found_at(other, path[:-1])[path[-1]] = value
    return other


def wrong_value(schema):
    """What is not valid there."""
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return "another word"
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return _OTHERS[kinds[0]]


def forgeries(schema, document):
    """(what was done, document) that the schema has to refuse."""
    for path, one in places(schema, document):
        yield f"{path} of another type", changed(document, path, wrong_value(one))
        if "minimum" in one and found_at(document, path) is not None:
            yield f"{path} below its minimum", changed(document, path, one["minimum"] - 1)
        for name in one.get("required", ()) if isinstance(found_at(document, path), dict) else ():
            other = copy.deepcopy(document)
            del found_at(other, path)[name]
            yield f"{(*path, name)} is missing", other
    yield "of the next version", {**document, "schema_version": document["schema_version"] + 1}
    yield "no object", [json.dumps(document)]


def strangers(schema, document):
    """Documents with one more member, which only this version must not have."""
    for path, one in places(schema, document):
        if "properties" in one and isinstance(found_at(document, path), dict):
            other = copy.deepcopy(document)
            found_at(other, path)["a_later_member"] = 1
            yield path, other
