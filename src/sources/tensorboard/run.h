// A run of a TensorBoard logdir: one folder with event files, seen through RecordedRun.
#pragma once

#include <taffrail/reader.h>

#include "model/kept_bins.h"
#include "sources/tensorboard/event_file.h"
#include "sources/tensorboard/run_part.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <vector>

namespace taffrail::sources::tensorboard {

/// Points of all runs together may take this much; beyond it runs keep summaries and read points
/// again on demand. TAFFRAIL_TENSORBOARD_MEMORY (bytes) changes it.
std::uint64_t point_memory_limit();
/// What all runs of this process hold now.
std::atomic<std::uint64_t>& point_memory_held();

/// A file beside the event files that a run shows as it is.
struct SideFile {
    std::string key, path;
    std::uint64_t size = 0;
    std::int64_t modified_ns = 0;
};

class TensorboardRun final : public RecordedRun {
  public:
    TensorboardRun(std::string id, std::string name, std::string folder);
    ~TensorboardRun() override;

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

    // ---- for the catalogue, the loader and the data server ----

    [[nodiscard]] const std::string& id() const noexcept { return id_; }

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

    /// The files of the folder as they stand now; new ones are read by the next load. True when the
    /// list changed.
    bool set_files(std::vector<std::string> event_files, std::vector<SideFile> side_files);

    /// Calls `visit(const RunPart&, const std::vector<EventFile>&)` while nothing changes.
    template <typename Visit>
    auto inspect(Visit&& visit) const {
        std::shared_lock lock(mutex_);
        return visit(data_, files_);
    }

    /// The bytes of a place, as they stand in the file.
    [[nodiscard]] Result<Bytes> read_place(const Place& place) const;

    /// One stretch of one file still to be read.
    struct Task {
        std::string path;
        std::uint32_t file = 0;
        std::uint64_t begin = 0, end = 0, size = 0;
        bool synchronise = false;
        RangeResult result;
    };

    /// What there is to read, cut into pieces; a replaced file empties the run first. Every plan()
    /// is followed by one finish().
    [[nodiscard]] std::vector<Task> plan(std::uint64_t segment_bytes);
    static void perform(Task& task, const RunPart* declared = nullptr);
    /// Joins performed tasks in order. True when anything changed.
    bool finish(std::vector<Task> tasks);

  private:
    /// The points of a scalar tag, read again from the files where they were dropped. Nothing when
    /// there is no such tag.
    /// What a tag has now; read from the files again where its points were dropped.
    [[nodiscard]] std::optional<std::vector<ColumnChunk>> scalar_chunks(std::string_view key) const;
    [[nodiscard]] std::optional<std::vector<Point>> scalar_points(std::string_view key) const;
    /// Of the points that no restart purged. Points that were dropped from memory are not read
    /// again for it: then of all.
    [[nodiscard]] SeriesSummary kept_summary(const TagData& tag) const;
    void account_memory();
    void forget();

    const std::string id_, name_, folder_;
    mutable std::shared_mutex mutex_;
    std::binary_semaphore load_gate_{
        1};  ///< one load of this run at a time; taken by plan(), given back by finish()
    std::vector<EventFile> files_;
    std::vector<SideFile> side_files_;
    RunPart data_;
    std::uint64_t accounted_ = 0;
    bool changed_ = false;  ///< plan() found something that is not a grown file
    std::atomic<std::uint64_t> revision_{1};

    mutable model::KeptBins kept_bins_{4, 8192};
};

}  // namespace taffrail::sources::tensorboard
