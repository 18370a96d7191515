"""Asks a dashboard server at a fixed rate: python requests_at.py HOST PORT PROJECT PER_SECOND SECONDS.

The schedule does not wait for replies, and a time counts from when the request was due: a server that stalls is charged
for everything that queued up behind the stall. Prints one JSON object.
"""

import asyncio
import json
import sys
import time


class Connection:
    """One kept-alive HTTP connection."""

    def __init__(self, host, port):
        self.host, self.port, self.reader, self.writer = host, port, None, None

    async def ask(self, path, body):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(self.host, self.port, limit=1 << 24)
        data = json.dumps(body).encode() if body is not None else b""
        head = f"{'POST' if body is not None else 'GET'} /api/v1/{path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
        if body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        self.writer.write(head.encode() + b"\r\n" + data)
        status = int((await self.reader.readline()).split()[1])
        length, chunked = 0, False
        while (line := await self.reader.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
            chunked |= name.lower() == "transfer-encoding" and "chunked" in value
        parts = [await self.reader.readexactly(length)] if not chunked else []
        while chunked:
            size = int((await self.reader.readline()).strip(), 16)
            parts.append(await self.reader.readexactly(size))
            await self.reader.readline()
            chunked = size > 0
        return status, b"".join(parts)


async def main(host, port, project, rate, seconds):
    free = asyncio.Queue()
    for _ in range(24):
        free.put_nowait(Connection(host, port))
    first = await free.get()
    _, listed = await first.ask("runs:query", {"project": project})
    free.put_nowait(first)
    runs = json.loads(listed)["runs"]["id"][:20]

    def chart(key, number):
        return {"id": str(number), "runs": runs, "keys": [key], "x": {"axis": "step"}, "width": 400, "raw_limit": 400, "precision": "f32"}

    # What pages ask while people look at live runs: tails of charts, the list, one run, exact points.
    questions = [
        ("series:query", {"charts": [chart(key, i) for i, key in enumerate(["train/loss", "train/accuracy", "train/grad_norm", "val/loss"])]}),
        ("series:query", {"charts": [chart("train/loss", 0)]}),
        ("runs:query", {"project": project, "columns": ["metric:train/loss", "metric:val/loss", "config:lr"]}),
        (f"keys?project={project}", None),
        ("series:points", {"series": [{"run": run, "key": "train/loss"} for run in runs[:5]], "x": {"axis": "step"}, "at": 50}),
    ]
    times, failures = [], []
    began = time.monotonic()

    async def one(number):
        due = began + number / rate
        await asyncio.sleep(max(0, due - time.monotonic()))
        connection = await free.get()
        try:
            path, body = questions[number % len(questions)]
            status, reply = await connection.ask(path, body)
            if status != 200:
                failures.append(f"{path}: {status} {reply[:200]!r}")
            times.append((time.monotonic() - due) * 1000)
        except (OSError, asyncio.IncompleteReadError, ValueError, IndexError) as error:
            failures.append(repr(error))
            connection = Connection(host, port)
        free.put_nowait(connection)

    await asyncio.gather(*(one(i) for i in range(int(rate * seconds))))
    times.sort()
    print(json.dumps({"requests": len(times), "failures": failures[:3], "failed": len(failures), "p50": times[len(times) // 2],
                      "p99": times[min(len(times) - 1, int(len(times) * 0.99))], "max": times[-1]}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4]), float(sys.argv[5])))
