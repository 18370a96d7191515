// The tree itself: finding, setting, merging, and typed access with places in errors.
#include <taffrail/config.h>

#include "base/strings.h"
#include "base/try.h"
#include "config/yaml.h"

#include <algorithm>
#include <cmath>

namespace taffrail {

std::string ConfigPlace::text() const {
    if (file.empty()) {
        return {};
    }
    if (line == 0) {
        return file;
    }
    return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string_view to_string(Config::Type type) noexcept {
    switch (type) {
        case Config::Type::Null:
            return "null";
        case Config::Type::Bool:
            return "true or false";
        case Config::Type::Int:
            return "a whole number";
        case Config::Type::Float:
            return "a number";
        case Config::Type::Text:
            return "text";
        case Config::Type::List:
            return "a list";
        case Config::Type::Map:
            return "a map";
    }
    return "?";
}

Config scalar_from_text(std::string text, bool quoted) {
    Config value;
    value.written_ = text;
    value.quoted_ = quoted;
    if (quoted) {
        value.type_ = Config::Type::Text;
        value.scalar_ = std::move(text);
        return value;
    }
    if (text.empty() || text == "null" || text == "Null" || text == "NULL" || text == "~") {
        return value;
    }
    if (text == "true" || text == "True" || text == "TRUE") {
        value.type_ = Config::Type::Bool;
        value.scalar_ = true;
    } else if (text == "false" || text == "False" || text == "FALSE") {
        value.type_ = Config::Type::Bool;
        value.scalar_ = false;
    } else if (const auto whole = parse_int(text)) {
        value.type_ = Config::Type::Int;
        value.scalar_ = *whole;
    } else if (text == ".nan" || text == ".NaN" || text == ".inf" || text == "-.inf") {
        value.type_ = Config::Type::Float;
        value.scalar_ = text == ".inf" ? HUGE_VAL : text == "-.inf" ? -HUGE_VAL : std::nan("");
    } else if (const auto number = parse_double(text);
               number &&
               (std::isdigit(static_cast<unsigned char>(text.back())) != 0 || text.back() == '.')) {
        // The last character rules out `nan` and `infinity`, which are words here.
        value.type_ = Config::Type::Float;
        value.scalar_ = *number;
    } else {
        value.type_ = Config::Type::Text;
        value.scalar_ = std::move(text);
    }
    return value;
}

void append_entry(Config& map, std::string name, Config child) {
    map.names_.push_back(std::move(name));
    map.children_.push_back(std::move(child));
}

Config Config::map() {
    Config value;
    value.type_ = Type::Map;
    return value;
}

Config Config::list() {
    Config value;
    value.type_ = Type::List;
    return value;
}

Config Config::of(Cell scalar) {
    Config value;
    value.type_ = static_cast<Type>(scalar.index());
    value.scalar_ = std::move(scalar);
    return value;
}

void Config::push_back(Config child) {
    children_.push_back(std::move(child));
}

Config* Config::find(std::string_view path) {
    return const_cast<Config*>(std::as_const(*this).find(path));
}

const Config* Config::find(std::string_view path) const {
    if (path.empty()) {
        return this;
    }
    if (type_ == Type::Map) {
        // The longest name first, so that a name with dots in it is reachable.
        for (std::size_t end = path.size(); end != std::string_view::npos && end > 0;
             end = path.rfind('.', end - 1)) {
            const auto found = std::ranges::find(names_, path.substr(0, end));
            if (found != names_.end()) {
                const Config& child = children_[static_cast<std::size_t>(found - names_.begin())];
                const std::string_view rest =
                    end == path.size() ? std::string_view() : path.substr(end + 1);
                if (const Config* inner = child.find(rest)) {
                    return inner;
                }
            }
        }
        return nullptr;
    }
    if (type_ == Type::List) {
        const std::size_t dot = path.find('.');
        const auto index = parse_int(path.substr(0, dot));
        if (!index || *index < 0 || static_cast<std::size_t>(*index) >= children_.size()) {
            return nullptr;
        }
        return children_[static_cast<std::size_t>(*index)].find(
            dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1));
    }
    return nullptr;
}

Result<void> Config::set(std::string_view path, Config value) {
    if (Config* existing = find(path)) {
        *existing = std::move(value);
        return {};
    }
    Config* node = this;
    const auto parts = split(path, '.');
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].empty()) {
            return error("'" + std::string(path) + "' has an empty name between its dots");
        }
        if (node->is_null()) {
            const ConfigPlace place = node->place_;
            *node = map();
            node->place_ = place;
        }
        if (!node->is_map()) {
            return node->error("cannot set '" + std::string(path) + "': there is " +
                               std::string(to_string(node->type_)) + " on the way");
        }
        Config* next = node->find(parts[i]);
        if (next == nullptr) {
            append_entry(*node, std::string(parts[i]), Config());
            next = &node->children_.back();
        }
        node = next;
    }
    *node = std::move(value);
    return {};
}

bool Config::erase(std::string_view path) {
    for (std::size_t i = 0; i < children_.size(); ++i) {
        const std::string name = is_map() ? names_[i] : std::to_string(i);
        if (path == name) {
            children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
            if (is_map()) {
                names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(i));
            }
            return true;
        }
        if (path.size() > name.size() && path.starts_with(name) && path[name.size()] == '.' &&
            children_[i].erase(path.substr(name.size() + 1))) {
            return true;
        }
    }
    return false;
}

void Config::merge(const Config& other) {
    if (!is_map() || !other.is_map()) {
        *this = other;
        return;
    }
    for (std::size_t i = 0; i < other.names_.size(); ++i) {
        const auto found = std::ranges::find(names_, other.names_[i]);
        if (found == names_.end()) {
            append_entry(*this, other.names_[i], other.children_[i]);
        } else {
            children_[static_cast<std::size_t>(found - names_.begin())].merge(other.children_[i]);
        }
    }
}

Error Config::error(std::string_view message) const {
    const std::string place = place_.text();
    return {ErrorCode::InvalidArgument,
            place.empty() ? std::string(message) : place + ": " + std::string(message)};
}

namespace {

Error wrong_type(const Config& value, Config::Type wanted) {
    std::string found(to_string(value.type()));
    if (value.is_scalar() && !value.is_null()) {
        found += " ('" + value.as_text().value() + "')";
    }
    return value.error("expected " + std::string(to_string(wanted)) + ", found " + found);
}

}  // namespace

Result<bool> Config::as_bool() const {
    if (const bool* value = std::get_if<bool>(&scalar_)) {
        return *value;
    }
    return wrong_type(*this, Type::Bool);
}

Result<std::int64_t> Config::as_int() const {
    if (const auto* value = std::get_if<std::int64_t>(&scalar_)) {
        return *value;
    }
    // 1e6 is how people write a million.
    if (const double* number = std::get_if<double>(&scalar_);
        number != nullptr && std::trunc(*number) == *number && std::abs(*number) < 9e15) {
        return static_cast<std::int64_t>(*number);
    }
    return wrong_type(*this, Type::Int);
}

Result<double> Config::as_double() const {
    if (const double* value = std::get_if<double>(&scalar_)) {
        return *value;
    }
    if (const auto* value = std::get_if<std::int64_t>(&scalar_)) {
        return static_cast<double>(*value);
    }
    return wrong_type(*this, Type::Float);
}

Result<std::string> Config::as_text() const {
    switch (type_) {
        case Type::Text:
            return std::get<std::string>(scalar_);
        case Type::Map:
        case Type::List:
            return error("expected text, found " + std::string(to_string(type_)));
        default:
            break;
    }
    if (!written_.empty()) {
        return written_;
    }
    switch (type_) {
        case Type::Bool:
            return std::string(std::get<bool>(scalar_) ? "true" : "false");
        case Type::Int:
            return std::to_string(std::get<std::int64_t>(scalar_));
        case Type::Float:
            return format_double(std::get<double>(scalar_));
        default:
            return std::string("null");
    }
}

Result<std::vector<std::string>> Config::as_text_list() const {
    std::vector<std::string> texts;
    if (!is_list()) {
        return wrong_type(*this, Type::List);
    }
    for (const Config& child : children_) {
        TAFFRAIL_ASSIGN(std::string text, child.as_text());
        texts.push_back(std::move(text));
    }
    return texts;
}

Result<bool> Config::bool_or(std::string_view path, bool fallback) const {
    const Config* found = find(path);
    return found == nullptr || found->is_null() ? Result<bool>(fallback) : found->as_bool();
}

Result<std::int64_t> Config::int_or(std::string_view path, std::int64_t fallback) const {
    const Config* found = find(path);
    return found == nullptr || found->is_null() ? Result<std::int64_t>(fallback) : found->as_int();
}

Result<double> Config::double_or(std::string_view path, double fallback) const {
    const Config* found = find(path);
    return found == nullptr || found->is_null() ? Result<double>(fallback) : found->as_double();
}

Result<std::string> Config::text_or(std::string_view path, std::string_view fallback) const {
    const Config* found = find(path);
    return found == nullptr || found->is_null() ? Result<std::string>(std::string(fallback))
                                                : found->as_text();
}

Result<void> Config::check_names(std::span<const std::string_view> known,
                                 std::string_view what) const {
    const std::vector<std::string> candidates(known.begin(), known.end());
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (std::ranges::find(candidates, names_[i]) == candidates.end()) {
            std::string list;
            for (const std::string& candidate : candidates) {
                list += (list.empty() ? "" : ", ") + candidate;
            }
            return children_[i].error("unknown name '" + names_[i] + "' in " + std::string(what) +
                                      did_you_mean(names_[i], candidates) + " (known: " + list +
                                      ")");
        }
    }
    return {};
}

}  // namespace taffrail
