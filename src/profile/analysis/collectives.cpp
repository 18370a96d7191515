// Collective operations: how often, how much, how long.
#include "base/strings.h"
#include "profile/analysis/look.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace taffrail::profile::analysis {
namespace {

std::uint64_t bytes_of_type(std::string_view type) noexcept {
    struct Size {
        std::string_view type;
        std::uint64_t bytes;
    };

    static constexpr Size kSizes[] = {
        {"\"long int\"", 8},      {"\"float\"", 4},         {"\"int\"", 4},    {"\"c10::Half\"", 2},
        {"\"c10::BFloat16\"", 2}, {"\"unsigned char\"", 1}, {"\"double\"", 8}, {"\"bool\"", 1},
        {"\"signed char\"", 1},   {"\"short int\"", 2},
    };
    for (const Size& size : kSizes) {
        if (size.type == type) {
            return size.bytes;
        }
    }
    return 0;
}

std::vector<std::string_view> elements_of(std::string_view json) {
    std::vector<std::string_view> elements;
    JsonScan scan(json);
    if (scan.take('[')) {
        for (bool is_first = true; scan.next_element(is_first, ']');) {
            const std::string_view value = scan.value();
            if (scan.failed()) {
                break;
            }
            elements.push_back(value);
        }
    }
    return elements;
}

/// Elements of the inputs times their size.
std::uint64_t bytes_of(const EventArgs& args) {
    const auto shapes = elements_of(args.shapes), types = elements_of(args.types);
    std::uint64_t bytes = 0;
    for (std::size_t index = 0; index < std::min(shapes.size(), types.size()); ++index) {
        std::uint64_t size = bytes_of_type(types[index]);
        for (const std::string_view side : elements_of(shapes[index])) {
            const auto length = parse_int(side);
            size = length && *length >= 0 && *length < (std::int64_t{1} << 40) &&
                           size < (std::uint64_t{1} << 50)
                       ? size * static_cast<std::uint64_t>(*length)
                       : 0;
        }
        bytes += size;
    }
    return bytes;
}

}  // namespace

void look_at_collectives(const Look& look, Analysis& to) {
    const Events& events = look.events;
    std::unordered_map<std::int64_t, std::size_t> by_external;
    for (const Event& event : events.all) {
        if (!event.is(kIsCollective) || event.on_device() || event.kind == Kind::Runtime) {
            continue;
        }
        CollectiveCall call{.name = std::string(events.name(event)),
                            .begin_ns = event.begin_ns,
                            .end_ns = event.end_ns,
                            .bytes = bytes_of(scan_args(events.args(event)))};
        call.ranges.emplace_back(event.begin_ns, event.end_ns);
        if (event.external != kAbsent) {
            by_external[event.external] = to.collective_calls.size();
        }
        to.collective_calls.push_back(std::move(call));
    }
    for (const EventNumber number : events.on_device) {
        const Event& event = events.all[number];
        if (event.kind != Kind::Kernel || event.external == kAbsent) {
            continue;
        }
        if (const auto found = by_external.find(event.external); found != by_external.end()) {
            to.collective_calls[found->second].ranges.emplace_back(event.begin_ns, event.end_ns);
        }
    }
    std::map<std::string, std::pair<CollectiveRow, Ranges>> rows;
    std::size_t step = 0;
    for (CollectiveCall& call : to.collective_calls) {
        while (step + 1 < to.steps.all.size() && call.begin_ns >= to.steps.all[step].end_ns) {
            ++step;
        }
        if (step < to.steps.all.size() && call.begin_ns >= to.steps.all[step].begin_ns &&
            call.end_ns <= to.steps.all[step].end_ns) {
            call.step = to.steps.all[step].name;
        }
        auto& [row, ranges] = rows[call.name];
        ++row.calls;
        row.bytes += call.bytes;
        for (const auto& [begin, end] : call.ranges) {
            ranges.push_back({begin, end});
        }
    }
    for (auto& [name, found] : rows) {
        auto& [row, ranges] = found;
        row.name = name;
        row.total_ns = length_of(merged(std::move(ranges)));
        to.collectives.push_back(std::move(row));
    }
    std::stable_sort(to.collectives.begin(), to.collectives.end(),
                     [](const CollectiveRow& left, const CollectiveRow& right) {
                         return left.total_ns > right.total_ns;
                     });
}

}  // namespace taffrail::profile::analysis
