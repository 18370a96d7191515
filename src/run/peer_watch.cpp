#include "run/peer_watch.h"

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "io/files.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/liveness.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace taffrail::run {

PeerWatch::PeerWatch(PeerWatchOptions options, Gone gone)
    : options_(std::move(options)), gone_(std::move(gone)) {
    thread_ = start_quiet_thread("taffrail-ranks", [this] { loop(); });
}

PeerWatch::~PeerWatch() {
    {
        const std::lock_guard guard(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void PeerWatch::loop() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, options_.interval, [this] { return stop_; })) {
        lock.unlock();
        try {
            look();
        } catch (const std::exception& error) {
            diagnose_once(DiagnosticLevel::Warning, "run.peers",
                          std::string("the other ranks cannot be watched: ") + error.what());
        }
        lock.lock();
    }
}

void PeerWatch::look() {
    for (const auto& file : store::newest_of_each(store::list_logs(options_.run_folder))) {
        look_at(file.writer, file.number);
    }
}

void PeerWatch::look_at(std::uint64_t writer, std::uint32_t newest_file) {
    Peer& peer = peers_[writer];
    peer.newest_file = newest_file;
    if (peer.settled) {
        return;
    }
    if (peer.identity.run_id.empty()) {
        const auto seen = store::glance_at_writer(options_.run_folder, writer, newest_file);
        if (!seen.ok() || seen->identity.run_id.empty()) {
            return;  // only just made: its first frame comes
        }
        peer.identity = seen->identity;
        peer.changed = now();
        peer.settled =
            peer.identity.rank == options_.rank || peer.identity.attempt != options_.attempt;
    }
    if (peer.settled || !silent(writer, peer)) {
        return;
    }
    // On a busy machine this may be the first look at a rank that is gone already. One that ends
    // well writes its last frame before it lets go of the lock. For one that did
    // not, another rank may have written it already. That frame may be in a file which this look
    // has not seen yet.
    for (const auto& file : store::list_logs(options_.run_folder)) {
        newest_file = file.writer == writer ? std::max(newest_file, file.number) : newest_file;
    }
    const auto last = store::glance_at_writer(options_.run_folder, writer, newest_file);
    if (!last.ok()) {
        return;  // another rank may be writing that frame right now: the next look tells
    }
    peer.settled = true;
    const bool ended_well = last->finished && last->finished->state != RunState::Crashed;
    // Forked children of a rank (loaders of data) write beside it and may end as they like.
    if (ended_well || peer.identity.forked_from != 0) {
        return;
    }
    gone_(peer.identity.rank, "rank " + std::to_string(peer.identity.rank) + " (process " +
                                  std::to_string(peer.identity.process_id) + " on " +
                                  peer.identity.host + ") ended without finishing the run");
}

std::chrono::steady_clock::time_point PeerWatch::now() const {
    return options_.now ? options_.now() : std::chrono::steady_clock::now();
}

bool PeerWatch::silent(std::uint64_t writer, Peer& peer) {
    const auto at = now();
    const auto log = io::stat(io::join(io::join(options_.run_folder, store::kLiveFolder),
                                       store::log_name(writer, peer.newest_file)));
    if (log.ok() && log->size != peer.bytes) {
        peer.bytes = log->size;
        peer.changed = at;
    }
    // Clocks of two machines differ, so what counts is how long this process saw no change.
    const auto unchanged = std::chrono::duration_cast<std::chrono::nanoseconds>(at - peer.changed);
    const std::int64_t allowed =
        std::chrono::duration_cast<std::chrono::nanoseconds>(options_.silence).count();
    const std::int64_t last_sign =
        unchanged.count() < allowed ? wall_time_ns() : wall_time_ns() - store::kSilenceNs - 1;
    return !store::writer_is_alive(options_.run_folder, peer.identity, last_sign);
}

}  // namespace taffrail::run
