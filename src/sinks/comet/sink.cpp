#include "sinks/comet/sink.h"

#include "base/strings.h"
#include "base/try.h"
#include "codec/formats/comet/names.h"
#include "codec/json_writer.h"
#include "io/files.h"
#include "io/inside.h"
#include "sinks/comet/uploads.h"

#include <algorithm>

namespace taffrail::sinks::comet {

using namespace formats::comet;

namespace {

constexpr std::size_t kPendingBytes = std::size_t{4} << 20;
constexpr std::size_t kLongestName = 100;
constexpr std::int64_t kMillisecond = 1'000'000;

}  // namespace

CometSink::CometSink(Options options)
    : TrackerSink("comet", options.ranks),
      given_(std::move(options)),
      names_({.refuses = [](std::string_view, std::size_t) { return false; },
              .longest = kLongestName}) {}

Result<std::string> CometSink::target(const SinkContext& context) {
    TAFFRAIL_ASSIGN(options_, completed(given_, context));
    return io::join(options_.log_dir, options_.key);
}

Result<void> CometSink::start(const SinkContext& context,
                              const std::optional<trackers::SinkState>& state) {
    wants_console_ = options_.console;
    wants_load_ = options_.system_metrics;
    const std::int64_t begun =
        context.start_time_ns != 0 ? context.start_time_ns : options_.now_ns();
    experiment_ = {.key = options_.key,
                   .project = options_.project,
                   .workspace = options_.workspace,
                   .start_ms = begun / kMillisecond,
                   .stop_ms = begun / kMillisecond,
                   .tags = options_.tags};
    last_time_ns_ = begun;
    if (state) {
        number_ = state->number("number");
        readings_ = state->number("readings");
        last_time_ns_ = std::max(last_time_ns_, state->number("time"));
        experiment_.is_further_part = state->number("part") > 0;
        // The state comes out of a run folder, which may be anybody's: it must not name another
        // folder to write to.
        const std::string name = state->text("name");
        const std::string path = io::join(options_.log_dir, name);
        const bool is_own = io::is_plain_name(name) && name.starts_with(options_.key) &&
                            !io::is_link(path) && io::exists(io::join(path, "messages.json"));
        if (is_own) {
            TAFFRAIL_ASSIGN(
                folder_,
                ArchiveFolder::reopen(path, static_cast<std::uint64_t>(state->number("length"))));
            describe(context);
            return {};
        }
        experiment_.is_further_part = true;
    }
    std::string path = io::join(options_.log_dir, options_.key);
    for (int part = 2; io::exists(path) || io::exists(path + ".zip"); ++part) {
        path = io::join(options_.log_dir, options_.key + "-" + std::to_string(part));
        experiment_.is_further_part = true;
    }
    TAFFRAIL_ASSIGN(folder_, ArchiveFolder::create(path));
    if (!experiment_.is_further_part) {
        other("offline_experiment", true);
    }
    describe(context);
    return {};
}

void CometSink::describe(const SinkContext& context) {
    const std::pair<std::string_view, const std::string*> texts[] = {
        {"Name", &options_.name},
        {"taffrail.run_id", &context.run_id},
        {"taffrail.group", &context.group},
        {"taffrail.job_type", &context.job_type},
        {"taffrail.notes", &context.notes}};
    for (const auto& [key, text] : texts) {
        if (!text->empty()) {
            other(key, *text);
        }
    }
    if (context.attempt > 0) {
        other("taffrail.attempts", static_cast<std::int64_t>(context.attempt) + 1);
    }
    parameters(context.config, last_time_ns_);
    for (const MetricDefinition& metric : context.metrics) {
        define(metric);
    }
    for (const auto& [name, cell] : context.summary) {
        other(name, cell);
    }
}

void CometSink::other(std::string_view key, const Cell& value) {
    folder_->add(other_line(key, value, ++number_));
}

void CometSink::parameters(const Hparams& values, std::int64_t time_ns) {
    for (const auto& [name, cell] : values) {
        if (!has_groups_ && name.find('/') != std::string::npos) {
            has_groups_ = true;
            other("hasNestedParams", true);
        }
        folder_->add(parameter_line(parameter_name(name), cell, time_ns, ++number_));
    }
}

void CometSink::define(const MetricDefinition& metric) {
    JsonWriter json;
    const MetricOptions& options = metric.options;
    constexpr std::string_view kSummaries[] = {"last", "min", "max", "mean", "none"};
    const std::string_view summary = options.summary == Summary::Min    ? kSummaries[1]
                                     : options.summary == Summary::Max  ? kSummaries[2]
                                     : options.summary == Summary::Mean ? kSummaries[3]
                                     : options.summary == Summary::None ? kSummaries[4]
                                                                        : kSummaries[0];
    json.begin_object().member("step", options.step).member("summary", summary);
    json.member("goal", options.goal == Goal::Minimize   ? "minimize"
                        : options.goal == Goal::Maximize ? "maximize"
                                                         : "");
    json.member("hidden", options.hidden).end_object();
    other("taffrail.metric." + metric.pattern, std::move(json).take());
}

const std::string& CometSink::prefix_of(std::string_view key) {
    if (const std::string* known = prefix_by_key_.find(key); known != nullptr) {
        return *known;
    }
    const std::string& name = names_.name_of(key);
    if (names_.long_names().size() > long_names_told_) {
        long_names_told_ = names_.long_names().size();
        other("taffrail.key." + name, std::string(key));
    }
    return prefix_by_key_.add(key, prefixes_.emplace_back(metric_prefix(name)));
}

Result<void> CometSink::take(const Record& record) {
    last_time_ns_ = std::max(last_time_ns_, record.time_ns);
    if (record.kind == Kind::Scalar) {
        // Before the record is added: one that fails is handed over again.
        if (folder_->pending().size() > kPendingBytes) {
            TAFFRAIL_TRY(folder_->write_out());
        }
        const std::string& prefix = prefix_of(record.key);
        append_metric(folder_->pending(), prefix, record.scalar, record.step, record.epoch,
                      record.time_ns, ++number_);
        return {};
    }
    const Value& value = *record.value;
    if (const auto* hparams = std::get_if<Hparams>(&value)) {
        parameters(*hparams, record.time_ns);
    } else if (const auto* metric = std::get_if<MetricDefinition>(&value)) {
        define(*metric);
    } else if (const auto* summary = std::get_if<SummaryValues>(&value)) {
        for (const auto& [name, cell] : summary->values) {
            other(name, cell);
        }
    } else if (const auto* alert = std::get_if<Alert>(&value)) {
        other("alert " + std::to_string(number_ + 1),
              std::string(alert->level == AlertLevel::Error     ? "ERROR"
                          : alert->level == AlertLevel::Warning ? "WARN"
                                                                : "INFO") +
                  ": " + alert->title + ": " + alert->text);
    } else if (const auto* note = std::get_if<Note>(&value)) {
        other("taffrail.notes", note->text);
    } else if (const auto* tag = std::get_if<Tag>(&value)) {
        std::erase(experiment_.tags, tag->tag);
        if (!tag->removed) {
            experiment_.tags.push_back(tag->tag);
        }
    } else if (const auto done = Uploads(*folder_, number_).take(record); !done.ok()) {
        return skipped(record.key, done.error());
    }
    return {};
}

void CometSink::console(const ConsoleLine& line) {
    folder_->add(output_line(line.text + "\n", line.is_error, line.time_ns, ++number_));
}

void CometSink::load(const trackers::LoadReading& reading) {
    for (const auto& [key, value] : reading.values) {
        const SystemName name = to_comet(key);
        const std::string prefix = metric_prefix(name.name + trackers::rank_suffix(reading.rank));
        append_metric(folder_->pending(), prefix, value * name.factor, readings_, {},
                      reading.time_ns, ++number_);
    }
    ++readings_;
}

Result<void> CometSink::write_out(trackers::SinkState& state) {
    TAFFRAIL_TRY(folder_->write_out());
    experiment_.stop_ms = last_time_ns_ / kMillisecond;
    TAFFRAIL_TRY(folder_->describe(experiment_));
    const std::string& path = folder_->path();
    state.fields = {{"name", path.substr(path.rfind('/') + 1)},
                    {"length", std::to_string(folder_->length())},
                    {"number", std::to_string(number_)},
                    {"readings", std::to_string(readings_)},
                    {"time", std::to_string(last_time_ns_)},
                    {"part", experiment_.is_further_part ? "1" : "0"}};
    return {};
}

Result<void> CometSink::end(RunState state, const std::string& reason) {
    if (state == RunState::Running) {
        return {};
    }
    experiment_.has_failed =
        state == RunState::Failed || state == RunState::Crashed || state == RunState::Aborted;
    if (experiment_.has_failed) {
        experiment_.error = reason.empty() ? std::string(to_string(state)) : reason;
        other("taffrail.state", std::string(to_string(state)));
        TAFFRAIL_TRY(folder_->write_out());
    }
    TAFFRAIL_TRY(folder_->describe(experiment_));
    return folder_->pack(last_time_ns_);
}

Result<std::unique_ptr<Sink>> make(const OptionMap& given) {
    TAFFRAIL_ASSIGN(Options parsed, schema().parse(given));
    return std::unique_ptr<Sink>(std::make_unique<CometSink>(std::move(parsed)));
}

}  // namespace taffrail::sinks::comet
