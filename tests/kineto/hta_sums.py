# SPDX-License-Identifier: Apache-2.0
"""hta_sums.py FOLDER: what HolisticTraceAnalysis computes of the traces in FOLDER, as JSON."""
import json
import logging
import os
import sys
import warnings

os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
try:
    from hta.trace_analysis import TraceAnalysis
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)


def main():
    # of real traces it leaves out the last step, unless told otherwise
    analysis = TraceAnalysis(trace_dir=sys.argv[1], include_last_profiler_step=True)
    ranks = sorted(analysis.t.traces)
    temporal = analysis.get_temporal_breakdown(visualize=False)
    _, kernels = analysis.get_gpu_kernel_breakdown(visualize=False, num_kernels=10**6,
                                                   include_memory_kernels=True)
    idle, _ = analysis.get_idle_time_breakdown(ranks=ranks, visualize=False)
    overlap = analysis.get_comm_comp_overlap(visualize=False)
    launches = analysis.get_cuda_kernel_launch_stats(ranks=ranks, visualize=False)
    annotations = analysis.get_gpu_user_annotation_breakdown(visualize=False, num_kernels=10**6)
    result = {}
    for rank in ranks:
        times = temporal[temporal["rank"] == rank].iloc[0]
        of_rank = kernels[kernels["rank"] == rank]
        gaps = idle[idle["rank"] == rank].groupby("stream")["idle_time"].sum()
        launched = launches[rank]
        annotated = [] if annotations is None else \
            annotations[annotations["rank"] == rank].values.tolist()
        result[rank] = {
            "total": float(times["kernel_time(us)"]),
            "idle": float(times["idle_time(us)"]),
            "compute": float(times["compute_time(us)"]),
            "sums": {kind: float(value) for kind, value in
                     of_rank.groupby("kernel_type")["sum (us)"].sum().items()},
            "gaps": {str(stream): float(value) for stream, value in gaps.items()},
            "overlap": float(overlap[overlap["rank"] == rank]["comp_comm_overlap_pctg"].iloc[0]),
            "launches": len(launched),
            "launch_cpu": float(launched["cpu_duration"].sum()),
            "launch_gpu": float(launched["gpu_duration"].sum()),
            "annotations": len(annotated),
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
