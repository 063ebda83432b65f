# SPDX-License-Identifier: Apache-2.0
"""A table of a job, and what summaries have of reports."""

from rangefinder import _reader


class Report:
    """The rows of a report, in the order of the inputs. It pickles.

    name: str, that of the report. columns: tuple of str, their titles, which have the units. len(),
    iteration and [] give rows: dicts by title, of str, int, float or None."""

    __slots__ = ("name", "columns", "rows")

    def __init__(self, name, columns, rows):
        self.name = name
        self.columns = tuple(columns)
        self.rows = rows

    def __repr__(self):
        return f"<Report {self.name!r}: {len(self.rows)} rows>"

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def __eq__(self, other):
        if not isinstance(other, Report):
            return NotImplemented
        return (self.name, self.columns, self.rows) == (other.name, other.columns, other.rows)

    def to_arrow(self):
        """Returns a pyarrow.Table. Raises ImportError where there is no pyarrow."""
        import pyarrow

        return pyarrow.table([_arrow_array([row.get(title) for row in self.rows]) for title in self.columns],
                             names=list(self.columns))

    def to_pandas(self):
        """Returns a pandas.DataFrame. Raises ImportError where there is no pandas."""
        import pandas

        return pandas.DataFrame(self.rows, columns=list(self.columns))


def _arrow_array(values):
    """Numbers as such; as texts where some of them are texts, or there are none at all."""
    import pyarrow

    try:
        array = pyarrow.array(values)
    except (pyarrow.ArrowException, OverflowError):
        array = pyarrow.array([None if value is None else str(value) for value in values])
    return array.cast(pyarrow.string()) if pyarrow.types.is_null(array.type) else array


def reads_summaries(report):
    """Whether summaries have what a report shows. Raises ValueError where there is no such report."""
    for name, _, reads in _reader.reports():
        if name == report:
            return reads
    raise ValueError(f"there is no report {report!r}; `rangefinder stats --help` lists them")


# Of what these show, summaries have tallies: the rows with most time. The second ones are not in those of recordings
# that were summed up as they were read.
_OF_TALLIES = frozenset((
    "nvtx_gpu_proj_sum", "nvtx_kern_sum", "mpi_event_sum", "mpi_msg_size_sum", "openacc_sum", "openmp_sum", "syscall_sum", "um_sum",
    "um_total_sum", "um_cpu_page_faults_sum"))
_OF_ALL_EVENTS = frozenset(("cuda_gpu_kern_gb_sum", "cuda_kern_exec_sum", "launch_latency", "breakdown"))
# Likewise, and of all others unless their samples were kept: the kind of tally that says so.
_OF_SAMPLES = {"nvtx_gpu_metrics_sum": "range_sampled", "nvtx_counter_ranges": "range_counter"}


def is_of_tallies(report):
    """Whether recordings have rows that their summaries may lack."""
    return report in _OF_TALLIES or report in _OF_ALL_EVENTS or report in _OF_SAMPLES


def kind_of_samples(report):
    """The kind of tally that a summary was searched for if it has what a report shows of samples, or None."""
    return _OF_SAMPLES.get(report)


def needs_steps(report):
    """Whether a report of summaries shows more than sums: steps, collectives, or what ranks make of them; or what is
    not known of recordings that were summed up as they were read."""
    if not reads_summaries(report) or report in _OF_ALL_EVENTS or report in _OF_SAMPLES:
        return reads_summaries(report)
    return not report.endswith("_sum") and report not in ("self_time", "nvtx_tree")
