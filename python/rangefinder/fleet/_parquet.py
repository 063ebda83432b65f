# SPDX-License-Identifier: Apache-2.0
"""A job as Parquet: TABLE/run=RUN/rank=RANK/FILE.parquet. A process per file writes all tables of it."""

import dataclasses
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import rangefinder
from rangefinder import __main__ as command_line
from rangefinder import _reader
from rangefinder.fleet import _schema

NULL = "__HIVE_DEFAULT_PARTITION__"  # what stands for a rank that is not known


def name_of(number, name):
    """Of the files that an input becomes: ranks may be there twice, and its number is not."""
    return f"{number:06}-{name}.parquet"


class _Writer:
    """Writes the tables of one input."""

    def __init__(self, folder, run, name, host):
        self._place = (folder, run, name)
        self._metadata = {"rangefinder.schema": str(_schema.VERSION), "rangefinder.version": _reader.__version__,
                          "rangefinder.host": host}
        self.written = {}  # table: [rows, bytes]

    def write(self, table, rank, schema, batches):
        """batches: iterable of RecordBatch; a table without rows becomes no file."""
        import pyarrow
        import pyarrow.parquet

        folder, run, name = self._place
        path = os.path.join(folder, table, f"run={run}", f"rank={NULL if rank is None else rank}", name)
        schema = schema.with_metadata({**self._metadata, "rangefinder.table": table})
        texts = [field.name for field in schema if not pyarrow.types.is_integer(field.type)]
        integers = {field.name: "DELTA_BINARY_PACKED" for field in schema if field.name not in texts}
        writer = None
        n_rows = 0
        try:
            for batch in batches:
                if batch.num_rows == 0:
                    continue
                if writer is None:
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    writer = pyarrow.parquet.ParquetWriter(path, schema, compression="zstd", use_dictionary=texts,
                                                           column_encoding=integers or None)
                writer.write_table(pyarrow.Table.from_batches([batch]).cast(schema), row_group_size=1 << 20)
                n_rows += batch.num_rows
        finally:
            if writer is not None:
                writer.close()
        if writer is not None:
            before = self.written.get(table, [0, 0])
            self.written[table] = [before[0] + n_rows, before[1] + os.path.getsize(path)]


def _type(field):
    """Texts as dictionaries, whole numbers as int64, so that all files of a table have one schema."""
    import pyarrow

    if pyarrow.types.is_dictionary(field.type) or pyarrow.types.is_string(field.type) or pyarrow.types.is_large_string(
            field.type):
        return pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    return pyarrow.float64() if pyarrow.types.is_floating(field.type) or field.name == "value" else pyarrow.int64()


def _write_events(writer, recording, rank):
    import pyarrow
    import pyarrow.compute

    epoch = recording.info.epoch_utc_ns
    for table, (source, columns) in _schema.EVENTS.items():
        stream = pyarrow.RecordBatchReader.from_stream(recording.table(source, *columns))
        schema = pyarrow.schema([(field.name.replace("start_ns", "start_utc_ns"), _type(field))
                                 for field in stream.schema])

        def moved(batches, schema=schema):
            for batch in batches:
                times = pyarrow.compute.add(batch.column("start_ns"), pyarrow.scalar(epoch, pyarrow.int64()))
                arrays = [times if name == "start_ns" else batch.column(name) for name in batch.schema.names]
                yield pyarrow.RecordBatch.from_arrays(arrays, names=schema.names)

        writer.write(table, rank, schema, moved(stream))


def _of_rows(types, rows):
    import pyarrow

    schema = pyarrow.schema([(name, pyarrow.dictionary(pyarrow.int32(), pyarrow.string()) if kind == "string"
                              else getattr(pyarrow, kind)()) for name, kind in types.items()])
    arrays = [pyarrow.array(values, type=field.type) for values, field in
              zip(zip(*rows) if rows else [[]] * len(schema), schema)]
    return schema, [pyarrow.RecordBatch.from_arrays(arrays, schema=schema)]


def _write_summaries(writer, path, rank):
    """The tables that its summary has."""
    with tempfile.TemporaryDirectory(prefix="rangefinder-export-") as scratch:
        summary = os.path.join(scratch, "one.rfsum")
        ranks = [] if rank is None else [f"--filter-rank={rank}"]
        done = subprocess.run([command_line.COMMAND, "summarize", "-q", "--steps", "--max-kb=0", "--jobs=1", *ranks, "-o", summary,
                               "--", path], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if not os.path.exists(summary):
            raise RuntimeError(done.stderr.partition(": ")[2].strip() or "summarize failed")
        database = sqlite3.connect(summary)
        database.text_factory = lambda text: text.decode("utf-8", "replace")
        try:
            for table, (types, query) in _schema.SUMMARIES.items():
                try:
                    rows = database.execute(query).fetchall()
                except sqlite3.OperationalError:
                    continue  # an older summary lacks the table
                writer.write(table, rank, *_of_rows(types, rows))
        finally:
            database.close()


def _parts(recording):
    """(rank, Recording) for each rank that the processes of a recording have."""
    ranks = {process.rank for process in recording.processes}
    if len(ranks) <= 1:
        yield recording.info.rank, recording
        return
    for rank in sorted(rank for rank in ranks if rank is not None):
        yield rank, recording.filter(rank=rank)


def export_file(path, folder, run, number):
    """Writes the tables of one input. Returns {table: [rows, bytes]}."""
    name = name_of(number, re.sub(r"[^A-Za-z0-9._-]", "_", os.path.basename(path.rstrip("/")))[:100])
    with rangefinder.open(path) as recording:
        info = recording.info
        writer = _Writer(folder, run, name, info.host)
        for rank, part in _parts(recording):
            _write_events(writer, part, rank)
            _write_summaries(writer, path, rank)
        known = {**recording.clocks, **dataclasses.asdict(info)}
        writer.write("clocks", info.rank, *_of_rows(_schema.CLOCKS, [[known.get(name) for name in _schema.CLOCKS]]))
    return writer.written


def main(path, folder, run, number):
    """What a task runs: its output is what it wrote, or one line on what is wrong."""
    try:
        print(json.dumps(export_file(path, folder, run, int(number))))
        return 0
    except Exception as error:  # whatever a file or a library does, it is a row of the result
        print(f"rangefinder: {error}", file=sys.stderr)
        return 1
