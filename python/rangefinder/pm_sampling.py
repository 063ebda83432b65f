# SPDX-License-Identifier: Apache-2.0
"""Samples of a GPU's hardware counters (PM sampling): the interface of NVIDIA's cupti.pm_sampling.

    from rangefinder import pm_sampling

    with pm_sampling.Collector(device_index=0) as collector:
        collector.configure(metrics=["sm__cycles_active.avg.pct_of_peak_sustained_elapsed"])
        collector.start()
        ...  # the work
        collector.stop()
        data = collector.decode()
    for sample in data:
        print(sample.start_timestamp, sample.metric_values)

Times are nanoseconds of CLOCK_REALTIME (time.time_ns()). NVIDIA's libcupti of CUDA 12.6 or later is
loaded by the first call that needs it; RANGEFINDER_CUPTI can name one. A Collector needs a GPU of
Turing or later and the right to read counters; the functions, and the values of counter data, need no
GPU. Everything may be called from any thread. docs/gpu-metrics.md has more.
"""

import enum
import functools
import operator
import os
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import List, Tuple

from rangefinder import _pm_sampling

__all__ = [
    "Collector",
    "CounterData",
    "CuptiError",
    "DecodeStopReason",
    "HardwareBufferAppendMode",
    "HardwareBuffer_AppendMode",
    "Metric",
    "MetricSet",
    "MetricType",
    "Sample",
    "TriggerMode",
    "choose_metrics",
    "cuptiError",
    "describe",
    "list_chips",
    "list_metric_sets",
    "list_metrics",
    "list_single_pass_sets",
    "metric_set",
    "passes",
    "single_pass_metrics",
]


class TriggerMode(enum.IntEnum):
    """What makes the GPU take a sample: the unit of sampling_interval."""

    GPU_SYSCLK_INTERVAL = 0  # cycles of the SYS clock, whose frequency varies
    GPU_TIME_INTERVAL = 1  # nanoseconds; not on Turing and GA100
    COUNT = 2  # how many there are: not a mode


class DecodeStopReason(enum.IntEnum):
    """Why a decode ended."""

    OTHER = 0  # while sampling: what has come so far; after a stop: there may be more
    COUNTER_DATA_FULL = 1  # there were max_samples, and perhaps more
    END_OF_RECORDS = 2  # that was all
    COUNT = 3  # how many there are: not a reason


class HardwareBuffer_AppendMode(enum.IntEnum):
    """What becomes of new samples when the hardware buffer is full."""

    KEEP_OLDEST = 0  # they are lost, and decode() raises MemoryError
    KEEP_LATEST = 1  # they replace the oldest; not on Turing, and CUPTI of CUDA 12.8 or later


HardwareBufferAppendMode = HardwareBuffer_AppendMode


class MetricType(enum.IntEnum):
    """What a metric is."""

    COUNTER = 0  # has .avg, .max, .min, .sum
    RATIO = 1  # has .ratio, .pct, .max_rate
    THROUGHPUT = 2  # the most used of several counters: percentages only


class CuptiError(Exception):
    """An error of CUPTI for which Python has no exception of its own.

    code: int, CUPTI's number (CUptiResult); status is another name of it.
    name: str, "CUPTI_ERROR_HARDWARE_BUSY".
    function: str, which of CUPTI's functions returned it; "" where that is not known.
    """

    def __init__(self, code, text=None, function=""):
        Exception.__init__(self, code, text, function)  # not that of NVIDIA's class: see _error()
        self.code = self.status = operator.index(code)
        self.name = _pm_sampling.error_name(self.code)
        self.function = function

    def __reduce__(self):
        return _error, self.args

    def __str__(self):
        return self.args[1] or f"{self.function or 'CUPTI'}: {self.name} ({self.code})"


cuptiError = CuptiError


def _error(*args):
    """A CuptiError; where NVIDIA's package is imported one that `except cupti.cupti.cuptiError`
    catches, too."""
    theirs = getattr(sys.modules.get("cupti.cupti"), "cuptiError", CuptiError)
    return _error_class(theirs)(*args)


@functools.lru_cache(maxsize=None)
def _error_class(theirs):
    if not isinstance(theirs, type) or issubclass(CuptiError, theirs):
        return CuptiError
    try:
        return type("CuptiError", (CuptiError, theirs), {"__module__": __name__})
    except TypeError:  # it is not what it was when this was written
        return CuptiError


@dataclass(frozen=True)
class Sample:
    """What the counters counted in one interval.

    start_timestamp, end_timestamp: int, nanoseconds of CLOCK_REALTIME.
    metric_values: list of float, one for each of CounterData.metrics, in their order and units.
    """

    start_timestamp: int
    end_timestamp: int
    metric_values: List[float]


@dataclass(frozen=True)
class Metric:
    """A metric of a chip, as describe() gives it.

    name: str, as it was asked for.
    type: MetricType.
    description: str, NVIDIA's sentence; "" where there is none.
    hw_unit: str, where it is counted, "sm", "dram"; "" where that is not known.
    unit: str, of the values: "byte/second", "percent"; "" for plain numbers.
    submetrics: tuple of str, what makes it a name that can be sampled, behind a dot: "avg",
        "avg.pct_of_peak_sustained_elapsed".
    """

    name: str
    type: MetricType
    description: str
    hw_unit: str
    unit: str
    submetrics: Tuple[str, ...]


@dataclass(frozen=True)
class MetricSet:
    """A table of metrics worth sampling on a family of chips.

    name: str, nsys's name of the set, "gh100".
    title: str.
    chips: tuple of str, those that are sampled with it where no other set is asked for.
    metrics: tuple of str. Not every chip of the family has all: choose_metrics().
    labels: tuple of str, nsys's label of each metric.
    descriptions: tuple of str, a sentence on each metric.
    """

    name: str
    title: str
    chips: Tuple[str, ...]
    metrics: Tuple[str, ...]
    labels: Tuple[str, ...]
    descriptions: Tuple[str, ...]


def _need(module, what):
    """A module that is no dependency of this package."""
    try:
        return __import__(module)
    except ImportError as error:
        raise ImportError(
            f"CounterData.{what}() needs the package {module}, which cannot be imported ({error}): "
            f"pip install {module}",
            name=module,
        ) from None


def _counter_data(data):
    """Counter data as a pickle has it. The bytes are tested in full: ValueError."""
    return CounterData._of(_pm_sampling.Samples.deserialise(data))


class CounterData:
    """Samples as CUPTI has them, and all that is needed to make values of them, on any machine.

    A sequence of Sample: len(), iteration, indices (negative ones, too), slices, which are lists.
    Values are computed when a sample is first asked for, some microseconds per value, and kept, 8
    bytes each; to_numpy() computes all at a stretch, which is faster.

    It can be pickled, and evaluated later, elsewhere, without a GPU; libcupti must be as new as the
    one that sampled, or newer. Damaged data raises ValueError before CUPTI sees any of it.

    Collector.decode() makes it. Who makes it of its parts, as the attributes have them, gets ValueError
    where these contradict each other, or where image is not what an image attribute had.

    image: bytes-like (bytes, memoryview, a numpy array of uint8).
    trusted: bool. True takes an image without this package's seal, such as NVIDIA's module has.
        Nothing of it is tested, and CUPTI crashes on a wrong one.
    metrics: list of str.
    chip_name: str, "GH100".
    num_total_samples, num_populated_samples, num_completed_samples: int.
    start_timestamps, end_timestamps: lists of int, nanoseconds, num_completed_samples of them.
    """

    def __init__(
        self,
        *,
        image,
        metrics,
        chip_name,
        num_total_samples,
        num_populated_samples,
        num_completed_samples,
        start_timestamps,
        end_timestamps,
        trusted=False,
    ):
        self._take(_pm_sampling.Samples(
            image, metrics, chip_name, num_total_samples, num_populated_samples,
            num_completed_samples, start_timestamps, end_timestamps, trusted,
        ))  # fmt: skip

    @classmethod
    def _of(cls, samples):
        self = cls.__new__(cls)
        self._take(samples)
        return self

    def _take(self, samples):
        self._samples = samples
        self._info = samples.info()
        self._cache = None  # values, and of each sample whether they are there
        self._locks = {}  # of the cache, by process: a child does not wait for a thread of its parent

    def __reduce__(self):
        return _counter_data, (self._samples.serialise(),)

    # ---- What is known without values ----

    @property
    def chip_name(self):
        """str: the chip that was sampled, "GH100"."""
        return self._info[0]

    @property
    def single_pass_metric_set_name(self):
        """str or None: the set that configure() was given."""
        return self._info[1]

    @property
    def metrics(self):
        """list of str: the metrics, in the order of a sample's values."""
        return list(self._info[2])

    @property
    def num_total_samples(self):
        """int: for so many samples there was room, max_samples of decode()."""
        return self._info[3]

    @property
    def num_populated_samples(self):
        """int: so many have any value."""
        return self._info[4]

    @property
    def num_completed_samples(self):
        """int: so many are whole; these are the samples that there are."""
        return self._info[5]

    @property
    def cupti_version(self):
        """int: of the CUPTI that sampled, as cuptiGetVersion() says it: 26, 130200."""
        return self._info[6]

    @property
    def stop_reason(self):
        """DecodeStopReason: why the decode ended."""
        return DecodeStopReason(self._info[7])

    @property
    def overflow(self):
        """bool: samples behind the last one were lost, by CUPTI's flag; where CUPTI says so by an
        error, decode() raises MemoryError."""
        return self._info[8]

    @property
    def is_first(self):
        """bool: sample 0 is the first after start(). Its start and values are often wrong."""
        return self._info[9]

    @functools.cached_property
    def start_timestamps(self):
        """list of int: where each completed sample starts, nanoseconds of CLOCK_REALTIME."""
        return self._samples.starts()

    @functools.cached_property
    def end_timestamps(self):
        """list of int: where each completed sample ends, nanoseconds of CLOCK_REALTIME."""
        return self._samples.ends()

    @property
    def image(self):
        """memoryview: CUPTI's bytes and a seal, read-only; a copy is bytes(data.image)."""
        return memoryview(self._samples)

    def __repr__(self):
        n = len(self)
        return f"<CounterData: {n} sample{'s' * (n != 1)} of {len(self._info[2])} metrics, {self.chip_name}>"

    # ---- Samples ----

    def _values(self, first, n):
        """memoryview of float64: a copy of the values of n samples, each of which is evaluated once."""
        width = 8 * len(self._info[2])
        last = first + n
        with self._locks.setdefault(os.getpid(), threading.RLock()):
            if self._cache is None:
                self._cache = bytearray(width * len(self)), bytearray(len(self))
            values, is_known = self._cache
            while (start := is_known.find(0, first, last)) >= 0:
                end = is_known.find(1, start, last)
                end = last if end < 0 else end
                values[start * width:end * width] = self._samples.values(start, end - start)
                is_known[start:end] = b"\1" * (end - start)
            return memoryview(values[first * width:last * width]).cast("d")

    def _sample(self, index):
        start, end = self._samples.time(index)
        return Sample(start, end, self._values(index, 1).tolist())

    def __len__(self):
        return self._info[5]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self._sample(i) for i in range(*index.indices(len(self)))]
        try:
            place = operator.index(index)
        except TypeError:
            raise TypeError(
                f"samples are numbered by integers and slices, not {type(index).__name__}"
            ) from None
        if place < 0:
            place += len(self)
        if not 0 <= place < len(self):
            raise IndexError(f"sample {index}: there are {len(self)}")
        return self._sample(place)

    def __iter__(self):
        for index in range(len(self)):
            yield self._sample(index)

    def to_numpy(self):
        """The values as numpy.ndarray of float64, one row per sample, one column per metric: shape
        (len(data), len(data.metrics)). The times are start_timestamps and end_timestamps.

        ImportError: numpy is not installed. RuntimeError, CuptiError: as for any sample."""
        numpy = _need("numpy", "to_numpy")
        values = numpy.asarray(self._values(0, len(self)), dtype=numpy.float64)  # of nobody else
        return values.reshape(len(self), len(self._info[2]))

    def to_pandas(self):
        """The samples as pandas.DataFrame: start_timestamp and end_timestamp (uint64, nanoseconds),
        and a column of float64 for each metric, under its name.

        ImportError: pandas is not installed. RuntimeError, CuptiError: as for any sample."""
        pandas = _need("pandas", "to_pandas")
        numpy = _need("numpy", "to_pandas")
        frame = pandas.DataFrame(self.to_numpy(), columns=self.metrics)
        for place, times in enumerate((self.start_timestamps, self.end_timestamps)):
            name = ("start_timestamp", "end_timestamp")[place]
            frame.insert(place, name, numpy.array(times, dtype=numpy.uint64))
        return frame


class Collector:
    """Samples the counters of one GPU: enable(), configure(), start(), stop(), decode(), disable().

    device_index: int, of the GPUs that CUDA shows to this process. It is looked at by enable().

    In a with statement it is enabled, and disabled at the end. A collector that is thrown away, and
    one that is left at the end of the process, is disabled. One collector samples a GPU at a time, on
    the whole machine. A process made by fork() must make its own.
    """

    def __init__(self, device_index=0):
        self._device_index = operator.index(device_index)
        self._session = _pm_sampling.Session(min(max(self._device_index, 0), 2**31))
        self._finalizer = weakref.finalize(self, _disable_quietly, self._session)

    def __enter__(self):
        if not self._session.state()[0]:
            self.enable()
        return self

    def __exit__(self, kind, error, traceback):
        self.disable()

    def __repr__(self):
        is_enabled, chip = self._session.state()
        return (
            f"<Collector of GPU {self._device_index}"
            f"{', ' + chip if chip else ''}{', enabled' if is_enabled else ''}>"
        )

    def enable(self):
        """Takes the GPU for this collector.

        ValueError: there is no such GPU.
        MemoryError: CUPTI is out of memory.
        RuntimeError: this GPU is sampled already, here or by another process; libcupti, its nvperf
            libraries or the driver cannot be loaded.
        PermissionError: this process may not read counters; how to get the right is in the message.
        CuptiError: the GPU cannot be sampled (MIG, vGPU, confidential computing, another tool has the
            counters), or any other error of CUPTI.
        """
        if self._device_index < 0:
            raise ValueError(f"there is no GPU {self._device_index}: they are numbered from 0")
        self._session.enable()

    def choose_metrics(self, metric_set=None):
        """Returns what this GPU has of a set and what fits in one pass, as list of str: what configure()
        takes. choose_metrics() of the module knows the chip alone; a GPU may lack counters of its
        chip, such as those of NVLink where it is not connected.

        metric_set: str, one of list_metric_sets(); None: the set of the chip's family.

        ValueError: there is no such set, or the GPU has none of its metrics. RuntimeError: not enabled.
        CuptiError. NVIDIA's module lacks this function."""
        return self._session.choose(metric_set)

    def configure(
        self,
        *,
        metrics,
        hardware_buffer_size=536870912,
        sampling_interval=10000,
        trigger_mode=TriggerMode.GPU_TIME_INTERVAL,
        hw_buffer_append_mode=HardwareBuffer_AppendMode.KEEP_OLDEST,
        single_pass_metric_set_name=None,
    ):
        """Says what is sampled. May be called again, but not between start() and stop().

        metrics: list of str, with submetrics: "sm__cycles_active.avg.pct_of_peak_sustained_elapsed".
            All must fit in one pass.
        hardware_buffer_size: int, bytes of the buffer that the GPU writes samples to.
        sampling_interval: int, nanoseconds or cycles of the SYS clock, as trigger_mode says.
        trigger_mode: TriggerMode.
        hw_buffer_append_mode: HardwareBuffer_AppendMode.
        single_pass_metric_set_name: str, one of list_single_pass_sets(), or None; CUPTI 13.2 or later.

        RuntimeError: not enabled; sampling is started; CUPTI is too old for what is asked.
        ValueError: metrics that the chip does not have (all of them, and what may have been meant, are
            in the message), or whose counters this GPU lacks; metrics that do not fit in one pass (which
            to leave out is in the message); a mode that the chip does not have; a number that is not valid.
        MemoryError: there is no memory for the hardware buffer.
        CuptiError: any other error of CUPTI. After an error the former configuration is still there.
        """
        self._session.configure(
            metrics, hardware_buffer_size, sampling_interval, trigger_mode, hw_buffer_append_mode,
            single_pass_metric_set_name,
        )  # fmt: skip

    def start(self):
        """Starts sampling, or resumes it after stop().

        RuntimeError: not enabled, not configured, or started already. CuptiError."""
        self._session.start()

    def stop(self):
        """Stops sampling. What was sampled can still be decoded.

        RuntimeError: not enabled, not configured, or stopped already. CuptiError."""
        self._session.stop()

    def decode(self, max_samples=10000):
        """Returns what was sampled since the last call, the oldest first, as CounterData.

        max_samples: int, for so many there is room, and more may be lost (samples whose times are 0
            come in their place): ask for more than can have come. Each takes 12 to 24 KiB, whether
            it is there or not.

        RuntimeError: not enabled, not configured, never started, or another thread decodes at this
            moment.
        ValueError: max_samples is not 1 or more.
        MemoryError: the hardware buffer was full, samples are lost: a larger buffer, a longer
            interval, fewer metrics or decoding more often help, and restart(), or stop(), configure()
            and start(), go on; or there is no memory for max_samples.
        CuptiError: any other error of CUPTI.
        """
        return CounterData._of(self._session.decode(max_samples))

    def restart(self):
        """Goes on after an overflow: disables, enables, configures as before, and starts where it was
        started. When that fails it is disabled.

        RuntimeError: not enabled, or not configured. Otherwise as enable() and configure()."""
        self._session.restart()

    def disable(self):
        """Gives the GPU back. What was not decoded is lost. Harmless where it is not enabled.

        CuptiError: CUPTI does not end as it should; the GPU is given back nevertheless."""
        self._session.disable()


def _disable_quietly(session):
    try:
        session.disable()
    except Exception:
        pass  # nobody is there to be told


# ---- Chips and metrics: no GPU is needed ----


def list_chips():
    """Returns the chips that CUPTI knows, as list of str: "GH100". Some may be too old to be sampled.

    RuntimeError: libcupti cannot be loaded."""
    return _pm_sampling.list_chips()


def list_metrics(chip):
    """Returns the names of a chip's metrics, without submetrics, as list of str, sorted.

    chip: str, one of list_chips(), in capitals or not.

    ValueError: CUPTI does not know the chip, or it cannot be sampled. RuntimeError, CuptiError."""
    return _pm_sampling.list_metrics(chip)


def describe(metric, chip):
    """Returns what a metric of a chip is, as Metric.

    metric: str, with or without a submetric; the unit is that of the whole.
    chip: str, one of list_chips().

    ValueError: there is no such metric (the nearest names are in the message), or no such chip.
    RuntimeError, CuptiError."""
    name, kind, *texts, submetrics = _pm_sampling.describe(metric, chip)
    return Metric(name, MetricType(kind), *texts, tuple(submetrics))


def passes(metrics, chip, *, single_pass_metric_set_name=None):
    """Returns in how many passes a chip can read metrics, as int: 1 can be sampled; 0 of none.

    metrics: list of str, with submetrics.
    chip: str, one of list_chips().
    single_pass_metric_set_name: str, one of list_single_pass_sets(), or None.

    ValueError: metrics that the chip does not have (all of them, and what may have been meant, are in
        the message), no such chip, or no such set. RuntimeError, CuptiError."""
    return _pm_sampling.passes(metrics, chip, single_pass_metric_set_name)


def list_metric_sets():
    """Returns the names of the sets that this package has, as list of str: "gh100"."""
    return [entry[0] for entry in _pm_sampling.sets()]


def metric_set(name):
    """Returns a set of metrics, as MetricSet. Loads nothing.

    name: str, one of list_metric_sets(), in capitals or not.

    ValueError: there is no such set."""
    for own_name, title, chips, entries in _pm_sampling.sets():
        if own_name == name.lower():
            columns = tuple(zip(*entries))
            return MetricSet(own_name, title, tuple(chips), *columns)
    raise ValueError(f"there is no metric set {name!r}: list_metric_sets() has them")


def choose_metrics(chip, metric_set=None):
    """Returns what a chip has of a set and what fits in one pass, as list of str: what configure()
    takes.

    chip: str, one of list_chips().
    metric_set: str, one of list_metric_sets(); None: the set of the chip's family.

    ValueError: there is no such chip or set, or the chip has none of its metrics. RuntimeError,
    CuptiError."""
    return _pm_sampling.choose(chip, metric_set)


def list_single_pass_sets(chip):
    """Returns the names of CUPTI's own sets that fit in one pass, as list of str: "TriageCompute".

    ValueError: there is no such chip. RuntimeError: CUPTI is older than 13.2. CuptiError."""
    return _pm_sampling.single_pass(chip, None)


def single_pass_metrics(metric_set, chip):
    """Returns the metrics of one of CUPTI's own sets, as list of str.

    metric_set: str, one of list_single_pass_sets().

    ValueError: there is no such chip or set. RuntimeError: CUPTI is older than 13.2. CuptiError."""
    return _pm_sampling.single_pass(chip, metric_set)
