// The words of a command line that change a configuration.
#pragma once

#include <taffrail/config.h>

#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// One override, taken apart.
struct Override {
    enum class Action : std::uint8_t { Set, Add, Force, Remove };
    Action action = Action::Set;
    std::string key;
    std::string value;
    bool has_value = false;
    std::string text;  ///< as it was given

    [[nodiscard]] ConfigPlace place() const { return {"override '" + text + "'", 0, 0}; }

    [[nodiscard]] Error error(std::string_view message) const;
};

/// `key=value`, `+key=value`, `++key=value`, `~key`, `~key=value`.
Result<Override> parse_override(std::string_view text);

/// Changes a value of the tree. Set: the key must exist and its type is kept. Add: it must not
/// exist. Force: either. Remove: it must exist (and be equal, where a value is given). `groups` are
/// offered as suggestions too.
Result<void> apply_override(Config& config, const Override& change,
                            const std::vector<std::string>& groups);

}  // namespace taffrail
