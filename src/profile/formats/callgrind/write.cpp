#include "profile/derive.h"
#include "profile/formats/callgrind/callgrind.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace taffrail::profile {
namespace {

/// Names stand on a line of their own and begin a definition with '(': nothing else is special.
std::string callgrind_name(std::string_view name) {
    std::string clean(name.empty() ? "???" : name);
    std::replace_if(
        clean.begin(), clean.end(),
        [](char character) { return static_cast<unsigned char>(character) < 0x20; }, ' ');
    return clean;
}

std::string event_name(std::string_view name) {
    std::string clean(name.empty() ? "Cost" : name);
    std::replace_if(
        clean.begin(), clean.end(),
        [](char character) {
            return std::isalnum(static_cast<unsigned char>(character)) == 0 && character != '_';
        },
        '_');
    if (std::isdigit(static_cast<unsigned char>(clean[0])) != 0) {
        clean.insert(0, "_");
    }
    return clean;
}

class CallgrindWriter {
  public:
    CallgrindWriter(Profile& profile, Output& out) : profile_(profile), out_(out) {}

    void write() {
        text("# callgrind format\nversion: 1\ncreator: taffrail\n");
        std::string events;
        for (std::size_t value = 0; value < profile_.value_types.size(); ++value) {
            const ValueType& type = profile_.value_types[value];
            if (type.name == "calls") {
                continue;  // stands at the calls themselves
            }
            const auto ns = nanoseconds_per(type.unit);
            columns_.push_back({value, ns.value_or(1)});
            text("desc: Value " + event_name(type.name) + ": " +
                 callgrind_name(ns ? "nanoseconds" : type.unit) + "\n");
            events += " " + event_name(type.name);
        }
        text("positions: line\nevents:" + events + "\n");
        std::vector<std::vector<std::uint32_t>> calls(profile_.functions.size());
        for (std::uint32_t call = 0; call < profile_.calls.size(); ++call) {
            calls[profile_.calls[call].caller].push_back(call);
        }
        for (std::size_t index = 0; index < profile_.functions.size(); ++index) {
            write_function(profile_.functions[index], calls[index]);
            out_.pause();
        }
    }

  private:
    void text(std::string_view text) { out_.buffer().append(text); }

    void number(std::uint64_t value) {
        char digits[24];
        out_.buffer().append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    }

    /// "(3) name" the first time, "(3)" from then on.
    void name(Texts& known, std::string_view name) {
        const std::string clean = callgrind_name(name);
        const std::size_t before = known.size();
        const TextId id = known.id(clean);
        text("(");
        number(id);
        text(")");
        if (known.size() > before) {
            text(" ");
            text(clean);
        }
        text("\n");
    }

    void costs(std::uint32_t line, const std::vector<double>& values) {
        number(line);
        for (const Column& column : columns_) {
            const double value = values[column.value] * column.scale;
            if (!std::isfinite(value) || value < 0 || value > 1.8e19) {
                profile_.notes.add("a weight that is negative or no number counts as 0");
                text(" 0");
                continue;
            }
            text(" ");
            number(static_cast<std::uint64_t>(std::llround(std::min(value, 9.2e18))));
        }
        text("\n");
    }

    void write_function(const GraphFunction& function, const std::vector<std::uint32_t>& calls) {
        const Frame& frame = profile_.frames[function.frame];
        text("\nfl=");
        name(files_, profile_.texts[frame.file]);
        text("fn=");
        name(functions_, profile_.texts[frame.name]);
        costs(frame.line, function.cost.self);
        for (const std::uint32_t call : calls) {
            const GraphCall& it = profile_.calls[call];
            const Frame& callee = profile_.frames[profile_.functions[it.callee].frame];
            text("cfi=");
            name(files_, profile_.texts[callee.file]);
            text("cfn=");
            name(functions_, profile_.texts[callee.name]);
            // Samplers count no calls, and readers take the costs of 0 calls for the caller's own.
            text("calls=");
            number(
                static_cast<std::uint64_t>(it.cost.calls > 1 ? std::min(it.cost.calls, 9e18) : 1));
            text(" ");
            number(callee.line);
            text("\n");
            costs(frame.line, it.cost.total);
        }
    }

    struct Column {
        std::size_t value;
        double scale;
    };

    Profile& profile_;
    Output& out_;
    std::vector<Column> columns_;
    Texts files_, functions_;
};

}  // namespace

Result<void> write_callgrind(Profile& profile, Output& out, const WriteOptions&) {
    make_graph(profile);
    CallgrindWriter(profile, out).write();
    return out.finish();
}

}  // namespace taffrail::profile
