// Names on a training bar that its own items and logged metrics may both claim.
#pragma once

#include <string>
#include <string_view>

namespace taffrail::trainer {

/// The diagnostic of W8. The bar gives it when it draws, the Trainer when it lists the warning: one
/// cause, so that it is said once.
inline std::string replaced_item_cause(std::string_view name) {
    return "log.W8:" + std::string(name);
}

inline std::string replaced_item_message(std::string_view name) {
    return "the metric '" + std::string(name) +
           "' has the name of a standard item of the progress bar and replaces it; rename the "
           "metric "
           "to see both";
}

}  // namespace taffrail::trainer
