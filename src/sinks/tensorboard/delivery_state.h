// What of the newest hand-over of each log stands in the event file, kept beside the run's cursors.
//
// A sink writes, then its runner notes the new place. A process that dies between the two is handed
// the same records again; this says so. Bytes behind the noted length never counted as delivered:
// they are cut off.
#pragma once

#include <taffrail/record.h>
#include <taffrail/result.h>

#include <cstdint>
#include <map>
#include <string>

namespace taffrail::sinks::tensorboard {

class DeliveryState {
  public:
    /// Reads what an earlier process left for this logdir folder and cuts its event file back. No
    /// run folder: nothing is kept.
    Result<void> open(const std::string& run_folder, const std::string& folder);

    /// A new event file that holds nothing delivered yet: what is written to it before the first
    /// save() does not count. Keeps what open() read.
    Result<void> begin(const std::string& path, std::uint64_t length);

    /// True for a record that is in an event file already; ask once for each, in order.
    bool seen_before(const Record& record);
    /// Counts a record of the current hand-over, new or seen.
    void note(const Record& record);
    /// The hand-over is in `path` up to `length`.
    Result<void> save(const std::string& path, std::uint64_t length);

  private:
    struct Round {
        std::uint64_t writer = 0, seq = 0;  ///< of its first record
        std::uint64_t key = 0;              ///< hash of that record's key
        std::uint64_t count = 0;
    };

    [[nodiscard]] static Round round_of(const Record& record);
    Result<void> write(const Round& round, const std::string& path, std::uint64_t length) const;

    std::string path_;  ///< of the state; empty = none is kept
    /// Of earlier processes, by writer, until its log is handed over again. More than one when a
    /// process died while it delivered what several dead ones had left.
    std::map<std::uint64_t, Round> earlier_;
    std::uint64_t to_skip_ = 0;
    Round current_;
};

}  // namespace taffrail::sinks::tensorboard
