#include "sinks/tensorboard/event_logs.h"

#include "base/clock.h"
#include "base/diagnostics.h"
#include "codec/capture.h"
#include "codec/formats/tensorboard/hparams.h"
#include "io/files.h"
#include "sinks/tensorboard/encode_record.h"
#include "sinks/tensorboard/projector_files.h"

#include <algorithm>

namespace taffrail::sinks::tensorboard {

void EventLogs::fail(const Error& error) {
    diagnose_once(DiagnosticLevel::Warning, "summary writer: " + error.message,
                  "SummaryWriter: " + error.message);
    if (failure_.ok()) {
        failure_ = error;
    }
}

EventLog* EventLogs::below(const std::string& name) {
    if (const auto known = below_.find(name); known != below_.end()) {
        return known->second.get();
    }
    auto log = EventLog::create({.folder = io::join(main_->folder(), name),
                                 .filename_suffix = filename_suffix_,
                                 .resume_step = std::nullopt,
                                 .resumed = false},
                                to_seconds(wall_time_ns()));
    if (!log.ok()) {
        fail(log.error());
        return nullptr;
    }
    return below_.emplace(name, std::move(*log)).first->second.get();
}

void EventLogs::value(std::string_view tag, const Value& value, Step step, double wall_time) {
    if (const auto* graph = std::get_if<Graph>(&value)) {
        main_->graph(*graph, step, wall_time);
        return;
    }
    // Frames stay frames here: the encoder at hand may be MP4, which TensorBoard cannot show.
    Value copy;
    const Value* ready = &value;
    if (kind_of(value) != Kind::Video) {
        copy = value;
        if (const auto encoded = encode_media(copy); !encoded.ok()) {
            fail(encoded.error());
            return;
        }
        ready = &copy;
    }
    if (const auto* embedding = std::get_if<Embedding>(ready)) {
        if (const auto written = write_embedding(main_->folder(), tag, step, *embedding);
            !written.ok()) {
            fail(written.error());
        }
        return;
    }
    auto encoded = encode_logged(tag, *ready);
    if (!encoded.ok()) {
        fail(encoded.error());
        return;
    }
    main_->values(*encoded, step, wall_time);
}

void EventLogs::hparams(EventLog& log, const Hparams& hparams, double wall_time) {
    Session& session = sessions_[&log];
    for (const auto& [name, cell] : hparams) {
        const auto known =
            std::find_if(session.hparams.begin(), session.hparams.end(),
                         [&, &wanted = name](const auto& one) { return one.first == wanted; });
        if (known != session.hparams.end()) {
            known->second = cell;
        } else {
            session.hparams.emplace_back(name, cell);
        }
    }
    if (!session.written) {
        session.written = true;
        log.value(encode_hparams(kSessionStartTag,
                                 encode_session_start(session.hparams, group_name_, wall_time)),
                  0, wall_time);
    }
}

void EventLogs::layout(const std::vector<ScalarChartCategory>& add, double wall_time) {
    for (const ScalarChartCategory& category : add) {
        auto known = std::find_if(layout_.begin(), layout_.end(), [&](const LayoutCategory& one) {
            return one.title == category.title;
        });
        if (known == layout_.end()) {
            known = layout_.insert(
                layout_.end(),
                LayoutCategory{.title = category.title, .charts = {}, .closed = false});
        }
        for (const ScalarChart& chart : category.charts) {
            LayoutChart& to = known->charts.emplace_back();
            to.title = chart.title;
            if (chart.margin) {
                for (std::size_t i = 0; i + 2 < chart.tags.size(); i += 3) {
                    to.margins.push_back({chart.tags[i], chart.tags[i + 1], chart.tags[i + 2]});
                }
            } else {
                for (const std::string& tag : chart.tags) {
                    to.tags.push_back(chart.are_patterns ? tag : exact_tag_pattern(tag));
                }
            }
        }
    }
    main_->value(encode_layout_value(encode_layout(layout_)), 0, wall_time);
}

Result<void> EventLogs::write_out() {
    Result<void> result = main_->write_out();
    for (const auto& [name, log] : below_) {
        if (auto written = log->write_out(); !written.ok() && result.ok()) {
            result = std::move(written);
        }
    }
    if (!result.ok()) {
        fail(result.error());
    }
    return result;
}

Result<void> EventLogs::finish(RunState state) {
    const double now = to_seconds(wall_time_ns());
    for (const auto& [log, session] : sessions_) {
        log->value(encode_hparams(kSessionEndTag, encode_session_end(state, now)), 0, now);
    }
    return write_out();
}

std::size_t EventLogs::pending_events() const noexcept {
    std::size_t events = main_->pending_events();
    for (const auto& [name, log] : below_) {
        events += log->pending_events();
    }
    return events;
}

}  // namespace taffrail::sinks::tensorboard
