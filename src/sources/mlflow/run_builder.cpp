#include "sources/mlflow/run_builder.h"

#include "base/strings.h"
#include "base/utf8.h"
#include "codec/formats/mlflow/names.h"
#include "codec/json.h"

#include <cmath>
#include <limits>

namespace taffrail::sources::mlflow {

using namespace formats::mlflow;

namespace {

constexpr std::string_view kSystemNames = "system/";
constexpr std::string_view kOwnPrefix = "taffrail.";

/// Parameters are texts there: numbers and truths become what they were.
Cell cell_of_text(std::string_view text) {
    if (text == "True" || text == "False") {
        return text == "True";
    }
    if (text == "None") {
        return {};
    }
    if (const auto whole = parse_int(text); whole && std::to_string(*whole) == text) {
        return *whole;
    }
    if (const auto number = parse_double(text);
        number && text.find_first_not_of("0123456789+-.eE") == std::string_view::npos) {
        return *number;
    }
    return repair_utf8(text);
}

void define(model::GatheredContent& content, std::string_view name, std::string_view json) {
    const auto told = parse_json(json);
    if (!told.ok()) {
        return;
    }
    MetricDefinition metric{.pattern = unescaped(name)};
    metric.options.step = told->string_or("step", "");
    const std::string summary = told->string_or("summary", "last");
    metric.options.summary = summary == "min"    ? Summary::Min
                             : summary == "max"  ? Summary::Max
                             : summary == "mean" ? Summary::Mean
                             : summary == "none" ? Summary::None
                                                 : Summary::Last;
    const std::string goal = told->string_or("goal", "none");
    metric.options.goal = goal == "minimize"   ? Goal::Minimize
                          : goal == "maximize" ? Goal::Maximize
                                               : Goal::None;
    metric.options.hidden = told->truth_or("hidden", false);
    content.metrics.push_back(std::move(metric));
}

}  // namespace

std::string RunBuilder::key_of(std::string_view name) const {
    return is_ours_ ? unescaped(name) : std::string(name);
}

void RunBuilder::metric(std::string_view name, double value, std::int64_t time_ms,
                        std::int64_t step, bool is_sql) {
    auto known = by_name_.find(name);
    if (known == by_name_.end()) {
        std::string clean = repair_utf8(name);
        known = by_name_.emplace(std::string(name), &content_->series[clean]).first;
    }
    if (is_sql && std::fabs(value) == kInfinityThere) {
        value = std::copysign(std::numeric_limits<double>::infinity(), value);
    }
    constexpr std::int64_t kLatest = INT64_MAX / 1'000'000;
    const std::int64_t time_ns = time_ms < 0 ? 0 : std::min(time_ms, kLatest) * 1'000'000;
    known->second->add(step, time_ns, value);
    content_->info.end_time_ns = std::max(content_->info.end_time_ns, time_ns);
}

void RunBuilder::parameter(std::string_view name, std::string_view value) {
    params_.emplace_back(repair_utf8(name), repair_utf8(value));
}

void RunBuilder::tag(std::string_view name, std::string_view value) {
    is_ours_ = is_ours_ || name == "taffrail.run_id";
    tags_.emplace_back(repair_utf8(name), repair_utf8(value));
}

void RunBuilder::status(std::string_view status) {
    RunInfo& info = content_->info;
    if (status == "FINISHED" || status == "3") {
        info.state = RunState::Finished;
    } else if (status == "FAILED" || status == "4") {
        info.state = RunState::Failed;
    } else if (status == "KILLED" || status == "5") {
        info.state = RunState::Aborted;
    } else {
        info.state = RunState::Running;
        content_->is_open_ended = true;
    }
}

void RunBuilder::times(std::int64_t start_ms, std::int64_t end_ms) {
    constexpr std::int64_t kLatest = INT64_MAX / 1'000'000;
    const auto ns = [&](std::int64_t ms) { return ms > 0 ? std::min(ms, kLatest) * 1'000'000 : 0; };
    content_->info.start_time_ns = ns(start_ms);
    content_->info.end_time_ns = std::max(content_->info.end_time_ns, ns(end_ms));
}

std::shared_ptr<model::GatheredContent> RunBuilder::finish() && {
    RunInfo& info = content_->info;
    info.source = "mlflow";
    for (const auto& [name, value] : tags_) {
        const std::string_view own = name.starts_with(kOwnPrefix)
                                         ? std::string_view(name).substr(kOwnPrefix.size())
                                         : std::string_view();
        if (name == "mlflow.runName") {
            info.name = info.name.empty() ? value : info.name;
        } else if (name == "mlflow.note.content") {
            info.notes = value;
        } else if (name.starts_with("mlflow.")) {
            content_->environment.emplace_back(name, value);
        } else if (own == "group") {
            info.group = value;
        } else if (own == "job_type") {
            info.job_type = value;
        } else if (own == "reason") {
            info.message = value;
        } else if (own.starts_with("summary.")) {
            info.summary[unescaped(own.substr(8))] = cell_of_text(value);
        } else if (own.starts_with("metric.")) {
            define(*content_, own.substr(7), value);
        } else if (!own.empty()) {
            content_->environment.emplace_back(name, value);
        } else {
            const std::string plain = key_of(name);
            info.tags.push_back(value.empty() ? plain : plain + "=" + value);
        }
    }
    for (const auto& [name, value] : params_) {
        info.config.emplace_back(key_of(name), cell_of_text(value));
    }
    if (info.name.empty()) {
        info.name = info.id;
    }
    // Names as they are here; readings of the machine by our units.
    std::map<std::string, model::GatheredSeries, std::less<>> named;
    for (auto& [name, series] : content_->series) {
        if (name.starts_with(kSystemNames)) {
            const Reading reading = from_system_name(name);
            model::GatheredSeries scaled;
            for (std::size_t i = 0; i < series.value.size(); ++i) {
                scaled.add(series.step[i], series.time_ns[i], series.value[i] * reading.factor);
            }
            named[reading.name] = std::move(scaled);
        } else {
            named[key_of(name)] = std::move(series);
        }
    }
    content_->series = std::move(named);
    if (info.start_time_ns == 0) {
        info.start_time_ns = info.end_time_ns;
    }
    return std::move(content_);
}

}  // namespace taffrail::sources::mlflow
