#include "sinks/tensorboard/sink.h"

#include "base/diagnostics.h"
#include "base/strings.h"
#include "base/try.h"
#include "codec/formats/tensorboard/hparams.h"
#include "io/expand.h"
#include "io/files.h"
#include "sinks/tensorboard/encode_record.h"
#include "sinks/tensorboard/folders.h"
#include "sinks/tensorboard/projector_files.h"

#include <algorithm>
#include <cstdlib>

namespace taffrail::sinks::tensorboard {
namespace {

// A write larger than this goes to the file even before the runner asks for a flush.
constexpr std::size_t kPendingBytes = std::size_t{4} << 20;

// What define_metric said, in words for the chart's description; the page has no other place for
// it.
std::string meaning_of(const MetricOptions* options) {
    if (options == nullptr) {
        return {};
    }
    std::string text;
    const auto say = [&text](std::string_view words) {
        text += (text.empty() ? "" : " ") + std::string(words);
    };
    if (options->goal != Goal::None) {
        say(options->goal == Goal::Minimize ? "Smaller is better." : "Larger is better.");
    }
    switch (options->summary) {
        case Summary::Min:
            say("Its smallest value counts.");
            break;
        case Summary::Max:
            say("Its largest value counts.");
            break;
        case Summary::Mean:
            say("Its mean counts.");
            break;
        case Summary::Last:
        case Summary::None:
            break;
    }
    if (!options->step.empty()) {
        say("Meant to be drawn over `" + options->step + "`.");
    }
    if (options->hidden) {
        say("Hidden where nobody asks for it.");
    }
    return text;
}

}  // namespace

Result<void> TensorboardSink::open(const SinkContext& context) {
    metrics_ = context.metrics;
    std::string folder = io::expand_path(options_.log_dir);
    if (folder.empty()) {
        folder = io::join(context.run_folder, "tensorboard" + options_.comment);
    }
    if (options_.name || options_.version) {
        folder =
            versioned_folder(folder, options_.name.value_or(""), options_.version.value_or(""));
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
             .resumed = context.attempt > 0,
             .describe_scalar =
                 [this](std::string_view tag) { return meaning_of(find_metric(metrics_, tag)); }},
            to_seconds(options_.now_ns())));
    return delivered_.begin(log_->path(), log_->length());
}

bool TensorboardSink::accepts(Kind kind) const noexcept {
    return has_place(kind) || kind == Kind::MetricDefinition;
}

std::chrono::milliseconds TensorboardSink::flush_interval() const noexcept {
    return std::chrono::milliseconds(
        static_cast<std::int64_t>(std::min(options_.flush_secs, 1e9) * 1000));
}

Result<void> TensorboardSink::write(std::span<const Record> records, std::size_t& delivered) {
    delivered = 0;
    for (const Record& record : records) {
        if (record.kind == Kind::MetricDefinition) {
            // Also one that an earlier process has seen: it speaks of the values behind it.
            put_metric(metrics_, std::get<MetricDefinition>(*record.value));
        } else if (!delivered_.seen_before(record)) {
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

}  // namespace taffrail::sinks::tensorboard
