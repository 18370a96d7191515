#include "run/forked_logs.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "record/cursor.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/open_log.h"
#include "transfer/adopt.h"

namespace taffrail::run {
namespace {

void report(const std::string& sink, const Error& error) {
    diagnose_once(DiagnosticLevel::Warning, "sink." + sink + ".forked",
                  "what a forked process logs does not reach '" + sink +
                      "' now, it is kept: " + error.message);
}

}  // namespace

void hand_to_sinks_of(std::uint64_t parent, std::uint64_t child, const std::string& run_folder) {
    for (const transfer::NotedSink& sink : transfer::noted_sinks(run_folder)) {
        const std::string path = record::cursor_path(run_folder, sink.name, child);
        // Sinks of earlier attempts and of other ranks have no cursor in the parent's log. One for
        // the child may be there when its parent adds a sink right now: ForkedLogs::begin().
        if (!io::exists(record::cursor_path(run_folder, sink.name, parent)) || io::exists(path)) {
            continue;
        }
        if (auto written = record::write_cursor(path, {}); !written.ok()) {
            report(sink.name, written.error());
        }
    }
}

ForkedLogs::ForkedLogs(std::string run_folder, std::string spool, std::string sink,
                       std::uint64_t parent)
    : run_folder_(std::move(run_folder)),
      spool_(std::move(spool)),
      sink_(std::move(sink)),
      parent_(parent) {
    known_.insert(parent);
}

std::vector<store::WriterGlance> ForkedLogs::unknown_children() {
    std::vector<store::WriterGlance> children;
    for (store::WriterGlance& seen : store::glance_at_writers_but(run_folder_, known_)) {
        if (seen.identity.forked_from == parent_) {
            children.push_back(std::move(seen));
        } else {
            known_.insert(seen.identity.writer);
        }
    }
    return children;
}

void ForkedLogs::begin() {
    for (const store::WriterGlance& child : unknown_children()) {
        const std::uint64_t writer = child.identity.writer;
        const std::string path = record::cursor_path(run_folder_, sink_, writer);
        if (io::exists(path)) {
            continue;
        }
        if (child.finished ||
            !store::writer_is_alive(run_folder_, child.identity, child.last_sign_ns)) {
            known_.insert(writer);
            continue;
        }
        const auto noted = [&]() -> Result<void> {
            TAFFRAIL_ASSIGN(const auto log, store::open_log_reader(run_folder_, writer, spool_));
            TAFFRAIL_ASSIGN(const record::LogPosition end, record::end_of(*log));
            return record::write_cursor(path, end);
        }();
        if (!noted.ok()) {
            report(sink_, noted.error());
        }
    }
}

std::vector<record::Backlog> ForkedLogs::take() {
    std::vector<record::Backlog> logs;
    for (const store::WriterGlance& child : unknown_children()) {
        const std::uint64_t writer = child.identity.writer;
        std::string path = record::cursor_path(run_folder_, sink_, writer);
        if (!io::exists(path)) {
            continue;  // its child is about to write it, or died before it logged anything
        }
        auto start = record::read_cursor(path);
        auto log = store::open_log_reader(run_folder_, writer, spool_);
        if (!start.ok() || !log.ok()) {
            report(sink_, start.ok() ? log.error() : start.error());
            continue;
        }
        logs.push_back({*std::move(log), std::move(path), *start});
        known_.insert(writer);
    }
    return logs;
}

}  // namespace taffrail::run
