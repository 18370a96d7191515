// A root that is still empty: the dashboard may be opened before the first run, and whatever
// appears there first decides what kind of folder it is.
#pragma once

#include <taffrail/reader.h>

#include "model/followed.h"

#include <mutex>
#include <string>

namespace taffrail::server {

class WaitingCatalogue : public Catalogue, public model::Followed {
  public:
    explicit WaitingCatalogue(std::string path) : path_(std::move(path)) {}

    /// True for a folder that exists and has nothing in it.
    static bool fits(const std::string& path);

    [[nodiscard]] std::vector<RunInfo> runs(bool include_deleted) const override;
    [[nodiscard]] std::vector<UnreadableRun> unreadable() const override;
    [[nodiscard]] Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override;
    Result<std::vector<std::string>> refresh() override;
    Result<std::vector<model::RunChange>> follow() override;

  private:
    [[nodiscard]] std::shared_ptr<Catalogue> found() const;

    const std::string path_;
    mutable std::mutex mutex_;
    std::shared_ptr<Catalogue> found_;
};

}  // namespace taffrail::server
