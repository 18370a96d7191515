// GET profiles (what there is), profile (one, and how far its index is), profile:flame, :slices,
// :slice, :arrows, :search, :minimap, :counter, :functions, :name.
#include "server/profiles.h"

#include "base/strings.h"
#include "profile/shown_name.h"
#include "server/api/profile_frame.h"
#include "server/api/profile_request.h"

#include <algorithm>

namespace taffrail::server {
namespace {

using profile::TraceIndex;

constexpr std::int64_t kMaxWidth = 8192;

double number_parameter(const Request& request, std::string_view name, double fallback) {
    const auto value = request.parameter(name);
    if (!value) {
        return fallback;
    }
    const auto number = parse_double(*value);
    if (!number || !(*number > -9e18 && *number < 9e18)) {
        refuse(400, "invalid", "the parameter '" + std::string(name) + "' must be a number");
    }
    return *number;
}

std::int64_t whole_parameter(const Request& request, std::string_view name, std::int64_t fallback,
                             std::int64_t least, std::int64_t most) {
    const std::int64_t value = integer_parameter(request, name, fallback);
    if (value < least || value > most) {
        refuse(400, "invalid",
               "'" + std::string(name) + "' must be between " + std::to_string(least) + " and " +
                   std::to_string(most));
    }
    return value;
}

std::shared_ptr<const TraceIndex> index_of(const ApiContext& context, const Request& request) {
    const auto profile = opened_profile(context, request);
    if (profile->state == OpenProfile::State::Failed) {
        refuse(404, "unavailable", profile->message);
    }
    if (profile->state != OpenProfile::State::Ready) {
        refuse(409, "not_ready", "the profile is still being read; ask 'profile' how far it is");
    }
    return profile->index;
}

Response list(const ApiContext& context, const Request& request) {
    const auto listed = context.profiles->list(text_parameter(request, "run"));
    if (!listed.ok()) {
        refuse(listed.error());
    }
    JsonWriter json;
    json.begin_object().key("profiles").begin_array();
    for (const ListedProfile& profile : *listed) {
        json.begin_object().member("run", profile.run).member("name", profile.name);
        json.member("format", profile.format).member("bytes", profile.bytes);
        json.member("modified_ms", to_ms(profile.modified_ns)).end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

Response one(const ApiContext& context, const Request& request) {
    const auto profile = opened_profile(context, request);
    const OpenProfile::State state = profile->state;
    JsonWriter json;
    json.begin_object().member("state", state == OpenProfile::State::Ready    ? "ready"
                                        : state == OpenProfile::State::Failed ? "failed"
                                                                              : "working");
    json.member("phase", to_string(profile->progress.phase.load()));
    json.member("done_bytes", profile->progress.done_bytes.load());
    json.member("all_bytes", profile->progress.all_bytes.load());
    json.member("message", state == OpenProfile::State::Failed ? profile->message : "");
    json.key("info");
    state == OpenProfile::State::Ready ? json.raw(profile->index->info()) : json.null();
    json.end_object();
    return Response::json(std::move(json).take());
}

template <typename Values>
void write_numbers(JsonWriter& json, std::string_view name, const Values& values) {
    json.key(name).begin_array();
    for (const auto value : values) {
        json.value(value);
    }
    json.end_array();
}

Response flame(const ApiContext& context, const Request& request) {
    const auto index = index_of(context, request);
    profile::FlameQuestion question;
    question.root = static_cast<std::uint32_t>(whole_parameter(request, "root", 0, 0, UINT32_MAX));
    question.value = static_cast<std::size_t>(
        whole_parameter(request, "value", static_cast<std::int64_t>(index->main_value()), 0, 1000));
    question.depth = static_cast<std::uint32_t>(whole_parameter(request, "depth", 128, 1, 4096));
    question.least_share =
        0.5 / static_cast<double>(whole_parameter(request, "width", 1000, 1, kMaxWidth));
    const std::string search = text_parameter(request, "search");
    question.search = search;
    if (question.root >= index->flame_nodes() ||
        (question.value >= index->value_count() && index->value_count() > 0)) {
        refuse(404, "not_found", "the profile has no such frame or value");
    }
    const profile::FlameAnswer answer = index->ask(question);
    JsonWriter json;
    json.begin_object().member("value", question.value).member("left_out", answer.left_out);
    json.member("matched", answer.matched).key("path").begin_array();
    for (const std::uint32_t node : index->flame_path(question.root)) {
        const auto above = index->ask(
            profile::FlameQuestion{.root = node, .value = question.value, .depth = 0, .most = 1});
        json.begin_object().member("node", node);
        json.member("title", above.title.empty() ? "" : index->text(above.title[0]));
        json.member("total", above.total.empty() ? 0 : above.total[0]).end_object();
    }
    json.end_array();
    write_numbers(json, "node", answer.node);
    write_numbers(json, "depth", answer.depth);
    write_numbers(json, "begin", answer.begin);
    write_numbers(json, "total", answer.total);
    write_numbers(json, "self", answer.self);
    // Titles once each: the same functions stand all over a tree.
    std::vector<std::uint32_t> titles = answer.title;
    std::sort(titles.begin(), titles.end());
    titles.erase(std::unique(titles.begin(), titles.end()), titles.end());
    json.key("title").begin_array();
    for (const std::uint32_t title : answer.title) {
        json.value(std::lower_bound(titles.begin(), titles.end(), title) - titles.begin());
    }
    json.end_array().key("titles").begin_array();
    for (const std::uint32_t title : titles) {
        json.value(index->text(title));
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

std::vector<std::uint32_t> tracks_of(const Request& request, const TraceIndex& index) {
    std::vector<std::uint32_t> tracks;
    const std::string text = text_parameter(request, "tracks");
    if (text.empty()) {
        for (std::uint32_t track = 0; track < index.tracks().size(); ++track) {
            tracks.push_back(track);
        }
        return tracks;
    }
    for (const std::string_view part : split(text, ',')) {
        const auto number = parse_int(part);
        if (!number || *number < 0 || *number >= static_cast<std::int64_t>(index.tracks().size())) {
            refuse(400, "invalid", "'tracks' must be numbers of tracks, with commas between");
        }
        tracks.push_back(static_cast<std::uint32_t>(*number));
    }
    return tracks;
}

struct Range {
    std::int64_t from_ns, to_ns;
};

Range asked_range(const Request& request, const TraceIndex& index) {
    const auto from = static_cast<std::int64_t>(number_parameter(request, "from", 0));
    const auto to = static_cast<std::int64_t>(
        number_parameter(request, "to", static_cast<double>(index.duration_ns())));
    if (to < from) {
        refuse(400, "invalid", "'to' lies before 'from'");
    }
    return {from, to};
}

void write_arrows(JsonWriter& json, const TraceIndex& index,
                  const std::vector<profile::IndexArrow>& arrows) {
    json.begin_array();
    for (const profile::IndexArrow& arrow : arrows) {
        json.begin_object().member("name", index.text(arrow.name));
        json.member("from", arrow.from).member("from_track", arrow.from_track);
        json.member("from_row", arrow.from_row).member("from_ns", arrow.from_ns);
        json.member("to", arrow.to).member("to_track", arrow.to_track);
        json.member("to_row", arrow.to_row).member("to_ns", arrow.to_ns).end_object();
    }
    json.end_array();
}

Response slices(const ApiContext& context, const Request& request) {
    const auto index = index_of(context, request);
    const auto [from_ns, to_ns] = asked_range(request, *index);
    const profile::SliceAnswer answer = index->ask(profile::SliceQuestion{
        .from_ns = from_ns,
        .to_ns = to_ns,
        .width = static_cast<std::uint32_t>(whole_parameter(request, "width", 1000, 1, kMaxWidth)),
        .tracks = tracks_of(request, *index)});
    Response response;
    response.headers.emplace_back("Content-Type", "application/vnd.taffrail.slices");
    response.body.text = encode_slices(*index, answer, from_ns, to_ns);
    return response;
}

Response arrows(const ApiContext& context, const Request& request) {
    const auto index = index_of(context, request);
    const auto [from_ns, to_ns] = asked_range(request, *index);
    JsonWriter json;
    json.begin_object().key("arrows");
    write_arrows(
        json, *index,
        index->arrows(from_ns, to_ns,
                      static_cast<std::size_t>(whole_parameter(request, "most", 300, 1, 10'000))));
    json.end_object();
    return Response::json(std::move(json).take());
}

Response slice(const ApiContext& context, const Request& request) {
    const auto index = index_of(context, request);
    const auto id = static_cast<std::uint32_t>(whole_parameter(request, "id", -1, 0, UINT32_MAX));
    const auto detail = index->slice(id);
    if (!detail.ok()) {
        refuse(detail.error());
    }
    JsonWriter json;
    json.begin_object().member("id", detail->id).member("track", detail->track);
    json.member("row", detail->row).member("name", detail->name);
    json.member("category", detail->category).member("begin_ns", detail->begin_ns);
    json.member("duration_ns", detail->duration_ns).member("self_ns", detail->self_ns);
    // As text: what stands there is the trace's, and may be no JSON that a page could take.
    json.member("args", index->args(id)).key("same").begin_object();
    json.member("count", detail->same_count).member("total_ns", detail->same_ns);
    json.member("longest_ns", detail->same_longest_ns).end_object().key("arrows");
    write_arrows(json, *index, index->arrows_of(id, 200));
    json.end_object();
    return Response::json(std::move(json).take());
}

Response search(const ApiContext& context, const Request& request) {
    const auto index = index_of(context, request);
    const profile::SearchAnswer answer =
        index->search(required_parameter(request, "words"),
                      static_cast<std::int64_t>(number_parameter(request, "at", -1)));
    JsonWriter json;
    json.begin_object().member("count", answer.count).member("total_ns", answer.total_ns);
    const auto place = [&](std::string_view name, std::int64_t id) {
        json.key(name);
        const auto found = index->slice(static_cast<std::uint32_t>(id));
        if (id < 0 || !found.ok()) {
            json.null();
            return;
        }
        json.begin_object().member("id", id).member("track", found->track);
        json.member("row", found->row).member("begin_ns", found->begin_ns);
        json.member("duration_ns", found->duration_ns).end_object();
    };
    place("next", answer.next);
    place("previous", answer.previous);
    json.key("names").begin_array();
    for (std::size_t i = 0; i < std::min<std::size_t>(answer.names.size(), 500); ++i) {
        json.begin_object().member("id", answer.names[i].name);
        profile::write_name(json, index->text(answer.names[i].name));
        json.member("count", answer.names[i].count);
        json.member("total_ns", answer.names[i].total_ns).end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

Response minimap(const ApiContext& context, const Request& request) {
    const auto index = index_of(context, request);
    const auto width =
        static_cast<std::uint32_t>(whole_parameter(request, "width", 1000, 1, kMaxWidth));
    JsonWriter json;
    json.begin_object().member("width", width).key("tracks").begin_array();
    std::size_t shown = 0;
    for (std::uint32_t track = 0; track < index->tracks().size() && shown < 32; ++track) {
        if (index->tracks()[track].kind != "thread") {
            continue;
        }
        ++shown;
        json.begin_object().member("track", track);
        write_numbers(json, "busy", index->busy(track, width));
        json.end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

Response counters(const ApiContext& context, const Request& request) {
    const auto index = index_of(context, request);
    const auto [from_ns, to_ns] = asked_range(request, *index);
    std::vector<double> low, high;
    index->counter(
        static_cast<std::uint64_t>(whole_parameter(request, "first", 0, 0, INT64_MAX)),
        static_cast<std::uint64_t>(whole_parameter(request, "count", 0, 0, INT64_MAX)), from_ns,
        to_ns, static_cast<std::uint32_t>(whole_parameter(request, "width", 1000, 1, kMaxWidth)),
        low, high);
    JsonWriter json;
    json.begin_object();
    write_numbers(json, "low", low);
    write_numbers(json, "high", high);
    json.end_object();
    return Response::json(std::move(json).take());
}

Response name(const ApiContext& context, const Request& request) {
    const auto index = index_of(context, request);
    const auto id = static_cast<std::uint32_t>(whole_parameter(request, "id", -1, 0, UINT32_MAX));
    if (id >= index->texts()) {
        refuse(404, "not_found", "the profile has no such name");
    }
    JsonWriter json;
    json.begin_object().member("id", id).member("name", index->text(id)).end_object();
    return Response::json(std::move(json).take());
}

Response functions(const ApiContext& context, const Request& request) {
    return Response::json(std::string(index_of(context, request)->functions()));
}

}  // namespace

std::string text_parameter(const Request& request, std::string_view name) {
    return std::string(request.parameter(name).value_or(""));
}

std::shared_ptr<OpenProfile> opened_profile(const ApiContext& context, const Request& request,
                                            std::string_view run, std::string_view name) {
    auto profile =
        context.profiles->open(text_parameter(request, run), required_parameter(request, name));
    if (!profile.ok()) {
        refuse(profile.error());
    }
    return *profile;
}

void add_profile_routes(Router& router, const ApiContext& context) {
    using Answer = Response (*)(const ApiContext&, const Request&);
    const auto with = [&context](Answer answer) {
        return guarded(
            [&context, answer](const Request& request) { return answer(context, request); });
    };
    router.get("profiles", with(list));
    router.get("profile", with(one));
    router.get("profile:flame", with(flame));
    router.get("profile:slices", with(slices));
    router.get("profile:slice", with(slice));
    router.get("profile:arrows", with(arrows));
    router.get("profile:search", with(search));
    router.get("profile:minimap", with(minimap));
    router.get("profile:counter", with(counters));
    router.get("profile:functions", with(functions));
    router.get("profile:name", with(name));
    add_profile_analysis_routes(router, context);
}

}  // namespace taffrail::server
