#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_kineto.py OUT MEGABYTES: a trace as torch.profiler writes it, of about that size.

A training step repeats: Python functions around operators (with shapes, in three levels), each with
calls, kernels on two streams and the flows between them; every tenth operator is a collective with
NCCL's metadata. Times and numbers differ; names repeat as those of a model do."""

import sys

HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "Example GPU", "totalGlobalMem": 85899345920,
      "computeMajor": 9, "computeMinor": 0,
      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
      "regsPerBlock": 65536, "warpSize": 32,
      "sharedMemPerBlock": 49152, "numSms": 132
    }
  ],
  "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1790857026000000000,
  "traceEvents": ["""

TAIL = """
  {
    "name": "process_name", "ph": "M", "ts": 1000000.000, "pid": 4242, "tid": 0,
    "args": {
      "name": "python"
    }
  }
  ],
  "traceName": "bench.json"
}
"""

OPERATORS = ("aten::linear", "aten::addmm", "aten::layer_norm", "aten::gelu", "aten::softmax",
             "aten::bmm", "aten::copy_", "aten::add_", "aten::mul", "record_param_comms")
KERNELS = tuple(
    f"void at::native::(anonymous namespace)::vectorized_kernel_{i}<4, at::native::Functor<float>,"
    f" std::array<char*, {i % 4 + 1}ul> >(int, at::native::Functor<float>, std::array<char*, 3ul>)"
    for i in range(40)) + ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",)


def event(category, name, tid, start, duration, args):
    return (f'  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": 4242,'
            f' "tid": {tid},\n    "ts": {start / 1000:.3f}, "dur": {duration / 1000:.3f},\n'
            f'    "args": {{\n      {args}\n    }}\n  }},\n')


def gpu_event(category, name, stream, start, duration, args):
    return (f'  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": 0,'
            f' "tid": {stream},\n    "ts": {start / 1000:.3f}, "dur": {duration / 1000:.3f},\n'
            f'    "args": {{\n      {args}\n    }}\n  }},\n')


def flow(phase, number, pid, tid, start):
    tail = ', "bp": "e"' if phase == "f" else ""
    return (f'  {{\n    "ph": "{phase}", "id": {number}, "pid": {pid}, "tid": {tid},'
            f' "ts": {start / 1000:.3f},\n    "cat": "ac2g", "name": "ac2g"{tail}\n  }},\n')


def operator(i, start):
    """Operator i with what it causes: 12 microseconds of the CPU."""
    name = OPERATORS[i % 10]
    is_collective = name == "record_param_comms"
    kernel = KERNELS[-1] if is_collective else KERNELS[i * 7 % 40]
    stream = 20 if is_collective else 7
    shapes = f'"Input Dims": [[{8 + i % 64}, 1024], [1024, 4096], []]'
    if is_collective:
        shapes = (f'"Collective name": "allreduce", "dtype": "BFloat16", "In msg nelems": {1024 * i},'
                  f' "Out msg nelems": {1024 * i}, "Group size": 8, "Process Group Name": "0"')
    number = 2 * i + 1
    return "".join((
        event("python_function", f"model.py({i % 200}): forward", 4242, start, 11900,
              f'"Python parent id": {i}, "Python id": {i + 1}, "Ev Idx": {i}'),
        event("cpu_op", name, 4242, start + 200, 11000,
              f'"External id": {number},"Record function id": 0, {shapes}, "Ev Idx": {i}'),
        event("cpu_op", "aten::empty", 4242, start + 400, 900,
              f'"External id": {number + 1},"Record function id": 0, "Ev Idx": {i}'),
        event("cuda_runtime", "cudaLaunchKernel", 4242, start + 2000, 4000,
              f'"External id": {number}, "cbid": 211, "correlation": {number}'),
        flow("s", number, 4242, 4242, start + 2000),
        gpu_event("kernel", kernel, stream, start + 9000, 10500,
                  f'"External id": {number}, "queued": 0, "device": 0, "context": 1,\n'
                  f'      "stream": {stream}, "correlation": {number},\n'
                  '      "registers per thread": 32, "shared memory": 16384,\n'
                  f'      "blocks per SM": 1.939394, "warps per SM": 15.515152,\n'
                  f'      "grid": [{256 + i % 16}, 1, 1], "block": [256, 1, 1],\n'
                  '      "est. achieved occupancy %": 24'),
        flow("f", number, 0, stream, start + 9000),
    ))


def main():
    path, size = sys.argv[1], int(float(sys.argv[2]) * 1e6)
    with open(path, "w", encoding="utf-8") as out:
        written = out.write(HEAD)
        i = 0
        while written < size:
            if i % 1000 == 0:
                written += out.write(event("user_annotation", f"ProfilerStep#{i // 1000}", 4242,
                                           10**9 + i * 12000, 1000 * 12000,
                                           f'"External id": {i},"Record function id": 0'))
            written += out.write(operator(i, 10**9 + i * 12000))
            i += 1
        out.write(TAIL)


if __name__ == "__main__":
    main()
