#include "trackers/tracker_sink.h"

#include "base/diagnostics.h"
#include "base/try.h"

namespace taffrail::trackers {

Result<void> TrackerSink::open(const SinkContext& context) {
    is_silent_ = context.rank != 0;
    if (is_silent_ || is_open_) {
        return {};
    }
    TAFFRAIL_ASSIGN(const std::string where, target(context));
    is_silent_ = where.empty();
    if (is_silent_) {
        return {};
    }
    run_id_ = context.run_id;
    state_path_ = state_path(context.run_folder, name_, where);
    watched_.emplace(context.run_folder, all_ranks_ ? std::nullopt : std::optional(context.rank),
                     context.attempt);
    const auto state = read_state(state_path_, run_id_);
    for (const std::string& line : state ? state->lines : std::vector<std::string>()) {
        static_cast<void>(delivered_.restore(line) || watched_->restore(line));
    }
    TAFFRAIL_TRY(start(all_ranks_ ? ranked_.begin(context) : context, state));
    is_open_ = true;
    return save();
}

Result<void> TrackerSink::write(std::span<const Record> records, std::size_t& delivered) {
    delivered = 0;
    for (const Record& record : records) {
        if (!is_silent_ && !delivered_.seen_before(record)) {
            if (const Record* told = all_ranks_ ? ranked_.told(record) : &record) {
                TAFFRAIL_TRY(take(*told));
            }
            delivered_.note(record);
        }
        ++delivered;
    }
    return {};
}

Result<void> TrackerSink::watch(bool is_the_end) {
    if (!wants_console_ && !wants_load_) {
        return {};
    }
    auto news = watched_->next(is_the_end);
    if (!news.ok()) {
        // The data goes on without them.
        diagnose_once(DiagnosticLevel::Warning, name_ + " console",
                      name_ + ": the console and the machine's load stay in the native store: " +
                          news.error().message);
        return {};
    }
    for (ConsoleLine& line : news->lines) {
        if (!wants_console_) {
            break;
        }
        if (keys_ == KeysOfRanks::Suffix) {
            line.text = line_of_rank(std::move(line.text), line.rank);
        }
        console(line);
    }
    for (const LoadReading& reading : news->load) {
        if (wants_load_) {
            load(reading);
        }
    }
    return {};
}

Result<void> TrackerSink::save() {
    SinkState state;
    TAFFRAIL_TRY(write_out(state));
    state.lines = {delivered_.save(), watched_->save()};
    return write_state(state_path_, run_id_, state);
}

Result<void> TrackerSink::flush() {
    if (is_silent_ || !is_open_) {
        return {};
    }
    TAFFRAIL_TRY(watch(false));
    return save();
}

Result<void> TrackerSink::close(RunState state) {
    if (is_silent_ || !is_open_) {
        return {};
    }
    TAFFRAIL_TRY(watch(state != RunState::Running));
    TAFFRAIL_TRY(save());
    return end(state, reason_);
}

Result<void> TrackerSink::skipped(std::string_view key, const Error& error) const {
    if (error.code == ErrorCode::Io || error.code == ErrorCode::NoSpace ||
        error.code == ErrorCode::PermissionDenied) {
        return error;
    }
    diagnose_once(DiagnosticLevel::Warning, name_ + " " + std::string(key),
                  name_ + ": '" + std::string(key) + "': " + error.message);
    return {};
}

}  // namespace taffrail::trackers
