// The runs below a root, without any cache on disk: each is read from the last kilobytes of its
// logs.
#pragma once

#include <taffrail/reader.h>

#include "store/run_reader.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace taffrail::storage {

/// A root folder, or one run folder as a catalogue of one.
Result<std::shared_ptr<Catalogue>> open_catalogue(const std::string& path);

class NativeCatalogue final : public Catalogue {
  public:
    NativeCatalogue(std::string root, bool single_run)
        : root_(std::move(root)), single_run_(single_run) {}

    [[nodiscard]] std::vector<RunInfo> runs(bool include_deleted = false) const override;
    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override;
    Result<std::vector<std::string>> refresh() override;

    /// The folder of a run, found as run() finds it.
    [[nodiscard]] Result<std::string> folder_of(std::string_view id) const;

  private:
    /// What tells that a run may have changed, by a few stat calls.
    struct Fingerprint {
        std::uint64_t run = 0, live = 0, meta = 0;  ///< folder_print() of each
        std::uint64_t bytes = 0;  ///< of the newest log of each writer that has not finished
        bool operator==(const Fingerprint&) const = default;
    };

    struct Known {
        RunInfo info;
        Fingerprint fingerprint;
        std::vector<std::string> unfinished;        ///< newest logs of writers without an end frame
        std::array<std::int64_t, 3> modified_ns{};  ///< of the run, live and meta folders
        std::int64_t looked_ns = 0;                 ///< when they were taken
        bool from_cache = false;
        bool is_run = true;  ///< else a folder that holds nothing of a run, and may yet
    };

    [[nodiscard]] std::vector<std::string> list_folders() const;
    static Fingerprint fingerprint(const std::string& folder,
                                   const std::vector<std::string>& unfinished);
    static Known look(const std::string& folder);
    static std::array<std::int64_t, 3> modification_times(const std::string& folder);
    static bool is_unchanged(const std::string& folder, const Known& known);
    void index_ids();
    void read_cache();
    void write_cache() const;

    const std::string root_;
    const bool single_run_;
    mutable std::shared_mutex mutex_;
    std::map<std::string, Known> runs_;                     ///< by folder
    std::unordered_map<std::string, std::string> folders_;  ///< by id
    bool cache_read_ = false;
    mutable std::mutex opened_mutex_;
    mutable std::map<std::string, std::weak_ptr<RunReader>> opened_;
};

}  // namespace taffrail::storage
