// The runs below a logdir, read in the background again and again.
#pragma once

#include "tb_data_server/service.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace taffrail::tb_data_server {

class ReloadingSource final : public RunSource {
  public:
    /// Starts reading at once and returns; `reload_seconds` absent reads once.
    ReloadingSource(std::string logdir, std::optional<int> reload_seconds, bool verbose);
    ~ReloadingSource() override;

    [[nodiscard]] std::vector<Named> runs() const override;
    [[nodiscard]] std::shared_ptr<RecordedRun> find(const std::string& name) const override;

  private:
    void work();
    void take(const Catalogue& catalogue);

    const std::string logdir_;
    const std::optional<int> reload_seconds_;
    const bool verbose_;
    mutable std::mutex mutex_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::vector<Named> runs_;
    std::thread thread_;
};

}  // namespace taffrail::tb_data_server
