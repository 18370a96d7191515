"""Holds many event streams open at once and checks that nothing is missing: python streams.py HOST PORT CLIENTS SECONDS.

Prints one JSON object: events of the first client, clients that missed an id, clients that were cut off, and the last count
each client heard of for every run and key.
"""

import asyncio
import json
import sys
import time


async def listen(host, port, end, gate):
    client = {"ids": 0, "last": None, "missed": 0, "cut": False, "counts": {}}
    async with gate:  # two hundred connections at the same instant would only measure the accept queue
        reader, writer = await asyncio.open_connection(host, port, limit=1 << 22)
    writer.write(f"GET /api/v1/events HTTP/1.1\r\nHost: {host}:{port}\r\nAccept: text/event-stream\r\n\r\n".encode())
    identity, name = None, ""
    while True:
        try:
            line = await asyncio.wait_for(reader.readline(), max(0.01, end - time.monotonic()))
        except asyncio.TimeoutError:
            break
        if not line:
            client["cut"] = True
            break
        text = line.decode().rstrip("\r\n")
        if text.startswith("id: "):
            identity = int(text[4:])
        elif text.startswith("event: "):
            name = text[7:]
        elif text.startswith("data: "):
            if name != "hello":
                client["ids"] += 1
                if client["last"] is not None and identity != client["last"] + 1:
                    client["missed"] += 1
            client["last"] = identity
            if name == "series":
                for run in json.loads(text[6:])["grew"]:
                    for key, count in zip(run["keys"], run["counts"]):
                        client["counts"][run["run"] + " " + key] = count
    writer.close()
    return client


async def main(host, port, clients, seconds):
    end = time.monotonic() + seconds
    gate = asyncio.Semaphore(20)
    heard = await asyncio.gather(*(listen(host, port, end, gate) for _ in range(clients)))
    same = all(client["counts"] == heard[0]["counts"] for client in heard)
    print(json.dumps({"events": heard[0]["ids"], "missed": sum(c["missed"] for c in heard), "cut": sum(c["cut"] for c in heard), "same": same,
                      "counts": heard[0]["counts"]}))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
