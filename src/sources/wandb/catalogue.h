// The runs of Weights & Biases below a folder, as a Catalogue.
#pragma once

#include <taffrail/reader.h>

#include "sources/wandb/run.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

namespace taffrail::sources::wandb {

class WandbCatalogue final : public Catalogue {
  public:
    /// Reads nothing yet: the first refresh() does.
    explicit WandbCatalogue(std::string root) : root_(std::move(root)) {}

    [[nodiscard]] std::vector<RunInfo> runs(bool include_deleted = false) const override;
    [[nodiscard]] std::vector<UnreadableRun> unreadable() const override;
    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override;
    Result<std::vector<std::string>> refresh() override;

  private:
    void rebuild(std::vector<std::string>& changed);

    const std::string root_;
    std::mutex refresh_mutex_;
    mutable std::shared_mutex mutex_;
    std::map<std::string, std::shared_ptr<WandbRun>, std::less<>> runs_;
    std::map<std::string, std::string> unreadable_;  ///< file → why
    std::set<std::string> running_;                  ///< as of the last refresh()
};

Result<std::shared_ptr<Catalogue>> open_runs(const std::string& path);

}  // namespace taffrail::sources::wandb
