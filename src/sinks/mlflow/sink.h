// The `mlflow` sink: one run of a tracking server, over REST.
//
// Sending twice is sending once: the server takes an identical point for the one it has, files are
// called by what they are, and the run is found again by its tag. So nothing is kept but which run
// it is and how far the console came.
#pragma once

#include <taffrail/sink.h>

#include "sinks/mlflow/options.h"
#include "sinks/mlflow/server.h"
#include "trackers/name_map.h"
#include "trackers/ranks.h"
#include "trackers/watched_log.h"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace taffrail::sinks::mlflow {

class MlflowSink final : public Sink {
  public:
    /// Without a transport libcurl is taken.
    explicit MlflowSink(Options options, std::shared_ptr<io::HttpTransport> transport = {});

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

  private:
    Result<void> take_up_run(const SinkContext& context);
    Result<void> describe(const SinkContext& context);
    Result<void> send_metrics();
    Result<void> send_some(std::span<const Metric> metrics);
    Result<void> send_params(const Hparams& values);
    Result<void> send_tags(const Pairs& tags);
    Result<void> take_value(const Record& record);
    Result<void> take_image(const Record& record, const Image& image);
    Result<void> take_files(const Record& record);
    Result<void> put(const std::string& path, ByteSpan bytes, const std::string& mime);
    Result<void> watch(bool is_the_end);
    Result<void> send_console(bool is_the_end);
    Result<void> save();
    void restore();

    Result<void> tell_infinite();
    void add_metric(std::string_view name, const Record& record, double value);
    std::string file_path(std::string_view folder, const Record& record);

    Options given_, options_;
    std::shared_ptr<io::HttpTransport> transport_;
    std::optional<TrackingServer> server_;
    // The client's patience may be ended from another thread, also before there is a client.
    std::mutex patience_mutex_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    bool is_silent_ = false, is_open_ = false;
    std::string run_id_, run_folder_, state_path_, reason_;
    std::uint32_t attempt_ = 0;
    std::int64_t start_ms_ = 0, last_ms_ = 0;
    RunThere there_;
    std::string known_id_;  ///< of the run there, as noted by an earlier process
    std::string artifact_root_;
    std::optional<trackers::WatchedLog> watched_;
    trackers::NameMap names_;
    trackers::RankedRecords ranked_{trackers::KeysOfRanks::Suffix};
    std::vector<Metric> metrics_;
    std::vector<Metric> load_;  ///< of the machine, not sent yet
    std::map<std::string, std::string, std::less<>> params_;
    std::set<std::string, std::less<>> infinite_;
    std::size_t infinite_told_ = 0;
    /// Whose a path is, as (writer, seq): a record that comes again gets the path it had.
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> used_paths_;
    std::vector<std::string> tables_;
    std::string console_;  ///< the part of the output that is not full yet
    std::string saved_watch_;
    std::int64_t console_part_ = 0, system_step_ = 0;
    bool is_console_new_ = false, has_images_ = false;
};

Result<std::unique_ptr<Sink>> make(const OptionMap& given);

}  // namespace taffrail::sinks::mlflow
