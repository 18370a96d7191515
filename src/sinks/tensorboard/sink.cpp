#include "sinks/tensorboard/sink.h"

#include "base/diagnostics.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/formats/tensorboard/hparams.h"
#include "io/files.h"
#include "sinks/tensorboard/encode_record.h"
#include "sinks/tensorboard/folders.h"
#include "sinks/tensorboard/projector_files.h"

#include <algorithm>
#include <cstdlib>

namespace taffrail::tensorboard {
namespace {

// A write larger than this goes to the file even before the runner asks for a flush.
constexpr std::size_t kPendingBytes = std::size_t{4} << 20;

}  // namespace

Result<SinkOptions> parse_options(const OptionMap& options) {
    static const std::vector<std::string> known{
        "log_dir",    "name",      "version",    "comment",   "filename_suffix",
        "purge_step", "max_queue", "flush_secs", "group_name"};
    SinkOptions parsed;
    for (const auto& [key, text] : options) {
        const auto wrong = [&, &name = key, &given = text](std::string_view wanted) {
            return Error{ErrorCode::InvalidArgument, "tensorboard: " + name + " must be " +
                                                         std::string(wanted) + ", not '" + given +
                                                         "'"};
        };
        if (key == "log_dir" || key == "logdir" || key == "save_dir") {
            parsed.log_dir = text;
        } else if (key == "name") {
            parsed.name = text;
            parsed.versioned = true;
        } else if (key == "version") {
            parsed.version = text;
            parsed.versioned = true;
        } else if (key == "comment") {
            parsed.comment = text;
        } else if (key == "filename_suffix") {
            parsed.filename_suffix = text;
        } else if (key == "group_name") {
            parsed.group_name = text;
        } else if (key == "purge_step") {
            parsed.purge_step = parse_int(text);
            if (!parsed.purge_step && !text.empty()) {
                return wrong("a step");
            }
        } else if (key == "max_queue") {
            const auto number = parse_int(text);
            if (!number || *number < 0) {
                return wrong("a whole number, 0 or more");
            }
            parsed.max_queue = static_cast<std::size_t>(*number);
        } else if (key == "flush_secs") {
            const auto number = parse_double(text);
            if (!number || !(*number > 0)) {
                return wrong("a number of seconds above 0");
            }
            parsed.flush_secs = *number;
        } else {
            return Error{ErrorCode::InvalidArgument,
                         "tensorboard: no option '" + key + "'" + did_you_mean(key, known)};
        }
    }
    return parsed;
}

Result<void> TensorboardSink::open(const SinkContext& context) {
    context_ = context;
    std::string folder = expand_path(options_.log_dir);
    if (folder.empty()) {
        folder = io::join(context.run_folder, "tensorboard" + options_.comment);
    }
    if (options_.versioned) {
        folder = versioned_folder(folder, options_.name, options_.version);
    }
    if (context.rank > 0) {
        // Ranks that log the same tags into one run would tangle their curves.
        folder = io::join(folder, "rank_" + std::to_string(context.rank));
    }
    TAFFRAIL_TRY(delivered_.open(context.run_folder, folder));
    const std::optional<Step> resume =
        options_.purge_step ? options_.purge_step : context.resume_step;
    TAFFRAIL_ASSIGN(
        log_,
        EventLog::create(
            {.folder = folder,
             .filename_suffix = options_.filename_suffix,
             .resume_step = context.attempt > 0 || options_.purge_step ? resume : std::nullopt,
             .resumed = context.attempt > 0},
            to_seconds(options_.now_ns())));
    return delivered_.begin(log_->path(), log_->length());
}

bool TensorboardSink::accepts(Kind kind) const noexcept {
    return has_place(kind);
}

std::chrono::milliseconds TensorboardSink::flush_interval() const noexcept {
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(std::min(options_.flush_secs, 1e9) * 1000));
}

Result<void> TensorboardSink::write(std::span<const Record> records, std::size_t& delivered) {
    delivered = 0;
    for (const Record& record : records) {
        if (!delivered_.seen_before(record)) {
            take(record);
        }
        delivered_.note(record);
        ++delivered;
        if (log_->pending_bytes() > kPendingBytes) {
            TAFFRAIL_TRY(log_->write_out());
        }
    }
    return {};
}

void TensorboardSink::take(const Record& record) {
    const double wall_time = to_seconds(record.time_ns);
    last_step_ = std::max(last_step_, record.step);
    if (record.kind == Kind::Scalar) {
        log_->scalar(record.key, record.step, wall_time, record.scalar);
        return;
    }
    const Value& value = *record.value;
    if (const auto* hparams = std::get_if<Hparams>(&value)) {
        for (const auto& [name, cell] : *hparams) {
            const auto known = std::find_if(hparams_.begin(), hparams_.end(),
                                            [&](const auto& one) { return one.first == name; });
            if (known != hparams_.end()) {
                known->second = cell;
            } else {
                hparams_.emplace_back(name, cell);
            }
        }
        hparams_time_ = wall_time;
        hparams_waiting_ = !hparams_written_;
        if (hparams_written_) {
            diagnose_once(DiagnosticLevel::Warning, "tensorboard late hparams",
                          "tensorboard: hyperparameters logged after the first flush stay out of "
                          "its HPARAMS page; TensorBoard "
                          "takes the first ones only");
        }
        return;
    }
    if (const auto* graph = std::get_if<Graph>(&value)) {
        log_->graph(*graph, record.step, wall_time);
        return;
    }
    if (const auto* embedding = std::get_if<Embedding>(&value)) {
        if (const auto written =
                write_embedding(log_->folder(), record.key, record.step, *embedding);
            !written.ok()) {
            diagnose_once(DiagnosticLevel::Warning, "tensorboard embedding",
                          "tensorboard: " + written.error().message);
        }
        return;
    }
    auto encoded = encode_logged(record.key, value);
    if (!encoded.ok()) {
        // One value that cannot be shown must not hold up those behind it.
        diagnose_once(DiagnosticLevel::Warning, "tensorboard " + std::string(record.key),
                      "tensorboard: " + encoded.error().message);
        return;
    }
    log_->values(*encoded, record.step, wall_time);
}

void TensorboardSink::write_hparams() {
    if (!hparams_waiting_) {
        return;
    }
    hparams_waiting_ = false;
    hparams_written_ = true;
    log_->value(encode_hparams(kSessionStartTag,
                               encode_session_start(hparams_, options_.group_name, hparams_time_)),
                0, hparams_time_);
}

Result<void> TensorboardSink::flush() {
    write_hparams();
    TAFFRAIL_TRY(log_->write_out());
    return delivered_.save(log_->path(), log_->length());
}

// As a block of code, which Markdown leaves as it is: texts of exceptions are full of its signs.
void TensorboardSink::write_reason(RunState state, double now) {
    if (reason_.empty() || state == RunState::Running || state == RunState::Finished) {
        return;
    }
    std::string text = std::string(to_string(state)) + ":\n";
    for (const std::string_view line : split(reason_, '\n')) {
        text += "\n    " + std::string(line);
    }
    if (auto encoded = encode_logged(kReasonTag, Text{.text = std::move(text)}); encoded.ok()) {
        log_->values(*encoded, last_step_, now);
    }
}

Result<void> TensorboardSink::close(RunState state) {
    if (!log_) {
        return {};
    }
    write_hparams();
    const double now = to_seconds(options_.now_ns());
    write_reason(state, now);
    if ((hparams_written_ || options_.marks_every_end) && state != RunState::Running) {
        log_->value(encode_hparams(kSessionEndTag, encode_session_end(state, now)), 0, now);
    }
    return log_->write_out();
}

}  // namespace taffrail::tensorboard
