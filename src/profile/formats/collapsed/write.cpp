#include "base/strings.h"
#include "profile/derive.h"
#include "profile/formats/collapsed/collapsed.h"
#include "profile/stack_list.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace taffrail::profile {
namespace {

/// The format's own characters have no escapes.
std::string without_separators(std::string title) {
    std::replace(title.begin(), title.end(), ';', ':');
    std::replace_if(
        title.begin(), title.end(),
        [](char character) { return character == '\n' || character == '\r' || character == '\0'; },
        ' ');
    return title.empty() ? " " : title;
}

/// Digits alone where they say it: "5e+09" is no whole number to those readers.
void append_weight(std::string& to, double weight) {
    constexpr double kExact = 9007199254740992.0;
    to += std::abs(weight) <= kExact && weight == std::floor(weight)
              ? std::to_string(static_cast<std::int64_t>(weight))
              : format_double(weight);
}

}  // namespace

Result<void> write_collapsed(Profile& profile, Output& out, const WriteOptions& options) {
    make_stacks(profile);
    const std::size_t value = main_value(profile, options.value);
    if (value == kNone) {
        return Error{ErrorCode::InvalidArgument,
                     "the profile has no weights" +
                         (options.value.empty() ? "" : " \"" + options.value + "\"")};
    }
    // Many readers take whole numbers only: times are written in the smallest unit.
    const auto ns = nanoseconds_per(profile.value_types[value].unit);
    StackList stacks(profile);
    std::vector<std::string> titles(profile.frames.size());
    for (const StackWeight& stack : stack_weights(profile, stacks, value, options.by_thread)) {
        std::string& to = out.buffer();
        if (stack.weight <= 0 || stack.node == kRoot) {
            continue;
        }
        if (options.by_thread) {
            to += without_separators(thread_title(profile, stack.thread));
            to += ';';
        }
        const auto frames = stacks.frames(stack.node);
        for (std::size_t index = 0; index < frames.size(); ++index) {
            std::string& title = titles[frames[index]];
            if (title.empty()) {
                title = without_separators(frame_title(profile, frames[index]));
            }
            if (index > 0) {
                to += ';';
            }
            to += title;
        }
        to += ' ';
        append_weight(to, ns ? std::max(std::round(stack.weight * *ns), 1.0) : stack.weight);
        to += '\n';
        out.pause();
    }
    return out.finish();
}

}  // namespace taffrail::profile
