#include "base/strings.h"
#include "base/utf8.h"
#include "profile/formats/pstats/pstats.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace taffrail::profile {
namespace {

/// One object of Python's marshal format, as far as these files have them.
struct MarshalValue {
    enum class Kind : std::uint8_t { Nothing, Number, Text, Key } kind = Kind::Nothing;
    double number = 0;
    TextId text = 0;
    FrameId frame = 0;
};

/// Reads the one structure such files have: a dictionary of dictionaries. What else marshal can
/// hold ends the reading; what was read before stays.
class PstatsReader {
  public:
    PstatsReader(ByteSpan bytes, Profile& profile) : cursor_(bytes), profile_(profile) {}

    void read() {
        const char type = code();
        reserve_reference();
        if (type != '{') {
            cursor_.fail();
        }
        while (cursor_.ok() && !at_null()) {
            read_function();
        }
        if (!cursor_.ok()) {
            profile_.notes.add("the file is cut off or damaged; what stands before is here",
                               cursor_.offset());
        }
    }

  private:
    char code() {
        const auto byte = static_cast<std::uint8_t>(cursor_.read<std::byte>());
        flagged_ = (byte & 0x80) != 0;
        return static_cast<char>(byte & 0x7F);
    }

    bool at_null() {
        ByteCursor ahead = cursor_;
        if (static_cast<char>(ahead.read<std::byte>()) != '0') {
            return false;
        }
        cursor_ = ahead;
        return true;
    }

    /// Objects that may be referred to take their number before their content is read.
    std::size_t reserve_reference() {
        if (!flagged_) {
            return SIZE_MAX;
        }
        references_.emplace_back();
        return references_.size() - 1;
    }

    void keep(std::size_t reference, const MarshalValue& value) {
        if (reference != SIZE_MAX) {
            references_[reference] = value;
        }
    }

    MarshalValue value() {
        const char type = code();
        if (type == 'r') {
            const auto index = cursor_.read<std::uint32_t>();
            if (index >= references_.size()) {
                cursor_.fail();
                return {};
            }
            return references_[index];
        }
        const std::size_t reference = reserve_reference();
        MarshalValue value;
        switch (type) {
            case 'i':
                value = number(cursor_.read<std::int32_t>());
                break;
            case 'I':
                value = number(static_cast<double>(cursor_.read<std::int64_t>()));
                break;
            case 'l':
                value = number(long_integer());
                break;
            case 'g':
                value = number(cursor_.read<double>());
                break;
            case 'f':
                value = number(
                    parse_double(as_text(cursor_.take(cursor_.read<std::uint8_t>()))).value_or(0));
                break;
            case 'T':
            case 'F':
                value = number(type == 'T' ? 1 : 0);
                break;
            case 'z':
            case 'Z':
                value = text(cursor_.take(cursor_.read<std::uint8_t>()));
                break;
            case 's':
            case 't':
            case 'u':
            case 'a':
            case 'A':
                value = text(cursor_.take(cursor_.read<std::uint32_t>()));
                break;
            case ')':
            case '(':
                value = key(type);
                break;
            case 'N':
                break;
            default:
                cursor_.fail();
        }
        keep(reference, value);
        return value;
    }

    static MarshalValue number(double number) {
        return {.kind = MarshalValue::Kind::Number, .number = number};
    }

    MarshalValue text(ByteSpan bytes) {
        const std::string_view text = as_text(bytes);
        return {.kind = MarshalValue::Kind::Text,
                .text = profile_.text(is_valid_utf8(text) ? text : repair_utf8(text))};
    }

    double long_integer() {
        const auto count = cursor_.read<std::int32_t>();
        double value = 0, scale = 1;
        for (std::int64_t digit = 0;
             digit < std::abs(static_cast<std::int64_t>(count)) && cursor_.ok();
             ++digit, scale *= 32768) {
            value += scale * cursor_.read<std::uint16_t>();
        }
        return count < 0 ? -value : value;
    }

    std::uint32_t size_of_tuple(char type) {
        return type == ')' ? cursor_.read<std::uint8_t>() : cursor_.read<std::uint32_t>();
    }

    /// (file, line, function). Keys hold no further tuples, so this is as deep as it gets.
    MarshalValue key(char type) {
        if (is_inside_key_ || size_of_tuple(type) != 3) {
            cursor_.fail();
            return {};
        }
        is_inside_key_ = true;
        const MarshalValue file = value(), line = value(), function = value();
        is_inside_key_ = false;
        const bool no_file = profile_.texts[file.text] == "~";
        const double number = line.number >= 0 && line.number <= UINT32_MAX ? line.number : 0;
        return {.kind = MarshalValue::Kind::Key,
                .frame = profile_.frames.id({function.text, no_file ? 0 : file.text,
                                             static_cast<std::uint32_t>(number), 0})};
    }

    std::uint32_t function_of(FrameId frame) {
        const auto [known, is_new] =
            functions_.try_emplace(frame, static_cast<std::uint32_t>(profile_.functions.size()));
        if (is_new) {
            profile_.functions.push_back({frame, {.self = {0}, .total = {0}}});
        }
        return known->second;
    }

    double checked(double value, std::string_view what) {
        if (std::isfinite(value) && value >= 0) {
            return value;
        }
        profile_.notes.add(what, cursor_.offset());
        return 0;
    }

    GraphCost cost(double calls, double primitive, double self, double total) {
        constexpr std::string_view kBadCount = "a number of calls below 0 counts as 0";
        constexpr std::string_view kBadTime = "a time that is negative or no number counts as 0";
        return {.calls = checked(calls, kBadCount),
                .primitive_calls = checked(primitive, kBadCount),
                .self = {checked(self, kBadTime)},
                .total = {checked(total, kBadTime)}};
    }

    /// The head of a tuple of `size`; false when something else stands here.
    bool tuple_of(std::uint32_t size) {
        const char type = code();
        reserve_reference();
        if ((type != '(' && type != ')') || size_of_tuple(type) != size) {
            cursor_.fail();
        }
        return cursor_.ok();
    }

    void read_function() {
        const MarshalValue key = value();
        if (key.kind != MarshalValue::Kind::Key || !tuple_of(5)) {
            cursor_.fail();
            return;
        }
        const double primitive = value().number, calls = value().number, self = value().number,
                     total = value().number;
        const char type = code();
        reserve_reference();
        if (type != '{' || !cursor_.ok()) {
            cursor_.fail();
            return;
        }
        const std::uint32_t callee = function_of(key.frame);
        profile_.functions[callee].cost = cost(calls, primitive, self, total);
        while (cursor_.ok() && !at_null()) {
            read_caller(callee);
        }
    }

    void read_caller(std::uint32_t callee) {
        const MarshalValue key = value();
        if (key.kind != MarshalValue::Kind::Key) {
            cursor_.fail();
            return;
        }
        GraphCall call{function_of(key.frame), callee, {}};
        ByteCursor ahead = cursor_;
        const char type =
            static_cast<char>(static_cast<std::uint8_t>(ahead.read<std::byte>()) & 0x7F);
        if (type == '(' || type == ')') {
            if (!tuple_of(4)) {
                return;
            }
            const double calls = value().number, primitive = value().number, self = value().number,
                         total = value().number;
            call.cost = cost(calls, primitive, self, total);
        } else {
            // Files of the older `profile` module say only how often.
            const double calls = value().number;
            call.cost = cost(calls, calls, 0, 0);
        }
        if (cursor_.ok()) {
            profile_.calls.push_back(std::move(call));
        }
    }

    ByteCursor cursor_;
    Profile& profile_;
    bool flagged_ = false, is_inside_key_ = false;
    std::vector<MarshalValue> references_;
    std::unordered_map<FrameId, std::uint32_t> functions_;
};

}  // namespace

bool is_pstats(ByteSpan bytes) {
    if (bytes.size() < 2) {
        return false;
    }
    const auto byte = [&](std::size_t at) { return static_cast<char>(bytes[at]) & 0x7F; };
    return byte(0) == '{' && (byte(1) == '(' || byte(1) == ')' || byte(1) == '0') &&
           (bytes.size() == 2 || bytes[1] != std::byte{'('} || bytes.size() < 6 ||
            load<std::uint32_t>(bytes.data() + 2) == 3);
}

Result<void> read_pstats(ByteSpan bytes, Profile& profile) {
    profile.value_type("time", "seconds");
    PstatsReader(bytes, profile).read();
    if (profile.functions.empty() && !profile.notes.empty()) {
        return Error{ErrorCode::Corrupt,
                     "no pstats file: Python's marshal of a dictionary of functions was expected"};
    }
    return {};
}

}  // namespace taffrail::profile
