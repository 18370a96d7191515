#include "base/utf8.h"
#include "codec/json.h"
#include "codec/protobuf_wire.h"
#include "profile/derive.h"
#include "profile/formats/perfetto/fields.h"
#include "profile/formats/perfetto/perfetto.h"
#include "profile/span_walk.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

namespace taffrail::profile {
namespace {

namespace fields = perfetto;

constexpr std::uint64_t kThreadTracks = 1, kProcessTracks = std::uint64_t{1} << 40,
                        kAsyncTracks = std::uint64_t{2} << 40,
                        kCounterTracks = std::uint64_t{3} << 40;
constexpr std::uint64_t kSequenceId = 1;

class PerfettoWriter {
  public:
    PerfettoWriter(Profile& profile, Output& out) : profile_(profile), out_(out) {}

    void write() {
        find_first_time();
        write_tracks();
        walk_spans(
            profile_, [](ThreadId, std::int64_t) {},
            [&](std::uint32_t span, std::int64_t at_ns) {
                const Span& it = profile_.spans[span];
                write_event(fields::event::kBegin, kThreadTracks + it.thread, at_ns, it.name,
                            it.category, it.args);
            },
            [&](std::uint32_t span, std::int64_t at_ns) {
                const Span& it = profile_.spans[span];
                if (!it.unfinished) {
                    write_event(fields::event::kEnd, kThreadTracks + it.thread, at_ns, 0, 0, 0);
                }
            });
        write_async();
        for (const Instant& it : profile_.instants) {
            write_event(fields::event::kInstant, kThreadTracks + it.thread, it.time_ns, it.name,
                        it.category, it.args);
        }
        write_counters();
        for (const FlowPoint& point : profile_.flows) {
            write_flow(point);
        }
    }

  private:
    void find_first_time() {
        const auto see = [&](std::int64_t time_ns) { shift_ns_ = std::min(shift_ns_, time_ns); };
        for (const Span& it : profile_.spans) {
            see(it.begin_ns);
        }
        for (const Instant& it : profile_.instants) {
            see(it.time_ns);
        }
        for (const CounterPoint& it : profile_.counters) {
            see(it.time_ns);
        }
        for (const FlowPoint& it : profile_.flows) {
            see(it.time_ns);
        }
        if (shift_ns_ < 0) {
            profile_.notes.add("times before 0 cannot be written: all were moved to begin at 0");
        }
    }

    std::string text(TextId id) { return repair_utf8(profile_.texts[id]); }

    template <typename Body>
    void packet(Body&& body) {
        Bytes bytes;
        ProtoWriter trace(bytes);
        trace.message(fields::kPacket, [&](ProtoWriter& packet) {
            packet.varint(fields::packet::kSequence, kSequenceId);
            if (is_first_) {
                packet.varint(fields::packet::kFlags, 1);
                is_first_ = false;
            }
            body(packet);
        });
        out_.bytes(bytes);
    }

    /// Numbers of processes have 31 bits here, and words are no numbers.
    std::int64_t pid_of(ProcessId id) const {
        const Process& process = profile_.processes[id];
        const bool fits = process.id_text == 0 && process.id >= 0 && process.id <= INT32_MAX;
        return fits ? process.id : 1'000'000'000 + static_cast<std::int64_t>(id);
    }

    std::int64_t tid_of(ThreadId id) const {
        const Thread& thread = profile_.threads[id];
        const bool fits = thread.id_text == 0 && thread.id >= 0;
        return fits ? thread.id : 1'000'000'000 + static_cast<std::int64_t>(id);
    }

    void write_tracks() {
        for (ProcessId id = 0; id < profile_.processes.size(); ++id) {
            const Process& it = profile_.processes[id];
            packet([&](ProtoWriter& packet) {
                packet.message(fields::packet::kTrackDescriptor, [&](ProtoWriter& track) {
                    track.varint(fields::track::kId, kProcessTracks + id);
                    track.message(fields::track::kProcess, [&](ProtoWriter& process) {
                        process.signed_varint(fields::process::kPid, pid_of(id));
                        if (it.sort_index) {
                            process.signed_varint(
                                fields::process::kSortIndex,
                                std::clamp<std::int64_t>(*it.sort_index, INT32_MIN, INT32_MAX));
                        }
                        if (it.name != 0 || it.id_text != 0) {
                            process.text(fields::process::kName,
                                         text(it.name != 0 ? it.name : it.id_text));
                        }
                        if (it.labels != 0) {
                            process.text(fields::process::kLabels, text(it.labels));
                        }
                    });
                });
            });
        }
        for (ThreadId id = 0; id < profile_.threads.size(); ++id) {
            const Thread& it = profile_.threads[id];
            packet([&](ProtoWriter& packet) {
                packet.message(fields::packet::kTrackDescriptor, [&](ProtoWriter& track) {
                    track.varint(fields::track::kId, kThreadTracks + id);
                    track.varint(fields::track::kParent, kProcessTracks + it.process);
                    track.message(fields::track::kThread, [&](ProtoWriter& thread) {
                        thread.signed_varint(fields::thread::kPid, pid_of(it.process));
                        thread.signed_varint(fields::thread::kTid, tid_of(id));
                        if (it.sort_index) {
                            thread.signed_varint(
                                fields::thread::kSortIndex,
                                std::clamp<std::int64_t>(*it.sort_index, INT32_MIN, INT32_MAX));
                        }
                        if (it.name != 0 || it.id_text != 0) {
                            thread.text(fields::thread::kName,
                                        text(it.name != 0 ? it.name : it.id_text));
                        }
                    });
                });
            });
        }
    }

    void begin_packet(ProtoWriter& packet, std::int64_t time_ns) const {
        // Unsigned: the distance of two far times need not fit otherwise.
        packet.varint(fields::packet::kTimestamp,
                      static_cast<std::uint64_t>(time_ns) - static_cast<std::uint64_t>(shift_ns_));
    }

    void write_event(std::uint64_t type, std::uint64_t track, std::int64_t time_ns, TextId name,
                     TextId category, ArgsId args) {
        packet([&](ProtoWriter& packet) {
            begin_packet(packet, time_ns);
            packet.message(fields::packet::kTrackEvent, [&](ProtoWriter& event) {
                event_head(event, type, track, name, category);
                write_args(event, args);
            });
        });
    }

    void event_head(ProtoWriter& event, std::uint64_t type, std::uint64_t track, TextId name,
                    TextId category) {
        event.varint(fields::event::kType, type);
        event.varint(fields::event::kTrack, track);
        if (category != 0) {
            event.text(fields::event::kCategories, text(category));
        }
        if (type != fields::event::kEnd && type != fields::event::kCounterType) {
            event.text(fields::event::kName, text(name));
        }
    }

    void write_args(ProtoWriter& event, ArgsId args) {
        if (args == 0) {
            return;
        }
        const auto json = parse_json(profile_.args_text(args));
        const Json::Object* members = json.ok() ? json->object() : nullptr;
        if (members == nullptr) {
            profile_.notes.add("arguments that cannot be written were left out");
            return;
        }
        for (const auto& [key, value] : *members) {
            event.message(fields::event::kAnnotations, [&](ProtoWriter& annotation) {
                annotation.text(fields::annotation::kName, repair_utf8(key));
                write_value(annotation, value);
            });
        }
    }

    static void write_value(ProtoWriter& annotation, const Json& value) {
        if (const auto truth = value.truth()) {
            annotation.boolean(fields::annotation::kTruth, *truth);
        } else if (const auto integer = value.integer()) {
            annotation.signed_varint(fields::annotation::kSigned, *integer);
        } else if (const auto number = value.number()) {
            annotation.fixed64(fields::annotation::kReal, *number);
        } else if (value.string() != nullptr) {
            annotation.text(fields::annotation::kText, repair_utf8(*value.string()));
        } else {
            annotation.text(fields::annotation::kJson, value.dump());
        }
    }

    /// Each id is a track of its own: spans on it may overlap those of others.
    void write_async() {
        std::map<std::pair<TextId, ProcessId>, std::vector<std::uint32_t>> tracks;
        for (std::uint32_t span = 0; span < profile_.spans.size(); ++span) {
            const Span& it = profile_.spans[span];
            if (it.async_id != 0) {
                tracks[{it.async_id, profile_.threads[it.thread].process}].push_back(span);
            }
        }
        std::uint64_t uuid = kAsyncTracks;
        for (const auto& [key, spans] : tracks) {
            const auto [id, process] = key;
            ++uuid;
            packet([&](ProtoWriter& packet) {
                packet.message(fields::packet::kTrackDescriptor, [&](ProtoWriter& track) {
                    track.varint(fields::track::kId, uuid);
                    track.text(fields::track::kName, text(id));
                    track.varint(fields::track::kParent, kProcessTracks + process);
                });
            });
            for (const std::uint32_t span : spans) {
                const Span& it = profile_.spans[span];
                write_event(fields::event::kBegin, uuid, it.begin_ns, it.name, it.category,
                            it.args);
                if (!it.unfinished) {
                    write_event(fields::event::kEnd, uuid, it.begin_ns + it.duration_ns, 0, 0, 0);
                }
            }
        }
    }

    void write_counters() {
        std::map<std::tuple<ThreadId, TextId, TextId>, std::uint64_t> tracks;
        for (const CounterPoint& point : profile_.counters) {
            const auto [known, is_new] = tracks.try_emplace(
                {point.thread, point.name, point.series}, kCounterTracks + tracks.size());
            const std::uint64_t uuid = known->second;
            if (is_new) {
                std::string name = text(point.name);
                if (point.series != 0) {
                    name += "." + text(point.series);
                }
                packet([&](ProtoWriter& packet) {
                    packet.message(fields::packet::kTrackDescriptor, [&](ProtoWriter& track) {
                        track.varint(fields::track::kId, uuid);
                        track.text(fields::track::kName, name);
                        track.varint(fields::track::kParent, kThreadTracks + point.thread);
                        track.message(fields::track::kCounter, [](ProtoWriter&) {});
                    });
                });
            }
            packet([&](ProtoWriter& packet) {
                begin_packet(packet, point.time_ns);
                packet.message(fields::packet::kTrackEvent, [&](ProtoWriter& event) {
                    event_head(event, fields::event::kCounterType, uuid, 0, point.category);
                    event.fixed64(fields::event::kRealCounter, point.value);
                });
            });
        }
    }

    /// A point of its own with the id, because the place of an arrow need not be a span's begin.
    void write_flow(const FlowPoint& point) {
        static constexpr std::string_view kPhases[] = {"start", "step", "end"};
        packet([&](ProtoWriter& packet) {
            begin_packet(packet, point.time_ns);
            packet.message(fields::packet::kTrackEvent, [&](ProtoWriter& event) {
                event_head(event, fields::event::kInstant, kThreadTracks + point.thread, point.name,
                           point.category);
                const auto id = std::bit_cast<double>(Texts::hash(profile_.texts[point.id]));
                event.fixed64(point.phase == FlowPhase::End ? fields::event::kEndingFlows
                                                            : fields::event::kFlows,
                              id);
                event.message(fields::event::kAnnotations, [&](ProtoWriter& annotation) {
                    annotation.text(fields::annotation::kName, "flow_id");
                    annotation.text(fields::annotation::kText, text(point.id));
                });
                event.message(fields::event::kAnnotations, [&](ProtoWriter& annotation) {
                    annotation.text(fields::annotation::kName, "flow_phase");
                    annotation.text(fields::annotation::kText,
                                    kPhases[static_cast<std::size_t>(point.phase)]);
                });
                write_args(event, point.args);
            });
        });
    }

    Profile& profile_;
    Output& out_;
    std::int64_t shift_ns_ = 0;
    bool is_first_ = true;
};

}  // namespace

Result<void> write_perfetto(Profile& profile, Output& out, const WriteOptions&) {
    make_timeline(profile);
    PerfettoWriter(profile, out).write();
    return out.finish();
}

}  // namespace taffrail::profile
