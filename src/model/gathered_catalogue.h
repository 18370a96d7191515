// Gathered runs below a folder, as a Catalogue.
#pragma once

#include "model/gathered_run.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

namespace taffrail::model {

/// A run that was found: the same `identity` as before means that there is nothing new to open.
struct FoundRun {
    std::string identity;    ///< of the place: a path, several paths
    GatheredRun::Read read;  ///< nothing where it cannot be read; `problem` then says why
    std::string problem;
};

class GatheredCatalogue final : public Catalogue {
  public:
    using Find = std::function<std::vector<FoundRun>()>;

    /// Looks for runs at each refresh(); reads nothing before the first.
    explicit GatheredCatalogue(Find find) : find_(std::move(find)) {}

    [[nodiscard]] std::vector<RunInfo> runs(bool include_deleted = false) const override;
    [[nodiscard]] std::vector<UnreadableRun> unreadable() const override;
    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override;
    Result<std::vector<std::string>> refresh() override;

  private:
    struct Opened {
        std::string identity;
        std::shared_ptr<GatheredRun> run;
    };

    const Find find_;
    std::mutex refresh_mutex_;
    mutable std::shared_mutex mutex_;
    std::map<std::string, Opened, std::less<>> runs_;  ///< by id
    std::map<std::string, std::string> unreadable_;    ///< where → why
    std::set<std::string> running_;                    ///< as of the last refresh()
};

}  // namespace taffrail::model
