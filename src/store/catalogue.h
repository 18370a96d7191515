// The runs below a root, without any cache on disk: each is read from the last kilobytes of its
// logs.
#pragma once

#include <taffrail/reader.h>

#include "io/folder_watch.h"
#include "model/followed.h"
#include "model/key_cache.h"
#include "model/run_keys.h"
#include "store/run_reader.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace taffrail::store {

/// A root folder, or one run folder as a catalogue of one.
Result<std::shared_ptr<Catalogue>> open_catalogue(const std::string& path);

class NativeCatalogue final : public Catalogue, public model::Followed, public model::KnowsKeys {
  public:
    NativeCatalogue(std::string root, bool single_run)
        : root_(std::move(root)), single_run_(single_run) {}

    /// Keeps the keys that were asked for, for the next program.
    ~NativeCatalogue() override;

    [[nodiscard]] std::vector<RunInfo> runs(bool include_deleted = false) const override;
    [[nodiscard]] std::vector<UnreadableRun> unreadable() const override;
    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override;
    Result<std::vector<std::string>> refresh() override;
    Result<std::vector<model::RunChange>> follow() override;
    [[nodiscard]] Result<model::RunKeys> keys(std::string_view id) const override;

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
        bool is_run = true;           ///< else a folder that holds nothing of a run, and may yet
        std::string unreadable = {};  ///< why nothing of it can be read; else empty
    };

    /// `problem` says why there are none where the root cannot be listed.
    [[nodiscard]] std::vector<std::string> list_folders(std::string& problem) const;
    static Fingerprint fingerprint(const std::string& folder,
                                   const std::vector<std::string>& unfinished);
    static Known look(const std::string& folder);
    static std::array<std::int64_t, 3> modification_times(const std::string& folder);
    static bool is_unchanged(const std::string& folder, const Known& known);
    void index_ids();
    void read_cache();
    void write_cache() const;

    // catalogue_keys.cpp
    [[nodiscard]] std::optional<model::KeyCache::Fingerprint> print_at_rest(
        const std::string& folder) const;

    // catalogue_follow.cpp; mutex_ is held alone.
    [[nodiscard]] std::set<std::string> begin_following();
    void watch_run(const std::string& folder);
    void unwatch_run(const std::string& folder);
    [[nodiscard]] bool list_may_have_changed(bool told);
    [[nodiscard]] std::set<std::string> folders_to_look_at();
    [[nodiscard]] static bool rests(const std::string& folder, Known& known, std::int64_t now);
    void forget(const std::string& folder);

    const std::string root_;
    const bool single_run_;
    mutable std::shared_mutex mutex_;
    std::map<std::string, Known> runs_;                     ///< by folder
    std::unordered_map<std::string, std::string> folders_;  ///< by id
    std::string root_problem_;  ///< why the root cannot be listed; else empty
    bool cache_read_ = false;

    bool following_ = false;
    std::unique_ptr<io::FolderWatch> watch_;        ///< null where the kernel cannot tell
    std::map<std::string, std::uint64_t> owners_;   ///< in watch_, by run folder
    std::map<std::uint64_t, std::string> watched_;  ///< the other way round
    std::uint64_t last_owner_ = 0;
    std::set<std::string> running_;  ///< folders of runs that go on
    std::string swept_to_;           ///< where the sweep over all runs stands
    std::int64_t runs_modified_ns_ = 0, runs_listed_ns_ = 0;

    mutable std::mutex opened_mutex_;
    mutable std::map<std::string, std::weak_ptr<RunReader>> opened_;
    mutable std::size_t forget_opened_at_ = 64;

    mutable std::shared_mutex keys_mutex_;
    mutable model::KeyCache keys_;
    mutable bool keys_read_ = false;
};

}  // namespace taffrail::store
