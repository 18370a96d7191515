#include "codec/json.h"

#include "codec/json_writer.h"

#include <boost/json/basic_parser_impl.hpp>

#include <charconv>
#include <cmath>
#include <limits>

namespace taffrail {
namespace {

// Stand for numbers JSON has no word for, inside the text handed to the parser. A control character
// in front keeps them apart from text that people write.
constexpr std::string_view kNaN = "\"\\u0001NaN\"";
constexpr std::string_view kInfinity = "\"\\u0001Infinity\"";
constexpr std::string_view kMinusInfinity = "\"\\u0001-Infinity\"";

/// Builds the tree as the parser walks.
struct Builder {
    static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_object_size = max_array_size;
    static constexpr std::size_t max_string_size = max_array_size;
    static constexpr std::size_t max_key_size = max_array_size;
    using Code = boost::json::error_code;
    using Text = boost::json::string_view;

    Json root;
    std::vector<Json> open;  // containers not closed yet
    std::vector<std::string> keys;
    std::string text;
    bool extended = false;

    bool put(Json value) {
        if (open.empty()) {
            root = std::move(value);
        } else if (auto* array = open.back().get_if<Json::Array>()) {
            array->push_back(std::move(value));
        } else {
            open.back().get_if<Json::Object>()->emplace_back(std::move(keys.back()),
                                                             std::move(value));
            keys.pop_back();
        }
        return true;
    }

    bool close() {
        Json done = std::move(open.back());
        open.pop_back();
        return put(std::move(done));
    }

    bool on_document_begin(Code&) { return true; }

    bool on_document_end(Code&) { return true; }

    bool on_array_begin(Code&) { return open.emplace_back(Json::Array{}), true; }

    bool on_array_end(std::size_t, Code&) { return close(); }

    bool on_object_begin(Code&) { return open.emplace_back(Json::Object{}), true; }

    bool on_object_end(std::size_t, Code&) { return close(); }

    bool on_string_part(Text part, std::size_t, Code&) {
        return text.append(part.data(), part.size()), true;
    }

    bool on_string(Text part, std::size_t, Code&) {
        text.append(part.data(), part.size());
        std::string whole;
        whole.swap(text);
        if (extended && whole.size() >= 2 && whole[0] == '\x01') {
            const double infinity = std::numeric_limits<double>::infinity();
            return put(whole[1] == 'N' ? std::nan("") : whole[1] == 'I' ? infinity : -infinity);
        }
        return put(std::move(whole));
    }

    bool on_key_part(Text part, std::size_t, Code&) {
        return text.append(part.data(), part.size()), true;
    }

    bool on_key(Text part, std::size_t, Code&) {
        text.append(part.data(), part.size());
        keys.push_back(std::move(text));
        text.clear();
        return true;
    }

    bool on_number_part(Text part, Code&) { return text.append(part.data(), part.size()), true; }

    bool on_int64(std::int64_t number, Text part, Code&) {
        text.append(part.data(), part.size());
        const bool negative_zero = text == "-0";  // only a double keeps its sign
        text.clear();
        return negative_zero ? put(-0.0) : put(number);
    }

    bool on_uint64(std::uint64_t number, Text, Code&) { return text.clear(), put(number); }

    // The parser's own conversion may be off by a unit in the last place; metrics must not be.
    bool on_double(double number, Text part, Code&) {
        text.append(part.data(), part.size());
        double exact = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), exact);
        const bool read = code == std::errc() && end == text.data() + text.size();
        text.clear();
        return put(read ? exact : number);
    }

    bool on_bool(bool truth, Code&) { return put(truth); }

    bool on_null(Code&) { return put(Json()); }

    bool on_comment_part(Text, Code&) { return true; }

    bool on_comment(Text, Code&) { return true; }
};

/// The text with bare NaN and Infinity words replaced by marked strings, or nothing when it has
/// none.
std::optional<std::string> with_marked_numbers(std::string_view text) {
    std::string out;
    std::size_t copied = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                in_string = false;
            }
            continue;
        }
        if (c == '"') {
            in_string = true;
            continue;
        }
        const std::string_view rest = text.substr(i);
        std::string_view word, mark;
        if (rest.starts_with("NaN")) {
            word = "NaN", mark = kNaN;
        } else if (rest.starts_with("Infinity")) {
            word = "Infinity", mark = kInfinity;
        } else if (rest.starts_with("-Infinity")) {
            word = "-Infinity", mark = kMinusInfinity;
        } else {
            continue;
        }
        out.append(text, copied, i - copied).append(mark);
        i += word.size() - 1;
        copied = i + 1;
    }
    if (copied == 0) {
        return std::nullopt;
    }
    return out.append(text, copied);
}

Result<Json> parse_strict(std::string_view text, bool extended) {
    boost::json::parse_options options;
    options.max_depth = 64;
    boost::json::basic_parser<Builder> parser(options);
    parser.handler().extended = extended;
    boost::json::error_code code;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), code);
    if (!code && used < text.size() &&
        text.find_first_not_of(" \t\r\n", used) != std::string_view::npos) {
        code = boost::json::error::extra_data;
    }
    if (code) {
        return Error{ErrorCode::Corrupt,
                     "not valid JSON at byte " + std::to_string(used) + ": " + code.message()};
    }
    return std::move(parser.handler().root);
}

void write(JsonWriter& to, const Json& json) {
    if (const auto* array = json.array()) {
        to.begin_array();
        for (const Json& item : *array) {
            write(to, item);
        }
        to.end_array();
    } else if (const auto* object = json.object()) {
        to.begin_object();
        for (const auto& [name, member] : *object) {
            write(to.key(name), member);
        }
        to.end_object();
    } else if (const auto* text = json.string()) {
        to.value(*text);
    } else if (const auto truth = json.truth()) {
        to.value(*truth);
    } else if (const auto* whole = json.get_if<std::int64_t>()) {
        to.value(*whole);
    } else if (const auto* large = json.get_if<std::uint64_t>()) {
        to.value(*large);
    } else if (const auto* number = json.get_if<double>()) {
        to.value(*number);
    } else {
        to.null();
    }
}

}  // namespace

Json::Json(std::uint64_t number) {
    if (number <= static_cast<std::uint64_t>(INT64_MAX)) {
        data_ = static_cast<std::int64_t>(number);
    } else {
        data_ = number;
    }
}

const Json* Json::find(std::string_view name) const noexcept {
    if (const auto* members = object()) {
        for (auto member = members->rbegin(); member != members->rend(); ++member) {
            if (member->first == name) {
                return &member->second;
            }
        }
    }
    return nullptr;
}

std::optional<double> Json::number() const noexcept {
    if (const auto* number = get_if<double>()) {
        return *number;
    }
    if (const auto* whole = get_if<std::int64_t>()) {
        return static_cast<double>(*whole);
    }
    if (const auto* large = get_if<std::uint64_t>()) {
        return static_cast<double>(*large);
    }
    return std::nullopt;
}

std::optional<std::int64_t> Json::integer() const noexcept {
    if (const auto* whole = get_if<std::int64_t>()) {
        return *whole;
    }
    return std::nullopt;
}

std::optional<bool> Json::truth() const noexcept {
    if (const auto* truth = get_if<bool>()) {
        return *truth;
    }
    return std::nullopt;
}

std::string Json::string_or(std::string_view name, std::string_view fallback) const {
    const Json* member = find(name);
    const std::string* text = member != nullptr ? member->string() : nullptr;
    return text != nullptr ? *text : std::string(fallback);
}

double Json::number_or(std::string_view name, double fallback) const noexcept {
    const Json* member = find(name);
    return member != nullptr ? member->number().value_or(fallback) : fallback;
}

std::int64_t Json::integer_or(std::string_view name, std::int64_t fallback) const noexcept {
    const Json* member = find(name);
    return member != nullptr ? member->integer().value_or(fallback) : fallback;
}

bool Json::truth_or(std::string_view name, bool fallback) const noexcept {
    const Json* member = find(name);
    return member != nullptr ? member->truth().value_or(fallback) : fallback;
}

std::string Json::dump(int indent) const {
    JsonWriter writer(indent);
    write(writer, *this);
    return std::move(writer).take();
}

Result<Json> parse_json(std::string_view text) {
    Result<Json> parsed = parse_strict(text, false);
    if (!parsed.ok()) {
        if (const auto marked = with_marked_numbers(text)) {
            return parse_strict(*marked, true);
        }
    }
    return parsed;
}

}  // namespace taffrail
