#include "profile/index/build.h"

#include "base/strings.h"
#include "base/try.h"
#include "codec/json_writer.h"
#include "profile/derive.h"
#include "profile/function_table.h"
#include "profile/index/flame_tree.h"
#include "profile/index/layout.h"
#include "profile/index/tracks.h"
#include "profile/shown_name.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace taffrail::profile {
namespace {

constexpr std::size_t kMaxFunctions = 20'000;
constexpr std::size_t kMaxSteps = 20'000;
constexpr std::size_t kMaxCurves = 256;

struct TimeRange {
    std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();

    void take(std::int64_t time_ns) {
        begin_ns = std::min(begin_ns, time_ns);
        end_ns = std::max(end_ns, time_ns);
    }
};

TimeRange range_of(const Profile& profile) {
    TimeRange range;
    for (const Span& span : profile.spans) {
        range.take(span.begin_ns);
        range.take(end_of(span));
    }
    for (const Instant& instant : profile.instants) {
        range.take(instant.time_ns);
    }
    for (const CounterPoint& point : profile.counters) {
        range.take(point.time_ns);
    }
    if (range.begin_ns > range.end_ns) {
        range = {0, 0};
    }
    return range;
}

/// Nanoseconds since the beginning; absurdly far ones at the end.
std::int64_t since(std::int64_t begin_ns, std::int64_t time_ns) noexcept {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(time_ns, begin_ns, &difference)
               ? std::numeric_limits<std::int64_t>::max() / 2
               : difference;
}

class IndexBuilder {
  public:
    IndexBuilder(Profile& profile, const IndexSource& source, IndexWriter& writer)
        : profile_(profile), source_(source), writer_(writer), range_(range_of(profile)) {}

    void write(bool is_made_up) {
        const TrackPlan plan = plan_tracks(profile_);
        const FlameTree flame = make_flame_tree(profile_);
        write_slices(plan);
        write_arrows(plan);
        const std::vector<Curve> curves = write_counters();
        write_flame(flame);
        write_functions();
        write_texts();
        write_info(plan, flame, curves, is_made_up);
    }

  private:
    struct Curve {
        TextId name, series;
        ProcessId process;
        std::uint64_t first, count;
    };

    template <typename T, typename Each>
    void slice_column(Section section, const TrackPlan& plan, Each&& each) {
        std::vector<T> values;
        values.reserve(plan.sources.size());
        std::size_t at = 0;
        for (const PlannedTrack& track : plan.tracks) {
            const std::uint64_t count =
                std::accumulate(track.row_sizes.begin(), track.row_sizes.end(), std::uint64_t{0});
            for (std::uint64_t i = 0; i < count; ++i, ++at) {
                values.push_back(each(track.kind, plan.sources[at]));
            }
        }
        writer_.column<T>(section, values);
    }

    void write_slices(const TrackPlan& plan) {
        slice_column<std::int64_t>(Section::Begin, plan, [&](TrackKind kind, std::uint32_t it) {
            return since(range_.begin_ns, kind == TrackKind::Instants
                                              ? profile_.instants[it].time_ns
                                              : profile_.spans[it].begin_ns);
        });
        slice_column<std::int64_t>(Section::Duration, plan, [&](TrackKind kind, std::uint32_t it) {
            return kind == TrackKind::Instants
                       ? 0
                       : end_of(profile_.spans[it]) - profile_.spans[it].begin_ns;
        });
        std::vector<std::uint64_t> busy{0};
        busy.reserve(plan.sources.size() + 1);
        std::uint64_t sum = 0;
        slice_column<std::uint32_t>(Section::Name, plan, [&](TrackKind kind, std::uint32_t it) {
            if (kind != TrackKind::Instants) {
                sum += static_cast<std::uint64_t>(end_of(profile_.spans[it]) -
                                                  profile_.spans[it].begin_ns);
            }
            busy.push_back(sum);
            return kind == TrackKind::Instants ? profile_.instants[it].name
                                               : profile_.spans[it].name;
        });
        writer_.column<std::uint64_t>(Section::BusyBefore, busy);
        busy = {};
        slice_column<std::uint32_t>(Section::Category, plan, [&](TrackKind kind, std::uint32_t it) {
            return kind == TrackKind::Instants ? profile_.instants[it].category
                                               : profile_.spans[it].category;
        });
        write_args(plan);
    }

    void write_args(const TrackPlan& plan) {
        std::uint64_t end = 8;
        std::string piece(8, '\0');
        writer_.open_section(Section::ArgsBytes);
        std::vector<std::uint64_t> places;
        places.reserve(plan.sources.size());
        std::size_t at = 0;
        for (const PlannedTrack& track : plan.tracks) {
            const std::uint64_t count =
                std::accumulate(track.row_sizes.begin(), track.row_sizes.end(), std::uint64_t{0});
            for (std::uint64_t i = 0; i < count; ++i, ++at) {
                const std::uint32_t it = plan.sources[at];
                const ArgsId id = track.kind == TrackKind::Instants ? profile_.instants[it].args
                                                                    : profile_.spans[it].args;
                const std::string_view args = profile_.args_text(id);
                if (args.empty() || args.size() > kMaxArgsBytes) {
                    places.push_back(0);
                    continue;
                }
                if (const std::uint64_t place = profile_.args_place(id); place != 0) {
                    places.push_back(kInSource | place);
                    continue;
                }
                places.push_back(end);
                const auto length = static_cast<std::uint32_t>(args.size());
                piece.append(reinterpret_cast<const char*>(&length), sizeof length);
                piece.append(args);
                end += sizeof length + args.size();
                if (piece.size() >= (1u << 20)) {
                    writer_.add(as_bytes(piece));
                    piece.clear();
                }
            }
        }
        writer_.add(as_bytes(piece));
        writer_.close_section();
        writer_.column<std::uint64_t>(Section::Args, places);
    }

    /// Points with the same name, category and id are one chain; each step of it is an arrow.
    void write_arrows(const TrackPlan& plan) {
        std::vector<std::uint32_t> track_of(profile_.threads.size(), kNone);
        for (std::uint32_t track = 0; track < plan.tracks.size(); ++track) {
            std::uint32_t& of = track_of[plan.tracks[track].thread];
            if (of == kNone) {
                of = track;
            }
        }
        const auto& flows = profile_.flows;
        std::vector<std::uint32_t> order(flows.size());
        std::iota(order.begin(), order.end(), 0);
        const auto chain = [&](std::uint32_t i) {
            return std::tuple(flows[i].id, flows[i].name, flows[i].category);
        };
        const auto before = [&](std::uint32_t a, std::uint32_t b) {
            return std::tuple(chain(a), flows[a].time_ns, flows[a].phase) <
                   std::tuple(chain(b), flows[b].time_ns, flows[b].phase);
        };
        // Texts are numbered as they come, and the ends of an arrow mostly stand side by side.
        if (!std::is_sorted(order.begin(), order.end(), before)) {
            std::sort(order.begin(), order.end(), before);
        }

        struct Arrow {
            std::int64_t from_ns, to_ns;
            std::uint32_t from_track, to_track, name;
        };

        std::vector<Arrow> arrows;
        for (std::size_t at = 1; at < order.size(); ++at) {
            const FlowPoint &from = flows[order[at - 1]], &to = flows[order[at]];
            if (chain(order[at - 1]) != chain(order[at]) || from.phase == FlowPhase::End ||
                to.phase == FlowPhase::Start || track_of[from.thread] == kNone ||
                track_of[to.thread] == kNone) {
                continue;
            }
            arrows.push_back({since(range_.begin_ns, from.time_ns),
                              since(range_.begin_ns, to.time_ns), track_of[from.thread],
                              track_of[to.thread], from.name});
        }
        const auto earlier = [](const Arrow& a, const Arrow& b) { return a.from_ns < b.from_ns; };
        if (!std::is_sorted(arrows.begin(), arrows.end(), earlier)) {
            std::sort(arrows.begin(), arrows.end(), earlier);
        }
        const auto column = [&]<typename T>(Section section, T Arrow::* member) {
            std::vector<T> values;
            values.reserve(arrows.size());
            for (const Arrow& arrow : arrows) {
                values.push_back(arrow.*member);
            }
            writer_.column<T>(section, values);
        };
        column(Section::ArrowFromTime, &Arrow::from_ns);
        column(Section::ArrowToTime, &Arrow::to_ns);
        column(Section::ArrowFromTrack, &Arrow::from_track);
        column(Section::ArrowToTrack, &Arrow::to_track);
        column(Section::ArrowName, &Arrow::name);
    }

    std::vector<Curve> write_counters() {
        std::map<std::tuple<ProcessId, TextId, TextId>, std::vector<std::uint32_t>> curves;
        for (std::uint32_t i = 0; i < profile_.counters.size(); ++i) {
            const CounterPoint& point = profile_.counters[i];
            curves[{profile_.threads[point.thread].process, point.name, point.series}].push_back(i);
        }
        std::vector<Curve> kept;
        std::vector<std::int64_t> times;
        std::vector<double> values;
        for (auto& [key, points] : curves) {
            if (kept.size() == kMaxCurves) {
                break;
            }
            std::stable_sort(points.begin(), points.end(), [&](std::uint32_t a, std::uint32_t b) {
                return profile_.counters[a].time_ns < profile_.counters[b].time_ns;
            });
            kept.push_back({std::get<1>(key), std::get<2>(key), std::get<0>(key), times.size(),
                            points.size()});
            for (const std::uint32_t i : points) {
                times.push_back(since(range_.begin_ns, profile_.counters[i].time_ns));
                values.push_back(profile_.counters[i].value);
            }
        }
        writer_.column<std::int64_t>(Section::CounterTime, times);
        writer_.column<double>(Section::CounterValue, values);
        return kept;
    }

    void write_flame(const FlameTree& flame) {
        writer_.column<std::uint32_t>(Section::FlameParent, flame.parent);
        writer_.column<std::uint32_t>(Section::FlameEnd, flame.end);
        writer_.column<std::uint32_t>(Section::FlameTitle, flame.title);
        writer_.column<double>(Section::FlameTotal, flame.total);
        writer_.column<double>(Section::FlameSelf, flame.self);
    }

    void write_functions() {
        JsonWriter json;
        const auto table = function_table(profile_, "", TableOrder::Self);
        json.begin_object();
        if (table.ok()) {
            json.member("value", table->type.name).member("unit", table->type.unit);
            json.member("has_calls", table->has_calls).member("whole", table->whole);
            json.member("count", table->rows.size()).key("rows").begin_array();
            for (std::size_t i = 0; i < std::min(table->rows.size(), kMaxFunctions); ++i) {
                const FunctionRow& row = table->rows[i];
                json.begin_object().member("id", profile_.texts.id(row.name));
                write_name(json, row.name);
                json.member("file", shown_name(row.file));
                json.member("line", row.line).member("calls", row.calls);
                json.member("self", row.self).member("total", row.total).end_object();
            }
            json.end_array();
        } else {
            json.member("value", "").member("unit", "").member("has_calls", false);
            json.member("whole", 0).member("count", 0).key("rows").begin_array().end_array();
        }
        json.end_object();
        writer_.section(Section::Functions, as_bytes(json.text()));
    }

    void write_texts() {
        std::vector<std::uint64_t> ends;
        std::string bytes;
        for (TextId id = 0; id < profile_.texts.size(); ++id) {
            bytes.append(profile_.texts[id]);
            ends.push_back(bytes.size());
        }
        writer_.column<std::uint64_t>(Section::TextEnds, ends);
        writer_.section(Section::TextBytes, as_bytes(bytes));
    }

    void write_steps(JsonWriter& json) const {
        struct Step {
            std::int64_t number, begin_ns, duration_ns;
        };

        static constexpr std::string_view kPrefix = "ProfilerStep#";
        std::vector<Step> steps;
        for (const Span& span : profile_.spans) {
            const std::string_view name = profile_.texts[span.name];
            if (!name.starts_with(kPrefix) ||
                profile_.texts[span.category] == "gpu_user_annotation") {
                continue;
            }
            if (const auto number = parse_int(name.substr(kPrefix.size()))) {
                steps.push_back(
                    {*number, since(range_.begin_ns, span.begin_ns), end_of(span) - span.begin_ns});
            }
        }
        for (const Instant& instant : profile_.instants) {
            const std::string_view name = profile_.texts[instant.name];
            if (profile_.texts[instant.category] == "step" && name.starts_with("step ")) {
                if (const auto number = parse_int(name.substr(5))) {
                    steps.push_back({*number, since(range_.begin_ns, instant.time_ns), 0});
                }
            }
        }
        std::stable_sort(steps.begin(), steps.end(),
                         [](const Step& a, const Step& b) { return a.begin_ns < b.begin_ns; });
        for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
            if (steps[i].duration_ns == 0) {
                steps[i].duration_ns = steps[i + 1].begin_ns - steps[i].begin_ns;
            }
        }
        json.key("steps").begin_array();
        for (std::size_t i = 0; i < std::min(steps.size(), kMaxSteps); ++i) {
            json.begin_object().member("number", steps[i].number);
            json.member("begin_ns", steps[i].begin_ns);
            json.member("duration_ns", steps[i].duration_ns).end_object();
        }
        json.end_array();
    }

    void write_info(const TrackPlan& plan, const FlameTree& flame, const std::vector<Curve>& curves,
                    bool is_made_up) {
        JsonWriter json;
        json.begin_object().member("name", source_.name).member("format", source_.format);
        json.member("bytes", source_.bytes).member("slices", plan.sources.size());
        json.member("left_out", plan.left_out).member("is_made_up", is_made_up);
        // Absolute times of traces are beyond what a page can count exactly.
        json.member("begin_ns", std::to_string(range_.begin_ns));
        json.member("duration_ns", since(range_.begin_ns, range_.end_ns));
        json.member("arrows", profile_.flows.size() / 2).key("tracks").begin_array();
        std::uint64_t first = 0;
        for (const PlannedTrack& track : plan.tracks) {
            const Thread& thread = profile_.threads[track.thread];
            json.begin_object().member("title", thread_title(profile_, track.thread));
            json.member("process", process_title(profile_, thread.process));
            json.member("process_id", profile_.processes[thread.process].id);
            json.member("thread_id", thread.id);
            json.member("kind", track.kind == TrackKind::Thread  ? "thread"
                                : track.kind == TrackKind::Async ? "async"
                                                                 : "instants");
            json.member("first", first).member("too_deep", track.too_deep);
            json.key("rows").begin_array();
            for (const std::uint64_t size : track.row_sizes) {
                json.value(size);
                first += size;
            }
            json.end_array().end_object();
        }
        json.end_array().key("counters").begin_array();
        for (const Curve& curve : curves) {
            json.begin_object().member("name", profile_.texts[curve.name]);
            json.member("series", profile_.texts[curve.series]);
            json.member("process", process_title(profile_, curve.process));
            json.member("first", curve.first).member("count", curve.count).end_object();
        }
        json.end_array().key("values").begin_array();
        for (const ValueType& type : flame.types) {
            json.begin_object().member("name", type.name).member("unit", type.unit).end_object();
        }
        json.end_array().member("main_value", flame.main_type);
        json.member("flame_nodes", flame.size() - 1).member("flame_folded", flame.folded);
        write_steps(json);
        json.key("notes").begin_array();
        for (const std::string& line : profile_.notes.lines()) {
            json.value(line);
        }
        json.end_array().end_object();
        writer_.section(Section::Info, as_bytes(json.text()));
    }

    Profile& profile_;
    const IndexSource& source_;
    IndexWriter& writer_;
    TimeRange range_;
};

}  // namespace

Result<void> build_index(Profile& profile, const IndexSource& source, const std::string& path,
                         Progress* progress) {
    if (progress != nullptr) {
        progress->phase = Progress::Phase::Ordering;
    }
    const bool is_made_up = !profile.has_timeline();
    if (is_made_up) {
        make_timeline(profile);
    }
    TAFFRAIL_ASSIGN(const auto writer, IndexWriter::begin(path));
    IndexBuilder(profile, source, *writer).write(is_made_up);
    return writer->finish();
}

}  // namespace taffrail::profile
