// Python's pstats files: marshal (version 2, which every Python 3 loads) of a dictionary from
// (file, line, function) to (primitive calls, calls, self, total, callers).
#include "base/utf8.h"
#include "profile/derive.h"
#include "profile/formats/pstats/pstats.h"

#include <algorithm>
#include <cmath>

namespace taffrail::profile {
namespace {

class MarshalWriter {
  public:
    explicit MarshalWriter(Output& out) : out_(out) {}

    void code(char byte) { out_.buffer().push_back(byte); }

    void number(double value) {
        const double whole = std::isfinite(value) ? std::nearbyint(value) : 0;
        if (std::abs(whole) < 2147483648.0) {
            code('i');
            raw(static_cast<std::int32_t>(whole));
            return;
        }
        // Longer integers stand in digits of 15 bits, their count negative for negative numbers.
        auto left = static_cast<std::uint64_t>(std::min(std::abs(whole), 9.2e18));
        std::vector<std::uint16_t> digits;
        for (; left > 0; left >>= 15) {
            digits.push_back(static_cast<std::uint16_t>(left & 0x7FFF));
        }
        code('l');
        const auto count = static_cast<std::int32_t>(digits.size());
        raw(whole < 0 ? -count : count);
        for (const std::uint16_t digit : digits) {
            raw(digit);
        }
    }

    void real(double value) {
        code('g');
        raw(value);
    }

    void text(std::string_view text) {
        code('u');
        const std::string repaired = repair_utf8(text);
        raw(static_cast<std::int32_t>(repaired.size()));
        out_.buffer().append(repaired);
    }

    void tuple(int size) {
        code('(');
        raw(static_cast<std::int32_t>(size));
    }

  private:
    template <typename T>
    void raw(T value) {
        out_.buffer().append(reinterpret_cast<const char*>(&value), sizeof value);
    }

    Output& out_;
};

void write_key(MarshalWriter& marshal, const Profile& profile, FrameId id) {
    const Frame& frame = profile.frames[id];
    const std::string_view file = profile.texts[frame.file];
    marshal.tuple(3);
    // What Python writes where there is no file.
    marshal.text(file.empty() ? "~" : file);
    marshal.number(frame.line);
    marshal.text(profile.texts[frame.name]);
}

}  // namespace

Result<void> write_pstats(Profile& profile, Output& out, const WriteOptions& options) {
    make_graph(profile);
    const std::size_t value = main_value(profile, options.value);
    const double seconds = value == kNone ? 0 : seconds_per_unit(profile.value_types[value].unit);
    const auto of = [&](const std::vector<double>& values) {
        return value < values.size() ? values[value] * seconds : 0.0;
    };
    std::vector<std::vector<std::uint32_t>> callers(profile.functions.size());
    for (std::uint32_t call = 0; call < profile.calls.size(); ++call) {
        callers[profile.calls[call].callee].push_back(call);
    }
    MarshalWriter marshal(out);
    marshal.code('{');
    for (std::size_t index = 0; index < profile.functions.size(); ++index) {
        const GraphFunction& function = profile.functions[index];
        write_key(marshal, profile, function.frame);
        marshal.tuple(5);
        marshal.number(function.cost.primitive_calls);
        marshal.number(function.cost.calls);
        marshal.real(of(function.cost.self));
        marshal.real(of(function.cost.total));
        marshal.code('{');
        for (const std::uint32_t call : callers[index]) {
            const GraphCost& cost = profile.calls[call].cost;
            write_key(marshal, profile, profile.functions[profile.calls[call].caller].frame);
            // The other way round than above: Python's own files are like that.
            marshal.tuple(4);
            marshal.number(cost.calls);
            marshal.number(cost.primitive_calls);
            marshal.real(of(cost.self));
            marshal.real(of(cost.total));
        }
        marshal.code('0');
        out.pause();
    }
    marshal.code('0');
    return out.finish();
}

double seconds_per_unit(std::string_view unit) {
    // A sample or an instruction is no second; a reader that shows it as one at least shows 1.
    return nanoseconds_per(unit).value_or(1e9) / 1e9;
}

}  // namespace taffrail::profile
