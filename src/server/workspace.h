// The opened roots as one set of runs: ids that are unique over all roots, cached details, live
// changes.
#pragma once

#include <taffrail/reader.h>

#include "model/followed.h"
#include "query/run_set.h"
#include "server/event_hub.h"
#include "server/marks.h"
#include "server/open_runs.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace taffrail::server {

struct RootSpec {
    std::string name;  ///< "" for a single unnamed root
    std::string path;
};

using query::RunDetails;
using RunList = std::vector<std::shared_ptr<const RunDetails>>;

/// The order of lists.
bool newer(const std::shared_ptr<const RunDetails>& a, const std::shared_ptr<const RunDetails>& b);

class Workspace final : public query::RunSet {
  public:
    /// Opens every root; a root that cannot be opened is an error that names it.
    /// `memory_bytes` is for everything that can be had again from the files: open runs, decoded
    /// pages, lines of charts. 0 = a quarter of the machine's.
    static Result<std::shared_ptr<Workspace>> open(std::vector<RootSpec> roots,
                                                   std::shared_ptr<StateStore> state,
                                                   std::size_t memory_bytes = 0);
    ~Workspace() override;

    struct Root {
        std::string name, location, source;
        bool read_only = false;
        std::shared_ptr<Catalogue> catalogue;
        std::chrono::steady_clock::time_point due = {};  ///< when it is looked at next
    };

    [[nodiscard]] const std::vector<Root>& roots() const noexcept { return roots_; }

    /// All runs, newest first; archived and deleted ones included. Cheap: a pointer to the current
    /// list.
    [[nodiscard]] std::shared_ptr<const RunList> runs() const;
    [[nodiscard]] std::shared_ptr<const RunDetails> details(std::string_view id) const override;
    /// The run itself, opened where it is not, and closed when others were used since and memory is
    /// needed: hold it for one answer.
    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override;

    [[nodiscard]] std::uint64_t revision() const noexcept { return revision_; }

    [[nodiscard]] EventHub& events() noexcept { return hub_; }

    [[nodiscard]] const std::string& instance() const noexcept { return instance_; }

    [[nodiscard]] Marks& marks() noexcept { return *marks_; }

    [[nodiscard]] const OpenRuns& open_runs() const noexcept { return open_; }

    /// Looks for changes and publishes them; the watcher does it five times a second. A root that
    /// takes long to look at is left out of some calls. A run that cannot be read is shown with
    /// the reason; nothing is thrown.
    void refresh() noexcept;
    /// Reads these runs again at once, after their marks were changed here.
    void refresh_marks(const std::vector<std::string>& ids);
    void start_watching();
    void stop_watching();

  private:
    /// What one look at the roots found.
    struct Changes {
        std::vector<std::string> ids;
        std::vector<std::shared_ptr<const RunDetails>> before, now;
    };

    explicit Workspace(std::size_t memory_bytes);
    void load_all();
    std::shared_ptr<const RunDetails> make_details(std::size_t root, const RunInfo& info,
                                                   RecordedRun* run) const;
    std::shared_ptr<const RunDetails> read_details(std::size_t root, const RunInfo& info);
    std::shared_ptr<const RunDetails> unreadable(std::size_t root, const RunInfo& info,
                                                 std::string_view why) const;
    std::string global_id(std::size_t root, std::string_view id) const;

    // workspace_refresh.cpp
    void look_at_roots();
    void look_at_root(std::size_t root, Changes& changes);
    void take_in(std::size_t root, const model::RunChange& change, Changes& changes);
    void update_list(const Changes& changes);
    void publish_changes(const Changes& changes);
    void watch();

    std::vector<Root> roots_;
    std::unique_ptr<Marks> marks_;
    std::string instance_;
    std::atomic<std::uint64_t> revision_ = 1;

    mutable std::shared_mutex mutex_;
    std::shared_ptr<const RunList> list_;
    std::map<std::string, std::shared_ptr<const RunDetails>, std::less<>> by_id_;
    mutable OpenRuns open_;

    EventHub hub_;
    std::mutex refresh_mutex_;
    std::thread watcher_;
    std::mutex watch_mutex_;
    std::condition_variable watch_wake_;
    bool stop_watching_ = false;
};

}  // namespace taffrail::server
