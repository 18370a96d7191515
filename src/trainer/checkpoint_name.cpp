#include "trainer/checkpoint_name.h"

#include "base/strings.h"
#include "base/try.h"

#include <fmt/format.h>

#include <algorithm>

namespace taffrail::trainer {
namespace {

Result<std::string> formatted(std::string_view name, std::string_view format,
                              const NamedNumber& number) {
    const std::string pattern = "{:" + std::string(format) + "}";
    try {
        return std::visit(
            [&](auto value) -> std::string {
                if constexpr (std::is_same_v<decltype(value), double>) {
                    return format.empty() ? format_double(value)
                                          : fmt::format(fmt::runtime(pattern), value);
                } else {
                    const bool as_real =
                        !format.empty() &&
                        std::string_view("eEfFgG").find(format.back()) != std::string_view::npos;
                    return as_real ? fmt::format(fmt::runtime(pattern), static_cast<double>(value))
                                   : fmt::format(fmt::runtime(pattern), value);
                }
            },
            number);
    } catch (const fmt::format_error& problem) {
        return Error{ErrorCode::InvalidArgument,
                     "the checkpoint name {" + std::string(name) + ":" + std::string(format) +
                         "} cannot be formatted (" + problem.what() +
                         "); use formats such as .3f for logged values and 02d for epoch and step"};
    }
}

}  // namespace

Result<std::string> checkpoint_name(std::string_view pattern, const FindNumber& find) {
    std::string text;
    while (!pattern.empty()) {
        const std::size_t end = pattern.front() == '{' ? pattern.find('}') : std::string_view::npos;
        if (end == std::string_view::npos) {
            text += pattern.front();
            pattern.remove_prefix(1);
            continue;
        }
        const std::string_view field = pattern.substr(1, end - 1);
        const std::size_t colon = field.find(':');
        const std::string_view name = field.substr(0, colon);
        const auto number = find(name);
        if (!number) {
            return Error{ErrorCode::NotFound,
                         "the checkpoint name asks for {" + std::string(name) +
                             "}, which was not logged; use epoch, step, or a name that is logged "
                             "before the checkpoint is saved"};
        }
        const std::string_view format =
            colon == std::string_view::npos ? std::string_view() : field.substr(colon + 1);
        TAFFRAIL_ASSIGN(const std::string value, formatted(name, format, *number));
        text += std::string(name) + "=" + value;
        pattern.remove_prefix(end + 1);
    }
    std::ranges::replace(text, '/', '_');
    return text;
}

}  // namespace taffrail::trainer
