// The `csv` sink: one `metrics.csv` with a column per key and a `step` column, and `hparams.yaml`
// beside it. A run that ends badly leaves `outcome.yaml` there: how, and why.
//
// Exactly once: `metrics.csv.state` says how many rows the table had and how far each writer's rows
// had come when it was last saved. After a crash the table is cut back to those, and rows that are
// handed over again are recognised.
#pragma once

#include <taffrail/sink.h>

#include "sinks/csv/table.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::sinks::csv {

struct CsvSinkOptions {
    std::string log_dir;   ///< the folder itself; or, when empty:
    std::string save_dir;  ///< save_dir/name/version_k
    std::string name = "lightning_logs";
    std::string version;  ///< a number becomes version_<k>, a text is used as it is, empty = the
                          ///< next free number
    std::string prefix;   ///< joined to every key with '-'
    std::optional<std::int64_t>
        flush_logs_every_n_steps;  ///< save when (step + 1) % n == 0; default 100
};

const OptionSchema<CsvSinkOptions>& csv_options();
Result<CsvSinkOptions> parse_csv_options(const OptionMap& options);

class CsvSink : public Sink {
  public:
    explicit CsvSink(CsvSinkOptions options) : options_(std::move(options)) {}

    Result<void> open(const SinkContext& context) override;
    Result<void> write(std::span<const Record> records, std::size_t& delivered) override;
    Result<void> flush() override;

    void give_reason(std::string_view reason) override { reason_ = reason; }

    Result<void> close(RunState state) override;

    [[nodiscard]] bool accepts(Kind kind) const noexcept override {
        return kind == Kind::Scalar || kind == Kind::Hparams;
    }

    /// A step rule that was asked for is the only rule; otherwise time helps out.
    [[nodiscard]] std::chrono::milliseconds flush_interval() const noexcept override {
        return options_.flush_logs_every_n_steps ? std::chrono::hours(24) : std::chrono::seconds(5);
    }

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

  private:
    /// How far a writer's records have come: rows before `seq`, and `count` records of it.
    struct Position {
        std::uint64_t seq = 0;
        std::uint64_t count = 0;
    };

    bool seen_before(const Record& record);
    void take(const Record& record);
    Result<void> save();
    Result<void> save_hparams();
    Result<void> save_state();

    CsvSinkOptions options_;
    std::string folder_;
    std::string state_head_;  ///< names the run the table belongs to
    bool silent_ = false;
    CsvTable table_;
    std::optional<CsvRow> row_;  ///< the newest row, which may still grow
    std::uint64_t row_writer_ = 0, row_seq_ = 0;
    bool row_is_lone_ = false;
    std::map<std::uint64_t, Position> delivered_, saved_;
    std::map<std::uint64_t, Position> replayed_;  ///< counts records that are handed over again
    Hparams hparams_;
    bool hparams_changed_ = false;
    std::string reason_;
};

Result<std::unique_ptr<Sink>> make_csv_sink(const OptionMap& options);

}  // namespace taffrail::sinks::csv
