#include "profile/analysis/event_args.h"

#include "base/strings.h"

#include <algorithm>
#include <cmath>

namespace taffrail::profile::analysis {
namespace {

std::string_view without_quotes(std::string_view value) noexcept {
    return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
}

void take_integer(std::string_view value, std::int64_t& to) noexcept {
    value = without_quotes(value);
    if (const auto number = parse_int(value)) {
        to = *number;
    } else if (const auto real = parse_double(value); real && std::abs(*real) < 9e15) {
        to = static_cast<std::int64_t>(*real);
    }
}

void take_real(std::string_view value, double& to) noexcept {
    if (const auto number = parse_double(without_quotes(value)); number && std::isfinite(*number)) {
        to = *number;
    }
}

void take_three(std::string_view value, std::array<std::uint32_t, 3>& to) {
    JsonScan scan(value);
    if (!scan.take('[')) {
        return;
    }
    std::size_t index = 0;
    for (bool is_first = true; index < to.size() && scan.next_element(is_first, ']'); ++index) {
        std::int64_t number = 0;
        take_integer(scan.value(), number);
        to[index] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(number, 0, UINT32_MAX));
    }
}

/// Calls take(name, value) for each member.
template <typename Take>
void each_member(std::string_view json, Take&& take) {
    JsonScan scan(json);
    if (!scan.take('{')) {
        return;
    }
    for (bool is_first = true; scan.next_element(is_first, '}');) {
        const RawString key = scan.key();
        const std::string_view value = scan.value();
        if (scan.failed()) {
            return;
        }
        take(key.text, value);
    }
}

}  // namespace

EventArgs scan_args(std::string_view json) {
    EventArgs args;
    each_member(json, [&](std::string_view name, std::string_view value) {
        switch (name.size()) {
            case 4:
                if (name == "grid") {
                    take_three(value, args.grid);
                }
                break;
            case 5:
                if (name == "block") {
                    take_three(value, args.block);
                } else if (name == "bytes") {
                    take_integer(value, args.bytes);
                }
                break;
            case 6:
                if (name == "device") {
                    take_integer(value, args.device);
                } else if (name == "stream") {
                    take_integer(value, args.stream);
                }
                break;
            case 10:
                if ((name == "Input Dims" || name == "Input dims") && value.starts_with('[')) {
                    args.shapes = value;
                } else if (name == "Input type" && value.starts_with('[')) {
                    args.types = value;
                } else if (name == "Call stack" && value.starts_with('"')) {
                    args.call_stack = {value.substr(1, value.size() - 2), false};
                }
                break;
            case 11:
                if (name == "correlation") {
                    take_integer(value, args.correlation);
                } else if (name == "External id" || name == "external id") {
                    take_integer(value, args.external);
                }
                break;
            case 13:
                if (name == "blocks per SM") {
                    take_real(value, args.blocks_per_sm);
                } else if (name == "shared memory") {
                    take_integer(value, args.shared_memory);
                }
                break;
            case 16:
                if (name == "Python module id") {
                    take_integer(value, args.module_id);
                }
                break;
            case 20:
                if (name == "registers per thread") {
                    take_integer(value, args.registers);
                }
                break;
            case 25:
                if (name == "est. achieved occupancy %") {
                    take_real(value, args.occupancy);
                }
                break;
            default:
                break;
        }
    });
    return args;
}

MemoryArgs scan_memory_args(std::string_view json) {
    MemoryArgs args;
    each_member(json, [&](std::string_view name, std::string_view value) {
        if (name == "Device Type") {
            take_integer(value, args.device_type);
        } else if (name == "Device Id") {
            take_integer(value, args.device_id);
        } else if (name == "Addr") {
            take_integer(value, args.address);
        } else if (name == "Bytes") {
            take_integer(value, args.bytes);
        } else if (name == "Total Allocated") {
            take_integer(value, args.allocated);
        } else if (name == "Total Reserved") {
            take_integer(value, args.reserved);
        }
    });
    return args;
}

}  // namespace taffrail::profile::analysis
