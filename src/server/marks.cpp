#include "server/marks.h"

#include "io/files.h"
#include "store/meta_edit.h"

#include <algorithm>

namespace taffrail::server {
namespace {

std::vector<store::MetaEdit> meta_edits(const MarkChange& change) {
    using tlog::MetaType;
    std::vector<store::MetaEdit> edits;
    const auto text = [&](MetaType type, std::string_view value) {
        const ByteSpan bytes = as_bytes(value);
        edits.push_back({type, Bytes(bytes.begin(), bytes.end())});
    };
    const auto truth = [&](MetaType type, bool value) {
        edits.push_back({type, Bytes{static_cast<std::byte>(value ? 1 : 0)}});
    };
    for (const std::string& tag : change.add_tags) {
        text(MetaType::TagAdded, tag);
    }
    for (const std::string& tag : change.remove_tags) {
        text(MetaType::TagRemoved, tag);
    }
    if (change.name) {
        text(MetaType::Name, *change.name);
    }
    if (change.notes) {
        text(MetaType::Notes, *change.notes);
    }
    if (change.color) {
        text(MetaType::Colour, *change.color);
    }
    if (change.archived) {
        truth(MetaType::Archived, *change.archived);
    }
    if (change.deleted) {
        truth(MetaType::Tombstone, *change.deleted);
    }
    return edits;
}

bool has_tag(const RunInfo& info, const std::string& tag) {
    return std::ranges::find(info.tags, tag) != info.tags.end();
}

// Marks of one foreign run as JSON: {"add_tags": […], "remove_tags": […], "name": …}; later changes
// are merged in.
Json::Array merged(const Json* old, const std::vector<std::string>& add,
                   const std::vector<std::string>& remove) {
    Json::Array list = old != nullptr && old->array() != nullptr ? *old->array() : Json::Array();
    const auto equals = [](const std::string& text) {
        return [&text](const Json& item) {
            return item.string() != nullptr && *item.string() == text;
        };
    };
    for (const std::string& text : add) {
        if (std::ranges::none_of(list, equals(text))) {
            list.emplace_back(text);
        }
    }
    for (const std::string& text : remove) {
        std::erase_if(list, equals(text));
    }
    return list;
}

std::vector<std::string> texts(const Json* list) {
    std::vector<std::string> found;
    if (list != nullptr && list->array() != nullptr) {
        for (const Json& item : *list->array()) {
            if (item.string() != nullptr) {
                found.push_back(*item.string());
            }
        }
    }
    return found;
}

}  // namespace

MarkChange effective(const MarkChange& change, const RunInfo& info) {
    MarkChange real;
    for (const std::string& tag : change.add_tags) {
        if (!has_tag(info, tag) && std::ranges::find(real.add_tags, tag) == real.add_tags.end()) {
            real.add_tags.push_back(tag);
        }
    }
    for (const std::string& tag : change.remove_tags) {
        if (has_tag(info, tag) &&
            std::ranges::find(real.remove_tags, tag) == real.remove_tags.end()) {
            real.remove_tags.push_back(tag);
        }
    }
    const auto keep = [](const auto& wanted, const auto& have, auto& out) {
        if (wanted && *wanted != have) {
            out = wanted;
        }
    };
    keep(change.name, info.name, real.name);
    keep(change.notes, info.notes, real.notes);
    keep(change.color, info.color, real.color);
    keep(change.archived, info.archived, real.archived);
    keep(change.deleted, info.deleted, real.deleted);
    return real;
}

MarkChange inverse_of(const MarkChange& change, const RunInfo& info) {
    MarkChange inverse;
    inverse.add_tags = change.remove_tags;
    inverse.remove_tags = change.add_tags;
    const auto back = [](const auto& changed, const auto& have, auto& out) {
        if (changed) {
            out = have;
        }
    };
    back(change.name, info.name, inverse.name);
    back(change.notes, info.notes, inverse.notes);
    back(change.color, info.color, inverse.color);
    back(change.archived, info.archived, inverse.archived);
    back(change.deleted, info.deleted, inverse.deleted);
    return inverse;
}

void apply_to(RunInfo& info, const MarkChange& change) {
    for (const std::string& tag : change.add_tags) {
        if (!has_tag(info, tag)) {
            info.tags.push_back(tag);
        }
    }
    std::erase_if(info.tags, [&](const std::string& tag) {
        return std::ranges::find(change.remove_tags, tag) != change.remove_tags.end();
    });
    const auto set = [](const auto& wanted, auto& have) {
        if (wanted) {
            have = *wanted;
        }
    };
    set(change.name, info.name);
    set(change.notes, info.notes);
    set(change.color, info.color);
    set(change.archived, info.archived);
    set(change.deleted, info.deleted);
}

Result<void> Marks::write(const std::string& id, const RunInfo& info, const MarkChange& change) {
    if (info.source == "taffrail") {
        auto written = store::edit_meta(info.location, meta_edits(change));
        if (written.ok() || written.error().code != ErrorCode::PermissionDenied) {
            return written;
        }
        // A run one may only read still takes marks: they stay with the person.
    }
    return state_->update("marks", [&](Json::Object& marks) {
        Json& entry = member_of(marks, id);
        Json::Object stored = entry.object() != nullptr ? *entry.object() : Json::Object();
        const Json before(stored);
        member_of(stored, "add_tags") =
            Json(merged(before.find("add_tags"), change.add_tags, change.remove_tags));
        member_of(stored, "remove_tags") =
            Json(merged(before.find("remove_tags"), change.remove_tags, change.add_tags));
        if (change.name) {
            member_of(stored, "name") = Json(*change.name);
        }
        if (change.notes) {
            member_of(stored, "notes") = Json(*change.notes);
        }
        if (change.color) {
            member_of(stored, "color") = Json(*change.color);
        }
        if (change.archived) {
            member_of(stored, "archived") = Json(*change.archived);
        }
        if (change.deleted) {
            member_of(stored, "deleted") = Json(*change.deleted);
        }
        entry = Json(std::move(stored));
    });
}

void Marks::overlay(const std::string& id, RunInfo& info) const {
    const Json marks(state_->load("marks"));
    const Json* stored = marks.find(id);
    if (stored == nullptr) {
        return;
    }
    MarkChange change;
    change.add_tags = texts(stored->find("add_tags"));
    change.remove_tags = texts(stored->find("remove_tags"));
    const auto text = [&](std::string_view name) {
        const Json* member = stored->find(name);
        return member != nullptr && member->string() != nullptr ? std::optional(*member->string())
                                                                : std::nullopt;
    };
    const auto truth = [&](std::string_view name) {
        const Json* member = stored->find(name);
        return member != nullptr ? member->truth() : std::nullopt;
    };
    change.name = text("name");
    change.notes = text("notes");
    change.color = text("color");
    change.archived = truth("archived");
    change.deleted = truth("deleted");
    apply_to(info, change);
}

}  // namespace taffrail::server
