// What a tracker calls the readings of the machine, and back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace taffrail {

struct SystemName {
    std::string_view ours, theirs;
    double factor = 1;  ///< ours * factor = theirs
};

/// A reading under its other name, and what its value is to be multiplied by.
struct RenamedReading {
    std::string name = {};
    double factor = 1;
};

/// The names of one tracker. `gpu`: of one GPU, behind "gpu/0/" here, and there with `joint` in the
/// place of the '/'.
class SystemNames {
  public:
    constexpr SystemNames(std::span<const SystemName> machine, std::span<const SystemName> gpu,
                          char joint) noexcept
        : machine_(machine), gpu_(gpu), joint_(joint) {}

    /// Nothing for a reading that the tracker has no name for.
    [[nodiscard]] std::optional<RenamedReading> theirs(std::string_view ours) const;
    [[nodiscard]] std::optional<RenamedReading> ours(std::string_view theirs) const;

  private:
    std::span<const SystemName> machine_, gpu_;
    char joint_;
};

}  // namespace taffrail
