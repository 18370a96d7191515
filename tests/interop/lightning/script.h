// A run script: a training run without a model, as JSON. The same text is played on Lightning by
// player.py.
#pragma once

#include <taffrail/log_options.h>
#include <taffrail/trainer.h>

#include "codec/json.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace taffrail::replay {

/// Where the run stands when an entry is played.
struct Position {
    std::int64_t epoch = 0;
    std::int64_t batch = 0;
    std::int64_t loader = 0;
    std::int64_t rank = 0;
    bool sanity = false;
};

/// A value form at a position: a plain number, a typed array, or something that cannot be logged.
struct ReplayValue {
    enum class Form { Number, Tensor, Unsupported };
    Form form = Form::Number;
    double number = 0;
    DType dtype = DType::F32;
    std::int64_t dims = 0;
    std::vector<double> vector;
    bool is_vector = false;
    std::string type_name;
};

Result<ReplayValue> evaluate(const Json& form, const Position& position);
/// As the value would stand in an array of that type.
double as_dtype(double value, DType dtype);

struct MetricEntry {
    std::string id;
    std::string kind;
    std::string feed = "forward";
    bool attached = true;
};

struct Entry {
    std::string hook;
    bool from_callback = false;
    std::vector<std::pair<std::string, Json>> values;
    std::optional<MetricEntry> metric;
    Json flags;
    Json when;

    [[nodiscard]] bool plays_at(const Position& position) const;
};

struct BatchForm {
    std::string kind = "tensor";
    std::vector<std::int64_t> sizes = {1};
    std::int64_t per_rank = 0;
    std::int64_t per_loader = 0;

    [[nodiscard]] std::int64_t size_at(const Position& position) const;
    [[nodiscard]] Batch make(const Position& position) const;
};

struct Script {
    Json id;
    int world = 1;
    std::vector<std::string> stages = {"fit"};
    TrainerOptions options;
    std::int64_t train_batches = 1;
    std::vector<std::int64_t> val_batches;
    std::vector<std::int64_t> test_batches;
    BatchForm batch;
    std::optional<std::pair<std::int64_t, std::int64_t>> stop_at;  // epoch, batch
    bool sink = true;
    std::vector<Entry> logs;
    std::set<std::string> probes;
};

/// Unknown fields are refused: a misspelt one must not pass as the default.
Result<Script> parse_script(const Json& json);

}  // namespace taffrail::replay
