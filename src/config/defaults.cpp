#include "config/defaults.h"

#include "base/strings.h"
#include "base/try.h"

namespace taffrail {
namespace {

// Takes a leading word such as "override " off.
bool take_word(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word) || text.size() <= word.size() || text[word.size()] != ' ') {
        return false;
    }
    text = trim(text.substr(word.size()));
    return true;
}

Result<DefaultsEntry> parse_group(const Config& item) {
    DefaultsEntry entry;
    entry.kind = DefaultsEntry::Kind::Group;
    std::string_view name = trim(item.names().front());
    if (take_word(name, "override")) {
        entry.kind = DefaultsEntry::Kind::Override;
    } else if (take_word(name, "optional")) {
        entry.optional = true;
    }
    if (name.starts_with('/')) {
        entry.absolute = true;
        name.remove_prefix(1);
    }
    const std::size_t at = name.find('@');
    entry.group = name.substr(0, at);
    if (at != std::string_view::npos) {
        entry.package = name.substr(at + 1);
    }
    if (entry.group.empty()) {
        return item.error("'" + item.names().front() + "' names no group");
    }
    const Config& value = item.at(0);
    if (value.is_list()) {
        TAFFRAIL_ASSIGN(entry.options, value.as_text_list());
    } else if (value.is_scalar() && !value.is_null()) {
        entry.options.push_back(value.as_text().value());
    } else if (value.is_map()) {
        return value.error("an option of group '" + entry.group + "' must be a name or a list");
    }
    entry.node = value;
    return entry;
}

}  // namespace

Result<std::vector<DefaultsEntry>> take_defaults(Config& file) {
    std::vector<DefaultsEntry> entries;
    bool has_self = false;
    if (const Config* list = file.find("defaults")) {
        if (!list->is_list() && !list->is_null()) {
            return list->error("'defaults' must be a list");
        }
        for (std::size_t i = 0; i < list->size(); ++i) {
            const Config& item = list->at(i);
            if (item.is_map()) {
                if (item.size() != 1) {
                    return item.error("a line of 'defaults' holds one 'group: option'");
                }
                TAFFRAIL_ASSIGN(DefaultsEntry entry, parse_group(item));
                entries.push_back(std::move(entry));
                continue;
            }
            TAFFRAIL_ASSIGN(std::string text, item.as_text());
            if (text == "...") {
                continue;
            }
            DefaultsEntry entry;
            entry.node = item;
            if (text == "_self_") {
                entry.kind = DefaultsEntry::Kind::Self;
                has_self = true;
            } else {
                entry.absolute = text.starts_with('/');
                entry.group = entry.absolute ? text.substr(1) : text;
            }
            entries.push_back(std::move(entry));
        }
        file.erase("defaults");
    }
    if (!has_self) {
        entries.emplace_back().kind = DefaultsEntry::Kind::Self;
    }
    return entries;
}

}  // namespace taffrail
