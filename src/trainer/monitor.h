// What callbacks that watch a value share.
#pragma once

#include <taffrail/trainer.h>

#include <optional>
#include <string>
#include <string_view>

namespace taffrail::trainer {

/// The value of `name` in the callback view. When it is missing: an error of the stage if `strict`,
/// else one warning.
std::optional<double> monitored(Trainer& trainer, const std::string& name, std::string_view who,
                                bool strict);

/// True on every rank when it is true on one.
bool any_rank(Trainer& trainer, bool here);

}  // namespace taffrail::trainer
