// The sealed part of a run: scalar series and values out of its sealed files. The store joins it
// with the live logs.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "model/attempts.h"
#include "model/bin_segment.h"
#include "model/row_source.h"
#include "model/series_index.h"
#include "seal/seal.h"
#include "seal/sealed_file.h"
#include "seal/values_table.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace taffrail::seal {

/// Safe for concurrent use. Opening reads the index of each file, nothing else.
class SealedRun {
  public:
    /// `files` as the manifest lists them (names in `<run_folder>/data`; rest logs are the store's
    /// to read and are skipped). A file that cannot be read is noted and left out.
    static std::shared_ptr<SealedRun> open(const std::string& run_folder,
                                           std::span<const SealedFileInfo> files);

    /// True once anything could not be read; one load.
    [[nodiscard]] bool is_damaged() const noexcept { return notes_->any(); }

    /// What could not be read so far, by file and byte.
    [[nodiscard]] std::vector<Damage> damage() const { return notes_->list(); }

    /// Scalar and value keys, sorted by name.
    [[nodiscard]] const std::vector<KeyInfo>& keys() const noexcept { return keys_; }

    /// True for scalar keys.
    [[nodiscard]] bool contains(std::string_view key) const { return places_.contains(key); }

    /// The rows of a scalar key for a cursor, in log order unless files overlap in it. They need
    /// this object no longer. Empty for other keys.
    [[nodiscard]] std::vector<std::unique_ptr<model::RowSource>> rows(std::string_view key) const;

    /// Looks at the checksums of everything that rows(key) would read for these columns: what is
    /// damaged is known before. Once for each column of a file.
    void check_columns(std::string_view key, Columns columns) const;

    /// Every point of a scalar key that can be read, by (attempt, rank, writer, row number).
    /// NotFound for other keys.
    [[nodiscard]] Result<std::vector<Point>> points(std::string_view key) const;

    /// Files that cannot be read at all: what series they held is unknown.
    [[nodiscard]] const std::vector<Damage>& left_out() const noexcept { return left_out_; }

    /// Steps that each attempt logged in a scalar series, all its ranks together (rank 0 here).
    [[nodiscard]] std::vector<model::AttemptSteps> attempt_steps(std::string_view key) const;

    /// The series as segments that follow each other on the axis, so that a live tail can be put
    /// behind them (model::query_bins). Nothing when that axis falls somewhere, or when `attempt`
    /// asks for one of several: then take points() and sort. An empty list: the key is not sealed.
    /// Whether a later attempt superseded points is the caller's to ask (model::may_supersede).
    [[nodiscard]] std::optional<std::vector<std::shared_ptr<const model::BinSegment>>> segments(
        std::string_view key, Axis axis, std::int64_t origin_ns,
        std::optional<std::uint32_t> attempt = std::nullopt) const;

    /// Bins of the sealed points alone, on any axis. `origin_ns` is the zero of RelativeTime.
    [[nodiscard]] Result<Bins> bins(std::string_view key, const BinRequest& request,
                                    std::int64_t origin_ns,
                                    std::span<const model::AttemptProcess> processes = {}) const;

    /// Values of a key, or of all keys (empty), by (attempt, rank, writer, row number). Views live
    /// as long as this object.
    [[nodiscard]] const std::vector<const SealedValue*>& values(std::string_view key = {}) const;

    /// Where the bytes of a blob are, and the writer that put them there.
    struct FoundBlob {
        const tlog::BlobPlace* place = nullptr;
        std::uint64_t writer = 0;
        const ValuesTable* table = nullptr;  ///< has the bytes of blobs in line
        const SealedValue* value = nullptr;  ///< of that table
    };

    /// By hash; nothing when no sealed value brought it. The first call makes an index of all.
    [[nodiscard]] std::optional<FoundBlob> find_blob(const BlobRef& blob) const;

    /// One file of scalars, for those who walk over rows.
    [[nodiscard]] const std::vector<std::shared_ptr<SealedFile>>& files() const noexcept {
        return files_;
    }

  private:
    struct Place {
        std::shared_ptr<SealedFile> file;
        SeriesPlace at;
    };

    void index_values() const;
    Result<std::shared_ptr<const model::SortedSeries>> sorted(
        std::string_view key, const BinRequest& request, std::int64_t origin_ns,
        std::span<const model::AttemptProcess> processes) const;

    std::shared_ptr<DamageNotes> notes_ = std::make_shared<DamageNotes>();
    std::vector<Damage> left_out_;
    std::vector<std::shared_ptr<SealedFile>> files_;
    std::map<std::string, std::vector<Place>, std::less<>> places_;
    std::vector<KeyInfo> keys_;
    std::vector<std::shared_ptr<const ValuesTable>> values_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::shared_ptr<const model::SortedSeries>> sorted_;
    mutable std::once_flag values_indexed_, blobs_indexed_;
    mutable std::vector<const SealedValue*> ordered_values_;
    mutable std::map<std::string_view, std::vector<const SealedValue*>, std::less<>> values_by_key_;
    mutable std::unordered_map<std::uint64_t, std::vector<FoundBlob>> blobs_;  ///< by half a hash
};

}  // namespace taffrail::seal
