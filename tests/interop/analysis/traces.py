"""Traces out of chance in the form of PyTorch's profiler: nested operators, launches, kernels, copies, collectives, loaders, memory.

Times are eighths of a microsecond, so that floating point and whole nanoseconds say the same.
"""

import random

KERNELS = ["volta_sgemm_128x64_nn", "volta_fp16_s884gemm_fp16_128x128", "elementwise_kernel<4>", "reduce_kernel", "cudnn_h1688_conv", "softmax_warp_forward", "batch_norm_kernel"]
OPERATORS = ["aten::addmm", "aten::relu", "aten::conv2d", "aten::sum", "aten::linear", "aten::add_", "AddmmBackward", "aten::copy_", "aten::zeros", "Optimizer.zero_grad#SGD.zero_grad",
             "DataParallel.forward"]
SHAPES = [[[64, 128], [128]], [[32, 3, 224, 224], []], [], [[1]], [[64, 128], [128, 256], [256]]]
COLLECTIVES = ["nccl:all_reduce", "nccl:broadcast", "nccl:all_gather"]
DEVICE = {"name": "Tesla V100", "totalGlobalMem": 1000000, "computeMajor": 7, "computeMinor": 0, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536,
          "regsPerMultiprocessor": 65536, "warpSize": 32, "sharedMemPerBlock": 49152, "sharedMemPerMultiprocessor": 98304, "numSms": 80, "sharedMemPerBlockOptin": 98304}


class Trace:
    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.events, self.external, self.correlation = [], 0, 0
        self.busy = {}  # (device, stream): when it is free again
        self.allocated, self.blocks = {0: 0, 1: 0}, []
        self.has_gpu = seed % 5 != 0
        self.devices = 1 if seed % 4 else 2
        self.has_collectives = seed % 3 == 0
        self.has_memory = seed % 2 == 0
        self.keeps_device_full = seed % 7 == 0

    def eighths(self, low: float, high: float) -> float:
        return self.random.randint(int(low * 8), int(high * 8)) / 8

    def span(self, category, name, ts, dur, tid=100, pid=10, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args})

    def launch(self, ts, dur, external):
        self.correlation += 1
        kind = self.random.choices(["Kernel", "Memcpy", "Memset", None], [8, 1, 1, 1])[0]
        name = {"Kernel": "cudaLaunchKernel", "Memcpy": "cudaMemcpyAsync", "Memset": "cudaMemsetAsync", None: "cudaStreamSynchronize"}[kind]
        self.span("Runtime", name, ts, dur, **{"external id": external, "correlation": self.correlation})
        if kind is None:
            return
        device, stream = self.random.randrange(self.devices), self.random.choice([7, 7, 7, 20])
        begin = max(ts + self.eighths(1, 4), self.busy.get((device, stream), 0))
        length = self.eighths(60, 90) if self.keeps_device_full else self.eighths(0, 12)
        self.busy[device, stream] = begin + length
        args = {"device": device, "stream": stream, "correlation": self.correlation, "external id": external}
        if kind == "Kernel":
            name = self.random.choice(KERNELS)
            args |= {"blocks per SM": self.random.choice([0.25, 0.5, 1.5, 4]), "est. achieved occupancy %": self.random.choice([0, 6, 25, 100]), "grid": [self.random.choice([20, 320]), 1, 1],
                     "block": [128, 1, 1], "registers per thread": 32, "shared memory": 0}
        else:
            name = {"Memcpy": "Memcpy HtoD (Pinned -> Device)", "Memset": "Memset (Device)"}[kind]
            args["bytes"] = self.random.choice([128, 100000])
        self.span(kind, name, begin, length, tid=f"stream {stream}", pid=device, **args)

    def memory(self, ts, tid):
        device = self.random.choice([0, 1]) if self.has_gpu else 0
        if self.blocks and self.random.random() < 0.4:
            address, size, device = self.blocks.pop(self.random.randrange(len(self.blocks)))
            size = -size
        else:
            address, size = self.random.randrange(1, 10**6), self.random.choice([512, 4096, 60000])
            self.blocks.append((address, size, device))
        self.allocated[device] += size
        self.events.append({"ph": "i", "s": "t", "name": "[memory]", "pid": 10, "tid": tid, "ts": ts,
                            "args": {"Device Type": device, "Device Id": 0 if device else -1, "Addr": address, "Bytes": size, "Total Allocated": self.allocated[device], "Total Reserved": 10**6}})

    def operator(self, begin, end, depth, tid, above=""):
        """One operator with what it calls and launches inside."""
        self.external += 1
        external = self.external
        if self.has_collectives and self.random.random() < 0.15:
            name = self.random.choice([one for one in COLLECTIVES if one != above])
            self.span("cpu_op", name, begin, end - begin, tid=tid, **{"External id": external, "Input Dims": [[16, 4]], "Input type": ["float"]})
        else:
            name = self.random.choice([one for one in OPERATORS if one != above])
            self.span("cpu_op", name, begin, end - begin, tid=tid, **{"External id": external, "Input Dims": self.random.choice(SHAPES)})
        at = begin + self.eighths(0.5, 1)
        while at + 6 < end:
            length = self.eighths(3, min(40, end - at - 1))
            choice = self.random.random()
            if choice < 0.45 and depth > 0 and length > 6:
                self.operator(at, at + length, depth - 1, tid, name)
            elif choice < 0.8 and self.has_gpu:
                self.launch(at, int(length * 4) / 8, external)
            elif choice < 0.9 and self.has_memory:
                self.memory(at, tid)
            at += length + self.eighths(0.5, 6)

    def step(self, number, begin, end):
        self.span("user_annotation" if number % 2 else "cpu_op", f"ProfilerStep#{number}", begin, end - begin)
        at = begin + 1
        if self.random.random() < 0.7:
            length = self.eighths(1, 30)
            self.external += 1
            self.span("cpu_op", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, length, **{"External id": self.external})
            at += length + 1
        while at + 20 < end:
            length = self.eighths(8, min(120, end - at - 2))
            tid = self.random.choice([100, 100, 200])
            self.operator(at, at + length, 3, tid)
            at += length + self.eighths(0.5, 20)

    def made(self) -> dict:
        at = 1000.0
        steps = self.random.choice([0, 1, 3, 6])
        for number in range(steps):
            length = self.eighths(100, 500)
            self.step(number + 5, at, at + length)
            at += length + self.eighths(0, 5)
        if steps == 0:
            self.operator(at, at + 300, 3, 100)
        if self.has_gpu and self.random.random() < 0.5:
            self.launch(at + 2, 1, 0)  # behind the last step, by no operator
        self.random.shuffle(self.events)
        return {"schemaVersion": 1, "deviceProperties": [DEVICE | {"id": number} for number in range(2)], "traceEvents": self.events}


def random_trace(seed: int) -> dict:
    return Trace(seed).made()
