#include <taffrail/options.h>

#include "base/secret_names.h"
#include "base/strings.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taffrail {
namespace {

Error mistake(std::string_view owner, const std::string& message) {
    return {ErrorCode::InvalidArgument, std::string(owner) + ": " + message};
}

std::optional<bool> flag_of(std::string_view text) {
    const std::string word = to_lower(text);
    constexpr std::array kYes = {"true", "yes", "on", "1"};
    constexpr std::array kNo = {"false", "no", "off", "0"};
    if (std::ranges::find(kYes, word) != kYes.end()) {
        return true;
    }
    return std::ranges::find(kNo, word) != kNo.end() ? std::optional(false) : std::nullopt;
}

// "a whole number of at least 1".
std::string wanted(const OptionInfo& info) {
    switch (info.type) {
        case OptionType::Text:
            return "text";
        case OptionType::Flag:
            return "true or false";
        case OptionType::List:
            return "a list";
        case OptionType::Whole:
        case OptionType::Number:
            break;
    }
    std::string words = info.type == OptionType::Whole ? "a whole number" : "a number";
    if (info.rules.least) {
        words += " of at least " + format_double(*info.rules.least);
    }
    if (info.rules.above) {
        words += " above " + format_double(*info.rules.above);
    }
    return words;
}

bool in_bounds(const OptionRules& rules, double number) {
    return !std::isnan(number) && (!rules.least || number >= *rules.least) &&
           (!rules.above || number > *rules.above);
}

std::optional<OptionValue> value_of(const OptionInfo& info, const std::string& text) {
    const std::string_view word = trim(text);
    switch (info.type) {
        case OptionType::Text:
            return text;
        case OptionType::List:
            return option_list(word);
        case OptionType::Flag:
            if (const auto flag = flag_of(word)) {
                return *flag;
            }
            return std::nullopt;
        case OptionType::Whole:
            if (const auto number = parse_int(word);
                number && in_bounds(info.rules, static_cast<double>(*number))) {
                return *number;
            }
            return std::nullopt;
        case OptionType::Number:
            if (const auto number = parse_double(word); number && in_bounds(info.rules, *number)) {
                return *number;
            }
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::string_view to_string(OptionType type) noexcept {
    switch (type) {
        case OptionType::Text:
            return "text";
        case OptionType::Whole:
            return "whole number";
        case OptionType::Number:
            return "number";
        case OptionType::Flag:
            return "yes or no";
        case OptionType::List:
            return "list";
    }
    return "";
}

std::string to_text(const OptionValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        return *text;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return std::to_string(*whole);
    }
    if (const auto* number = std::get_if<double>(&value)) {
        return format_double(*number);
    }
    if (const auto* flag = std::get_if<bool>(&value)) {
        return *flag ? "true" : "false";
    }
    std::string list;
    for (const std::string& item : std::get<std::vector<std::string>>(value)) {
        list += (list.empty() ? "" : ", ") + item;
    }
    return list.empty() ? "" : "[" + list + "]";
}

std::vector<std::string> option_list(std::string_view text) {
    text = trim(text);
    if (text.starts_with('[') && text.ends_with(']')) {
        text = text.substr(1, text.size() - 2);
    }
    std::vector<std::string> items;
    for (const std::string_view part : split(text, ',')) {
        std::string_view item = trim(part);
        if (item.size() >= 2 && (item.front() == '"' || item.front() == '\'') &&
            item.back() == item.front()) {
            item = item.substr(1, item.size() - 2);
        }
        if (!item.empty()) {
            items.emplace_back(item);
        }
    }
    return items;
}

const OptionInfo* find_option(std::span<const OptionInfo> options, std::string_view name) noexcept {
    for (const OptionInfo& info : options) {
        if (info.name == name ||
            std::ranges::find(info.rules.other_names, name) != info.rules.other_names.end()) {
            return &info;
        }
    }
    return nullptr;
}

Result<std::optional<OptionValue>> read_option(std::string_view owner,
                                               std::span<const OptionInfo> options,
                                               std::string_view name, const std::string& text) {
    const OptionInfo* info = find_option(options, name);
    if (info == nullptr) {
        std::vector<std::string> known;
        std::string list;
        for (const OptionInfo& each : options) {
            known.push_back(each.name);
            list += (list.empty() ? "" : ", ") + each.name;
        }
        return mistake(owner, "unknown option '" + std::string(name) + "'" +
                                  did_you_mean(name, known) +
                                  " (known: " + (list.empty() ? "none" : list) + ")");
    }
    // An empty text leaves what has no default of its own absent: `purge_step:` in a file.
    if (text.empty() && info->fallback.empty() && info->type != OptionType::Text) {
        return std::optional<OptionValue>();
    }
    auto value = value_of(*info, text);
    if (!value) {
        return mistake(owner, "'" + info->name + "' must be " + wanted(*info) +
                                  (info->rules.secret ? "" : ", found '" + text + "'"));
    }
    if (info->rules.check) {
        if (const auto checked = info->rules.check(text); !checked.ok()) {
            return mistake(owner, checked.error().message);
        }
    }
    return value;
}

OptionMap without_secrets(std::span<const OptionInfo> options, const OptionMap& given) {
    OptionMap kept;
    for (const auto& [name, text] : given) {
        const OptionInfo* info = find_option(options, name);
        // What nobody declared is judged by its name.
        if (info != nullptr ? !info->rules.secret : !is_secret_name(name)) {
            kept.emplace_back(name, text);
        }
    }
    return kept;
}

}  // namespace taffrail
