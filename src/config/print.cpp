// Config → YAML text and → flat hyperparameters, both without secrets: either may be stored beside
// a run.
#include <taffrail/config.h>

#include "base/secret_names.h"
#include "config/yaml.h"

#include <algorithm>

namespace taffrail {
namespace {

constexpr std::string_view kHidden = "***";

bool needs_quotes(const std::string& text) {
    if (scalar_from_text(text, false).type() != Config::Type::Text) {
        return true;
    }
    constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@` ";
    return kIndicators.find(text.front()) != std::string_view::npos || text.back() == ' ' ||
           text.back() == ':' || text.find(": ") != std::string::npos ||
           text.find(" #") != std::string::npos ||
           std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view kDigits = "0123456789abcdef";
            out += "\\x";
            out += kDigits[static_cast<unsigned char>(c) >> 4];
            out += kDigits[static_cast<unsigned char>(c) & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string scalar_text(const Config& value) {
    const std::string text = value.as_text().value();
    if (value.type() == Config::Type::Text) {
        return text.empty() || needs_quotes(text) ? quoted(text) : text;
    }
    return value.is_null() ? "null" : text;
}

bool is_inline(const Config& value) {
    if (value.is_scalar() || value.size() == 0) {
        return true;
    }
    if (!value.is_list()) {
        return false;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (!value.at(i).is_scalar()) {
            return false;
        }
    }
    return true;
}

}  // namespace

void Config::yaml_into(std::string& out, int indent, bool hidden) const {
    if (is_scalar()) {
        out += !environment_.empty()  ? environment_
               : hidden && !is_null() ? quoted(std::string(kHidden))
                                      : scalar_text(*this);
        return;
    }
    if (children_.empty()) {
        out += is_map() ? "{}" : "[]";
        return;
    }
    if (is_inline(*this)) {
        out += '[';
        for (std::size_t i = 0; i < children_.size(); ++i) {
            out += i == 0 ? "" : ", ";
            children_[i].yaml_into(out, indent, hidden);
        }
        out += ']';
        return;
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
        if (i > 0 || (!out.empty() && out.back() != '\n' && !out.ends_with("- "))) {
            out += out.empty() || out.back() == '\n' ? "" : "\n";
        }
        if (out.empty() || out.back() == '\n') {
            out.append(static_cast<std::size_t>(indent), ' ');
        }
        if (is_map()) {
            const std::string& name = names_[i];
            out += (name.empty() || needs_quotes(name) ? quoted(name) : name) + ":";
            const bool below = is_inline(children_[i]);
            out += below ? " " : "\n";
            children_[i].yaml_into(out, indent + 2, hidden || is_secret_name(name));
        } else {
            out += "- ";
            children_[i].yaml_into(out, indent + 2, hidden);
        }
    }
}

std::string Config::to_yaml() const {
    std::string out;
    yaml_into(out, 0, false);
    if (out.empty() || out.back() != '\n') {
        out += '\n';
    }
    return out;
}

void Config::flatten_into(Hparams& out, const std::string& prefix, bool hidden) const {
    if (is_scalar()) {
        if (!environment_.empty()) {
            out.emplace_back(prefix, environment_);
        } else {
            out.emplace_back(prefix, hidden && !is_null() ? Cell(std::string(kHidden)) : scalar_);
        }
        return;
    }
    for (std::size_t i = 0; i < children_.size(); ++i) {
        const std::string name = is_map() ? names_[i] : std::to_string(i);
        children_[i].flatten_into(out, prefix.empty() ? name : prefix + "/" + name,
                                  hidden || is_secret_name(name));
    }
}

Hparams Config::flattened() const {
    Hparams out;
    flatten_into(out, "", false);
    return out;
}

}  // namespace taffrail
