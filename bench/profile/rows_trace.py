"""A large trace in the page: indexing, the first timeline, panning, the heap of the page, the memory of the server."""

import tempfile
from pathlib import Path

from bench.profile.served import in_browser, row, served

TARGETS = {
    "trace.index_mb_s": {"at_least": 200},
    "trace.timeline_first_ms": {"at_most": 3000},
    "trace.pan_ms": {"at_most": 50},
    "trace.pan_frames": {"at_least": 60},
    "trace.heap_mb": {"at_most": 200},
    "trace.server_mb": {"at_most": 500},
}


def write_trace(path, megabytes):
    """Steps of operators that nest, kernels on two streams and the arrows between, as PyTorch writes them."""
    at, number, size = 1000.0, 0, 0
    with open(path, "w") as file:
        file.write('{"schemaVersion":1,"traceEvents":[\n{"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"python"}}')
        while size < megabytes * 1e6:
            lines, begin = [], at
            for _ in range(400):
                number += 1
                name = f"aten::op_{number * 7 % 61}"
                lines.append(f',\n{{"ph":"X","cat":"cpu_op","name":"{name}","pid":7,"tid":7,"ts":{at:.3f},"dur":9.5,"args":{{"External id":{number},"Record function id":0,"Ev Idx":{number},"Input Dims":[[64,256],[256,128]],"Input type":["float","float"]}}}}'
                             f',\n{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":{at + 2:.3f},"dur":4.125,"args":{{"External id":{number},"cbid":211,"correlation":{number}}}}}'
                             f',\n{{"ph":"X","cat":"kernel","name":"void kernel_{number * 5 % 37}<float>","pid":0,"tid":{7 + number % 2},"ts":{at + 6:.3f},"dur":8.25,"args":{{"External id":{number},"device":0,"stream":{7 + number % 2},"correlation":{number},"grid":[64,1,1],"block":[256,1,1],"blocks per SM":0.48,"warps per SM":3.9,"est. achieved occupancy %":6}}}}'
                             f',\n{{"ph":"s","id":{number},"pid":7,"tid":7,"ts":{at + 2:.3f},"cat":"ac2g","name":"ac2g"}}'
                             f',\n{{"ph":"f","id":{number},"pid":0,"tid":{7 + number % 2},"ts":{at + 6:.3f},"cat":"ac2g","name":"ac2g","bp":"e"}}')
                at += 10
            lines.append(f',\n{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{number // 400}","pid":7,"tid":7,"ts":{begin:.3f},"dur":{at - begin:.3f}}}')
            text = "".join(lines)
            size += len(text)
            file.write(text)
        file.write("\n]}\n")
    return path.stat().st_size


def run(context) -> list:
    megabytes = 60 if context.quick else 2000 if context.full else 300
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        size = write_trace(work / "large.json", megabytes)
        with served(context, work / "large.json") as server:
            found = in_browser("timeline.mjs", {"url": server.url, "pans": 40})
            state, worked, resident = server.state, server.worked, server.resident_mb()
    slices = state["info"]["slices"]
    return [row("trace.index_mb_s", size / 1e6 / worked, f"MB/s of processor time ({size / 1e6:.0f} MB, {slices:,} slices)"),
            row("trace.timeline_first_ms", found["first_ms"], "ms after navigation"),
            row("trace.pan_ms", found["pan_ms"], f"ms, 95th of 40 (median {found['pan_median_ms']:.1f})"),
            row("trace.pan_frames", found["frames"], "frames a second"),
            row("trace.heap_mb", found["heap_mb"], "MB"),
            row("trace.server_mb", resident, "MB of its own after indexing and analysis")]
