# SPDX-License-Identifier: Apache-2.0
"""What nsys calls its recipes, and what stands for them here."""

import textwrap

from rangefinder import _reader

# Name of nsys: (reports here, of which the first that there is counts; what is different about it), or
# (none; why there is none, and what helps).
_GPU_TIME = "rangefinder export -t html has GPUs over time"
_NETWORK = "network cards are not sampled; of what nsys sampled: stats -r network_congestion"
_PAGEABLE = "rangefinder advise FILE... finds copies of pageable memory"
_RECIPES = {
    "cuda_api_sum": (("cuda_api_sum",), ""),
    "cuda_api_sync": (("critical",), "calls that wait for a GPU, and the work that they wait for"),
    "cuda_gpu_kern_hist": ((), "stats -r cuda_gpu_kern_sum --quantiles=5,25,50,75,95; the histogram itself is in "
                               "the table sum_histograms of job.rfsum"),
    "cuda_gpu_kern_pace": ((), "kernels have no n-th instance that ranks share; nvtx_pace compares their steps"),
    "cuda_gpu_kern_sum": (("cuda_gpu_kern_sum",), ""),
    "cuda_gpu_mem_size_sum": (("cuda_gpu_mem_size_sum",), ""),
    "cuda_gpu_mem_time_sum": (("cuda_gpu_mem_time_sum",), ""),
    "cuda_gpu_time_util_map": (("rank_heatmap",), "how busy ranks are along the time; " + _GPU_TIME),
    "cuda_memcpy_async": ((), _PAGEABLE),
    "cuda_memcpy_sync": (("cuda_api_sum",), "its rows cudaMemcpy...; " + _PAGEABLE),
    "cuda_memset_sync": (("cuda_api_sum",), "its rows cudaMemset..."),
    "diff": ((), "rangefinder compare A... -- B... compares runs, and says what chance would give"),
    "dx12_mem_ops": ((), "Direct3D is of Windows"),
    "file_access_sum": ((), "accesses to files are not recorded"),
    "gfx_hotspot": ((), "graphics are not recorded"),
    "gpu_gaps": (("gpu_gaps",), "each gap with its reason"),
    "gpu_metric_util_map": ((), "gpu_metric_util_sum has the means; over time: rangefinder open"),
    "gpu_metric_util_sum": (("gpu_metrics_sum",), ""),
    "gpu_time_util": (("breakdown",), "a GPU's time, which sums to 100 %, and why it was idle"),
    "gpu_vram_usage_trace": ((), "of Windows; allocations: rangefinder open"),
    "mpi_gpu_time_util_map": ((), "MPI and GPU over time: rangefinder open"),
    "mpi_sum": (("mpi_event_sum",), "of what nsys recorded; ranges of MPI's own NVTX: nvtx_sum"),
    "nccl_gpu_overlap_trace": (("breakdown",), "communication, exposed and hidden, of each GPU"),
    "nccl_gpu_proj_sum": (("nvtx_gpu_proj_sum",), "its rows NCCL:..."),
    "nccl_gpu_time_util_map": ((), "breakdown has the sums; over time: rangefinder open"),
    "nccl_straggler": (("stragglers", "collectives"), "by who arrives last; no special tracing is needed"),
    "nccl_sum": (("nvtx_sum",), "its rows NCCL:...; collectives has them one by one"),
    "network_map_aws": ((), _NETWORK),
    "network_sum": ((), _NETWORK),
    "network_traffic_map": ((), _NETWORK),
    "nvlink_sum": (("gpu_metrics_sum",), "its rows of NVLink"),
    "nvtx_cpu_topdown": ((), "hardware counters of the CPU are not sampled"),
    "nvtx_gpu_proj_pace": (("steps",), "its column of GPU time, step by step"),
    "nvtx_gpu_proj_sum": (("nvtx_gpu_proj_sum",), ""),
    "nvtx_gpu_proj_trace": (("nvtx_gpu_proj_trace",), ""),
    "nvtx_pace": (("pace",), "of the range that is each thread's step, or of --step"),
    "nvtx_sum": (("nvtx_sum",), ""),
    "osrt_sum": (("osrt_sum",), ""),
    "s3_access_sum": ((), "accesses to S3 are not recorded"),
    "storage_util_map": ((), "storage is not sampled"),
    "ucx_gpu_time_util_map": ((), "UCX is not recorded; GPU time: breakdown"),
}


def _reports():
    return {name for name, _, _ in _reader.reports()}


def _of_nsys(recipe):
    """(report here, or None; note)"""
    candidates, note = _RECIPES[recipe]
    reports = _reports()
    return next((name for name in candidates if name in reports), None), note


def report_of(recipe):
    """The report that a name of nsys, or of a report here, means. Raises ValueError, which says what else
    there is."""
    name, colon, arguments = recipe.partition(":")
    if name in _reports():
        return recipe
    if name not in _RECIPES:
        raise ValueError(f"there is no recipe '{name}'; rangefinder recipe --help-recipes lists them")
    report, note = _of_nsys(name)
    if report is None:
        raise ValueError(f"'{name}' of nsys has no recipe here: {note}")
    return report + colon + arguments


def described():
    """The recipes as text: reports first, then the names of nsys."""
    lines = ["Recipes: every report of 'rangefinder stats'. (rows): made of single events, a second pass over the",
             "files, and no total over ranks.", ""]
    for name, description, reads_summaries in _reader.reports():
        lines.append(f"  {name:<24} {description}{'' if reads_summaries else ' (rows)'}")
    lines += ["", "Names of nsys that mean another one here, or have none:", ""]
    for name in _RECIPES:
        report, note = _of_nsys(name)
        if report == name:
            continue
        text = f"-> {report}{': ' if note else ''}{note}" if report else f"none: {note}"
        lines += textwrap.wrap(text, 100, initial_indent=f"  {name:<24} ", subsequent_indent=" " * 27)
    return "\n".join(lines)
