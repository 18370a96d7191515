#include "sinks/wandb/history.h"

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/strings.h"
#include "codec/escaped_names.h"
#include "codec/formats/wandb/decode.h"
#include "sinks/wandb/names.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taffrail::sinks::wandb {

using namespace formats::wandb;

namespace {

/// As the official program writes numbers; it knows NaN and Infinity as bare words.
std::string_view number_text(double value, std::array<char, 32>& buffer) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "Infinity" : "-Infinity";
    }
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

const std::string& prefix_of(std::string_view name) {
    static const std::string step = item_prefix("_step"), runtime = item_prefix("_runtime"),
                             timestamp = item_prefix("_timestamp"),
                             true_step = item_prefix(kTrueStep);
    return name == "_step"        ? step
           : name == "_runtime"   ? runtime
           : name == "_timestamp" ? timestamp
                                  : true_step;
}

MetricDescription describe(const MetricOptions& options) {
    MetricDescription metric;
    metric.step = options.step.empty() ? std::string() : metric_name(options.step);
    metric.hidden = options.hidden;
    metric.minimum = options.summary == Summary::Min;
    metric.maximum = options.summary == Summary::Max;
    metric.mean = options.summary == Summary::Mean;
    metric.none = options.summary == Summary::None;
    metric.goal = options.goal == Goal::Minimize ? 1 : options.goal == Goal::Maximize ? 2 : 0;
    return metric;
}

/// The tracker knows whole names, and patterns whose only star is their end.
bool is_known_there(std::string_view pattern) {
    const auto star = pattern.find_first_of("*?");
    return star == std::string_view::npos || (star + 1 == pattern.size() && pattern.back() == '*');
}

}  // namespace

void History::restore(const State& state) {
    steps_ = trackers::RisingSteps(state.last_step, state.says_step || ranks_ == Ranks::All);
    for (const Tracked& one : state.tracked) {
        key_of(one.key).numbers = one;
    }
    if (!state.row_step) {
        return;
    }
    row_step_ = state.row_step;
    row_time_ns_ = last_time_ns_ = state.row_time_ns;
    ++row_number_;
    ItemView item;
    for_each_item(state.row_items, 1, item, [&](const ItemView& one) {
        Key& key = key_of(unescape_name(one.path.front()));
        key.row = row_number_;
        row_.add(key.prefix, one.json);
    });
}

void History::save(State& state) const {
    state.last_step = steps_.last();
    state.says_step = steps_.is_needed_beside();
    state.row_step = row_step_;
    state.row_time_ns = row_time_ns_;
    state.row_items = row_.items();
    state.tracked.clear();
    for (const Key& key : keys_) {
        if (key.numbers.count > 0) {
            state.tracked.push_back(key.numbers);
        }
    }
}

History::Key& History::key_of(std::string_view key) {
    if (Key* known = by_name_.find(key); known != nullptr) {
        return *known;
    }
    Key& made = keys_.emplace_back();
    made.own_name = key;
    made.name = metric_name(key);
    made.prefix = item_prefix(made.name);
    made.numbers.key = made.own_name;
    return by_name_.add(made.own_name, made);
}

void History::look_up(Key& key) {
    key.is_defined = true;
    key.summary = Summary::Last;
    key.axis = nullptr;
    const auto [name, suffix] = name_and_rank(key);
    if (const MetricOptions* options = find_metric(definitions_, name)) {
        key.summary = options->summary;
        key.axis = options->step.empty() || options->step == name
                       ? nullptr
                       : &key_of(options->step + std::string(suffix));
    }
}

// What is defined for a key counts for that of each rank.
trackers::RankedName History::name_and_rank(const Key& key) const {
    return ranks_ == Ranks::All ? trackers::split_rank(key.own_name)
                                : trackers::RankedName{key.own_name, {}};
}

void History::tell_definition(const Key& key, RunFile& file) {
    const auto [name, suffix] = name_and_rank(key);
    if (ranks_ == Ranks::All) {
        const MetricOptions* options = find_metric(definitions_, name);
        MetricDescription metric = describe(options != nullptr ? *options : MetricOptions());
        metric.name = key.name;
        metric.step = key.axis != nullptr ? key.axis->name : std::string(kTrueStep);
        file.add(encode_metric(file.next_number(), metric));
        return;
    }
    for (const MetricDefinition& one : definitions_) {
        if (!is_known_there(one.pattern) && glob_match(one.pattern, name)) {
            MetricDescription metric = describe(one.options);
            metric.name = key.name;
            file.add(encode_metric(file.next_number(), metric));
        }
    }
}

void History::define(const MetricDefinition& definition, RunFile& file) {
    put_metric(definitions_, definition);
    for (Key& key : keys_) {
        key.is_defined = false;
    }
    if (!is_known_there(definition.pattern)) {
        return;  // told of each key that it matches, once it comes
    }
    MetricDescription metric = describe(definition.options);
    (definition.pattern.ends_with('*') ? metric.glob : metric.name) =
        metric_name(definition.pattern);
    file.add(encode_metric(file.next_number(), metric));
}

void History::add(Key& key, Step step, std::int64_t time_ns, std::string_view json, RunFile& file) {
    if (!key.is_defined) {
        look_up(key);
        tell_definition(key, file);
    }
    if (row_step_ && (*row_step_ != step || key.row == row_number_)) {
        end_row(file);
    }
    if (!row_step_) {
        row_step_ = step;
        ++row_number_;
    }
    row_time_ns_ = std::max(row_time_ns_, time_ns);
    last_time_ns_ = std::max(last_time_ns_, time_ns);
    key.row = row_number_;
    row_.add(key.prefix, json);
    if (key.axis != nullptr && std::ranges::find(row_axes_, key.axis) == row_axes_.end()) {
        row_axes_.push_back(key.axis);
    }
    key.last = json;
    key.is_changed = true;
}

void History::scalar(std::string_view name, Step step, std::int64_t time_ns, double value,
                     RunFile& file) {
    std::array<char, 32> buffer{};
    Key& key = key_of(name);
    add(key, step, time_ns, number_text(value, buffer), file);
    if (key.summary != Summary::Last && key.summary != Summary::None && std::isfinite(value)) {
        Tracked& numbers = key.numbers;
        numbers.smallest = numbers.count == 0 ? value : std::min(numbers.smallest, value);
        numbers.largest = numbers.count == 0 ? value : std::max(numbers.largest, value);
        numbers.sum += value;
        ++numbers.count;
    }
}

void History::value(std::string_view name, Step step, std::int64_t time_ns, std::string_view json,
                    RunFile& file) {
    Key& key = key_of(name);
    // Pictures are encoded while the loop goes on, and come behind the numbers of their step. They
    // join the newest row and say their own step: a row of their own would push all later ones on.
    const bool is_late = row_step_ ? step < *row_step_ : steps_.last() && step <= *steps_.last();
    if (!is_late || !json.starts_with("{\"") || key.row == row_number_) {
        add(key, step, time_ns, json, file);
        return;
    }
    scratch_ = "{\"step\":" + std::to_string(step) + "," + std::string(json.substr(1));
    add(key, row_step_ ? *row_step_ : *steps_.last() + 1, time_ns, scratch_, file);
}

void History::end_row(RunFile& file) {
    if (!row_step_) {
        return;
    }
    for (const Key* axis : row_axes_) {
        if (axis->row != row_number_ && !axis->last.empty()) {
            row_.add(axis->prefix, axis->last);
        }
    }
    const Step place = steps_.place(*row_step_);
    if (steps_.is_needed_beside()) {
        if (ranks_ == Ranks::Zero) {
            diagnose_once(DiagnosticLevel::Info, "wandb steps",
                          "wandb: its steps must rise and those of this run do not; rows are "
                          "counted there, and their true step is the metric `step`");
        }
        row_.add(prefix_of(kTrueStep), std::to_string(*row_step_));
    }
    std::array<char, 32> buffer{};
    row_.add(prefix_of("_step"), std::to_string(place));
    const double runtime = static_cast<double>(row_time_ns_ - start_time_ns_) / 1e9;
    row_.add(prefix_of("_runtime"), number_text(std::max(runtime, 0.0), buffer));
    const double timestamp = static_cast<double>(row_time_ns_) / 1e9;
    row_.add(prefix_of("_timestamp"), number_text(timestamp, buffer));
    file.add(row_.encode(file.next_number(), place));
    row_.clear();
    row_axes_.clear();
    row_step_.reset();
    row_time_ns_ = 0;
}

void History::write_summary(RunFile& file) {
    std::vector<Item> items;
    for (Key& key : keys_) {
        if (!key.is_changed) {
            continue;
        }
        key.is_changed = false;
        const Tracked& numbers = key.numbers;
        switch (key.summary) {
            case Summary::None:
                break;
            case Summary::Last:
                items.push_back({{key.name}, key.last});
                break;
            case Summary::Min:
            case Summary::Max:
            case Summary::Mean:
                if (numbers.count > 0) {
                    const bool is_min = key.summary == Summary::Min;
                    const bool is_max = key.summary == Summary::Max;
                    const double shown = is_min ? numbers.smallest
                                         : is_max
                                             ? numbers.largest
                                             : numbers.sum / static_cast<double>(numbers.count);
                    items.push_back({{key.name},
                                     std::string("{\"") +
                                         (is_min   ? "min"
                                          : is_max ? "max"
                                                   : "mean") +
                                         "\":" + format_double(shown) + "}"});
                }
                break;
        }
    }
    if (items.empty()) {
        return;
    }
    const std::int64_t runtime = std::max<std::int64_t>(0, last_time_ns_ - start_time_ns_);
    items.push_back({{"_runtime"}, format_double(static_cast<double>(runtime) / 1e9)});
    items.push_back({{"_timestamp"}, format_double(static_cast<double>(last_time_ns_) / 1e9)});
    file.add(encode_summary(file.next_number(), items));
}

}  // namespace taffrail::sinks::wandb
