#include "server/byte_range.h"

#include "base/strings.h"

#include <algorithm>

namespace taffrail::server {

RangeVerdict parse_range(std::string_view header, std::uint64_t size, ByteRange& range) {
    if (!header.starts_with("bytes=") || header.find(',') != std::string_view::npos) {
        return RangeVerdict::Whole;
    }
    header = trim(header.substr(6));
    const auto dash = header.find('-');
    if (dash == std::string_view::npos) {
        return RangeVerdict::Whole;
    }
    const auto number = [](std::string_view text) -> std::optional<std::uint64_t> {
        const auto parsed = parse_int(text);
        return parsed && *parsed >= 0 && text.front() != '+'
                   ? std::optional(static_cast<std::uint64_t>(*parsed))
                   : std::nullopt;
    };
    const std::string_view from = trim(header.substr(0, dash)), to = trim(header.substr(dash + 1));
    if (from.empty()) {
        const auto suffix = to.empty() ? std::nullopt : number(to);
        if (!suffix) {
            return RangeVerdict::Whole;
        }
        if (*suffix == 0 || size == 0) {
            return RangeVerdict::Unsatisfiable;
        }
        range = {size - std::min(*suffix, size), size - 1};
        return RangeVerdict::Part;
    }
    const auto first = number(from);
    const auto last = to.empty() ? std::optional(size == 0 ? 0 : size - 1) : number(to);
    if (!first || !last || *last < *first) {
        return first && last && to.empty() && *first >= size ? RangeVerdict::Unsatisfiable
                                                             : RangeVerdict::Whole;
    }
    if (*first >= size) {
        return RangeVerdict::Unsatisfiable;
    }
    range = {*first, std::min(*last, size - 1)};
    return RangeVerdict::Part;
}

}  // namespace taffrail::server
