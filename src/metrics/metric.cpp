#include <taffrail/metric.h>

#include "base/diagnostics.h"
#include "base/try.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <typeinfo>

namespace taffrail {

namespace {

using Values = Metric::Values;

double keep_nan(double left, double right, bool smaller) {
    if (std::isnan(left) || std::isnan(right)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return smaller ? std::min(left, right) : std::max(left, right);
}

Values reduce_parts(const std::vector<Values>& parts, StateReduce reduce,
                    const Metric::CustomReduce& custom) {
    if (reduce == StateReduce::Custom) {
        return custom(parts);
    }
    Values total;
    if (reduce == StateReduce::Cat || reduce == StateReduce::None) {
        for (const Values& part : parts) {
            total.insert(total.end(), part.begin(), part.end());
        }
        return total;
    }
    for (const Values& part : parts) {
        if (total.empty()) {
            total = part;
            continue;
        }
        for (std::size_t index = 0; index < std::min(total.size(), part.size()); ++index) {
            switch (reduce) {
                case StateReduce::Min:
                case StateReduce::Max:
                    total[index] = keep_nan(total[index], part[index], reduce == StateReduce::Min);
                    break;
                default:
                    total[index] += part[index];
            }
        }
    }
    if (reduce == StateReduce::Mean) {
        for (double& value : total) {
            value /= static_cast<double>(parts.size());
        }
    }
    return total;
}

// All states of one rank as bytes: per state a count, then the numbers.
std::vector<std::byte> pack(const std::vector<Values>& states) {
    std::vector<std::byte> bytes;
    for (const Values& values : states) {
        const std::uint64_t count = values.size();
        const auto counted = std::as_bytes(std::span(&count, 1));
        const auto numbers = std::as_bytes(std::span(values));
        bytes.insert(bytes.end(), counted.begin(), counted.end());
        bytes.insert(bytes.end(), numbers.begin(), numbers.end());
    }
    return bytes;
}

std::optional<std::vector<Values>> unpack(std::span<const std::byte> bytes, std::size_t states) {
    std::vector<Values> all;
    for (std::size_t index = 0; index < states; ++index) {
        std::uint64_t count = 0;
        if (bytes.size() < sizeof(count)) {
            return std::nullopt;
        }
        std::memcpy(&count, bytes.data(), sizeof(count));
        bytes = bytes.subspan(sizeof(count));
        if (count > bytes.size() / sizeof(double)) {
            return std::nullopt;
        }
        Values values(count);
        if (count > 0) {
            std::memcpy(values.data(), bytes.data(), count * sizeof(double));
        }
        bytes = bytes.subspan(count * sizeof(double));
        all.push_back(std::move(values));
    }
    return bytes.empty() ? std::optional(std::move(all)) : std::nullopt;
}

}  // namespace

double MetricValue::number() const noexcept {
    return is_number() ? values.front() : std::numeric_limits<double>::quiet_NaN();
}

Metric::StateId Metric::add_state(std::string name, Values initial, StateReduce reduce,
                                  CustomReduce custom) {
    std::string problem;
    if (name.empty()) {
        problem = "a state needs a name";
    } else if (find_state(name) != nullptr) {
        problem = "the state '" + name + "' is declared twice";
    } else if (reduce == StateReduce::Cat && !initial.empty()) {
        problem = "the Cat state '" + name + "' must start empty";
    } else if (reduce == StateReduce::Custom && !custom) {
        problem = "the state '" + name + "' has a custom reduction but no function for it";
    }
    if (!problem.empty() && !defect_) {
        defect_ = Error{ErrorCode::InvalidArgument,
                        "metric " + std::string(typeid(*this).name()) + ": " + problem};
    }
    states_.push_back({std::move(name), initial, std::move(initial), reduce, std::move(custom)});
    return states_.size() - 1;
}

const Metric::Values* Metric::find_state(std::string_view name) const noexcept {
    for (const State& one : states_) {
        if (one.name == name) {
            return &one.values;
        }
    }
    return nullptr;
}

bool Metric::distributed() const noexcept {
    return communicator_ && communicator_->world_size() > 1;
}

void Metric::set_communicator(std::shared_ptr<Communicator> communicator) {
    communicator_ = std::move(communicator);
}

Result<void> Metric::begin_update() {
    if (defect_) {
        return *defect_;
    }
    if (synced_) {
        return Error{ErrorCode::InvalidArgument,
                     "the metric holds the states of all ranks; call unsync() before updating it"};
    }
    keep_before_step();
    computed_.reset();
    ++update_count_;
    return {};
}

void Metric::begin_step() noexcept {
    step_begins_ = true;
    changed_in_step_ = false;
}

void Metric::keep_before_step() {
    if (!std::exchange(step_begins_, false)) {
        return;
    }
    before_.resize(states_.size());
    lengths_before_.resize(states_.size());
    for (std::size_t index = 0; index < states_.size(); ++index) {
        lengths_before_[index] = states_[index].values.size();
        if (states_[index].reduce != StateReduce::Cat) {
            before_[index] = states_[index].values;
        }
    }
    count_before_ = update_count_;
    changed_in_step_ = true;
}

std::pair<std::vector<Values>, std::int64_t> Metric::states_before_step() const {
    std::vector<Values> saved = save_states();
    if (!changed_in_step_) {
        return {std::move(saved), update_count_};
    }
    for (std::size_t index = 0; index < states_.size(); ++index) {
        if (states_[index].reduce == StateReduce::Cat) {
            saved[index].resize(std::min(saved[index].size(), lengths_before_[index]));
        } else {
            saved[index] = before_[index];
        }
    }
    return {std::move(saved), count_before_};
}

Result<MetricValue> Metric::compute() {
    if (defect_) {
        return *defect_;
    }
    if (update_count_ == 0) {
        diagnose_once(DiagnosticLevel::Warning,
                      std::string("metric.compute:") + typeid(*this).name(),
                      "a metric was computed before any update; its value comes from the initial "
                      "states. Feed it with update() or forward() first");
    }
    if (computed_) {
        return *computed_;
    }
    const bool syncing = settings_.sync_on_compute && !synced_ && distributed();
    if (syncing) {
        TAFFRAIL_TRY(sync());
    }
    MetricValue value = compute_state();
    if (syncing) {
        TAFFRAIL_TRY(unsync());
    }
    computed_ = value;
    return value;
}

void Metric::reset() {
    for (State& one : states_) {
        one.values = one.initial;
        if (one.reduce == StateReduce::Cat) {
            one.values.shrink_to_fit();
        }
    }
    local_.clear();
    computed_.reset();
    batch_value_.reset();
    update_count_ = 0;
    synced_ = false;
    changed_in_step_ = false;
}

std::vector<Metric::Values> Metric::save_states() const {
    std::vector<Values> saved;
    for (const State& one : states_) {
        saved.push_back(one.values);
    }
    return saved;
}

Result<void> Metric::load_states(const std::vector<Values>& values, std::int64_t updates) {
    if (values.size() != states_.size()) {
        return Error{ErrorCode::InvalidArgument,
                     "these states belong to another metric: " + std::to_string(values.size()) +
                         " instead of " + std::to_string(states_.size())};
    }
    for (std::size_t index = 0; index < values.size(); ++index) {
        states_[index].values = values[index];
    }
    computed_.reset();
    update_count_ = updates;
    changed_in_step_ = false;
    return {};
}

Result<void> Metric::sync() {
    if (defect_) {
        return *defect_;
    }
    if (synced_) {
        return Error{ErrorCode::InvalidArgument,
                     "the metric is already synced; call unsync() before syncing again"};
    }
    std::vector<Values> own = save_states();
    if (distributed()) {
        const std::vector<std::byte> packed = pack(own);
        TAFFRAIL_ASSIGN(const auto gathered, communicator_->all_gather(packed));
        std::vector<std::vector<Values>> ranks;
        for (std::size_t rank = 0; rank < gathered.size(); ++rank) {
            auto states = unpack(gathered[rank], states_.size());
            if (!states) {
                return Error{ErrorCode::InvalidArgument,
                             "rank " + std::to_string(rank) +
                                 " synced another metric here; every rank must compute the same "
                                 "metrics in the same order"};
            }
            ranks.push_back(std::move(*states));
        }
        for (std::size_t index = 0; index < states_.size(); ++index) {
            std::vector<Values> parts;
            for (const auto& rank : ranks) {
                parts.push_back(rank[index]);
            }
            states_[index].values =
                reduce_parts(parts, states_[index].reduce, states_[index].custom);
        }
    }
    local_ = std::move(own);
    synced_ = true;
    return {};
}

Result<void> Metric::unsync() {
    if (!synced_) {
        return Error{ErrorCode::InvalidArgument,
                     "the metric is not synced; there is nothing to undo"};
    }
    for (std::size_t index = 0; index < states_.size(); ++index) {
        states_[index].values = std::move(local_[index]);
    }
    local_.clear();
    synced_ = false;
    return {};
}

// `states_` hold one batch; makes them hold `earlier` and that batch. `count` updates in all.
void Metric::merge_values(const std::vector<State>& earlier, std::int64_t count) {
    for (std::size_t index = 0; index < states_.size(); ++index) {
        State& one = states_[index];
        const Values& before = earlier[index].values;
        if (one.reduce == StateReduce::Mean) {
            const auto n = static_cast<double>(count);
            for (std::size_t item = 0; item < one.values.size(); ++item) {
                one.values[item] = ((n - 1) * before[item] + one.values[item]) / n;
            }
        } else {
            one.values = reduce_parts({before, one.values}, one.reduce, one.custom);
        }
    }
}

Result<MetricValue> Metric::forward_with(const std::function<Result<void>()>& change) {
    const std::int64_t count_before = update_count_;
    TAFFRAIL_TRY(begin_update());
    if (settings_.full_state_update) {
        if (auto changed = change(); !changed.ok()) {
            return changed.error();
        }
    }
    const std::vector<State> earlier = states_;
    for (State& one : states_) {
        one.values = one.initial;
    }
    if (auto changed = change(); !changed.ok()) {
        states_ = earlier;
        update_count_ = count_before;
        return changed.error();
    }
    const bool syncing = settings_.dist_sync_on_step && distributed();
    if (syncing) {
        TAFFRAIL_TRY(sync());
    }
    MetricValue value = compute_state();
    if (syncing) {
        TAFFRAIL_TRY(unsync());
    }
    if (settings_.full_state_update) {
        states_ = earlier;
    } else {
        merge_values(earlier, update_count_);
    }
    computed_.reset();
    batch_value_ = value;
    return value;
}

Result<void> Metric::merge_state(const Metric& other) {
    if (typeid(*this) != typeid(other)) {
        return Error{ErrorCode::InvalidArgument, "only metrics of the same class can be merged: " +
                                                     std::string(typeid(*this).name()) + " and " +
                                                     typeid(other).name()};
    }
    if (settings_.full_state_update) {
        return Error{ErrorCode::Unsupported,
                     "a metric with full_state_update cannot be merged: its update depends on what "
                     "came before"};
    }
    const std::vector<State> earlier = states_;
    for (std::size_t index = 0; index < states_.size(); ++index) {
        State& one = states_[index];
        if (one.reduce == StateReduce::Mean) {
            const auto mine = static_cast<double>(update_count_);
            const auto theirs = static_cast<double>(other.update_count_);
            for (std::size_t item = 0; item < one.values.size(); ++item) {
                one.values[item] =
                    (one.values[item] * mine + other.states_[index].values[item] * theirs) /
                    std::max(1.0, mine + theirs);
            }
        } else {
            one.values = reduce_parts({earlier[index].values, other.states_[index].values},
                                      one.reduce, one.custom);
        }
    }
    update_count_ += other.update_count_;
    computed_.reset();
    return {};
}

}  // namespace taffrail
