"""Loads a logdir with TensorBoard's own data server (PyPI tensorboard-data-server) and prints CPU seconds and peak memory.

The server reads in the background; it is done when its CPU time stands still and all runs are listed.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tensorboard_data_server


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    logdir = sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        port_file = Path(folder) / "port"
        server = subprocess.Popen([tensorboard_data_server.server_binary(), f"--logdir={logdir}", "--reload=once", "--port=0",
                                   "--samples-per-plugin=scalars=all", f"--port-file={port_file}", "--die-after-stdin"],
                                  stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        still, last = 0, -1.0
        while still < 10:
            time.sleep(0.2)
            now = cpu_seconds(server.pid)
            still = still + 1 if now == last and port_file.exists() else 0
            last = now
        status = Path(f"/proc/{server.pid}/status").read_text()
        peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
        print(json.dumps({"cpu_s": last, "rss_mb": peak / 1024}))
        server.stdin.close()
        server.wait(20)


main()
