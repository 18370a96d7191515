// The profiles that the page can show: those in the folders of runs, and files that were opened
// directly. One thread reads them, one after the other, and makes their index; nothing of a trace
// stays in memory but what its analysis came to.
#pragma once

#include <taffrail/result.h>

#include "profile/analysis/analysis.h"
#include "profile/index/trace_index.h"
#include "profile/progress.h"
#include "server/workspace.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace taffrail::server {

/// As many traces of one training are put side by side.
inline constexpr std::size_t kMostWorkers = 32;

/// `run` is empty for files that were opened directly; their name is then the number in the list
/// and what they are called. `file` is the last part of their path.
struct ListedProfile {
    std::string run, name, file, format;
    std::uint64_t bytes = 0;
    std::int64_t modified_ns = 0;
};

/// One profile on its way: made by the reading thread, looked at by everybody.
struct OpenProfile {
    enum class State : std::uint8_t { Working, Ready, Failed };

    profile::Progress progress;
    std::atomic<State> state = State::Working;
    std::string message;  ///< why it failed; set before the state
    std::shared_ptr<const profile::TraceIndex> index;
    std::string path, name, index_path;
    std::uint64_t bytes = 0;

    /// Made when it is first asked for, or with the index.
    std::atomic<State> analysis_state = State::Working;
    std::atomic<bool> analysis_wanted = false;
    std::shared_ptr<const profile::analysis::Analysis> analysis;
};

class Profiles {
  public:
    /// `files`: opened directly, in this order.
    Profiles(std::shared_ptr<const Workspace> workspace, std::vector<std::string> files);
    ~Profiles();

    [[nodiscard]] bool has_files() const noexcept { return !files_.empty(); }

    /// Of a run, or the files opened directly; newest first.
    [[nodiscard]] Result<std::vector<ListedProfile>> list(const std::string& run) const;

    /// The profile, which may be on its way still. Never waits for it.
    [[nodiscard]] Result<std::shared_ptr<OpenProfile>> open(const std::string& run,
                                                            const std::string& name);
    /// The analysis of a profile that is ready; null while it is made.
    [[nodiscard]] std::shared_ptr<const profile::analysis::Analysis> analysis(
        const std::shared_ptr<OpenProfile>& profile);

    void stop();

  private:
    struct Job {
        std::shared_ptr<OpenProfile> profile;
        bool only_analysis = false;
    };

    [[nodiscard]] Result<std::string> path_of(const std::string& run,
                                              const std::string& name) const;
    void work();
    void make(const Job& job);

    std::shared_ptr<const Workspace> workspace_;
    std::vector<std::string> files_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::map<std::string, std::shared_ptr<OpenProfile>> open_;  ///< by path, size and time
    std::deque<std::string> order_;                             ///< of open_, oldest first
    std::deque<Job> jobs_;
    bool stop_ = false;
    std::thread worker_;
};

}  // namespace taffrail::server
