// Sends a growing run folder to the tracker's server, as `wandb sync` would, while it grows.
//
// Everything comes out of the `.wandb` file: a later process reads it again from its start and goes
// on behind what was sent. Lines are sent with their numbers, so that a line sent twice is one.
#pragma once

#include <taffrail/result.h>

#include "codec/formats/wandb/decode.h"
#include "codec/formats/wandb/framing.h"
#include "codec/json.h"
#include "sinks/wandb/graphql.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sinks::wandb {

/// "Name: value" texts of an answer, as headers.
io::HttpHeaders headers_in(const Json* list);

class Uploader {
  public:
    /// `folder` is the run folder, `file` the log in it.
    Uploader(std::unique_ptr<GraphqlServer> server, std::string folder, std::string file);

    /// Lines "online …" of an earlier process; false for any other.
    bool restore(std::string_view line);
    [[nodiscard]] std::string save() const;

    /// The run has lines of earlier run folders there: those come first.
    void continue_run() { asks_for_lines_ = true; }

    /// Reads what the file has up to `length` and sends it. `is_the_end`: also the end of the run.
    Result<void> send(std::uint64_t length, bool is_the_end);

    GraphqlServer& server() noexcept { return *server_; }

  private:
    /// Lines of one file of the stream: those that wait, behind those that were sent.
    struct Lines {
        std::uint64_t base = 0;  ///< of earlier folders
        std::uint64_t sent = 0;
        std::uint64_t seen = 0;  ///< read from the file
        std::vector<std::string> waiting;

        void add(std::string line);
    };

    struct Alert {
        std::string title, text, level;
    };

    Result<bool> read_some(std::uint64_t length);
    void take(ByteSpan record);
    void take_run(ByteSpan body);
    void take_history(ByteSpan body);
    void take_stats(ByteSpan body);
    void take_output(ByteSpan body);
    void take_metric(ByteSpan body);
    void take_alert(ByteSpan body);
    void take_items(ByteSpan body, bool is_summary);
    Result<void> open_run();
    Result<void> upsert();
    Result<void> send_lines(bool is_the_end);
    Result<void> send_files();
    Result<void> send_file(const std::string& name, ByteSpan bytes);
    Result<void> send_alerts();
    Result<void> send_artifacts();
    Result<void> send_artifact(ByteSpan body);
    [[nodiscard]] std::string config_json() const;
    [[nodiscard]] std::string summary_json() const;

    std::unique_ptr<GraphqlServer> server_;
    std::string folder_, file_;
    formats::wandb::RecordScanner scanner_;
    formats::wandb::ItemView item_;

    std::string run_id_, entity_, project_, name_, group_, job_type_, notes_, host_;
    std::vector<std::string> tags_;
    std::int64_t start_time_ns_ = 0;
    Json config_ = Json::Object{};
    std::map<std::string, std::map<std::string, std::string>> summary_;  ///< "" = a plain value
    std::vector<std::string> metrics_;                                   ///< JSON
    std::map<std::string, std::size_t> metric_places_;
    std::optional<std::int64_t> exit_code_;

    Lines history_, events_, console_;
    std::vector<std::string> files_, uploaded_;
    std::vector<Alert> alerts_;
    std::vector<Bytes> artifacts_;
    std::uint64_t files_sent_ = 0, alerts_sent_ = 0, artifacts_sent_ = 0;
    std::string open_entity_, open_project_;  ///< as the server calls them
    bool is_open_ = false, asks_for_lines_ = false, is_run_changed_ = false,
         is_summary_changed_ = false;
};

}  // namespace taffrail::sinks::wandb
