#include "sinks/wandb/names.h"

#include "codec/escaped_names.h"

#include <array>
#include <ctime>

namespace taffrail::sinks::wandb {

std::string metric_name(std::string_view key) {
    constexpr std::array<std::string_view, 5> kTaken = {"_step", "_runtime", "_timestamp", "_wandb",
                                                        kTrueStep};
    return escape_name(key, [&](std::string_view name, std::size_t index) {
        if (index > 0) {
            return false;
        }
        for (const std::string_view taken : kTaken) {
            if (name == taken) {
                return true;
            }
        }
        return false;
    });
}

std::string folder_name(std::int64_t time_ns, std::string_view id, bool is_online) {
    const std::time_t seconds = static_cast<std::time_t>(time_ns / 1'000'000'000);
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    std::array<char, 32> text{};
    const std::size_t length = std::strftime(text.data(), text.size(), "%Y%m%d_%H%M%S", &parts);
    return (is_online ? "run-" : "offline-run-") + std::string(text.data(), length) + "-" +
           std::string(id);
}

}  // namespace taffrail::sinks::wandb
