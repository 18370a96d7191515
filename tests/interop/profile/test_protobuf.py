"""Perfetto's own message classes, and pprof's made from its documented field numbers: every byte is understood."""

import gzip
import json

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2

from conftest import STACKS, TORCH

PPROF = {  # message -> field -> (number, type, repeated)
    "ValueType": {"type": (1, "int64"), "unit": (2, "int64")},
    "Label": {"key": (1, "int64"), "str": (2, "int64"), "num": (3, "int64"), "num_unit": (4, "int64")},
    "Sample": {"location_id": (1, "uint64", True), "value": (2, "int64", True), "label": (3, "Label", True)},
    "Mapping": {"id": (1, "uint64")},
    "Line": {"function_id": (1, "uint64"), "line": (2, "int64"), "column": (3, "int64")},
    "Location": {"id": (1, "uint64"), "mapping_id": (2, "uint64"), "address": (3, "uint64"), "line": (4, "Line", True)},
    "Function": {"id": (1, "uint64"), "name": (2, "int64"), "system_name": (3, "int64"), "filename": (4, "int64"), "start_line": (5, "int64")},
    "Profile": {"sample_type": (1, "ValueType", True), "sample": (2, "Sample", True), "mapping": (3, "Mapping", True), "location": (4, "Location", True),
                "function": (5, "Function", True), "string_table": (6, "string", True), "time_nanos": (9, "int64"), "duration_nanos": (10, "int64"),
                "period_type": (11, "ValueType"), "period": (12, "int64"), "comment": (13, "int64", True), "default_sample_type": (14, "int64")},
}


def pprof_class():
    file = descriptor_pb2.FileDescriptorProto(name="profile.proto", package="pprof", syntax="proto3")
    kinds = {"int64": 3, "uint64": 4, "string": 9}
    for name, fields in PPROF.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, *repeated) in fields.items():
            added = message.field.add(name=field, number=number, label=3 if repeated else 1, type=kinds.get(kind, 11))
            if kind not in kinds:
                added.type_name = f".pprof.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("pprof.Profile"))


def no_unknown(message):
    assert len(UnknownFieldSet(message)) == 0, message.DESCRIPTOR.full_name
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in value if field.is_repeated else [value]:
                no_unknown(part)


def test_pprof_reads_the_stacks(convert, folded):
    profile = pprof_class()()
    profile.ParseFromString(gzip.decompress(convert(folded, "x.pb.gz").read_bytes()))
    no_unknown(profile)
    text = profile.string_table
    assert text[0] == ""
    functions = {function.id: text[function.name] for function in profile.function}
    frames = {place.id: functions[place.line[0].function_id] for place in profile.location}
    found = {tuple(frames[place] for place in reversed(sample.location_id)): sample.value[0] for sample in profile.sample}
    assert found == STACKS
    assert [(text[kind.type], text[kind.unit]) for kind in profile.sample_type] == [("samples", "count")]


def test_what_pprofs_classes_write_is_read(tmp_path, convert):
    profile = pprof_class()()
    texts = ["", "cpu", "nanoseconds", "inlined", "outer", "a.cc", "thread", "main"]
    profile.string_table.extend(texts)
    profile.sample_type.add(type=1, unit=2)
    profile.function.add(id=10, name=3, filename=5)
    profile.function.add(id=11, name=4, filename=5)
    place = profile.location.add(id=7, address=0x1234)
    place.line.add(function_id=10, line=12)
    place.line.add(function_id=11, line=30)
    sample = profile.sample.add(location_id=[7], value=[2500])
    sample.label.add(key=6, str=7)
    source = tmp_path / "theirs.pb"
    source.write_bytes(profile.SerializeToString())
    assert convert(source, "x.folded").read_text() == "outer (a.cc:30);inlined (a.cc:12) 2500\n"
    again = pprof_class()()
    again.ParseFromString(gzip.decompress(convert(source, "again.pb.gz").read_bytes()))
    assert again.sample[0].label[0].str and again.string_table[again.sample[0].label[0].str] == "main"


@pytest.fixture(scope="module")
def torch_events():
    return json.load(gzip.open(TORCH))["traceEvents"]


def test_perfetto_knows_every_field_and_finds_every_event(convert, torch_events):
    trace = perfetto_trace_pb2.Trace()
    trace.ParseFromString(convert(TORCH, "x.perfetto-trace").read_bytes())
    for packet in trace.packet:
        no_unknown(packet)
    event_type = perfetto_trace_pb2.TrackEvent
    kinds, names, open_spans, threads = {}, {}, {}, {}
    for packet in trace.packet:
        if packet.HasField("track_descriptor") and packet.track_descriptor.HasField("thread"):
            threads[packet.track_descriptor.uuid] = packet.track_descriptor.thread
    durations = []
    for packet in trace.packet:
        event = packet.track_event
        if not packet.HasField("track_event"):
            continue
        kinds[event.type] = kinds.get(event.type, 0) + 1
        assert event.track_uuid in threads
        if event.type == event_type.TYPE_SLICE_BEGIN:
            names[event.name] = names.get(event.name, 0) + 1
            open_spans.setdefault(event.track_uuid, []).append((packet.timestamp, event))
        elif event.type == event_type.TYPE_SLICE_END:
            begin, opened = open_spans[event.track_uuid].pop()
            assert packet.timestamp >= begin
            if "kernel" in opened.categories:
                durations.append(packet.timestamp - begin)
    spans = [event for event in torch_events if event["ph"] == "X"]
    counted = {}
    for event in spans:
        counted[event["name"]] = counted.get(event["name"], 0) + 1
    assert names == counted
    assert kinds[event_type.TYPE_SLICE_BEGIN] == kinds[event_type.TYPE_SLICE_END] == len(spans)
    assert not any(open_spans.values())
    kernels = [event for event in spans if event.get("cat") == "kernel"]
    assert sum(durations) == sum(round(event["dur"] * 1000) for event in kernels) and len(durations) == len(kernels)
    instants = sum(event["ph"] in "isf" for event in torch_events)
    assert kinds[event_type.TYPE_INSTANT] == instants


def test_what_perfettos_classes_write_is_read(tmp_path, convert):
    trace = perfetto_trace_pb2.Trace()
    track = trace.packet.add(trusted_packet_sequence_id=5, sequence_flags=1).track_descriptor
    track.uuid = 3
    track.thread.pid, track.thread.tid, track.thread.thread_name = 10, 12, "worker"
    named = trace.packet.add(trusted_packet_sequence_id=5, timestamp=1000)
    named.interned_data.event_names.add(iid=4, name="interned")
    named.track_event.type, named.track_event.name_iid, named.track_event.track_uuid = 1, 4, 3
    annotation = named.track_event.debug_annotations.add(name="size")
    annotation.int_value = 12
    end = trace.packet.add(trusted_packet_sequence_id=5, timestamp=4500)
    end.track_event.type, end.track_event.track_uuid = 2, 3
    source = tmp_path / "theirs.perfetto-trace"
    source.write_bytes(trace.SerializeToString())
    events = json.loads(convert(source, "x.trace.json").read_text())["traceEvents"]
    span = next(event for event in events if event["ph"] == "X")
    assert span == {"ph": "X", "name": "interned", "pid": 10, "tid": 12, "ts": 1, "dur": 3.5, "args": {"size": 12}}
