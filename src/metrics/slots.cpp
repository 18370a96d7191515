#include "metrics/slots.h"

#include "metrics/infinity.h"

#include <cmath>
#include <functional>

namespace taffrail::metrics {

namespace {

double initial_total(Reduce reduce) noexcept {
    return reduce == Reduce::Min ? kInfinity : reduce == Reduce::Max ? -kInfinity : 0;
}

// Rounds to 32 bits where the slot keeps 32 bits.
double kept(double value, bool narrow) noexcept {
    return narrow ? static_cast<double>(static_cast<float>(value)) : value;
}

std::string loader_suffix(int loader) {
    return "/dataloader_idx_" + std::to_string(loader);
}

}  // namespace

std::string Slot::plain_name() const {
    return suffixed() ? name + loader_suffix(options.loader) : name;
}

std::string Slot::forked_name(Level level) const {
    std::string text = name;
    if (forked()) {
        text += level == Level::Step ? "_step" : "_epoch";
    }
    return suffixed() ? text + loader_suffix(options.loader) : text;
}

void Slot::reset() noexcept {
    if (metric != nullptr) {
        metric->reset();
    } else {
        has_step = false;
        computed.reset();
    }
    wide = false;
    total = initial_total(options.reduce);
    weight = 0;
    has_reset = true;
}

void Slot::add(double value, std::int64_t batch_size, bool single) noexcept {
    const bool narrow = single && !wide;
    if (!options.on_epoch) {
        return;
    }
    computed.reset();
    switch (options.reduce) {
        case Reduce::Mean:
            total = kept(total + kept(value * static_cast<double>(batch_size), narrow), narrow);
            weight += batch_size;
            return;
        case Reduce::Sum:
            total = kept(total + value, narrow);
            return;
        case Reduce::Min:
            total = std::isnan(value) || value < total ? value : total;
            return;
        case Reduce::Max:
            total = std::isnan(value) || value > total ? value : total;
            return;
    }
}

double Slot::local_value(bool single) const noexcept {
    if (options.reduce != Reduce::Mean) {
        return total;
    }
    return kept(total / static_cast<double>(weight), single && !wide);
}

std::uint64_t Slots::hash(Hook hook, std::string_view name, int loader) noexcept {
    const std::uint64_t place =
        (static_cast<std::uint64_t>(hook) << 32) ^ static_cast<std::uint32_t>(loader);
    return std::hash<std::string_view>()(name) ^ (place * 0x9e3779b97f4a7c15);
}

Slot* Slots::find(Hook hook, std::string_view name, int loader) noexcept {
    if (table_.empty()) {
        return nullptr;
    }
    const std::uint64_t wanted = hash(hook, name, loader);
    const std::size_t mask = table_.size() - 1;
    for (std::size_t place = wanted & mask; table_[place] != 0; place = (place + 1) & mask) {
        const std::uint32_t index = table_[place] - 1;
        if (hashes_[index] == wanted) {
            Slot& slot = slots_[index];
            if (slot.hook == hook && slot.name == name &&
                (slot.suffixed() ? slot.options.loader : kNoLoader) == loader) {
                return &slot;
            }
        }
    }
    return nullptr;
}

Slot& Slots::add(Slot slot) {
    hashes_.push_back(
        hash(slot.hook, slot.name, slot.suffixed() ? slot.options.loader : kNoLoader));
    slots_.push_back(std::move(slot));
    slots_.back().total = initial_total(slots_.back().options.reduce);
    if (slots_.size() * 2 > table_.size()) {
        grow();
    } else {
        const std::size_t mask = table_.size() - 1;
        std::size_t place = hashes_.back() & mask;
        while (table_[place] != 0) {
            place = (place + 1) & mask;
        }
        table_[place] = static_cast<std::uint32_t>(slots_.size());
    }
    return slots_.back();
}

void Slots::grow() {
    table_.assign(table_.empty() ? 16 : table_.size() * 2, 0);
    const std::size_t mask = table_.size() - 1;
    for (std::size_t index = 0; index < slots_.size(); ++index) {
        std::size_t place = hashes_[index] & mask;
        while (table_[place] != 0) {
            place = (place + 1) & mask;
        }
        table_[place] = static_cast<std::uint32_t>(index + 1);
    }
}

void Slots::reset() noexcept {
    for (Slot& slot : slots_) {
        slot.reset();
    }
}

void Slots::reset_values_of(Hook hook) noexcept {
    for (Slot& slot : slots_) {
        if (slot.metric == nullptr && slot.hook == hook && !slot.suffixed()) {
            slot.reset();
        }
    }
}

}  // namespace taffrail::metrics
