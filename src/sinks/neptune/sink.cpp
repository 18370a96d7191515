#include "sinks/neptune/sink.h"

#include "base/sha256.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/formats/neptune/names.h"
#include "codec/json_writer.h"
#include "codec/value_files.h"
#include "io/files.h"
#include "io/inside.h"
#include "sqlite/library.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace taffrail::sinks::neptune {

using namespace formats::neptune;

namespace {

constexpr std::size_t kLongestUpdate = std::size_t{1} << 20;
constexpr std::size_t kLongestText = std::size_t{1} << 20;
constexpr Step kMostSteps = 1'000'000'000'000;
constexpr const char* kFile = "run_operations.sqlite3";

}  // namespace

NeptuneSink::NeptuneSink(Options options)
    : TrackerSink("neptune", options.ranks),
      given_(std::move(options)),
      names_({.refuses = [](std::string_view name,
                            std::size_t i) { return i == 0 && is_reserved(name); },
              // Room for the paths that are made of it.
              .longest = kLongestPath - 64}) {}

Result<std::string> NeptuneSink::target(const SinkContext& context) {
    TAFFRAIL_ASSIGN(options_, completed(given_, context));
    return options_.log_dir + " " + options_.project + " " + options_.id;
}

Result<void> NeptuneSink::start(const SinkContext& context,
                                const std::optional<trackers::SinkState>& state) {
    wants_console_ = options_.console;
    wants_load_ = options_.system_metrics;
    last_time_ns_ = context.start_time_ns != 0 ? context.start_time_ns : options_.now_ns();
    const std::string prefix = folder_part(options_.project) + "_" + folder_part(options_.id) + "_";
    if (state) {
        lines_ = state->number("lines");
        readings_ = state->number("readings");
        files_ = state->number("files");
        last_time_ns_ = std::max(last_time_ns_, state->number("time"));
        for (const auto& [name, text] : state->fields) {
            if (name.starts_with("series.")) {
                Series& series =
                    series_of(std::string(as_text(from_hex(std::string_view(name).substr(7)))));
                series.next = static_cast<std::uint64_t>(
                    parse_int(std::string_view(text).substr(0, text.find(' '))).value_or(0));
                series.says_step = text.ends_with(" 1");
            }
        }
        // The state may be a stranger's: it must not name another file to change.
        const std::string name = state->text("name");
        const std::string path = io::join(io::join(options_.log_dir, name), kFile);
        if (io::is_plain_name(name) && name.starts_with(prefix) && !io::is_link(path) &&
            !io::is_link(io::parent(path)) && io::exists(path)) {
            folder_ = io::parent(path);
            TAFFRAIL_ASSIGN(log_, OperationsLog::reopen(path, state->number("operation"),
                                                        state->number("file")));
            return describe(context);
        }
    }
    std::int64_t stamp = options_.now_ns();
    do {
        folder_ = io::join(options_.log_dir, prefix + std::to_string(stamp++));
    } while (io::exists(folder_));
    TAFFRAIL_TRY(io::make_directories(io::join(folder_, "files")));
    TAFFRAIL_ASSIGN(log_,
                    OperationsLog::create(io::join(folder_, kFile), options_.project, options_.id));
    if (!state) {
        TAFFRAIL_TRY(log_->add(Operation::Create,
                               encode_create({options_.id, options_.name, last_time_ns_}),
                               last_time_ns_));
    }
    return describe(context);
}

Result<void> NeptuneSink::assign(std::string_view path, const Cell& value) {
    update_.assign(path, cell_value(value));
    return update_.size() > kLongestUpdate ? end_update() : Result<void>();
}

Result<void> NeptuneSink::assign_all(std::string_view prefix, const Hparams& values) {
    TAFFRAIL_TRY(end_update());
    for (const auto& [name, cell] : values) {
        const auto* number = std::get_if<double>(&cell);
        const bool is_odd = number != nullptr && !std::isfinite(*number);
        TAFFRAIL_TRY(assign(std::string(prefix) + names_.name_of(name),
                            is_odd ? Cell(format_double(*number)) : cell));
    }
    Bytes bytes = update_.take({}, last_time_ns_);
    return values.empty() ? Result<void>() : log_->add(Operation::Update, bytes, last_time_ns_);
}

Result<void> NeptuneSink::describe(const SinkContext& context) {
    Hparams about = {{"taffrail/run_id", context.run_id}};
    const std::pair<const char*, const std::string*> texts[] = {
        {"sys/description", &context.notes}, {"taffrail/job_type", &context.job_type}};
    for (const auto& [path, text] : texts) {
        if (!text->empty()) {
            about.emplace_back(path, *text);
        }
    }
    if (context.attempt > 0) {
        about.emplace_back("taffrail/attempts", static_cast<std::int64_t>(context.attempt) + 1);
    }
    for (const auto& [path, cell] : about) {
        update_.assign(path, cell_value(cell));
    }
    for (std::size_t i = 0; i < options_.tags.size(); ++i) {
        // A path stands once in an update.
        if (i > 0) {
            TAFFRAIL_TRY(
                log_->add(Operation::Update, update_.take({}, last_time_ns_), last_time_ns_));
        }
        update_.add_tag("sys/tags", options_.tags[i], false);
    }
    if (!context.group.empty()) {
        update_.add_tag("sys/group_tags", context.group, false);
    }
    TAFFRAIL_TRY(log_->add(Operation::Update, update_.take({}, last_time_ns_), last_time_ns_));
    TAFFRAIL_TRY(assign_all("config/", context.config));
    TAFFRAIL_TRY(assign_all("summary/", context.summary));
    for (const MetricDefinition& metric : context.metrics) {
        const Value value = metric;
        TAFFRAIL_TRY(take({.key = metric.pattern,
                           .kind = Kind::MetricDefinition,
                           .time_ns = last_time_ns_,
                           .value = &value}));
    }
    return {};
}

NeptuneSink::Series& NeptuneSink::series_of(const std::string& path) {
    Series& series = series_[path];
    series.path = path;
    return series;
}

NeptuneSink::Series& NeptuneSink::series_of_key(std::string_view key) {
    if (Series* known = by_key_.find(key); known != nullptr) {
        return *known;
    }
    const std::size_t before = names_.long_names().size();
    const std::string& name = names_.name_of(key);
    Series& made = by_key_.add(key, series_of(name));
    if (names_.long_names().size() > before) {
        update_.assign("taffrail/key/" + name, text_value(key));
    }
    return made;
}

std::uint64_t NeptuneSink::place(Series& series, Step step) {
    const bool fits = step >= 0 && step <= kMostSteps;
    const std::uint64_t wanted = fits ? static_cast<std::uint64_t>(step) * kMicro : 0;
    const std::uint64_t placed = fits && wanted >= series.next ? wanted : series.next;
    series.says_step = series.says_step || !fits || placed != wanted;
    series.next = placed + 1;
    return placed;
}

Result<void> NeptuneSink::end_update() {
    if (update_.empty()) {
        return {};
    }
    ++row_;
    return log_->add(Operation::Update, update_.take(update_place_, update_time_ns_),
                     update_time_ns_);
}

Result<void> NeptuneSink::scalar(const Record& record) {
    Series& series = series_of_key(record.key);
    const std::uint64_t at = place(series, record.step);
    if (!update_.empty() && (at != update_place_ || record.time_ns != update_time_ns_ ||
                             series.row == row_ || update_.size() > kLongestUpdate)) {
        TAFFRAIL_TRY(end_update());
    }
    update_place_ = at;
    update_time_ns_ = record.time_ns;
    series.row = row_;
    if (std::isfinite(record.scalar)) {
        if (series.number_head.empty()) {
            series.number_head = number_head(series.path);
        }
        update_.append_number(series.number_head, record.scalar);
    } else {
        // A server refuses such numbers; as words they are kept.
        update_.append(series.path + "/not_finite", text_value(format_double(record.scalar)));
    }
    if (series.says_step) {
        update_.append_number(number_head("taffrail/step/" + series.path),
                              static_cast<double>(record.step));
    }
    return {};
}

Result<void> NeptuneSink::point(const std::string& path, Step step, std::int64_t time_ns,
                                ByteSpan value) {
    TAFFRAIL_TRY(end_update());
    Series& series = series_of(path);
    const std::uint64_t at = place(series, step);
    update_.append(path, value);
    if (series.says_step) {
        update_.append_number(number_head("taffrail/step/" + path), static_cast<double>(step));
    }
    return log_->add(Operation::Update, update_.take(at, time_ns), time_ns);
}

Result<void> NeptuneSink::value(const Record& record) {
    const Value& value = *record.value;
    const std::string path = series_of_key(record.key).path;
    const auto* text = std::get_if<Text>(&value);
    if (text != nullptr && text->text.size() < kLongestText) {
        return point(path, record.step, record.time_ns, text_value(text->text));
    }
    if (const auto* histogram = std::get_if<Histogram>(&value)) {
        return point(path, record.step, record.time_ns, histogram_value(*histogram));
    }
    TAFFRAIL_ASSIGN(const std::vector<ValueFile> files, files_of(value));
    for (const ValueFile& file : files) {
        // The kind stands in the path's last part, so that readers know it again.
        const std::string attribute =
            files.size() == 1 && record.kind != Kind::Artifact ? path : path + "/" + file.name;
        std::string ending(file.ending());
        std::erase_if(ending,
                      [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
        const std::string name = std::string(to_string(record.kind)) + "-" +
                                 std::to_string(files_++) + (ending.empty() ? "" : "." + ending);
        std::error_code failed;
        const std::string stored =
            std::filesystem::absolute(io::join(io::join(folder_, "files"), name), failed).string();
        TAFFRAIL_TRY(io::write_file_atomically(stored, file.bytes, false));
        const std::string attribute_path = attribute.substr(0, kLongestPath);
        Series& series = series_of(attribute_path);
        const std::uint64_t next =
            std::max(series.next, record.step >= 0 && record.step <= kMostSteps
                                      ? static_cast<std::uint64_t>(record.step) * kMicro
                                      : 0);
        const std::string where = destination(options_.id, attribute_path, next, name);
        TAFFRAIL_TRY(point(attribute_path, record.step, record.time_ns,
                           file_value(where, file.bytes.size(), file.mime)));
        TAFFRAIL_TRY(log_->add_file(stored, where, file.mime, file.bytes.size()));
    }
    return {};
}

Result<void> NeptuneSink::take(const Record& record) {
    last_time_ns_ = std::max(last_time_ns_, record.time_ns);
    if (record.kind == Kind::Scalar) {
        return scalar(record);
    }
    const Value& held = *record.value;
    if (const auto* hparams = std::get_if<Hparams>(&held)) {
        return assign_all("config/", *hparams);
    }
    if (const auto* summary = std::get_if<SummaryValues>(&held)) {
        return assign_all("summary/", summary->values);
    }
    TAFFRAIL_TRY(end_update());
    if (const auto* metric = std::get_if<MetricDefinition>(&held)) {
        const MetricOptions& options = metric->options;
        JsonWriter json;
        json.begin_object().member("step", options.step);
        json.member("summary", static_cast<int>(options.summary));
        json.member("goal", static_cast<int>(options.goal)).member("hidden", options.hidden);
        json.end_object();
        update_.assign("taffrail/metric/" + names_.name_of(metric->pattern),
                       text_value(json.text()));
    } else if (const auto* note = std::get_if<Note>(&held)) {
        update_.assign("sys/description", text_value(note->text));
    } else if (const auto* tag = std::get_if<Tag>(&held)) {
        update_.add_tag("sys/tags", tag->tag, tag->removed);
    } else if (const auto* alert = std::get_if<Alert>(&held)) {
        return point("taffrail/alerts", record.step, record.time_ns,
                     text_value(std::string(alert->level == AlertLevel::Error     ? "ERROR"
                                            : alert->level == AlertLevel::Warning ? "WARN"
                                                                                  : "INFO") +
                                ": " + alert->title + ": " + alert->text));
    } else if (const auto done = value(record); !done.ok()) {
        return skipped(record.key, done.error());
    }
    return update_.empty()
               ? Result<void>()
               : log_->add(Operation::Update, update_.take({}, record.time_ns), record.time_ns);
}

void NeptuneSink::console(const ConsoleLine& line) {
    const auto done = point(line.is_error ? "runtime/stderr" : "runtime/stdout", lines_++,
                            line.time_ns, text_value(line.text.substr(0, kLongestText - 1)));
    if (!done.ok()) {
        failure_ = done.error();
    }
}

void NeptuneSink::load(const trackers::LoadReading& reading) {
    for (const auto& [key, value] : reading.values) {
        const std::string path = "runtime/" + key + trackers::rank_suffix(reading.rank);
        if (const auto done = point(path, readings_, reading.time_ns, float_value(value));
            !done.ok()) {
            failure_ = done.error();
        }
    }
    ++readings_;
}

Result<void> NeptuneSink::write_out(trackers::SinkState& state) {
    if (failure_) {
        return *std::exchange(failure_, std::nullopt);
    }
    TAFFRAIL_TRY(end_update());
    TAFFRAIL_TRY(log_->write_out());
    state.fields = {{"name", folder_.substr(folder_.rfind('/') + 1)},
                    {"operation", std::to_string(log_->last_operation())},
                    {"file", std::to_string(log_->last_file())},
                    {"lines", std::to_string(lines_)},
                    {"readings", std::to_string(readings_)},
                    {"files", std::to_string(files_)},
                    {"time", std::to_string(last_time_ns_)}};
    for (const auto& [path, series] : series_) {
        state.fields["series." + to_hex(as_bytes(path))] =
            std::to_string(series.next) + (series.says_step ? " 1" : " 0");
    }
    return {};
}

Result<void> NeptuneSink::end(RunState state, const std::string& reason) {
    if (state != RunState::Running) {
        // Behind what is noted: who comes again with more removes it and goes on.
        update_.assign("taffrail/state", text_value(to_string(state)));
        if (!reason.empty()) {
            update_.assign("taffrail/state_reason", text_value(reason));
        }
        TAFFRAIL_TRY(log_->add(Operation::Update, update_.take({}, last_time_ns_), last_time_ns_));
    }
    return log_->close();
}

Result<std::unique_ptr<Sink>> make(const OptionMap& given) {
    // Said before a run begins: a program that asked for it learns at once what is missing.
    TAFFRAIL_TRY(sqlite::available());
    TAFFRAIL_ASSIGN(Options parsed, schema().parse(given));
    return std::unique_ptr<Sink>(std::make_unique<NeptuneSink>(std::move(parsed)));
}

}  // namespace taffrail::sinks::neptune
