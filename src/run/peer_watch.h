// The other ranks of a run, seen from one of them: whose process went away without finishing.
//
// Ranks do not talk for this. A process holds a lock beside its log as long as it lives and writes
// a sign of life into the log at least every half minute, so the run folder tells, whatever the
// launcher does.
#pragma once

#include "codec/tlog/batch.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace taffrail::run {

struct PeerWatchOptions {
    std::string run_folder;
    std::int32_t rank = 0;  ///< of this process, whose logs are not looked at
    std::uint32_t attempt = 0;
    /// How often the folder is looked at. Launchers leave the others about a second.
    std::chrono::milliseconds interval = std::chrono::milliseconds(200);
    /// How long the log of a rank on another machine may stay the same.
    std::chrono::milliseconds silence = std::chrono::seconds(120);
    /// What silence is measured by; empty = the real clock. Called on the thread of the watch.
    std::function<std::chrono::steady_clock::time_point()> now = {};
};

class PeerWatch {
  public:
    /// Told once per rank, on the thread of the watch.
    using Gone = std::function<void(std::int32_t rank, const std::string& how)>;

    PeerWatch(PeerWatchOptions options, Gone gone);
    PeerWatch(const PeerWatch&) = delete;
    PeerWatch& operator=(const PeerWatch&) = delete;
    ~PeerWatch();

  private:
    struct Peer {
        tlog::FileIdentity identity;
        std::uint32_t newest_file = 0;
        std::uint64_t bytes = 0;
        std::chrono::steady_clock::time_point changed = {};
        bool settled = false;  ///< finished, told about, or none of this watch's business
    };

    void loop();
    void look();
    void look_at(std::uint64_t writer, std::uint32_t newest_file);
    bool silent(std::uint64_t writer, Peer& peer);
    [[nodiscard]] std::chrono::steady_clock::time_point now() const;

    PeerWatchOptions options_;
    Gone gone_;
    std::map<std::uint64_t, Peer> peers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace taffrail::run
