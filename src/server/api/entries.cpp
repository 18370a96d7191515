// POST entries:index (where entries stand), GET entries (their values).
#include "server/api/api.h"
#include "server/api/value_json.h"

#include <algorithm>

namespace taffrail::server {
namespace {

template <typename Project>
void write_column(JsonWriter& json, std::string_view name,
                  const std::vector<taffrail::Entry>& entries, Project project) {
    json.key(name).begin_array();
    for (const taffrail::Entry& entry : entries) {
        json.value(project(entry));
    }
    json.end_array();
}

void write_index(JsonWriter& json, const std::string& run, const KeyInfo& key,
                 const std::vector<taffrail::Entry>& entries) {
    json.begin_object()
        .member("run", run)
        .member("key", key.key)
        .member("kind", to_string(key.kind));
    write_column(json, "step", entries, [](const auto& entry) { return entry.step; });
    write_column(json, "time_ms", entries, [](const auto& entry) { return to_ms(entry.time_ns); });
    if (std::ranges::any_of(entries, [](const auto& entry) { return entry.epoch.has_value(); })) {
        json.key("epoch").begin_array();
        for (const auto& entry : entries) {
            entry.epoch ? json.value(*entry.epoch) : json.null();
        }
        json.end_array();
    }
    if (std::ranges::any_of(entries, [](const auto& entry) { return entry.attempt != 0; })) {
        write_column(json, "attempt", entries, [](const auto& entry) { return entry.attempt; });
    }
    if (std::ranges::any_of(entries, [](const auto& entry) { return entry.rank != 0; })) {
        write_column(json, "rank", entries, [](const auto& entry) { return entry.rank; });
    }
    // A key may hold several kinds: which entry is which. Numbers of entries count all of them.
    if (std::ranges::any_of(entries,
                            [&](const auto& entry) { return kind_of(*entry.value) != key.kind; })) {
        write_column(json, "kinds", entries,
                     [](const auto& entry) { return to_string(kind_of(*entry.value)); });
    }
    const auto items = [](const taffrail::Entry& entry) {
        const auto* image = std::get_if<Image>(entry.value.get());
        return image != nullptr ? image->images.size() : std::size_t{1};
    };
    if (std::ranges::any_of(entries, [&](const auto& entry) { return items(entry) != 1; })) {
        write_column(json, "items", entries, items);
    }
    json.end_object();
}

Response index(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const auto runs = string_list(body, "runs", 10'000);
    const auto keys = string_list(body, "keys", 10'000), kinds = string_list(body, "kinds", 32);
    const auto wanted = [&](const KeyInfo& key) {
        return key.kind != Kind::Scalar &&
               (keys.empty() || std::ranges::find(keys, key.key) != keys.end()) &&
               (kinds.empty() || std::ranges::find(kinds, to_string(key.kind)) != kinds.end());
    };
    JsonWriter json;
    json.begin_object()
        .member("revision", context.workspace->revision())
        .key("series")
        .begin_array();
    for (const std::string& id : runs) {
        const auto details = context.workspace->details(id);
        if (!details || std::ranges::none_of(details->keys, wanted)) {
            continue;
        }
        const auto run = find_run(context, id);
        const KeyInfo* before = nullptr;  // the entries of a key of several kinds are listed once
        for (const KeyInfo& key : details->keys) {
            if (wanted(key) && (before == nullptr || before->key != key.key)) {
                before = &key;
                if (auto entries = context.entries->get(id, *run, key.key)) {
                    write_index(json, id, key, **entries);
                }
            }
        }
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

Response entries(const ApiContext& context, const Request& request) {
    const std::string id = required_parameter(request, "run"),
                      name = required_parameter(request, "key");
    const auto run = find_run(context, id);
    const auto read = context.entries->get(id, *run, name);
    if (!read) {
        refuse(read.error());
    }
    const auto& found = *read;
    const auto total = static_cast<std::int64_t>(found->size());
    if (total == 0) {
        refuse(404, "not_found", "the run has no entries of that key");
    }
    const std::int64_t first =
        std::clamp<std::int64_t>(integer_parameter(request, "first", 0), 0, total);
    const std::int64_t count = integer_parameter(request, "count", 100);
    if (count < 1 || count > 1000) {
        refuse(400, "invalid", "'count' must be between 1 and 1000");
    }
    JsonWriter json;
    json.begin_object().member("revision", run->revision()).member("run", id).member("key", name);
    json.member("kind", to_string(kind_of(*found->front().value)))
        .member("total", total)
        .member("first", first)
        .key("entries")
        .begin_array();
    for (std::int64_t i = first; i < std::min(total, first + count); ++i) {
        const taffrail::Entry& entry = (*found)[static_cast<std::size_t>(i)];
        json.begin_object()
            .member("index", i)
            .member("step", entry.step)
            .member("time_ms", to_ms(entry.time_ns));
        if (entry.epoch) {
            json.member("epoch", *entry.epoch);
        }
        if (entry.samples) {
            json.member("samples", *entry.samples);
        }
        json.member("attempt", entry.attempt)
            .member("rank", entry.rank)
            .member("phase", to_string(entry.phase))
            .key("value");
        write_value(json, *entry.value);
        json.end_object();
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_entries_routes(Router& router, const ApiContext& context) {
    router.post("entries:index", RouteKind::Read,
                guarded([&context](const Request& request) { return index(context, request); }));
    router.get("entries",
               guarded([&context](const Request& request) { return entries(context, request); }));
}

}  // namespace taffrail::server
