// A TensorBoard logdir as a Catalogue.
#pragma once

#include <taffrail/reader.h>

#include "sources/tensorboard/discovery.h"
#include "sources/tensorboard/loader.h"
#include "sources/tensorboard/run.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::tensorboard {

class TensorboardCatalogue final : public Catalogue {
  public:
    /// Reads nothing yet: the first refresh() does. `roots` may be one unnamed folder or several
    /// named ones.
    explicit TensorboardCatalogue(std::vector<NamedPath> roots, LoadOptions options = {});

    [[nodiscard]] std::vector<RunInfo> runs(bool include_deleted = false) const override;
    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override;
    Result<std::vector<std::string>> refresh() override;

    /// All runs by id.
    [[nodiscard]] std::vector<std::shared_ptr<TensorboardRun>> all() const;

  private:
    const std::vector<NamedPath> roots_;
    const LoadOptions options_;
    std::mutex refresh_mutex_;
    mutable std::shared_mutex mutex_;
    std::map<std::string, std::shared_ptr<TensorboardRun>, std::less<>> runs_;
    std::set<std::string>
        running_;  ///< as of the last refresh(): these fall silent without a change of files
};

/// Opens a logdir, or `name1:path1,name2:path2`, and reads it.
Result<std::shared_ptr<Catalogue>> open_logdir(const std::string& spec,
                                               const LoadOptions& options = {});

}  // namespace taffrail::sources::tensorboard
