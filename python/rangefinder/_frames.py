# SPDX-License-Identifier: Apache-2.0
"""Columns of a recording in other packages, which are imported when they are asked for, and as HTML
for notebooks."""

import datetime
import html

from rangefinder._reader import Rows, Table

__all__ = ["recording_html", "to_arrow", "to_html", "to_pandas"]


def _import(name, what):
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(
            f"{what} needs the package {name}: pip install {name}", name=name
        ) from error


def to_arrow(table):
    """A pyarrow.Table of a Table or of Rows."""
    pyarrow = _import("pyarrow", "to_arrow()")
    if not hasattr(pyarrow.RecordBatchReader, "from_stream"):
        raise ImportError(
            f"to_arrow() needs pyarrow 15 or later, and this is {pyarrow.__version__}",
            name="pyarrow",
        )
    return pyarrow.RecordBatchReader.from_stream(table).read_all()


def to_pandas(table):
    """A pandas.DataFrame of a Table or of Rows."""
    table = table.columns() if isinstance(table, Rows) else table
    pandas = _import("pandas", "to_pandas()")
    import numpy

    series = {column.name: _series(pandas, numpy, column) for column in table._filled()}
    return pandas.DataFrame(series, index=pandas.RangeIndex(table.n_rows))


def _series(pandas, numpy, column):
    if column.codes is not None:
        codes, texts = numpy.asarray(column.codes), pandas.Index(column.categories, dtype=object)
        if not texts.is_unique:  # texts that are no UTF-8 may look the same
            texts, places = texts.unique(), texts.map({t: i for i, t in enumerate(texts.unique())})
            codes = numpy.append(places.to_numpy(dtype=codes.dtype), -1)[codes].astype(codes.dtype)
        return pandas.Categorical.from_codes(codes, texts)
    if column.type == "text":
        return numpy.array(column.tolist(), dtype=object)
    values = numpy.asarray(column)
    nulls = column.nulls if column.type != "float64" else None
    if nulls is None:
        return values
    mask = numpy.frombuffer(nulls, dtype=bool)
    return pandas.arrays.IntegerArray(numpy.ascontiguousarray(values).copy(), mask.copy())


# ---- HTML ----

_SHOWN = 10  # rows
_FIRST = ("kind", "name", "domain", "start_ns", "duration_ns", "value", "payload", "pid", "tid",
          "device", "stream", "number", "id")


def _cell(value, tag="td"):
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<{tag} style="text-align: right">{value}</{tag}>'
    return f"<{tag}>{'' if value is None else html.escape(str(value))}</{tag}>"


def _html(head, rows, caption):
    lines = ["".join(_cell(value) for value in row) for row in rows]
    if head:
        lines.insert(0, "".join(_cell(name, "th") for name in head))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table>{body}</table><p>{html.escape(caption)}</p>"


def to_html(shown):
    """What a notebook shows of a Table, of Rows or of a Row."""
    if isinstance(shown, Table):
        return _table_html(shown)
    return _rows_html(shown) if isinstance(shown, Rows) else _row_html(shown)


def _table_html(table):
    """The first rows of a Table."""
    shown = [table[name] for name in table]
    n = min(table.n_rows, _SHOWN)
    rows = [[column[i] for column in shown] for i in range(n)]
    return _html(list(table), rows, _caption(table.n_rows, "rows"))


def _rows_html(rows):
    """The first rows of Rows, with the columns that matter most."""
    table = rows.columns()
    names = [name for name in _FIRST if name in table.keys()] or list(table)
    shown = [[row[name] for name in names] for row in rows[:_SHOWN]]
    return _html(names, shown, _caption(len(rows), repr(rows)[1:-1].split(" ", 1)[1]))


def _caption(n, what):
    return f"{n:,} {what}" + (f", of which the first {_SHOWN} are shown" if n > _SHOWN else "")


def _row_html(row):
    """A row: its columns below each other."""
    return _html((), row.as_dict().items(), type(row).__name__)


def recording_html(recording):
    """What a recording is about."""
    info = recording.info
    rows = [
        ("file", info.path),
        ("recorded by", info.product),
        ("on", info.host),
        ("at", _moment(info.epoch_utc_ns, info.utc_offset_s)),
        ("ranges", info.n_ranges),
        ("marks", info.n_marks),
        ("processes", len(recording.processes)),
        ("threads", len(recording.threads)),
        ("kernels", len(recording.kernels)),
        ("lost events", info.n_lost_records),
    ]
    return _html((), [row for row in rows if row[1] not in ("", None)], "Recording")


def _moment(epoch_ns, offset_s):
    if epoch_ns <= 0:
        return None
    zone = datetime.timezone(datetime.timedelta(seconds=offset_s))
    return datetime.datetime.fromtimestamp(epoch_ns // 10**9, zone).isoformat(" ")
