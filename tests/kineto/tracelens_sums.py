# SPDX-License-Identifier: Apache-2.0
"""tracelens_sums.py TRACE: what TraceLens computes of a trace, as JSON on the last line."""
import json
import sys
import warnings

warnings.filterwarnings("ignore")
try:
    from TraceLens import TreePerfAnalyzer
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

GPU = ("kernel", "gpu_memcpy", "gpu_memset")


def main():
    analyzer = TreePerfAnalyzer.from_file(sys.argv[1])
    timeline = analyzer.get_df_gpu_timeline()
    work = [event for event in analyzer.tree.events if event.get("cat") in GPU]
    result = {row["type"]: row["time ms"] * 1000 for _, row in timeline.iterrows()}
    result["work"] = len(work)
    result["linked"] = sum("parent" in event for event in work)
    result["launchers"] = sorted(set(analyzer.get_df_kernel_launchers()["name"]))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
