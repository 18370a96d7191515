// Saved views, settings, long view states: what belongs to people, not to runs.
#include "base/clock.h"
#include "server/api/api.h"

#include <algorithm>

namespace taffrail::server {
namespace {

constexpr std::size_t kStateLimit = 256u << 10;

std::string member_text(const Json& object, std::string_view name, std::size_t limit) {
    const Json* member = object.find(name);
    if (member == nullptr || member->string() == nullptr) {
        refuse(400, "invalid", "'" + std::string(name) + "' must be a text");
    }
    if (member->string()->size() > limit) {
        refuse(413, "too_large",
               "'" + std::string(name) + "' may have at most " + std::to_string(limit) + " bytes");
    }
    return *member->string();
}

void must(const Result<void>& result) {
    if (!result) {
        refuse(result.error());
    }
}

Json::Array views_of(const ApiContext& context) {
    const Json::Object stored = context.state->load("views");
    for (const auto& [name, value] : stored) {
        if (name == "views" && value.array() != nullptr) {
            return *value.array();
        }
    }
    return {};
}

Response list_views(const ApiContext& context, std::optional<std::string_view> project) {
    Json::Array views = views_of(context);
    std::erase_if(views, [&](const Json& view) {
        return project && view.string_or("project", "") != *project;
    });
    std::ranges::stable_sort(views, {},
                             [](const Json& view) { return view.string_or("name", ""); });
    return Response::json(Json(Json::Object{{"views", Json(std::move(views))}}).dump());
}

void store_views(const ApiContext& context, const std::string& project, const std::string& name,
                 const Json* replacement, bool* found) {
    must(context.state->update("views", [&](Json::Object& object) {
        Json& member = member_of(object, "views");
        Json::Array views = member.array() != nullptr ? *member.array() : Json::Array();
        const std::size_t before = views.size();
        std::erase_if(views, [&](const Json& view) {
            return view.string_or("project", "") == project && view.string_or("name", "") == name;
        });
        *found = views.size() != before;
        if (replacement != nullptr) {
            views.push_back(*replacement);
        }
        member = Json(std::move(views));
    }));
}

Response save_view(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const std::string name = member_text(body, "name", 200),
                      project = member_text(body, "project", 1000);
    const Json view(Json::Object{{"name", name},
                                 {"project", project},
                                 {"state", member_text(body, "state", kStateLimit)},
                                 {"saved_ms", to_ms(wall_time_ns())}});
    bool found = false;
    store_views(context, project, name, &view, &found);
    return Response::json(view.dump());
}

Response delete_view(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const std::string name = member_text(body, "name", 200),
                      project = member_text(body, "project", 1000);
    bool found = false;
    store_views(context, project, name, nullptr, &found);
    if (!found) {
        refuse(404, "not_found", "there is no saved view '" + name + "'");
    }
    return list_views(context, project);
}

bool is_one_of(const Json& value, std::initializer_list<std::string_view> choices) {
    return value.string() != nullptr &&
           std::ranges::find(choices, std::string_view(*value.string())) != choices.end();
}

bool is_text_list(const Json& value) {
    return value.array() != nullptr && std::ranges::all_of(*value.array(), [](const Json& item) {
               return item.string() != nullptr;
           });
}

// Members the page knows must have the type it expects: a wrong one would break every browser that
// reads it. Unknown ones are kept as they are.
bool is_valid_setting(std::string_view name, const Json& value) {
    const auto every_member = [&](auto test) {
        return value.object() != nullptr &&
               std::ranges::all_of(*value.object(),
                                   [&](const auto& member) { return test(member.second); });
    };
    if (name == "theme") {
        return is_one_of(value, {"system", "light", "dark"});
    }
    if (name == "density") {
        return is_one_of(value, {"compact", "normal", "comfortable"});
    }
    if (name == "motion") {
        return value.is_bool();
    }
    if (name == "smoothing") {
        const Json* method = value.find("method");
        const Json* amount = value.find("amount");
        return method != nullptr && amount != nullptr && amount->is_number() &&
               is_one_of(*method, {"none", "ema", "time_ema", "gaussian", "mean", "median"});
    }
    if (name == "pins") {
        return every_member(is_text_list);
    }
    if (name == "baseline") {
        return every_member([](const Json& member) { return member.string() != nullptr; });
    }
    return true;
}

Response change_settings(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    if (request.body.size() > kStateLimit) {
        refuse(413, "too_large", "settings may have at most 256 kB");
    }
    for (const auto& [name, value] : *body.object()) {
        if (!value.is_null() && !is_valid_setting(name, value)) {
            refuse(400, "invalid", "the setting '" + name + "' has a value of the wrong kind");
        }
    }
    must(context.state->update("settings", [&](Json::Object& settings) {
        for (const auto& [name, value] : *body.object()) {
            if (value.is_null()) {
                erase_member(settings, name);
            } else {
                member_of(settings, name) = value;
            }
        }
    }));
    return Response::json(Json(context.state->load("settings")).dump());
}

Response save_state(const ApiContext& context, const Request& request) {
    auto hash = context.state->save_state(member_text(body_object(request), "state", kStateLimit));
    if (!hash) {
        refuse(hash.error());
    }
    return Response::json(Json(Json::Object{{"hash", *hash}}).dump());
}

Response load_state(const ApiContext& context, const Request& request) {
    auto state = context.state->load_state(required_parameter(request, "hash"));
    if (!state) {
        refuse(404, "not_found",
               "this server has no view state of that name; the link may come from another server");
    }
    return Response::json(Json(Json::Object{{"state", *state}}).dump());
}

}  // namespace

void add_preference_routes(Router& router, const ApiContext& context) {
    router.get("views", guarded([&context](const Request& request) {
                   return list_views(context, request.parameter("project"));
               }));
    router.post("views:save", RouteKind::Write, guarded([&context](const Request& request) {
                    return save_view(context, request);
                }));
    router.post("views:delete", RouteKind::Write, guarded([&context](const Request& request) {
                    return delete_view(context, request);
                }));
    router.get("settings", [&context](const Request&) {
        return Response::json(Json(context.state->load("settings")).dump());
    });
    router.post("settings", RouteKind::Write, guarded([&context](const Request& request) {
                    return change_settings(context, request);
                }));
    router.post("states", RouteKind::Write, guarded([&context](const Request& request) {
                    return save_state(context, request);
                }));
    router.get("state", guarded([&context](const Request& request) {
                   return load_state(context, request);
               }));
}

}  // namespace taffrail::server
