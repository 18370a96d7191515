// The `wandb` sink: the run folder that the official program makes, ready for its `wandb sync`;
// online the same folder is sent to the server while it grows (uploader.h).
//
// Exactly once: records that are handed over again are recognised, and bytes that were not noted as
// delivered are cut off (state.h). A resumed run gets a further folder of the same id, as there:
// `wandb sync` joins them.
#pragma once

#include <taffrail/sink.h>

#include "sinks/wandb/artifacts.h"
#include "sinks/wandb/config_items.h"
#include "sinks/wandb/history.h"
#include "sinks/wandb/media.h"
#include "sinks/wandb/options.h"
#include "sinks/wandb/run_file.h"
#include "sinks/wandb/uploader.h"
#include "trackers/delivered_rows.h"
#include "trackers/ranks.h"
#include "trackers/watched_log.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace taffrail::sinks::wandb {

class WandbSink final : public Sink {
  public:
    explicit WandbSink(Options options) : given_(std::move(options)) {}

    Result<void> open(const SinkContext& context) override;
    Result<void> write(std::span<const Record> records, std::size_t& delivered) override;
    Result<void> flush() override;

    void give_reason(std::string_view reason) override { reason_ = reason; }

    Result<void> close(RunState state) override;
    void finish_by(std::chrono::steady_clock::time_point deadline) noexcept override;

    [[nodiscard]] bool accepts(Kind) const noexcept override { return true; }

    [[nodiscard]] bool wants_all_ranks() const noexcept override {
        return trackers::is_all_ranks(given_.ranks);
    }

    /// The run folder, after open(); empty where nothing is written.
    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

  private:
    Result<void> begin(const SinkContext& context, bool is_resumed);
    Result<void> go_on(const SinkContext& context, const State& state);
    Result<void> take(const Record& record);
    Result<void> take_value(const Record& record);
    Result<void> add_artifact(const Artifact& artifact, std::string* client_id = nullptr);
    void add_files();
    Result<void> watch(bool is_the_end);
    Result<void> save();
    Result<void> save_state();
    Result<void> start_uploader(bool is_resumed, const std::optional<State>& state);
    Result<void> upload(bool is_the_end);

    Options given_, options_;
    bool is_silent_ = false;
    bool is_open_ = false;
    std::string folder_, state_path_, run_id_, reason_;
    std::uint32_t attempt_ = 0;
    std::int64_t start_time_ns_ = 0;
    std::unique_ptr<RunFile> file_;
    std::optional<History> history_;
    std::optional<MediaFiles> media_;
    std::optional<trackers::WatchedLog> watched_;
    trackers::DeliveredRows delivered_;
    trackers::RankedRecords ranked_{trackers::KeysOfRanks::Suffix};
    ConfigItems config_;
    formats::wandb::RunDescription run_;
    State noted_;  ///< as of the last save()
    // Patience may be ended from another thread, also before there is somebody who waits.
    std::mutex patience_mutex_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    std::unique_ptr<Uploader> uploader_;  ///< online
};

Result<std::unique_ptr<Sink>> make(const OptionMap& given);

}  // namespace taffrail::sinks::wandb
