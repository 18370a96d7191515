#include "interop/lightning/script.h"

#include "base/try.h"
#include "codec/tensor.h"

#include <algorithm>
#include <cmath>

namespace taffrail::replay {

namespace {

std::vector<std::int64_t> integers(const Json* json) {
    std::vector<std::int64_t> all;
    if (json != nullptr && json->array() != nullptr) {
        for (const Json& item : *json->array()) {
            all.push_back(item.integer().value_or(0));
        }
    }
    return all;
}

// 3 = so many, {"fraction": f} = a share.
BatchLimit limit_of(const Json* json) {
    if (json == nullptr || json->is_null()) {
        return {};
    }
    if (const Json* share = json->find("fraction")) {
        return BatchLimit(share->number().value_or(1.0));
    }
    if (const auto count = json->integer()) {
        return BatchLimit(*count);
    }
    return BatchLimit(json->number().value_or(1.0));
}

std::optional<double> plain(const Json& json) {
    if (const auto number = json.number()) {
        return number;
    }
    if (const auto truth = json.truth()) {
        return *truth ? 1.0 : 0.0;
    }
    const std::string* text = json.string();
    if (text == nullptr) {
        return std::nullopt;
    }
    if (*text == "nan") {
        return std::nan("");
    }
    if (*text == "inf" || *text == "-inf") {
        return *text == "inf" ? HUGE_VAL : -HUGE_VAL;
    }
    return std::nullopt;
}

std::int64_t axis_of(const std::string& name, const Position& position) {
    return name == "epoch"    ? position.epoch
           : name == "batch"  ? position.batch
           : name == "loader" ? position.loader
                              : position.rank;
}

Result<double> from_table(const Json& form, const Position& position) {
    const Json* level = form.find("table");
    if (level == nullptr || form.find("by") == nullptr || form.find("by")->array() == nullptr) {
        return Error{ErrorCode::InvalidArgument, "a table value needs by and table"};
    }
    for (const Json& axis : *form.find("by")->array()) {
        const Json::Array* items = level->array();
        if (items == nullptr || items->empty() || axis.string() == nullptr) {
            return Error{ErrorCode::InvalidArgument, "the table is not as deep as by says"};
        }
        const auto size = static_cast<std::int64_t>(items->size());
        level = &(*items)[static_cast<std::size_t>(axis_of(*axis.string(), position) % size)];
    }
    const auto value = plain(*level);
    if (!value) {
        return Error{ErrorCode::InvalidArgument, "a table holds something that is no number"};
    }
    return *value;
}

std::optional<DType> dtype_of(const std::string& name) {
    static const std::map<std::string, DType> kTypes{
        {"float64", DType::F64},   {"float32", DType::F32}, {"float16", DType::F16},
        {"bfloat16", DType::BF16}, {"int64", DType::I64},   {"int32", DType::I32},
        {"int8", DType::I8},       {"bool", DType::Bool}};
    const auto found = kTypes.find(name);
    return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

ReplayValue raw_value(const Json& raw) {
    ReplayValue value;
    if (raw.number() || raw.truth()) {
        value.number = raw.number() ? *raw.number() : (*raw.truth() ? 1 : 0);
        return value;
    }
    value.form = ReplayValue::Form::Unsupported;
    value.type_name = raw.is_null()     ? "nothing"
                      : raw.is_string() ? "text"
                      : raw.is_array()  ? "list"
                                        : "map";
    if (raw.object() != nullptr) {
        for (const auto& [name, member] : *raw.object()) {
            value.type_name = member.is_object() ? "nested map" : value.type_name;
        }
    }
    return value;
}

bool contains(const Json* list, std::int64_t wanted) {
    const std::vector<std::int64_t> all = integers(list);
    return list == nullptr || list->is_null() || std::ranges::find(all, wanted) != all.end();
}

Result<Entry> parse_entry(const Json& json) {
    static const std::set<std::string> kKnown{"hook",        "from",
                                              "name",        "value",
                                              "dict",        "metric",
                                              "when",        "on_step",
                                              "on_epoch",    "prog_bar",
                                              "logger",      "reduce_fx",
                                              "batch_size",  "add_dataloader_idx",
                                              "sync_dist",   "rank_zero_only",
                                              "enable_graph"};
    Entry entry;
    if (json.object() == nullptr) {
        return Error{ErrorCode::InvalidArgument, "a log entry is not an object"};
    }
    for (const auto& [name, member] : *json.object()) {
        if (!kKnown.contains(name)) {
            return Error{ErrorCode::InvalidArgument, "unknown field '" + name + "' in a log entry"};
        }
    }
    entry.hook = json.string_or("hook", "");
    entry.from_callback = json.string_or("from", "module") == "callback";
    entry.flags = json;
    if (const Json* when = json.find("when")) {
        entry.when = *when;
    }
    if (const Json* values = json.find("dict"); values != nullptr && values->object() != nullptr) {
        entry.values = *values->object();
    } else {
        const Json* value = json.find("value");
        entry.values.emplace_back(json.string_or("name", ""),
                                  value != nullptr ? *value : Json(0.0));
    }
    if (const Json* metric = json.find("metric"); metric != nullptr && metric->is_object()) {
        entry.metric =
            MetricEntry{metric->string_or("id", "m"), metric->string_or("kind", "sum"),
                        metric->string_or("feed", "forward"), metric->truth_or("attached", true)};
    }
    return entry;
}

void read_options(const Json& json, TrainerOptions& options) {
    options.max_epochs = json.integer_or("epochs", 1);
    options.max_steps = json.integer_or("max_steps", -1);
    options.accumulate_grad_batches = json.integer_or("accumulate_grad_batches", 1);
    options.log_every_n_steps = json.integer_or("log_every_n_steps", 50);
    options.num_sanity_val_steps = json.integer_or("num_sanity_val_steps", 2);
    options.reload_dataloaders_every_n_epochs =
        json.integer_or("reload_dataloaders_every_n_epochs", 0);
    options.val_check_interval = limit_of(json.find("val_check_interval"));
    options.limit_train_batches = limit_of(json.find("limit_train_batches"));
    options.limit_val_batches = limit_of(json.find("limit_val_batches"));
    options.limit_test_batches = limit_of(json.find("limit_test_batches"));
    if (const Json* every = json.find("check_val_every_n_epoch")) {
        options.check_val_every_n_epoch = every->integer();
    }
    options.log_precision = LogPrecision::Single;
    options.handle_signals = false;
    options.print_results = false;
}

}  // namespace

double as_dtype(double value, DType dtype) {
    switch (dtype) {
        case DType::F64:
            return value;
        case DType::F16:
            return static_cast<double>(f16_to_f32(f32_to_f16(static_cast<float>(value))));
        case DType::BF16:
            return static_cast<double>(bf16_to_f32(f32_to_bf16(static_cast<float>(value))));
        case DType::I64:
        case DType::I32:
        case DType::I8:
            return std::trunc(value);
        case DType::Bool:
            return value != 0 ? 1 : 0;
        default:
            return static_cast<double>(static_cast<float>(value));
    }
}

Result<ReplayValue> evaluate(const Json& form, const Position& position) {
    ReplayValue value;
    if (const auto number = plain(form)) {
        value.number = *number;
        return value;
    }
    if (form.object() == nullptr) {
        return Error{ErrorCode::InvalidArgument, "a value form is neither a number nor an object"};
    }
    if (const Json* raw = form.find("raw")) {
        return raw_value(*raw);
    }
    if (const Json* vector = form.find("vector"); vector != nullptr && vector->array() != nullptr) {
        value.form = ReplayValue::Form::Tensor;
        value.dims = 1;
        value.is_vector = true;
        for (const Json& item : *vector->array()) {
            value.vector.push_back(plain(item).value_or(0));
        }
        value.number = value.vector.empty() ? 0 : value.vector.front();
    } else if (form.find("table") != nullptr) {
        TAFFRAIL_ASSIGN(value.number, from_table(form, position));
    } else {
        const auto part = [&](std::string_view name) {
            const Json* found = form.find(name);
            return found != nullptr ? plain(*found).value_or(0) : 0.0;
        };
        value.number = part("base") + part("per_batch") * static_cast<double>(position.batch) +
                       part("per_epoch") * static_cast<double>(position.epoch) +
                       part("per_loader") * static_cast<double>(position.loader) +
                       part("per_rank") * static_cast<double>(position.rank);
    }
    if (const std::string dtype = form.string_or("dtype", ""); !dtype.empty()) {
        const auto known = dtype_of(dtype);
        if (!known) {
            return Error{ErrorCode::InvalidArgument, "unknown dtype '" + dtype + "'"};
        }
        value.form = ReplayValue::Form::Tensor;
        value.dtype = *known;
        value.number = as_dtype(value.number, value.dtype);
    }
    if (const std::int64_t dims = form.integer_or("dims", 0); dims > 0) {
        value.form = ReplayValue::Form::Tensor;
        value.dims = dims;
    }
    return value;
}

bool Entry::plays_at(const Position& position) const {
    const auto sanity =
        when.find("sanity") != nullptr ? when.find("sanity")->truth() : std::nullopt;
    return contains(when.find("epochs"), position.epoch) &&
           contains(when.find("batches"), position.batch) &&
           contains(when.find("loaders"), position.loader) &&
           contains(when.find("ranks"), position.rank) && (!sanity || *sanity == position.sanity);
}

std::int64_t BatchForm::size_at(const Position& position) const {
    const auto count = static_cast<std::int64_t>(sizes.size());
    return sizes[static_cast<std::size_t>(position.batch % count)] + per_rank * position.rank +
           per_loader * position.loader;
}

Batch BatchForm::make(const Position& position) const {
    const std::int64_t size = size_at(position);
    const TensorView tensor(nullptr, DType::F32, {size, 1});
    if (kind == "dict") {
        return Batch(std::map<std::string, TensorView>{{"x", tensor}, {"y", tensor}});
    }
    if (kind == "pair") {
        return Batch(std::pair(tensor, tensor));
    }
    if (kind == "nested") {
        return Batch(std::map<std::string, std::vector<std::pair<TensorView, TensorView>>>{
            {"a", {{tensor, tensor}}}});
    }
    if (kind == "scalar") {
        return Batch(TensorView(nullptr, DType::F32, {}));
    }
    if (kind == "ambiguous") {
        return Batch(std::pair(tensor, TensorView(nullptr, DType::F32, {size + 1, 1})));
    }
    if (kind == "text_last") {
        return Batch(std::pair(tensor, std::string("text")));
    }
    if (kind == "text_first") {
        return Batch(std::pair(std::string("text"), tensor));
    }
    if (kind == "text") {
        return Batch(std::string("text"));
    }
    if (kind == "texts") {
        return Batch(std::vector<std::string>{"one", "two"});
    }
    if (kind == "empty") {
        return Batch(std::vector<TensorView>());
    }
    return Batch(tensor);
}

Result<Script> parse_script(const Json& json) {
    static const std::set<std::string> kKnown{"id",
                                              "world",
                                              "stages",
                                              "epochs",
                                              "max_steps",
                                              "train_batches",
                                              "val_batches",
                                              "test_batches",
                                              "batch",
                                              "accumulate_grad_batches",
                                              "log_every_n_steps",
                                              "val_check_interval",
                                              "check_val_every_n_epoch",
                                              "num_sanity_val_steps",
                                              "limit_train_batches",
                                              "limit_val_batches",
                                              "limit_test_batches",
                                              "reload_dataloaders_every_n_epochs",
                                              "stop_at",
                                              "sink",
                                              "logs",
                                              "probes",
                                              "comment"};
    if (json.object() == nullptr) {
        return Error{ErrorCode::InvalidArgument, "a script is a JSON object"};
    }
    for (const auto& [name, member] : *json.object()) {
        if (!kKnown.contains(name)) {
            return Error{ErrorCode::InvalidArgument, "unknown field '" + name + "' in a script"};
        }
    }
    Script script;
    if (const Json* id = json.find("id")) {
        script.id = *id;
    }
    script.world = static_cast<int>(json.integer_or("world", 1));
    if (const Json* stages = json.find("stages"); stages != nullptr && stages->array() != nullptr) {
        script.stages.clear();
        for (const Json& stage : *stages->array()) {
            script.stages.push_back(stage.string() != nullptr ? *stage.string() : "");
        }
    }
    read_options(json, script.options);
    script.train_batches = json.integer_or("train_batches", 1);
    script.val_batches = integers(json.find("val_batches"));
    script.test_batches = integers(json.find("test_batches"));
    if (const Json* batch = json.find("batch"); batch != nullptr && batch->is_object()) {
        script.batch.kind = batch->string_or("kind", "tensor");
        if (auto sizes = integers(batch->find("sizes")); !sizes.empty()) {
            script.batch.sizes = std::move(sizes);
        }
        script.batch.per_rank = batch->integer_or("per_rank", 0);
        script.batch.per_loader = batch->integer_or("per_loader", 0);
    }
    if (const Json* stop = json.find("stop_at"); stop != nullptr && stop->is_object()) {
        script.stop_at = {stop->integer_or("epoch", 0), stop->integer_or("batch", 0)};
    }
    script.sink = json.truth_or("sink", true);
    if (const Json* probes = json.find("probes"); probes != nullptr && probes->array() != nullptr) {
        for (const Json& probe : *probes->array()) {
            script.probes.insert(probe.string() != nullptr ? *probe.string() : "");
        }
    }
    if (const Json* logs = json.find("logs"); logs != nullptr && logs->array() != nullptr) {
        for (const Json& log : *logs->array()) {
            TAFFRAIL_ASSIGN(Entry entry, parse_entry(log));
            script.logs.push_back(std::move(entry));
        }
    }
    return script;
}

}  // namespace taffrail::replay
