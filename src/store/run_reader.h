// A native run as RecordedRun: the union of its writers' logs.
//
// Opening reads the newest checkpoints only. The first question about points reads everything and
// keeps it in columns; from then on refresh() takes in new bytes only.
#pragma once

#include <taffrail/reader.h>

#include "model/attempts.h"
#include "model/series_cursor.h"
#include "model/series_index.h"
#include "seal/sealed_reader.h"
#include "store/blob_loader.h"
#include "store/console_order.h"
#include "store/manifest.h"
#include "store/run_data.h"

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace taffrail::store {

class RunReader final : public RecordedRun {
  public:
    /// NotFound when the folder holds no run.
    static Result<std::shared_ptr<RunReader>> open(std::string run_folder);

    [[nodiscard]] RunInfo info() const override;
    [[nodiscard]] std::vector<KeyInfo> keys() const override;
    [[nodiscard]] Result<std::unique_ptr<ReadCursor>> read(
        std::string_view key, const ReadRequest& request) const override;
    [[nodiscard]] std::vector<bool> superseded(std::span<const Point> points) const override;
    [[nodiscard]] Result<Bins> bins(std::string_view key, const BinRequest& request) const override;
    [[nodiscard]] Result<std::vector<Entry>> entries(std::string_view key) const override;
    [[nodiscard]] Result<std::shared_ptr<const std::vector<std::byte>>> load(
        const BlobRef& blob) const override;
    [[nodiscard]] Result<std::vector<std::byte>> load_range(const BlobRef& blob,
                                                            std::uint64_t offset,
                                                            std::uint64_t length) const override;
    Result<void> for_each(const std::function<bool(const Record&)>& visit) const override;
    [[nodiscard]] Result<std::unique_ptr<RunTail>> tail(TailRequest request) const override;
    [[nodiscard]] std::vector<ConsoleLine> console(std::size_t first,
                                                   std::size_t count) const override;
    [[nodiscard]] Hparams environment() const override;
    [[nodiscard]] std::vector<Damage> damage() const override;
    [[nodiscard]] std::vector<Damage> damage_met() const override;
    Result<bool> refresh() override;
    [[nodiscard]] std::uint64_t revision() const override;

    explicit RunReader(std::string run_folder) : folder_(std::move(run_folder)), blobs_(folder_) {}

  private:
    friend class NativeTail;
    using Writers = std::map<std::uint64_t, std::unique_ptr<WriterData>>;
    using MergedKeys = std::map<std::pair<std::string, Kind>, SeriesSummary>;

    /// A key's points in one table of one writer.
    struct Piece {
        const WriterData* writer = nullptr;
        SeriesPiece series;
    };

    Result<void> ensure(WriterData::Depth depth) const;
    [[nodiscard]] Result<std::shared_ptr<const std::vector<std::byte>>> find_blob(
        const BlobRef& blob) const;
    Result<bool> refresh_locked() const;
    /// Takes up a new manifest; true when there was one.
    bool take_manifest() const;
    [[nodiscard]] std::unique_ptr<WriterData> make_writer(std::uint64_t writer) const;
    void describe() const;
    /// Beyond all revisions of readers before: what was kept for an earlier reader of the run is
    /// never taken for this one's.
    static std::uint64_t first_revision();
    /// Of the sealed files and of the logs as far as they were read.
    [[nodiscard]] std::vector<Damage> damage_so_far() const;
    void add_log_damage(std::vector<Damage>& all) const;
    void add_damage_of_sealed_logs(std::vector<Damage>& all) const;
    void keep_walked_damage(std::vector<Damage> met) const;
    [[nodiscard]] std::vector<const WriterData*> ordered_writers() const;
    [[nodiscard]] std::vector<Piece> pieces(std::string_view key) const;
    [[nodiscard]] bool is_sealed(std::string_view key) const;
    /// Sealed and live rows, for a cursor.
    [[nodiscard]] model::SeriesRows rows(std::string_view key,
                                         const std::vector<Piece>& pieces) const;
    /// `live`: the steps of each writer's log.
    [[nodiscard]] model::WinningRule winning_rule(
        std::string_view key, const std::vector<model::AttemptSteps>& live) const;
    /// A cursor that reads logs from their ends; null where that cannot be, or where they are in
    /// memory already.
    [[nodiscard]] Result<std::unique_ptr<ReadCursor>> read_from_end(
        std::string_view key, const ReadRequest& request) const;
    static model::AttemptSteps exact_steps(const WriterData& writer, const SeriesPiece& piece);
    /// Damage that may have cost any series points: files and stretches of logs that are lost.
    [[nodiscard]] std::vector<Damage> unplaced_damage() const;
    void visit_sealed(const std::string& key, Columns columns,
                      const std::function<void(const Point&)>& visit) const;
    /// Sealed and live points in log order.
    [[nodiscard]] Result<std::vector<Point>> collect(std::string_view key,
                                                     const std::vector<Piece>& pieces) const;
    [[nodiscard]] Result<std::optional<Bins>> bins_by_segments(std::string_view key,
                                                               const std::vector<Piece>& pieces,
                                                               const BinRequest& request) const;
    /// Runs `read`; when that met damage in the sealed files for the first time, the logs that are
    /// still there are taken in beside them and it runs again.
    template <typename Read>
    [[nodiscard]] auto with_second_look(Read read) const;
    [[nodiscard]] bool met_damage() const;
    void doubt_sealed() const;
    [[nodiscard]] std::vector<KeyInfo> keys_in_doubt() const;
    /// Scalar keys of which an attempt may have superseded points, by what summaries tell.
    [[nodiscard]] std::vector<std::string> keys_logged_again() const;
    /// By name and kind, of every point that is stored.
    [[nodiscard]] MergedKeys stored_totals() const;
    [[nodiscard]] std::vector<KeyInfo> listed(const MergedKeys& merged) const;
    /// Of the winning points; reads those of processes that lost some.
    [[nodiscard]] SeriesSummary winning_summary(const std::string& key) const;
    [[nodiscard]] std::vector<model::AttemptSteps> sealed_steps(const std::string& key) const;
    [[nodiscard]] SeriesSummary sealed_winners(const std::string& key,
                                               const std::vector<model::AttemptSteps>& logged,
                                               const model::WinningRule& rule) const;
    [[nodiscard]] SeriesSummary kept_summary(const std::string& name,
                                             const std::function<SeriesSummary()>& make) const;
    [[nodiscard]] std::vector<Entry> collect_entries(std::string_view key, bool& known) const;
    [[nodiscard]] Result<Bins> locked_bins(std::string_view key, const BinRequest& request) const;
    [[nodiscard]] Error no_such_key(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> key_names() const;
    /// Every process of the run, with the step it resumed at.
    [[nodiscard]] std::vector<model::AttemptProcess> processes() const;
    Result<std::shared_ptr<const model::SortedSeries>> sorted(std::string_view key,
                                                              const std::vector<Piece>& pieces,
                                                              const BinRequest& request) const;

    const std::string folder_;
    mutable BlobLoader blobs_;
    // Everything below is guarded by mutex_; questions share it, growth takes it alone.
    mutable std::shared_mutex mutex_;
    mutable Writers writers_;
    mutable WriterData::Depth depth_ = WriterData::Depth::Summary;
    mutable std::shared_ptr<seal::SealedRun> sealed_;  ///< null while nothing is sealed
    mutable Manifest manifest_;
    mutable std::uint64_t folder_print_ = 0;
    /// Something sealed is damaged: logs that are still there are read as well, and rows that stand
    /// in both count once.
    mutable bool doubt_ = false;
    mutable MetaState edits_;
    mutable std::uint64_t edits_print_ = UINT64_MAX;
    mutable RunInfo info_;
    mutable model::MetricDefinitions definitions_;
    mutable std::uint64_t revision_ = first_revision();
    mutable ConsoleOrder console_;

    struct CachedSeries {
        std::uint64_t revision = 0;
        std::shared_ptr<const model::SortedSeries> series;
    };

    mutable std::mutex cache_mutex_;
    mutable std::map<std::string, CachedSeries> cache_;
    /// Winning summaries of what does not grow any more.
    mutable std::map<std::string, SeriesSummary> winning_parts_;
    /// Steps of sealed series, with the manifest they were read under.
    mutable std::map<std::string, std::pair<std::uint32_t, std::vector<model::AttemptSteps>>>
        sealed_steps_;
    mutable std::vector<Damage> walked_damage_;  ///< what for_each() met, also under cache_mutex_
};

template <typename Read>
auto RunReader::with_second_look(Read read) const {
    auto answer = read();
    if (met_damage()) {
        doubt_sealed();
        answer = read();
    }
    return answer;
}

}  // namespace taffrail::store
