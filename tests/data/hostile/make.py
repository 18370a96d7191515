#!/usr/bin/env python3
"""Writes folders that somebody hostile could hand out: `make.py DESTINATION`. The same bytes each time.

Pipes, devices and links do not live in a repository, so the folders are made where they are needed; each takes a few kilobytes.
DESTINATION/outside is what none of them may read, change or delete; DESTINATION/folders/<name> is one store or logdir each.
Formats: docs/formats/tlog.md, manifest.md, values.md. Nothing is compressed: every byte here can be read with them. Sealed files are, and
have checksums of their own: stores of those are kept in sealed/, written by
`TAFFRAIL_WRITE_HOSTILE=tests/data/hostile/sealed BUILD/tests/store/store_test --gtest_filter=HostileSealed.WriteOnRequest`.
"""

import hashlib
import os
import shutil
import struct
import sys
import zlib
from pathlib import Path

import trackers

WRITER = 0xBAD
RUN = "01HOSTILE"


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint((value << 1) ^ (value >> 63) if value >= 0 else ((-value) << 1) - 1)


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(len(value)) + value


def section(tag, body):
    return bytes([tag]) + varint(len(body)) + body


class Frames:
    """A file of frames; the chain of checksums is right, whatever the payloads say."""

    def __init__(self):
        self.bytes = bytearray()
        self.before = 0

    def add(self, kind, payload, rows=0, first=0):
        head = struct.pack("<BBHIQIIIIQ", kind, 1, 0, rows, first, len(payload), len(payload), crc32c(payload), self.before, 0x0BADF00D)
        self.before = crc32c(head)
        self.bytes += b"TLG1" + struct.pack("<I", self.before) + head + payload
        return self


def identity(writer=WRITER, run=RUN):
    return section(1, text(run) + struct.pack("<Q", writer) + varint(0) + varint(0) + zigzag(0) + varint(1) + zigzag(1_000_000_000) + text("host")
                   + varint(1) + struct.pack("<Q", 1) + text("boot") + varint(2**64 - 1) + text("0.1.0"))


def end():
    """Finished: a run that goes on would be left alone by all that seals, marks and removes."""
    return section(34, bytes([2, 2]) + zigzag(2_000_000_000))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + zigzag(value)
    return varint(number << 3 | 2) + text(value)


def blob(data, size=None):
    return field(1, hashlib.sha256(data).digest()) + varint(2 << 3) + varint(len(data) if size is None else size)


def image(width, height, dtype, data, size=None):
    inner = field(1, "raw") + varint(2 << 3) + varint(dtype) + field(3, width) + field(4, height) + field(5, 1) + field(6, blob(data, size))
    return varint(1 << 3) + varint(3) + field(2, inner)


def picture(data):
    inner = field(1, "png") + varint(2 << 3) + varint(1) + field(3, 20000) + field(4, 20000) + field(5, 1) + field(6, blob(data))
    return varint(1 << 3) + varint(3) + field(2, inner)


def value(seq, metadata, data, kind=3, key=1):
    stored = hashlib.sha256(data).digest() + varint(len(data)) + b"\0" + data
    return varint(seq) + varint(key) + bytes([kind]) + zigzag(seq) + zigzag(seq) + b"\0\0" + varint(0xFFFF) + text(metadata) + varint(1) + stored


def batch(keys, values=(), more=b""):
    body = section(1, varint(len(keys)) + b"".join(varint(number) + bytes([kind]) + text(name) for number, kind, name in keys))
    if values:
        body += section(5, varint(len(values)) + b"".join(values))
    return body + more


class Store:
    def __init__(self, base, name):
        self.root = base / name
        self.run = self.root / "runs" / f"{RUN}-{name}"
        (self.run / "live").mkdir(parents=True)
        (self.root / "TAFFRAIL").write_text("taffrail 1 " + "0" * 32 + "\n")

    def log(self, *batches, writer=WRITER, run=RUN):
        frames = Frames().add(1, identity(writer, run))
        for number, payload in enumerate(batches):
            frames.add(2, payload, rows=1, first=number + 1)
        frames.add(4, end())
        (self.run / "live" / f"{writer:016x}-00000.tlog").write_bytes(frames.bytes)
        return self

    def scalars(self, run=RUN, meta=(), key="loss", keys=(), values=(), more=b""):
        rows = varint(1) + varint(3) + b"\x01" + zigzag(1) + zigzag(1) + b"\x01" + zigzag(0) + zigzag(1) + b"\x01" + zigzag(10**9) + zigzag(1000) + b"\xff" * 4
        rows += b"\x00" + struct.pack("<d", 0.5)
        more += section(2, varint(1) + varint(1) + varint(1) + varint(1)) + section(3, rows)
        if meta:
            more += section(6, varint(len(meta)) + b"".join(varint(kind) + varint(2) + zigzag(1) + text(words) for kind, words in meta))
        return self.log(batch([(1, 1, key), *keys], values, more), run=run)

    def manifest(self, names, number=1):
        files = b"".join(text(name) + bytes([1]) + varint(10) + varint(10) + struct.pack("<I", 0) for name in names)
        logs = struct.pack("<Q", WRITER) + varint(0) + varint(10) + varint(0)
        payload = section(64, varint(len(names)) + files) + section(65, varint(1) + logs) + section(33, zigzag(5))
        frames = Frames().add(1, identity()).add(5, payload)
        (self.run / f"manifest-{number:05}").write_bytes(frames.bytes)
        return self


def png_bomb():
    """8 MB of white pixels, one bit each, in a few kilobytes: 64 million bytes once unpacked, and more with colours."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    width = height = 20000
    rows = zlib.compress(bytes((width + 7) // 8 + 1) * height, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def events(*payloads):
    out = b""
    for payload in (b"\x1a\x0dbrain.Event:2",) + payloads:
        head = struct.pack("<Q", len(payload))
        out += head + masked(head) + payload + masked(payload)
    return out


def stores(base, outside):
    store = Store(base, "links-in-a-run").scalars()
    for part in ("notes", "data", "meta", "blobs", "ring", "cursors", "profiles", "launch"):
        (store.run / part).symlink_to(outside)
    store = Store(base, "links-beside").scalars()  # a run that can be removed, and they with it
    for part in ("notes", "live/more", "kept"):
        (store.run / part).symlink_to(outside)
    store = Store(base, "links-for-files").scalars()
    (store.run / "manifest-00001").symlink_to(outside / "key.txt")
    (store.run / "live" / "0000000000000001-00000.tlog").symlink_to("/dev/zero")
    (store.run / "live" / "0000000000000002-00000.tlog").symlink_to(outside / "key.txt")
    store = Store(base, "pipes").scalars()
    for place in ("manifest-00001", "live/0000000000000003-00000.tlog", "meta/0000000000000004.tlog", "blobs/0000000000000005-00000.tpak",
                  "cursors/csv.sink", "ring/0000000000000006.keys"):
        (store.run / place).parent.mkdir(exist_ok=True)
        os.mkfifo(store.run / place)
    depth = "../" * 12
    Store(base, "manifest-names").scalars().manifest([depth.rstrip("/") + str(outside / "key.txt"), "../live/../../../../../outside/key.txt", str(outside / "key.txt")])
    store = Store(base, "linked-run").scalars()
    moved = outside / "run"
    store.run.rename(moved)
    store.run.symlink_to(moved)
    store = Store(base, "links-for-sinks").scalars()
    for name in ("tensorboard", "wandb", "comet", ".aim"):
        (outside / f"of-{name}").mkdir()
        (store.run / name).symlink_to(outside / f"of-{name}")
    (store.run / "csv").mkdir()
    (store.run / "csv" / "metrics.csv").symlink_to(outside / "key.txt")
    (store.run / "neptune").mkdir()
    os.mkfifo(store.run / "neptune" / "pipe")
    profiles = store.run / "profiles"
    profiles.mkdir()
    for name in ("a.folded", "b.tprof", "c.open", "d.pt.trace.json"):
        os.mkfifo(profiles / name)
    (profiles / "e.tprof").symlink_to("/dev/zero")
    (profiles / "f.folded").symlink_to("/dev/zero")
    (profiles / "g.folded").symlink_to(outside / "key.txt")
    small = b"x"
    Store(base, "raw-images").log(batch([(1, 3, "image")], [
        value(1, image(4096, 4096, 1, small), small), value(2, image(64, 64, 1, bytes(1600)), bytes(1600)), value(3, image(1, 1, 0, b""), b""),
        value(4, image(2**40, 2**40, 1, small), small), value(5, image(-5, 5, 1, small), small), value(6, image(64, 64, 1, small, 4096), small),
        value(7, image(2, 2, 200, bytes(4)), bytes(4))]))
    climbing = depth.rstrip("/") + str(outside / "climbed")
    Store(base, "climbing-id").scalars(climbing)
    Store(base, "climbing-project").scalars(meta=[(kind, climbing) for kind in (1, 2, 3, 4, 6)])
    # As keys, as names of artifacts and as the files in them.
    names = [climbing, str(outside / "climbed"), "../climbed", "..", "a/../../climbed", "a//b/./climbed", "climbed\0x", "-climbed"]
    records = []
    for number, name in enumerate(names, 1):
        for kind, inner in ((3, field(1, "raw") + varint(2 << 3) + varint(2) + field(3, 1) + field(4, 1) + field(5, 1) + field(6, blob(small)) + field(7, name)),
                            (7, field(1, name)),
                            (14, field(1, name) + field(2, name) + field(3, name) + b"".join(field(4, field(1, path) + field(2, blob(small))) for path in names))):
            records.append((number, kind, varint(1 << 3) + varint(kind) + field(2, inner)))
    Store(base, "climbing-names").log(batch([(number, kind, name) for number, name in enumerate(names, 1) for kind in (3,)], [
        value(seq, metadata, small, kind, number) for seq, (number, kind, metadata) in enumerate(records, 1)]))
    # What a terminal would obey, in every text that a run has.
    strange = trackers.STRANGE
    named = field(1, strange) + field(2, field(4, strange))
    words = [(number, kind, varint(1 << 3) + varint(kind) + field(2, inner)) for number, kind, inner in (
        (2, 7, field(1, strange)), (3, 8, field(1, strange) + field(2, field(1, field(4, strange)))), (4, 13, field(1, named)), (5, 15, field(2, strange) + field(3, strange)),
        (6, 16, field(1, strange)), (7, 9, field(1, strange) + field(2, strange)), (8, 18, field(1, strange)))]
    cell = text(strange) + b"\4" + text(strange)
    store = Store(base, "escapes").scalars(
        meta=[*((kind, strange) for kind in (1, 2, 3, 4, 5, 6, 12)), (8, cell), (10, bytes([2]) + text(strange)), (11, cell), (16, text(strange) + text(strange))],
        key=strange, keys=[(number, kind, strange) for number, kind, _ in words],
        values=[value(seq, metadata, small, kind, number) for seq, (number, kind, metadata) in enumerate(words, 10)],
        more=section(7, b"\1" + zigzag(1) + text(f"{strange}\n{strange}\n")))
    (store.run / "profiles").mkdir()
    (store.run / "profiles" / f"{strange}.folded").write_text(f"{strange};{strange} 3\n")
    data = png_bomb()
    Store(base, "png-bomb").log(batch([(1, 3, "image")], [value(1, picture(data), data)]))
    Store(base, "far-keys").log(batch([(2**24 - number, 1, f"k{number}") for number in range(1, 300)]))
    store = Store(base, "strange-sink").scalars()
    (store.run / "cursors").mkdir()
    (store.run / "cursors" / "csv.sink").write_bytes(varint(1) + text("csv") + text("csv") + varint(1) + text("log_dir") + text("$HOME/outside"))
    (store.run / "cursors" / "csv-0000000000000bad.cursor").write_bytes(b"")


def logdirs(base, outside):
    loop = base / "logdir-loops"
    (loop / "a").mkdir(parents=True)
    (loop / "a" / "events.out.tfevents.1.h").write_bytes(events())
    (loop / "self").symlink_to(".")
    (loop / "a" / "up").symlink_to("..")
    logs = base / "logdir-files"
    logs.mkdir()
    (logs / "events.out.tfevents.1.h").write_bytes(events())
    os.mkfifo(logs / "events.out.tfevents.2.pipe")
    (logs / "events.out.tfevents.3.zero").symlink_to("/dev/zero")
    (logs / "x.pt.trace.json").symlink_to(outside / "key.txt")
    (logs / "plugins").mkdir()
    (logs / "plugins" / "profile").symlink_to(outside)
    (logs / "vectors.tsv").write_text("1\n" * 8000)
    (logs / "wide.tsv").write_text("n\t" * 8000 + "n\n" + "x\n" * 8000)
    os.mkfifo(logs / "pipe.tsv")
    (logs / "out.tsv").symlink_to(outside / "key.txt")
    (logs / "projector_config.pbtxt").write_text("".join(
        f'embeddings {{ tensor_name: "{name}" tensor_path: "vectors.tsv" metadata_path: "{name}.tsv" }}\n' for name in ("wide", "pipe", "out"))
        + 'embeddings { tensor_name: "o" tensor_path: "out.tsv" }\n')


def sealed(base):
    """Parquet files that lie behind valid checksums; their logs are gone."""
    for store in sorted((Path(__file__).parent / "sealed").iterdir()):
        shutil.copytree(store, base / store.name)


def make(destination):
    destination = Path(destination).resolve()
    outside = destination / "outside"
    outside.mkdir(parents=True)
    (outside / "key.txt").write_text("precious\n")
    base = destination / "folders"
    stores(base, outside)
    logdirs(base, outside)
    sealed(base)
    trackers.make(base, outside, png_bomb())
    return sorted(path.name for path in base.iterdir())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("\n".join(make(sys.argv[1])))
