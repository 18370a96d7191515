"""Event files byte by byte, written without Taffrail: records, protobuf events, folders."""

import struct

from tensorboard.compat.proto import event_pb2


def _table() -> list:
    table = []
    for index in range(256):
        crc = index
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


TABLE = _table()


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(payload: bytes) -> bytes:
    header = struct.pack("<Q", len(payload))
    return header + masked(header) + payload + masked(payload)


def records(data: bytes) -> list:
    """Payloads of a file; any byte that does not fit is an error."""
    payloads, at = [], 0
    while at < len(data):
        header = data[at:at + 8]
        assert data[at + 8:at + 12] == masked(header), f"length checksum at {at}"
        size = struct.unpack("<Q", header)[0]
        payload = data[at + 12:at + 12 + size]
        assert data[at + 12 + size:at + 16 + size] == masked(payload), f"payload checksum at {at}"
        payloads.append(payload)
        at += 16 + size
    return payloads


def scalar(step: int, value: float = 1.0, tag: str = "loss", wall_time: float | None = None) -> bytes:
    event = event_pb2.Event(wall_time=1000 + step if wall_time is None else wall_time, step=step)
    event.summary.value.add(tag=tag, simple_value=value)
    return record(event.SerializeToString())


def version(number: int = 2) -> bytes:
    return record(event_pb2.Event(wall_time=1000, file_version=f"brain.Event:{number}").SerializeToString())


def start(step: int) -> bytes:
    event = event_pb2.Event(wall_time=1000, step=step)
    event.session_log.status = 1
    return record(event.SerializeToString())


def save(folder, data: bytes, name: str = "events.out.tfevents.1.host"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)
