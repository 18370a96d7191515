#include "base/utf8.h"
#include "codec/protobuf_wire.h"
#include "profile/boundaries.h"
#include "profile/formats/perfetto/annotations.h"
#include "profile/formats/perfetto/fields.h"
#include "profile/formats/perfetto/interned.h"
#include "profile/formats/perfetto/perfetto.h"

#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace taffrail::profile {
namespace {

namespace fields = perfetto;

/// What is known of a track: a thread, a process, a counter, or a line of its own.
struct Track {
    std::uint64_t parent = 0;
    ThreadId thread = kNone;
    ProcessId process = kNone;
    TextId name = 0;
    bool has_thread = false;
};

struct TrackEvent {
    std::uint64_t type = 0, track = 0;
    TextId name = 0, category = 0;
    std::vector<std::uint64_t> flows, ending_flows;
    std::optional<double> counter;
    std::vector<Annotation> annotations;
};

class PerfettoReader {
  public:
    PerfettoReader(ByteSpan bytes, Profile& profile)
        : bytes_(bytes), profile_(profile), boundaries_(profile) {}

    Result<void> read() {
        // Descriptors may come after the events of their tracks.
        const bool is_whole = walk([&](ByteSpan packet) { read_descriptors(packet); });
        walk([&](ByteSpan packet) { read_packet(packet); });
        if (!is_whole) {
            profile_.notes.add("the file is cut off or damaged; what stands before is here");
        }
        boundaries_.finish();
        return {};
    }

  private:
    template <typename Each>
    bool walk(Each&& each) {
        return for_each_field(bytes_, [&](const WireField& field) {
            if (field.is(fields::kPacket, WireType::Length)) {
                each(field.bytes);
            }
        });
    }

    TextId text(std::string_view text) {
        return profile_.text(is_valid_utf8(text) ? text : repair_utf8(text));
    }

    void read_descriptors(ByteSpan packet) {
        ProtoReader reader(packet);
        for (WireField field; reader.next(field);) {
            if (field.is(fields::packet::kTrackDescriptor, WireType::Length)) {
                read_descriptor(field.bytes);
            }
        }
    }

    void read_descriptor(ByteSpan message) {
        std::uint64_t id = 0;
        Track track;
        ByteSpan process, thread;
        bool is_process = false;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            switch (field.number) {
                case fields::track::kId:
                    id = field.raw;
                    break;
                case fields::track::kName:
                case fields::track::kStaticName:
                    track.name = text(field.as_text());
                    break;
                case fields::track::kParent:
                    track.parent = field.raw;
                    break;
                case fields::track::kProcess:
                    process = field.bytes;
                    is_process = true;
                    break;
                case fields::track::kThread:
                    thread = field.bytes;
                    track.has_thread = true;
                    break;
                default:
                    break;
            }
        }
        if (track.has_thread) {
            track.thread = read_thread(thread);
        } else if (is_process) {
            track.process = read_process(process);
        }
        tracks_[id] = track;
    }

    ProcessId read_process(ByteSpan message) {
        std::int64_t pid = 0;
        Process found;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.is(fields::process::kPid, WireType::Varint)) {
                pid = field.as_int32();
            } else if (field.is(fields::process::kName, WireType::Length)) {
                found.name = text(field.as_text());
            } else if (field.is(fields::process::kLabels, WireType::Length)) {
                found.labels = text(field.as_text());
            } else if (field.is(fields::process::kSortIndex, WireType::Varint)) {
                found.sort_index = field.as_int32();
            }
        }
        const ProcessId id = profile_.process(pid);
        Process& process = profile_.processes[id];
        process.name = found.name != 0 ? found.name : process.name;
        process.labels = found.labels != 0 ? found.labels : process.labels;
        process.sort_index = found.sort_index ? found.sort_index : process.sort_index;
        return id;
    }

    ThreadId read_thread(ByteSpan message) {
        std::int64_t pid = 0, tid = 0;
        TextId name = 0;
        std::optional<std::int64_t> sort_index;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            if (field.is(fields::thread::kPid, WireType::Varint)) {
                pid = field.as_int32();
            } else if (field.is(fields::thread::kTid, WireType::Varint)) {
                tid = field.as_int64();
            } else if (field.is(fields::thread::kName, WireType::Length)) {
                name = text(field.as_text());
            } else if (field.is(fields::thread::kSortIndex, WireType::Varint)) {
                sort_index = field.as_int32();
            }
        }
        const ThreadId id = profile_.thread(profile_.process(pid), tid);
        profile_.threads[id].name = name != 0 ? name : profile_.threads[id].name;
        profile_.threads[id].sort_index = sort_index;
        return id;
    }

    void read_packet(ByteSpan packet) {
        std::uint64_t sequence_id = 0, timestamp = 0, clock = 0, flags = 0;
        ByteSpan event, interned, defaults, clocks;
        bool has_event = false;
        ProtoReader reader(packet);
        for (WireField field; reader.next(field);) {
            switch (field.number) {
                case fields::packet::kSequence:
                    sequence_id = field.raw;
                    break;
                case fields::packet::kTimestamp:
                    timestamp = field.raw;
                    break;
                case fields::packet::kClockId:
                    clock = field.raw;
                    break;
                case fields::packet::kFlags:
                    flags = field.raw;
                    break;
                case fields::packet::kStateCleared:
                    flags |= field.raw & 1;
                    break;
                case fields::packet::kInterned:
                    interned = field.bytes;
                    break;
                case fields::packet::kDefaults:
                    defaults = field.bytes;
                    break;
                case fields::packet::kClockSnapshot:
                    clocks = field.bytes;
                    break;
                case fields::packet::kTrackEvent:
                    event = field.bytes;
                    has_event = field.type == WireType::Length;
                    break;
                default:
                    break;
            }
        }
        PacketSequence& sequence = sequences_[sequence_id];
        if ((flags & 1) != 0) {
            sequence = {};
        }
        sequence.take_clocks(clocks);
        sequence.take_defaults(defaults);
        sequence.take_interned(interned, profile_);
        if (has_event) {
            take_event(read_event(event, sequence), sequence.time_ns(timestamp, clock));
        }
    }

    TextId interned_text(const std::unordered_map<std::uint64_t, TextId>& table, std::uint64_t id) {
        const auto known = table.find(id);
        if (known == table.end()) {
            profile_.notes.add("a name that was never defined counts as empty");
            return 0;
        }
        return known->second;
    }

    TrackEvent read_event(ByteSpan message, const PacketSequence& sequence) {
        TrackEvent event;
        event.track = sequence.default_track;
        ProtoReader reader(message);
        for (WireField field; reader.next(field);) {
            switch (field.number) {
                case fields::event::kType:
                    event.type = field.raw;
                    break;
                case fields::event::kTrack:
                    event.track = field.raw;
                    break;
                case fields::event::kNameId:
                    event.name = interned_text(sequence.names, field.raw);
                    break;
                case fields::event::kName:
                    event.name = text(field.as_text());
                    break;
                case fields::event::kCategoryIds:
                    for_each_number(field, WireType::Varint, [&](std::uint64_t id) {
                        event.category = interned_text(sequence.categories, id);
                    });
                    break;
                case fields::event::kCategories:
                    event.category = text(field.as_text());
                    break;
                case fields::event::kCounter:
                    event.counter = static_cast<double>(field.as_int64());
                    break;
                case fields::event::kRealCounter:
                    event.counter = field.as_double();
                    break;
                case fields::event::kFlows:
                case fields::event::kOldFlows:
                    take_flows(field, event.flows);
                    break;
                case fields::event::kEndingFlows:
                case fields::event::kOldEndingFlows:
                    take_flows(field, event.ending_flows);
                    break;
                case fields::event::kAnnotations:
                    if (field.type == WireType::Length) {
                        event.annotations.push_back(
                            read_annotation(field.bytes, sequence, profile_));
                    }
                    break;
                default:
                    break;
            }
        }
        return event;
    }

    static void take_flows(const WireField& field, std::vector<std::uint64_t>& to) {
        const bool is_old = field.number == fields::event::kOldFlows ||
                            field.number == fields::event::kOldEndingFlows;
        for_each_number(field, is_old ? WireType::Varint : WireType::Fixed64,
                        [&](std::uint64_t id) { to.push_back(id); });
    }

    /// The thread of a track; lines of their own belong to a thread 0 of their process.
    ThreadId thread_of(std::uint64_t track_id) {
        std::uint64_t at = track_id;
        for (int level = 0; level < 16; ++level) {
            const auto known = tracks_.find(at);
            if (known == tracks_.end()) {
                break;
            }
            if (known->second.thread != kNone) {
                return known->second.thread;
            }
            if (known->second.process != kNone) {
                return profile_.thread(known->second.process, 0);
            }
            at = known->second.parent;
        }
        return profile_.only_thread();
    }

    ArgsId args_of(const TrackEvent& event) {
        std::string json;
        for (const Annotation& annotation : event.annotations) {
            if (annotation.json.empty() || annotation.name.starts_with("flow_")) {
                continue;
            }
            json += json.empty() ? "{" : ",";
            append_json_string(json, annotation.name);
            json += ":" + annotation.json;
        }
        return json.empty() ? 0 : profile_.args(json + "}");
    }

    void take_event(const TrackEvent& event, std::int64_t time_ns) {
        const auto known = tracks_.find(event.track);
        const Track track = known == tracks_.end() ? Track{} : known->second;
        const ThreadId thread = thread_of(event.track);
        TextId async_id = 0;
        if (!track.has_thread && event.track != 0) {
            async_id = track.name != 0 ? track.name : text(std::to_string(event.track));
        }
        switch (event.type) {
            case fields::event::kBegin:
            case fields::event::kEnd:
                boundaries_.add({.time_ns = time_ns,
                                 .name = event.name,
                                 .category = event.category,
                                 .thread = thread,
                                 .args = args_of(event),
                                 .async_id = async_id,
                                 .is_begin = event.type == fields::event::kBegin});
                take_flow_points(event, thread, time_ns);
                break;
            case fields::event::kInstant:
                if (!take_flow_points(event, thread, time_ns)) {
                    profile_.instants.push_back({.time_ns = time_ns,
                                                 .name = event.name,
                                                 .category = event.category,
                                                 .thread = thread,
                                                 .args = args_of(event)});
                }
                break;
            case fields::event::kCounterType:
                take_counter(event, track, thread, time_ns);
                break;
            default:
                profile_.notes.add("a track event of a kind that is not known was left out");
        }
    }

    void take_counter(const TrackEvent& event, const Track& track, ThreadId thread,
                      std::int64_t time_ns) {
        if (!event.counter || !std::isfinite(*event.counter)) {
            profile_.notes.add("a counter's value that is no number was left out");
            return;
        }
        // "memory.allocated" is the curve "allocated" of "memory".
        const std::string name(profile_.texts[track.name]);
        const std::size_t dot = name.rfind('.');
        profile_.counters.push_back(
            {.time_ns = time_ns,
             .value = *event.counter,
             .name = text(dot == std::string::npos ? name : name.substr(0, dot)),
             .series = dot == std::string::npos ? 0 : text(name.substr(dot + 1)),
             .category = event.category,
             .thread = thread});
    }

    /// True when the event is nothing but a point of an arrow.
    bool take_flow_points(const TrackEvent& event, ThreadId thread, std::int64_t time_ns) {
        FlowPoint point{
            .time_ns = time_ns, .name = event.name, .category = event.category, .thread = thread};
        for (const Annotation& annotation : event.annotations) {
            if (annotation.name == "flow_id") {
                point.id = text(annotation.text);
            } else if (annotation.name == "flow_phase") {
                point.phase = annotation.text == "end"    ? FlowPhase::End
                              : annotation.text == "step" ? FlowPhase::Step
                                                          : FlowPhase::Start;
            }
        }
        if (point.id != 0) {
            point.args = args_of(event);
            profile_.flows.push_back(point);
            return true;
        }
        for (const std::uint64_t id : event.flows) {
            point.id = text(std::to_string(id));
            point.phase = flows_.insert(id).second ? FlowPhase::Start : FlowPhase::Step;
            profile_.flows.push_back(point);
        }
        for (const std::uint64_t id : event.ending_flows) {
            point.id = text(std::to_string(id));
            point.phase = FlowPhase::End;
            profile_.flows.push_back(point);
        }
        return false;
    }

    ByteSpan bytes_;
    Profile& profile_;
    Boundaries boundaries_;
    std::unordered_map<std::uint64_t, Track> tracks_;
    std::unordered_map<std::uint64_t, PacketSequence> sequences_;
    std::unordered_set<std::uint64_t> flows_;
};

}  // namespace

bool is_perfetto(ByteSpan bytes) {
    // Packets and nothing else; the first of them is a message of known field numbers.
    ProtoReader reader(bytes);
    int good = 0;
    for (WireField field; reader.next(field) && good < 4; ++good) {
        if (!field.is(fields::kPacket, WireType::Length)) {
            return false;
        }
        ProtoReader packet(field.bytes);
        for (WireField part; packet.next(part);) {
            if (part.number > 900) {
                return false;
            }
        }
        if (!packet.ok()) {
            return false;
        }
    }
    return good > 0;
}

Result<void> read_perfetto(ByteSpan bytes, Profile& profile) {
    return PerfettoReader(bytes, profile).read();
}

}  // namespace taffrail::profile
