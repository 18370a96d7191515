#include "trainer/loop_state.h"

#include "base/try.h"
#include "metrics/hooks.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <span>

namespace taffrail::trainer {

namespace {

using metrics::SavedSlot;
using metrics::SlotOptions;
using metrics::SlotValues;

constexpr std::size_t kDigits = 16;  // of a number in hex

// As hex: decimal text would lose NaNs and their payload, and takes longer.
std::string hex(std::span<const double> numbers) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(numbers.size() * kDigits);
    for (const double number : numbers) {
        const auto bits = std::bit_cast<std::uint64_t>(number);
        for (int shift = 60; shift >= 0; shift -= 4) {
            text += digits[(bits >> shift) & 15];
        }
    }
    return text;
}

std::string hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        text += digits[static_cast<unsigned char>(byte) >> 4];
        text += digits[static_cast<unsigned char>(byte) & 15];
    }
    return text;
}

Error damaged(std::string_view what) {
    return Error{ErrorCode::Corrupt,
                 "the checkpoint is damaged: it has no readable " + std::string(what)};
}

Result<std::vector<double>> numbers_of(std::string_view text) {
    if (text.size() % kDigits != 0) {
        return damaged("numbers");
    }
    std::vector<double> numbers;
    numbers.reserve(text.size() / kDigits);
    for (; !text.empty(); text.remove_prefix(kDigits)) {
        std::uint64_t bits = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + kDigits, bits, 16);
        if (failure != std::errc() || end != text.data() + kDigits) {
            return damaged("numbers");
        }
        numbers.push_back(std::bit_cast<double>(bits));
    }
    return numbers;
}

Result<std::string> bytes_of(std::string_view text) {
    std::string bytes;
    for (; text.size() >= 2; text.remove_prefix(2)) {
        unsigned byte = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + 2, byte, 16);
        if (failure != std::errc() || end != text.data() + 2) {
            return damaged("state of the loader");
        }
        bytes += static_cast<char>(byte);
    }
    return bytes;
}

Result<double> number_of(const Json& json, std::string_view name) {
    TAFFRAIL_ASSIGN(const auto numbers, numbers_of(json.string_or(name, "")));
    if (numbers.size() != 1) {
        return damaged(name);
    }
    return numbers.front();
}

Json to_json(const SavedSlot& slot) {
    const SlotOptions& options = slot.options;
    const SlotValues& values = slot.values;
    const double numbers[] = {values.step_value, values.total, values.computed.value_or(0)};
    return Json(Json::Object{{"hook", Json(slot.hook)},
                             {"name", Json(slot.name)},
                             {"group", Json(slot.group)},
                             {"metric", Json(slot.metric)},
                             {"prog_bar", Json(options.prog_bar)},
                             {"logger", Json(options.logger)},
                             {"on_step", Json(options.on_step)},
                             {"on_epoch", Json(options.on_epoch)},
                             {"enable_graph", Json(options.enable_graph)},
                             {"add_dataloader_idx", Json(options.add_dataloader_idx)},
                             {"sync", Json(options.sync)},
                             {"rank_zero_only", Json(options.rank_zero_only)},
                             {"reduce", Json(static_cast<std::int64_t>(options.reduce))},
                             {"loader", Json(static_cast<std::int64_t>(options.loader))},
                             {"has_reset", Json(values.has_reset)},
                             {"has_step", Json(values.has_step)},
                             {"wide", Json(values.wide)},
                             {"step_numbers", Json(static_cast<std::int64_t>(values.step_numbers))},
                             {"weight", Json(values.weight)},
                             {"computed", Json(values.computed.has_value())},
                             {"numbers", Json(hex(numbers))}});
}

Result<SavedSlot> slot_from(const Json& json) {
    SavedSlot slot;
    slot.hook = json.string_or("hook", "");
    slot.name = json.string_or("name", "");
    slot.group = json.string_or("group", "");
    slot.metric = json.string_or("metric", "");
    SlotOptions& options = slot.options;
    options.prog_bar = json.truth_or("prog_bar", options.prog_bar);
    options.logger = json.truth_or("logger", options.logger);
    options.on_step = json.truth_or("on_step", options.on_step);
    options.on_epoch = json.truth_or("on_epoch", options.on_epoch);
    options.enable_graph = json.truth_or("enable_graph", options.enable_graph);
    options.add_dataloader_idx = json.truth_or("add_dataloader_idx", options.add_dataloader_idx);
    options.sync = json.truth_or("sync", options.sync);
    options.rank_zero_only = json.truth_or("rank_zero_only", options.rank_zero_only);
    const std::int64_t reduce = json.integer_or("reduce", 0);
    if (reduce < 0 || reduce > static_cast<std::int64_t>(Reduce::Max)) {
        return damaged("reduction of '" + slot.name + "'");
    }
    options.reduce = static_cast<Reduce>(reduce);
    options.loader = static_cast<int>(json.integer_or("loader", metrics::kNoLoader));
    SlotValues& values = slot.values;
    values.has_reset = json.truth_or("has_reset", true);
    values.has_step = json.truth_or("has_step", false);
    values.wide = json.truth_or("wide", false);
    values.step_numbers = static_cast<std::size_t>(json.integer_or("step_numbers", 1));
    values.weight = json.integer_or("weight", 0);
    TAFFRAIL_ASSIGN(const auto numbers, numbers_of(json.string_or("numbers", "")));
    if (numbers.size() != 3 || slot.name.empty()) {
        return damaged("values of '" + slot.name + "'");
    }
    values.step_value = numbers[0];
    values.total = numbers[1];
    if (json.truth_or("computed", false)) {
        values.computed = numbers[2];
    }
    return slot;
}

Json to_json(const metrics::Row& row) {
    Json::Object values;
    for (const auto& [name, value] : row) {
        values.emplace_back(name, Json(hex(std::span(&value, 1))));
    }
    return Json(std::move(values));
}

Result<metrics::Row> row_from(const Json* json) {
    metrics::Row row;
    if (json != nullptr && json->object() != nullptr) {
        for (const auto& [name, value] : *json->object()) {
            TAFFRAIL_ASSIGN(const double number, number_of(*json, name));
            row.emplace_back(name, number);
        }
    }
    return row;
}

Json to_json(const SavedMetric& metric) {
    Json::Array states;
    for (const Metric::Values& values : metric.states) {
        states.emplace_back(hex(values));
    }
    return Json(Json::Object{{"name", Json(metric.name)},
                             {"updates", Json(metric.updates)},
                             {"states", Json(std::move(states))}});
}

Result<SavedMetric> metric_from(const Json& json) {
    SavedMetric metric{json.string_or("name", ""), {}, json.integer_or("updates", 0)};
    if (const Json* states = json.find("states"); states != nullptr && states->array() != nullptr) {
        for (const Json& one : *states->array()) {
            if (!one.is_string()) {
                return damaged("states of the metric '" + metric.name + "'");
            }
            TAFFRAIL_ASSIGN(auto values, numbers_of(*one.string()));
            metric.states.push_back(std::move(values));
        }
    }
    return metric;
}

const Json::Array& items_of(const Json& json, std::string_view name) {
    static const Json::Array none;
    const Json* found = json.find(name);
    return found != nullptr && found->array() != nullptr ? *found->array() : none;
}

}  // namespace

Json::Object to_json(const LoopState& state) {
    Json::Object rows;
    for (const auto& [loader, row] : state.evaluation_rows) {
        rows.emplace_back(std::to_string(loader), Json(row));
    }
    Json::Array slots, objects, loaders;
    for (const std::string& loader : state.validation_loaders) {
        loaders.emplace_back(hex(std::string_view(loader)));
    }
    for (const SavedSlot& slot : state.log.slots) {
        slots.push_back(to_json(slot));
    }
    for (const SavedMetric& metric : state.metrics) {
        objects.push_back(to_json(metric));
    }
    return {{"epochs", Json(state.epochs)},
            {"optimizer_steps", Json(state.optimizer_steps)},
            {"batches_in_epoch", Json(state.batches_in_epoch)},
            {"batches_drawn", Json(state.batches_drawn)},
            {"batches_total", Json(state.batches_total)},
            {"validation_batches_total", Json(state.validation_batches_total)},
            {"samples", Json(state.samples)},
            {"validated", Json(state.validated)},
            {"evaluation_rows", Json(std::move(rows))},
            {"loader", Json(hex(std::string_view(state.loader)))},
            {"validation_loaders", Json(std::move(loaders))},
            {"slots", Json(std::move(slots))},
            {"callback_metrics", to_json(state.log.callback)},
            {"logged_metrics", to_json(state.log.logged)},
            {"progress_bar_metrics", to_json(state.log.bar)},
            {"metrics", Json(std::move(objects))}};
}

Result<LoopState> loop_state_from(const Json& json) {
    LoopState state;
    state.epochs = json.integer_or("epochs", 0);
    state.optimizer_steps = json.integer_or("optimizer_steps", 0);
    state.batches_in_epoch = json.integer_or("batches_in_epoch", 0);
    state.batches_drawn = json.integer_or("batches_drawn", state.batches_in_epoch);
    state.batches_total = json.integer_or("batches_total", 0);
    state.validation_batches_total = json.integer_or("validation_batches_total", 0);
    state.samples = json.integer_or("samples", 0);
    state.validated = json.truth_or("validated", true);
    if (const Json* rows = json.find("evaluation_rows");
        rows != nullptr && rows->object() != nullptr) {
        for (const auto& [loader, row] : *rows->object()) {
            int number = 0;
            std::from_chars(loader.data(), loader.data() + loader.size(), number);
            state.evaluation_rows[number] = row.integer().value_or(0);
        }
    }
    TAFFRAIL_ASSIGN(state.loader, bytes_of(json.string_or("loader", "")));
    for (const Json& loader : items_of(json, "validation_loaders")) {
        TAFFRAIL_ASSIGN(auto bytes, bytes_of(loader.is_string() ? *loader.string() : ""));
        state.validation_loaders.push_back(std::move(bytes));
    }
    for (const Json& slot : items_of(json, "slots")) {
        TAFFRAIL_ASSIGN(auto read, slot_from(slot));
        state.log.slots.push_back(std::move(read));
    }
    TAFFRAIL_ASSIGN(state.log.callback, row_from(json.find("callback_metrics")));
    TAFFRAIL_ASSIGN(state.log.logged, row_from(json.find("logged_metrics")));
    TAFFRAIL_ASSIGN(state.log.bar, row_from(json.find("progress_bar_metrics")));
    for (const Json& metric : items_of(json, "metrics")) {
        TAFFRAIL_ASSIGN(auto read, metric_from(metric));
        state.metrics.push_back(std::move(read));
    }
    return state;
}

bool same_place(const LoopState& one, const LoopState& other) noexcept {
    return one.epochs == other.epochs && one.optimizer_steps == other.optimizer_steps &&
           one.batches_in_epoch == other.batches_in_epoch &&
           one.batches_total == other.batches_total && one.validated == other.validated;
}

}  // namespace taffrail::trainer
