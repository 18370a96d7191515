#include "zones/zone_file.h"

#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "base/try.h"
#include "io/files.h"
#include "profile/formats/tprof/tprof.h"
#include "zones/named_sites.h"
#include "zones/snapshot.h"
#include "zones/this_thread.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace taffrail::zones {

namespace {

namespace tprof = profile::tprof;

constexpr std::int64_t kSecond = 1'000'000'000;

// A table a minute is a few megabytes a day; in the beginning people wait for it.
std::int64_t table_pause_ns(std::int64_t age_ns) {
    return (age_ns < 600 * kSecond ? 10 : 60) * kSecond;
}

std::uint64_t add_nodes(const Branch& branch, std::uint32_t parent, double ns_per_tick,
                        std::vector<tprof::TableNode>& to) {
    std::uint64_t calls = 0;
    for (const auto& child : branch.children) {
        const auto ns = [&](double ticks) {
            return static_cast<std::uint64_t>(ticks * ns_per_tick);
        };
        const Sums& sums = child->sums;
        to.push_back({.parent = parent,
                      .name = child->name,
                      .file = child->file,
                      .line = child->line,
                      .open = sums.open > 0,
                      .calls = sums.calls,
                      .total_ns = ns(static_cast<double>(sums.total())),
                      .least_ns = sums.calls == 0 ? 0 : ns(static_cast<double>(sums.least)),
                      .most_ns = ns(static_cast<double>(sums.most)),
                      .p50_ns = ns(sums.percentile(0.5)),
                      .p99_ns = ns(sums.percentile(0.99))});
        calls +=
            sums.calls + add_nodes(*child, static_cast<std::uint32_t>(to.size()), ns_per_tick, to);
    }
    return calls;
}

}  // namespace

Result<std::unique_ptr<ZoneFile>> ZoneFile::create(const std::string& path,
                                                   const std::string& writer) {
    TAFFRAIL_TRY(io::make_directories(io::parent(path)));
    std::unique_ptr<ZoneFile> made(new ZoneFile);
    made->path_ = path;
    made->writer_ = writer;
    TAFFRAIL_ASSIGN(made->file_, io::open(path, io::OpenMode::CreateExclusive));
    made->clock_ = make_tick_clock();
    made->begun_ns_ = made->table_ns_ = monotonic_ns();
    made->append(made->header());
    TAFFRAIL_TRY(made->failure_);
    try {
        made->thread_ = start_quiet_thread("taffrail-zones", [file = made.get()] { file->work(); });
    } catch (const std::exception& error) {
        return Error{ErrorCode::Unavailable,
                     "no thread that would keep the zones in '" + path + "': " + error.what()};
    }
    return made;
}

ZoneFile::~ZoneFile() {
    static_cast<void>(close());
}

void ZoneFile::append(ByteSpan frame) {
    if (!failure_.ok()) {
        return;
    }
    failure_ = file_->append(frame);
    written_ += frame.size();
    if (!failure_.ok()) {
        diagnose_once(DiagnosticLevel::Warning, "zones.file",
                      "zones are not kept any more: " + failure_.error().message);
    }
}

void ZoneFile::write_sites() {
    std::vector<tprof::Site> sites;
    for (SiteInfo& site : sites_from(sites_written_)) {
        sites_written_ = site.id;
        sites.push_back({site.id, std::move(site.name), std::move(site.file), site.line});
    }
    if (!sites.empty()) {
        append(tprof::encode_sites(sites));
    }
}

void ZoneFile::write_table() {
    table_ns_ = monotonic_ns();
    const Snapshot snapshot = take_snapshot();
    std::vector<tprof::TableNode> nodes;
    const std::uint64_t calls = add_nodes(snapshot.root, 0, snapshot.seconds_per_tick * 1e9, nodes);
    if (calls != calls_written_) {
        calls_written_ = calls;
        append(tprof::encode_table(nodes, wall_time_ns(), snapshot.steps.calls));
    }
}

// Zones that ended, thread by thread. Their sites go first: whoever reads so far knows their names.
void ZoneFile::write_zones() {
    AllThreads& all = all_threads();
    std::vector<TraceBuffer*> buffers;
    {
        const std::lock_guard lock(all.mutex);
        for (const ThreadZones* zones : all.threads) {
            if (zones->own_trace != nullptr) {
                buffers.push_back(zones->own_trace);
            }
        }
    }
    std::uint64_t lost = 0;
    for (TraceBuffer* buffer : buffers) {
        std::vector<tprof::ZoneRecord> zones;
        std::vector<tprof::StepMark> steps;
        buffer->drain([&](const TracedZone& zone) {
            const std::int64_t begin = clock_.to_wall_ns(zone.since);
            if (zone.site == kStepMark) {
                steps.push_back({static_cast<std::int64_t>(zone.until), begin});
                return;
            }
            zones.push_back({begin,
                             static_cast<std::uint64_t>(
                                 std::max<std::int64_t>(0, clock_.to_wall_ns(zone.until) - begin)),
                             static_cast<std::uint32_t>(zone.site)});
        });
        lost += buffer->take_lost();
        if (!steps.empty()) {
            append(tprof::encode_steps(steps));
        }
        if (!zones.empty()) {
            write_sites();
            const Bytes frame =
                tprof::encode_zones(static_cast<std::uint64_t>(buffer->thread_id), zones);
            trace_bytes_ += frame.size();
            append(frame);
        }
    }
    if (lost > 0) {
        append(tprof::encode_loss(lost, tprof::LossReason::Buffer));
    }
}

void ZoneFile::close_trace(bool because_of_budget) {
    AllThreads& all = all_threads();
    {
        const std::lock_guard lock(all.mutex);
        all.tracing = false;
        for (ThreadZones* zones : all.threads) {
            zones->trace.store(nullptr, std::memory_order_release);
        }
    }
    write_zones();
    tracing_ = false;
    window_end_ = written_;
    if (because_of_budget) {
        append(tprof::encode_loss(0, tprof::LossReason::Budget));
        diagnose_once(DiagnosticLevel::Warning, "zones.budget:" + path_,
                      "the trace of zones has reached its " + std::to_string(trace_budget_) +
                          " bytes and ends here; the table goes on. Give start_zone_trace() a "
                          "larger max_bytes to keep more");
    }
}

void ZoneFile::work() {
    std::unique_lock lock(mutex_);
    while (!closing_) {
        const auto pause =
            tracing_ ? std::chrono::milliseconds(5) : std::chrono::milliseconds(1000);
        wake_.wait_for(lock, pause);
        if (tracing_) {
            write_zones();
            if (trace_bytes_ >= trace_budget_) {
                close_trace(true);
            }
        }
        const std::int64_t now = monotonic_ns();
        if (now - table_ns_ >= table_pause_ns(now - begun_ns_)) {
            write_table();
        }
    }
}

void ZoneFile::start_trace(std::uint64_t max_bytes) {
    const std::lock_guard lock(mutex_);
    tracing_ = true;
    trace_budget_ = max_bytes;
    trace_bytes_ = 0;
    window_begin_ = written_;
    sites_written_ = 0;  // a window can be read without what stands before it
    AllThreads& all = all_threads();
    const std::lock_guard of_threads(all.mutex);
    all.tracing = true;
    for (ThreadZones* zones : all.threads) {
        if (!zones->ended.load(std::memory_order_acquire)) {
            begin_trace(*zones);
        }
    }
    wake_.notify_all();
}

Result<void> ZoneFile::stop_trace() {
    const std::lock_guard lock(mutex_);
    if (tracing_) {
        close_trace(false);
    }
    return failure_;
}

// Timelines are called by the program: the number of a writer tells nobody anything.
Bytes ZoneFile::header() const {
    return tprof::encode_header({.writer = writer_,
                                 .process_id = static_cast<std::uint64_t>(::getpid()),
                                 .start_ns = wall_time_ns(),
                                 .program = program_invocation_short_name});
}

Result<Bytes> ZoneFile::read_window() {
    const std::lock_guard lock(mutex_);
    TAFFRAIL_TRY(failure_);
    Bytes bytes = header();
    const std::size_t header_bytes = bytes.size();
    bytes.resize(header_bytes + (window_end_ - window_begin_));
    TAFFRAIL_ASSIGN(const std::size_t got,
                    file_->read_at(window_begin_, std::span(bytes).subspan(header_bytes)));
    bytes.resize(header_bytes + got);
    return bytes;
}

bool ZoneFile::tracing() const {
    const std::lock_guard lock(mutex_);
    return tracing_;
}

Result<void> ZoneFile::close() {
    {
        const std::lock_guard lock(mutex_);
        if (closing_ || !file_) {
            return failure_;
        }
        closing_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
    if (tracing_) {
        close_trace(false);
    }
    calls_written_ = 0;
    write_table();
    append(tprof::encode_end(wall_time_ns()));
    return failure_;
}

}  // namespace taffrail::zones
