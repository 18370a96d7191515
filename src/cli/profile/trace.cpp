// `taffrail profile trace`: what is on a timeline, track by track, and with -o as a trace that
// TensorBoard, Perfetto and chrome://tracing open (or speedscope, as the name of the file says).
#include "base/grouped.h"
#include "cli/profile/actions.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"
#include "profile/derive.h"
#include "profile/flame/svg.h"

#include <algorithm>
#include <limits>

namespace taffrail::cli {
namespace {

struct Track {
    std::uint64_t spans = 0;
    std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();
};

std::vector<Track> tracks_of(const profile::Profile& trace) {
    std::vector<Track> tracks(trace.threads.size());
    for (const profile::Span& span : trace.spans) {
        Track& track = tracks[span.thread];
        ++track.spans;
        track.begin_ns = std::min(track.begin_ns, span.begin_ns);
        track.end_ns = std::max(track.end_ns, span.begin_ns + span.duration_ns);
    }
    return tracks;
}

/// Two times of a damaged file may be further apart than whole nanoseconds can say.
std::int64_t length_ns(const Track& track) {
    std::int64_t length = 0;
    return __builtin_sub_overflow(track.end_ns, track.begin_ns, &length)
               ? std::numeric_limits<std::int64_t>::max()
               : length;
}

}  // namespace

ExitCode show_trace(const Session& session, const ProfileRequest& request) {
    const profile::Format* named = profile::format_of_path(request.output);
    const profile::Format& format = named == nullptr ? *profile::find_format("chrome") : *named;
    if (!format.can_hold(profile::Holds::Spans)) {
        return session.wrong_usage("profile trace: " + std::string(format.name) +
                                   " knows no timeline; `taffrail profile convert` writes it");
    }
    auto input = open_profile(session, request.inputs[0], request);
    if (!input.ok()) {
        return session.fail(input.error());
    }
    profile::Profile& trace = input->read.profile;
    profile::make_timeline(trace);
    if (!request.output.empty()) {
        return write_profile_as(session, request, *input, format);
    }
    const std::vector<Track> tracks = tracks_of(trace);
    if (request.json) {
        JsonWriter json(1);
        json.begin_object().member("file", input->name).member("spans", trace.spans.size());
        json.member("instants", trace.instants.size()).member("counters", trace.counters.size());
        json.member("flows", trace.flows.size()).key("tracks").begin_array();
        for (std::size_t index = 0; index < tracks.size(); ++index) {
            if (tracks[index].spans == 0) {
                continue;
            }
            const auto thread = static_cast<profile::ThreadId>(index);
            json.begin_object();
            json.member("process", profile::process_title(trace, trace.threads[index].process));
            json.member("thread", profile::thread_title(trace, thread));
            json.member("spans", tracks[index].spans).member("begin_ns", tracks[index].begin_ns);
            json.member("end_ns", tracks[index].end_ns).end_object();
        }
        session.print(json.end_array().end_object().text() + "\n");
        return input->code();
    }
    session.print(
        session.styled(Style::Bold, input->name) +
        session.styled(Style::Dim, "  " + grouped(trace.spans.size()) +
                                       (trace.spans.size() == 1 ? " span, " : " spans, ") +
                                       grouped(trace.instants.size()) + " instants, " +
                                       grouped(trace.flows.size()) + " arrow ends") +
        "\n\n");
    TextTable text;
    text.column("process");
    text.column("thread");
    text.column("spans", TextTable::Align::Right);
    text.column("lasts", TextTable::Align::Right);
    for (std::size_t index = 0; index < tracks.size(); ++index) {
        if (tracks[index].spans > 0) {
            const auto thread = static_cast<profile::ThreadId>(index);
            text.row({TableCell(profile::process_title(trace, trace.threads[index].process)),
                      TableCell(profile::thread_title(trace, thread)),
                      TableCell(grouped(tracks[index].spans)),
                      TableCell(profile::value_text(static_cast<double>(length_ns(tracks[index])),
                                                    "nanoseconds"))});
        }
    }
    session.print(text.render(session, "", fit_of(request.wide)));
    return input->code();
}

}  // namespace taffrail::cli
