// How the loop moves the state machine along: stages, batches, epochs, rows and views. The log()
// call itself is in log_call.cpp, the exchange between ranks in log_sync.cpp.
#include "metrics/log_state.h"

#include "base/diagnostics.h"
#include "metrics/log_messages.h"

#include <algorithm>
#include <cmath>

namespace taffrail::metrics {

namespace {

bool has(View views, View wanted) noexcept {
    return (static_cast<int>(views) & static_cast<int>(wanted)) != 0;
}

}  // namespace

void LogState::begin_stage(Loop loop) {
    loop_ = loop;
    reset_slots();
    clear_views();
}

Hook LogState::enter_unknown(std::string_view name) {
    unknown_hook_ = name;
    const Hook known = find_hook(name);
    return enter(known);
}

void LogState::begin_batch(const Batch& batch, int loader, bool iterator_style) noexcept {
    first_iteration_ =
        first_iteration_ == FirstIteration::NotStarted ? FirstIteration::Yes : FirstIteration::No;
    batch_ = &batch;
    iterator_style_ = iterator_style;
    slots().batch_size.reset();
    slots().current_loader = loader;
}

void LogState::end_batch() {
    collect(level(), View::All);
    batch_ = nullptr;
    slots().batch_size.reset();
}

void LogState::end_epoch() {
    collect(Level::Epoch, View::All);
    last_logged_ = Hook::None;
}

void LogState::reset_slots() noexcept {
    slots().reset();
    first_iteration_ = FirstIteration::NotStarted;
    last_logged_ = Hook::None;
}

void LogState::clear_views() noexcept {
    callback_.clear();
    logged_.clear();
    bar_.clear();
}

LogState::Saved LogState::suspend(Loop inner) noexcept {
    const Saved saved{loop_, static_cast<std::uint8_t>(first_iteration_)};
    loop_ = inner;
    return saved;
}

void LogState::resume(const Saved& saved) noexcept {
    loop_ = saved.loop;
    first_iteration_ = static_cast<FirstIteration>(saved.first_iteration);
}

// Brings the asked views up to date with the values of one level and leaves the logged ones in
// row_.
void LogState::collect(Level wanted, View views) {
    row_.clear();
    row_places_.clear();
    ++row_number_;
    if (failed()) {
        return;
    }
    if (wanted == Level::Epoch) {
        compute_synced();
    }
    Slots& current = slots();
    const bool training = loop_ == Loop::Train;
    const auto index = static_cast<std::size_t>(wanted);
    for (Slot& slot : current.all()) {
        if (slot.has_reset || slot.options.loader != current.current_loader) {
            continue;
        }
        const std::optional<double> value = value_at(slot, wanted);
        if (failed()) {
            return;
        }
        if (!value) {
            continue;
        }
        if (slot.options.logger) {
            const std::uint32_t place = slot.logged[index];
            if (has(views, View::Logged)) {
                logged_.set_at(place, *value);
            }
            // Two slots may carry one name: the later one wins, at the place of the first.
            if (row_stamp_.size() <= place) {
                row_stamp_.resize(place + 1);
            }
            if (row_stamp_[place].first == row_number_) {
                row_[row_stamp_[place].second].value = *value;
            } else {
                row_stamp_[place] = {row_number_, static_cast<std::uint32_t>(row_.size())};
                row_.push_back({logged_.name_at(place), *value});
                row_places_.push_back(place);
            }
        }
        if (has(views, View::Callback) && (training || wanted == Level::Epoch)) {
            callback_.set_at(slot.callback_name, *value);
            callback_.set_at(slot.callback[index], *value);
            // The epoch value of the same calls is newer than the last step's.
            const Freshness fresh{2 * slot.logged_at + index, loop_};
            for (const std::uint32_t place : {slot.callback_name, slot.callback[index]}) {
                if (fresh_.size() <= place) {
                    fresh_.resize(place + 1);
                }
                fresh_[place] = fresh;
            }
        }
        if (has(views, View::Bar) && slot.options.prog_bar) {
            bar_.set_at(slot.bar[index], *value);
        }
    }
}

// What a slot shows at a level; nothing when it has no such level or no value yet.
std::optional<double> LogState::value_at(Slot& slot, Level wanted) {
    if (wanted == Level::Step) {
        if (!slot.options.on_step || !slot.has_step) {
            return std::nullopt;
        }
        if (slot.step_numbers != 1) {
            fail(not_one_number(slot.name, slot.step_numbers, slot.site));
        }
        return slot.step_value;
    }
    if (!slot.options.on_epoch) {
        return std::nullopt;
    }
    if (slot.computed) {
        return slot.computed;
    }
    if (slot.metric == nullptr) {
        if (distributed() && !slot.options.sync) {
            warn("W6", slot.name,
                 place(slot.site) + ": \"" + slot.name +
                     "\" is reduced over the epoch on each rank alone; pass sync_dist = "
                     "true to reduce it over all ranks");
        }
        slot.computed = slot.local_value(single());
        return slot.computed;
    }
    if (!slot.metric->update_called()) {
        warn("W9", slot.name,
             place(slot.site) + ": the metric logged as \"" + slot.name +
                 "\" is computed before any update; feed it with update() or forward() first");
    }
    const auto value = slot.metric->compute();
    if (!value.ok()) {
        fail(Error{value.error().code, "computing the metric logged as \"" + slot.name +
                                           "\": " + value.error().message});
        return std::nullopt;
    }
    if (!value->is_number()) {
        fail(not_one_number(slot.name, value->values.size(), slot.site));
        return std::nullopt;
    }
    slot.computed = value->number();
    return slot.computed;
}

// Sends row_ out. Without a position the row carries the step and the epoch, or the step the
// program logged itself.
void LogState::write_row(std::optional<Step> position, Level at) {
    if (failed() || !settings_.has_sink || row_.empty()) {
        return;
    }
    for (std::size_t index = 0; index < row_.size(); ++index) {
        logged_.set_at(row_places_[index], row_[index].value);
    }
    if (!position) {
        bool has_epoch = false;
        for (std::size_t index = 0; index < row_.size(); ++index) {
            has_epoch = has_epoch || row_[index].name == "epoch";
            if (row_[index].name == "step" && std::isfinite(row_[index].value)) {
                position = static_cast<Step>(row_[index].value);
                row_.erase(row_.begin() + static_cast<std::ptrdiff_t>(index));
                break;
            }
        }
        if (!position) {
            position = std::max<Step>(step, 0);
            if (!has_epoch) {
                row_.push_back({"epoch", static_cast<double>(epoch)});
            }
        }
    }
    if (settings_.output != nullptr) {
        settings_.output->log_metrics(row_, *position, at);
    }
}

void LogState::write_train_step() {
    collect(level(), View::Logged);
    write_row(std::nullopt, Level::Step);
}

void LogState::write_evaluation_step(Step position) {
    collect(level(), View::Logged);
    write_row(position, Level::Step);
}

Row LogState::finish_loader() {
    end_batches();
    if (sanity) {
        return {};
    }
    collect(Level::Epoch, View::All);
    Row row;
    for (const RowEntry& entry : row_) {
        row.emplace_back(entry.name, entry.value);
    }
    return row;
}

void LogState::write_evaluation_epoch(std::vector<Row>& rows) {
    const Row last = finish_loader();
    if (sanity || failed()) {
        return;
    }
    const auto put = [](Row& row, const std::string& name, double value) {
        for (auto& [known, old] : row) {
            if (known == name) {
                old = value;
                return;
            }
        }
        row.emplace_back(name, value);
    };
    // Of one name in several loaders the first one's value counts, and values of epoch-level hooks
    // over all.
    Row all;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        for (const auto& [name, value] : *row) {
            put(all, name, value);
        }
    }
    for (const auto& [name, value] : last) {
        put(all, name, value);
        for (Row& row : rows) {
            put(row, name, value);
        }
    }
    row_.clear();
    row_places_.clear();
    for (const auto& [name, value] : all) {
        const std::uint32_t place = logged_.place_of(name);
        row_places_.push_back(place);
    }
    for (std::size_t index = 0; index < all.size(); ++index) {
        row_.push_back({logged_.name_at(row_places_[index]), all[index].second});
    }
    write_row(std::nullopt, Level::Epoch);
}

void LogState::write_train_epoch() {
    collect(Level::Epoch, View::Logged);
    const Step now = step;
    step = now - 1;
    write_row(std::nullopt, Level::Epoch);
    step = now;
    reset_slots();
}

const MetricMap& LogState::callback_metrics() {
    if (!slots().all().empty()) {
        collect(level(), View::Callback);
    }
    return callback_;
}

const MetricMap& LogState::logged_metrics() {
    if (!slots().all().empty()) {
        collect(level(), View::Logged);
    }
    return logged_;
}

const MetricMap& LogState::progress_bar_metrics() {
    if (!slots().all().empty()) {
        collect(level(), View::Bar);
    }
    return bar_;
}

Freshness LogState::freshness(std::string_view name) {
    const std::uint32_t place = callback_.place_of(name);
    return place < fresh_.size() ? fresh_[place] : Freshness();
}

void LogState::fail(Misuse misuse) noexcept {
    if (!failed()) {
        misuse_ = std::move(misuse);
    }
}

void LogState::fail(Error error) noexcept {
    if (!failed()) {
        error_ = std::move(error);
    }
}

void LogState::warn(std::string_view code, std::string_view about, const std::string& message) {
    const std::string cause = std::string(code) + ":" + std::string(about);
    if (!warned_.insert(cause).second) {
        return;
    }
    if (std::find(warnings_.begin(), warnings_.end(), code) == warnings_.end()) {
        warnings_.emplace_back(code);
    }
    if (settings_.communicator == nullptr || settings_.communicator->rank() == 0) {
        diagnose_once(DiagnosticLevel::Warning, "log." + cause, message);
    }
}

}  // namespace taffrail::metrics
