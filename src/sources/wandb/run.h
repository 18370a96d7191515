// A run of Weights & Biases: the `.wandb` files of one run id, each a process of it.
#pragma once

#include <taffrail/reader.h>

#include "model/attempts.h"
#include "model/kept_bins.h"
#include "sources/wandb/log_file.h"
#include "sources/wandb/part_files.h"
#include "sources/wandb/run_part.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace taffrail::sources::wandb {

/// One file with what was read of it.
struct LoadedPart {
    LoadedPart(const std::string& folder, const std::string& path, std::uint32_t number)
        : file(folder, path), files(folder, number) {}

    LogFile file;
    RunPart content;
    PartFiles files;
};

class WandbRun final : public RecordedRun {
  public:
    /// The parts are of one run id, read already, the oldest first.
    WandbRun(std::string id, std::vector<std::unique_ptr<LoadedPart>> parts);

    [[nodiscard]] RunInfo info() const override;
    [[nodiscard]] std::vector<KeyInfo> keys() const override;
    [[nodiscard]] Result<std::unique_ptr<ReadCursor>> read(
        std::string_view key, const ReadRequest& request) const override;
    [[nodiscard]] std::vector<bool> superseded(std::span<const Point> points) const override;
    [[nodiscard]] Result<Bins> bins(std::string_view key, const BinRequest& request) const override;
    [[nodiscard]] Result<std::vector<Entry>> entries(std::string_view key) const override;
    [[nodiscard]] Result<std::shared_ptr<const std::vector<std::byte>>> load(
        const BlobRef& blob) const override;
    Result<void> for_each(const std::function<bool(const Record&)>& visit) const override;
    [[nodiscard]] std::vector<ConsoleLine> console(std::size_t first,
                                                   std::size_t count) const override;
    [[nodiscard]] Hparams environment() const override;
    [[nodiscard]] std::vector<Damage> damage() const override;
    Result<bool> refresh() override;

    [[nodiscard]] std::uint64_t revision() const override {
        return revision_.load(std::memory_order_acquire);
    }

    [[nodiscard]] const std::string& id() const noexcept { return id_; }

    /// The files it is made of.
    [[nodiscard]] std::vector<std::string> paths() const;

  private:
    [[nodiscard]] std::optional<std::vector<Point>> points_of(std::string_view key) const;
    [[nodiscard]] std::vector<model::AttemptProcess> processes() const;
    [[nodiscard]] std::vector<Entry> make_entries(std::string_view key) const;
    void add_artifacts(std::string_view key, std::uint32_t number, LoadedPart& part,
                       std::vector<Entry>& to) const;
    [[nodiscard]] RunInfo info_locked() const;

    const std::string id_;
    mutable std::shared_mutex mutex_;
    std::vector<std::unique_ptr<LoadedPart>> parts_;
    std::atomic<std::uint64_t> revision_{1};

    /// Made on demand and kept until something changes.
    mutable std::mutex kept_mutex_;
    mutable std::uint64_t kept_revision_ = 0;
    mutable std::map<std::string, std::vector<Entry>, std::less<>> kept_entries_;
    mutable model::KeptBins kept_bins_{16, 0};
    mutable std::map<std::string, Damage> lost_files_;  ///< by what they were for
};

/// Where runs keep what is no metric.
inline constexpr std::string_view kHparamsKey = "hparams";
inline constexpr std::string_view kAlertsKey = "alerts";

}  // namespace taffrail::sources::wandb
