#include "codec/json_writer.h"

#include "base/utf8.h"

#include <charconv>
#include <cmath>

namespace taffrail {

void append_json_string(std::string& to, std::string_view text) {
    std::string repaired;
    if (!is_valid_utf8(text)) {
        repaired = repair_utf8(text);
        text = repaired;
    }
    to += '"';
    std::size_t plain = 0;  // start of the run that needs no escape
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte >= 0x20 && byte != '"' && byte != '\\') {
            continue;
        }
        to.append(text, plain, i - plain);
        plain = i + 1;
        switch (byte) {
            case '"':
                to += "\\\"";
                break;
            case '\\':
                to += "\\\\";
                break;
            case '\n':
                to += "\\n";
                break;
            case '\r':
                to += "\\r";
                break;
            case '\t':
                to += "\\t";
                break;
            default: {
                constexpr char kHex[] = "0123456789abcdef";
                to += "\\u00";
                to += kHex[byte >> 4];
                to += kHex[byte & 15];
            }
        }
    }
    to.append(text, plain, text.size() - plain);
    to += '"';
}

void JsonWriter::new_line() {
    if (indent_ > 0) {
        text_ += '\n';
        text_.append(has_members_.size() * static_cast<std::size_t>(indent_), ' ');
    }
}

void JsonWriter::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (has_members_.empty()) {
        return;
    }
    if (has_members_.back()) {
        text_ += ',';
    }
    has_members_.back() = true;
    new_line();
}

JsonWriter& JsonWriter::open(char bracket) {
    separate();
    text_ += bracket;
    has_members_.push_back(false);
    return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
    const bool had_members = has_members_.back();
    has_members_.pop_back();
    if (had_members) {
        new_line();
    }
    text_ += bracket;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    append_json_string(text_, name);
    text_ += indent_ > 0 ? ": " : ":";
    after_key_ = true;
    return *this;
}

JsonWriter& JsonWriter::null() {
    return raw("null");
}

JsonWriter& JsonWriter::value(bool truth) {
    return raw(truth ? "true" : "false");
}

JsonWriter& JsonWriter::value(double number) {
    if (std::isnan(number)) {
        return raw("\"NaN\"");
    }
    if (std::isinf(number)) {
        return raw(number > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    }
    if (number == 0 && std::signbit(number)) {
        return raw("-0.0");  // "-0" is a whole number to many readers, and whole zeros have no sign
    }
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return raw({buffer, static_cast<std::size_t>(end - buffer)});
}

JsonWriter& JsonWriter::value(std::string_view text) {
    separate();
    append_json_string(text_, text);
    return *this;
}

JsonWriter& JsonWriter::value(const Cell& cell) {
    return std::visit(
        [this](const auto& content) -> JsonWriter& {
            if constexpr (std::is_same_v<std::decay_t<decltype(content)>, std::monostate>) {
                return null();
            } else {
                return value(content);
            }
        },
        cell);
}

JsonWriter& JsonWriter::integer(std::int64_t number) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return raw({buffer, static_cast<std::size_t>(end - buffer)});
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t number) {
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return raw({buffer, static_cast<std::size_t>(end - buffer)});
}

JsonWriter& JsonWriter::raw(std::string_view json) {
    separate();
    text_ += json;
    return *this;
}

void JsonWriter::clear() noexcept {
    text_.clear();
    has_members_.clear();
    after_key_ = false;
}

}  // namespace taffrail
