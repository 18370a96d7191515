// POST edits: marks on runs, all or none, answered with what undoes them.
#include "server/api/api.h"
#include "server/marks.h"

#include <algorithm>

namespace taffrail::server {
namespace {

struct Edit {
    std::vector<std::string> runs;
    MarkChange change;
};

std::optional<std::string> text_member(const Json& json, std::string_view name, std::size_t limit) {
    const Json* member = json.find(name);
    if (member == nullptr || member->is_null()) {
        return std::nullopt;
    }
    if (member->string() == nullptr || member->string()->size() > limit) {
        refuse(400, "invalid",
               "'" + std::string(name) + "' must be a text of at most " + std::to_string(limit) +
                   " bytes");
    }
    return *member->string();
}

std::optional<bool> truth_member(const Json& json, std::string_view name) {
    const Json* member = json.find(name);
    if (member == nullptr || member->is_null()) {
        return std::nullopt;
    }
    if (!member->truth()) {
        refuse(400, "invalid", "'" + std::string(name) + "' must be true or false");
    }
    return member->truth();
}

bool is_color(const std::string& text) {
    return text.empty() ||
           (text.size() == 7 && text[0] == '#' &&
            text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos);
}

Edit parse_edit(const Json& json) {
    if (!json.is_object()) {
        refuse(400, "invalid", "every edit is an object");
    }
    Edit edit;
    edit.runs = string_list(json, "runs", 10'000);
    edit.change.add_tags = string_list(json, "add_tags", 100);
    edit.change.remove_tags = string_list(json, "remove_tags", 100);
    edit.change.name = text_member(json, "name", 1000);
    edit.change.notes = text_member(json, "notes", 256u << 10);
    edit.change.color = text_member(json, "color", 7);
    edit.change.archived = truth_member(json, "archived");
    edit.change.deleted = truth_member(json, "deleted");
    if (edit.change.color && !is_color(*edit.change.color)) {
        refuse(400, "invalid", "'color' is #rrggbb or empty");
    }
    if (edit.change.name && edit.change.name->empty()) {
        refuse(400, "invalid", "'name' must not be empty");
    }
    return edit;
}

void write_edit(JsonWriter& json, const std::string& run, const MarkChange& change) {
    const auto list = [&](std::string_view name, const std::vector<std::string>& items) {
        if (!items.empty()) {
            json.key(name).begin_array();
            for (const std::string& item : items) {
                json.value(item);
            }
            json.end_array();
        }
    };
    json.begin_object().key("runs").begin_array().value(run).end_array();
    list("add_tags", change.add_tags);
    list("remove_tags", change.remove_tags);
    if (change.name) {
        json.member("name", *change.name);
    }
    if (change.notes) {
        json.member("notes", *change.notes);
    }
    if (change.color) {
        json.member("color", *change.color);
    }
    if (change.archived) {
        json.member("archived", *change.archived);
    }
    if (change.deleted) {
        json.member("deleted", *change.deleted);
    }
    json.end_object();
}

Response edits(const ApiContext& context, const Request& request) {
    const Json body = body_object(request);
    const Json* list = body.find("edits");
    if (list == nullptr || list->array() == nullptr) {
        refuse(400, "invalid", "'edits' must be a list");
    }
    std::vector<Edit> wanted;
    for (const Json& item : *list->array()) {
        wanted.push_back(parse_edit(item));
    }
    // Everything is looked up before anything is written: an unknown run refuses the whole request.
    for (const Edit& edit : wanted) {
        for (const std::string& id : edit.runs) {
            [[maybe_unused]] const auto exists = find_details(context, id);
        }
    }

    struct Undo {
        std::string run;
        MarkChange change;
    };

    std::vector<Undo> undo;
    std::vector<std::string> changed;
    const auto roll_back = [&] {
        for (auto step = undo.rbegin(); step != undo.rend(); ++step) {
            if (const auto details = context.workspace->details(step->run)) {
                [[maybe_unused]] const auto written =
                    context.workspace->marks().write(step->run, details->info, step->change);
            }
        }
    };
    for (const Edit& edit : wanted) {
        for (const std::string& id : edit.runs) {
            const auto details = find_details(context, id);
            const MarkChange change = effective(edit.change, details->info);
            if (change.empty()) {
                continue;
            }
            if (auto written = context.workspace->marks().write(id, details->info, change);
                !written) {
                roll_back();
                context.workspace->refresh_marks(changed);
                refuse(written.error());
            }
            undo.push_back({id, inverse_of(change, details->info)});
            if (std::ranges::find(changed, id) == changed.end()) {
                changed.push_back(id);
            }
            context.workspace->refresh_marks({id});
        }
    }
    JsonWriter json;
    json.begin_object()
        .member("revision", context.workspace->revision())
        .key("changed")
        .begin_array();
    for (const std::string& id : changed) {
        json.value(id);
    }
    json.end_array().key("inverse").begin_array();
    for (auto step = undo.rbegin(); step != undo.rend(); ++step) {
        write_edit(json, step->run, step->change);
    }
    json.end_array().end_object();
    return Response::json(std::move(json).take());
}

}  // namespace

void add_edit_routes(Router& router, const ApiContext& context) {
    router.post("edits", RouteKind::Write,
                guarded([&context](const Request& request) { return edits(context, request); }));
}

}  // namespace taffrail::server
