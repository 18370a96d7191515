#include "config/overrides.h"

#include "base/strings.h"
#include "base/try.h"
#include "config/yaml.h"

#include <algorithm>

namespace taffrail {
namespace {

// Every path of the tree, maps included: what a mistyped key could have meant.
void collect_paths(const Config& node, const std::string& prefix, std::vector<std::string>& out) {
    for (std::size_t i = 0; i < node.size(); ++i) {
        const std::string name = node.is_map() ? node.names()[i] : std::to_string(i);
        const std::string path = prefix.empty() ? name : prefix + "." + name;
        out.push_back(path);
        collect_paths(node.at(i), path, out);
    }
}

// The new value in the type of the old one, so that a mistake shows at the start and not after an
// hour.
Result<Config> in_type_of(const Config& old, Config value, const Override& change) {
    using Type = Config::Type;
    const bool interpolation =
        value.type() == Type::Text && change.value.find("${") != std::string::npos;
    if (old.is_null() || value.is_null() || interpolation || old.type() == value.type()) {
        return value;
    }
    if (old.type() == Type::Text && old.as_text().value().find("${") != std::string::npos) {
        return value;
    }
    if (old.type() == Type::Float && value.type() == Type::Int) {
        return Config::of(value.as_double().value());
    }
    if (old.type() == Type::Int && value.type() == Type::Float) {
        if (const auto whole = value.as_int(); whole.ok()) {
            return Config::of(*whole);
        }
    }
    if (old.type() == Type::Text && value.is_scalar()) {
        return scalar_from_text(change.value, true);
    }
    return change.error("'" + change.key + "' is " + std::string(to_string(old.type())) + " (" +
                        (old.is_scalar() ? old.as_text().value() : std::string("…")) +
                        (old.place().file.empty() ? "" : ", set at " + old.place().text()) +
                        "), but '" + change.value + "' is " + std::string(to_string(value.type())));
}

}  // namespace

Error Override::error(std::string_view message) const {
    return {ErrorCode::InvalidArgument, place().text() + ": " + std::string(message)};
}

Result<Override> parse_override(std::string_view text) {
    Override parsed;
    parsed.text = text;
    std::string_view rest = text;
    if (rest.starts_with("++")) {
        parsed.action = Override::Action::Force;
        rest.remove_prefix(2);
    } else if (rest.starts_with('+')) {
        parsed.action = Override::Action::Add;
        rest.remove_prefix(1);
    } else if (rest.starts_with('~')) {
        parsed.action = Override::Action::Remove;
        rest.remove_prefix(1);
    }
    const std::size_t equals = rest.find('=');
    parsed.key = trim(rest.substr(0, equals));
    parsed.has_value = equals != std::string_view::npos;
    if (parsed.has_value) {
        parsed.value = rest.substr(equals + 1);
    } else if (parsed.action != Override::Action::Remove) {
        return parsed.error("is not of the form key=value");
    }
    if (parsed.key.empty()) {
        return parsed.error("has no key before '='");
    }
    return parsed;
}

Result<void> apply_override(Config& config, const Override& change,
                            const std::vector<std::string>& groups) {
    Config* existing = config.find(change.key);
    if (existing == nullptr &&
        (change.action == Override::Action::Set || change.action == Override::Action::Remove)) {
        std::vector<std::string> candidates = groups;
        collect_paths(config, "", candidates);
        const bool setting = change.action == Override::Action::Set;
        return change.error("there is no '" + change.key + "' in the configuration" +
                            did_you_mean(change.key, candidates) +
                            (setting ? " (to add it, write +" + change.text + ")" : ""));
    }
    if (change.action == Override::Action::Remove) {
        if (change.has_value) {
            TAFFRAIL_ASSIGN(Config value, Config::parse_value(change.value));
            if (value.to_yaml() != existing->to_yaml()) {
                return change.error("'" + change.key + "' is " + existing->to_yaml() + "and not '" +
                                    change.value + "': nothing removed");
            }
        }
        config.erase(change.key);
        return {};
    }
    if (existing != nullptr && change.action == Override::Action::Add) {
        return change.error("'" + change.key +
                            "' exists already; write it without '+' to change it");
    }
    auto parsed = Config::parse_value(change.value);
    if (!parsed.ok()) {
        return change.error("the value cannot be read: " + parsed.error().message);
    }
    Config value = *std::move(parsed);
    if (existing != nullptr && change.action == Override::Action::Set) {
        TAFFRAIL_ASSIGN(value, in_type_of(*existing, std::move(value), change));
    }
    value.set_place(change.place());
    return config.set(change.key, std::move(value));
}

}  // namespace taffrail
