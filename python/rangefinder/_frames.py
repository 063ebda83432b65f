# SPDX-License-Identifier: Apache-2.0
"""Columns of a recording in other packages, which are imported when they are asked for."""

__all__ = ["to_arrow", "to_pandas"]


def _import(name, what):
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(
            f"{what} needs the package {name}: pip install {name}", name=name
        ) from error


def to_arrow(table):
    """A pyarrow.Table of a Table."""
    pyarrow = _import("pyarrow", "to_arrow()")
    if not hasattr(pyarrow.RecordBatchReader, "from_stream"):
        raise ImportError(
            f"to_arrow() needs pyarrow 15 or later, and this is {pyarrow.__version__}",
            name="pyarrow",
        )
    return pyarrow.RecordBatchReader.from_stream(table).read_all()


def to_pandas(table):
    """A pandas.DataFrame of a Table."""
    pandas = _import("pandas", "to_pandas()")
    import numpy

    series = {name: _series(pandas, numpy, table[name]) for name in table}
    return pandas.DataFrame(series, index=pandas.RangeIndex(table.n_rows))


def _series(pandas, numpy, column):
    if column.codes is not None:
        return pandas.Categorical.from_codes(
            numpy.asarray(column.codes), pandas.Index(column.categories, dtype=object)
        )
    if column.type == "text":
        return numpy.array(column.tolist(), dtype=object)
    values = numpy.asarray(column)
    nulls = column.nulls if column.type != "float64" else None
    if nulls is None:
        return values
    mask = numpy.frombuffer(nulls, dtype=bool)
    return pandas.arrays.IntegerArray(numpy.ascontiguousarray(values).copy(), mask.copy())
