// Slots: what one loop remembers about each name that is logged in it.
//
// A slot is found by hook, name and (where names carry the loader's number) loader. It lives as
// long as its loop; what it accumulated is forgotten at the end of an epoch or of a pass.
#pragma once

#include <taffrail/log_options.h>
#include <taffrail/metric.h>

#include "metrics/hooks.h"

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::metrics {

enum class Level : std::uint8_t { Step, Epoch };

/// No loader number: a train batch, a single loader, or an epoch-level hook.
inline constexpr int kNoLoader = -1;

/// Everything that must stay the same from call to call of one slot, but for texts and pointers.
struct SlotOptions {
    bool prog_bar = false;
    bool logger = true;
    bool on_step = false;
    bool on_epoch = true;
    bool enable_graph = false;
    bool add_dataloader_idx = true;
    bool sync = false;
    bool rank_zero_only = false;
    Reduce reduce = Reduce::Mean;
    int loader = kNoLoader;

    bool operator==(const SlotOptions&) const = default;
};

/// What a slot accumulated since its last reset.
struct SlotValues {
    bool has_reset = false;
    bool has_step = false;
    bool wide = false;  // a 64-bit tensor was logged: single precision is left until the reset
    double step_value = 0;
    std::size_t step_numbers = 1;  // more than one: a Metric whose batch value is no number
    double total = 0;
    std::int64_t weight = 0;
    std::optional<double> computed;
};

struct Slot : SlotValues {
    Hook hook = Hook::None;
    std::string name;
    SlotOptions options;
    std::string group;
    Metric* metric = nullptr;
    std::source_location site;

    // For a checkpoint of a step that failed half-way: what was there before it
    SlotValues before;
    std::uint64_t in_step = 0;    // whose calls are in the values and not in `before`
    std::uint64_t logged_at = 0;  // number of the last call

    // Places in the three views, by level where the name forks; and the key for single calls.
    std::uint32_t callback_name = 0;
    std::uint32_t callback[2] = {};
    std::uint32_t logged[2] = {};
    std::uint32_t bar[2] = {};
    /// Where the store keeps single calls; none for values that belong to an epoch already.
    std::optional<std::uint32_t> call_key;

    [[nodiscard]] bool suffixed() const noexcept {
        return options.add_dataloader_idx && options.loader != kNoLoader;
    }

    [[nodiscard]] bool forked() const noexcept { return options.on_step && options.on_epoch; }

    /// The name without and with `_step` or `_epoch`, and the loader's suffix in both.
    [[nodiscard]] std::string plain_name() const;
    [[nodiscard]] std::string forked_name(Level level) const;

    /// Forgets what was accumulated; a Metric object resets with its slot.
    void reset() noexcept;
    /// Adds one value. `single` keeps the numbers as 32-bit ones.
    void add(double value, std::int64_t batch_size, bool single) noexcept;
    /// The reduced value of this rank alone.
    [[nodiscard]] double local_value(bool single) const noexcept;
};

/// The slots of one loop in the order of their first call.
class Slots {
  public:
    /// Null when there is none. `loader` only tells slots apart whose names carry it.
    [[nodiscard]] Slot* find(Hook hook, std::string_view name, int loader) noexcept;
    Slot& add(Slot slot);

    [[nodiscard]] std::vector<Slot>& all() noexcept { return slots_; }

    [[nodiscard]] const std::vector<Slot>& all() const noexcept { return slots_; }

    void reset() noexcept;
    /// Those of plain values that were logged in `hook` without a loader in their name.
    void reset_values_of(Hook hook) noexcept;

    // The batch in flight
    int current_loader = kNoLoader;
    std::optional<std::int64_t> batch_size;

  private:
    [[nodiscard]] static std::uint64_t hash(Hook hook, std::string_view name, int loader) noexcept;
    void grow();

    std::vector<Slot> slots_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint32_t> table_;  // open addressing; 0 = free, else place + 1
};

}  // namespace taffrail::metrics
