// What one `.wandb` file says of a run: a process of it, from its start to its end.
#pragma once

#include <taffrail/reader.h>

#include "base/key_order.h"
#include "codec/formats/wandb/decode.h"
#include "codec/json.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::wandb {

/// A scalar series, column by column. `row` counts the rows of the file.
struct Series {
    std::vector<Step> step;
    std::vector<std::int64_t> time_ns;
    std::vector<double> value;
    std::vector<std::uint64_t> row;
    SeriesSummary summary;
};

/// Any other logged value, as its JSON.
struct Logged {
    Step step = 0;
    std::int64_t time_ns = 0;
    std::uint64_t row = 0;
    std::string json;
};

/// An artifact as it was logged; its files may be anywhere.
struct LoggedArtifact {
    struct File {
        std::string path, reference, local_path;
    };

    std::int64_t time_ns = 0;
    std::uint64_t row = 0;
    std::string name, type, metadata_json;
    std::vector<std::string> aliases;
    std::vector<File> files;
};

class RunPart {
  public:
    RunPart() = default;
    RunPart(RunPart&&) = default;
    RunPart& operator=(RunPart&&) = default;

    void take(ByteSpan record);
    /// Brings the summaries of the series up to date; after the last of some records.
    void sum_up();

    std::string run_id, entity, project, name, group, job_type, notes, host, producer;
    std::vector<std::string> tags;
    std::int64_t start_time_ns = 0, last_time_ns = 0;
    bool resumes = false;
    std::optional<std::int64_t> exit_code;

    std::map<std::string, Series, std::less<>> series;
    std::map<std::string, std::vector<Logged>, std::less<>> values;
    std::vector<LoggedArtifact> artifacts;
    std::vector<std::pair<std::int64_t, Alert>> alerts;
    std::vector<MetricDefinition> metrics;
    std::map<std::string, Cell> config;
    /// The newest JSON of each name: it is written again at every step and asked for once.
    std::map<std::string, std::string, std::less<>> summary_json;
    std::vector<std::string> files;  ///< below files/, as told
    Hparams environment;
    std::vector<ConsoleLine> console;
    std::uint64_t rows = 0, unreadable_records = 0;

    /// The summary, flat.
    [[nodiscard]] std::map<std::string, Cell> summary() const;

    /// Our own sink wrote it: names are escaped, and rows may say their true step.
    [[nodiscard]] bool is_ours() const { return producer.starts_with("taffrail"); }

  private:
    void take_history(ByteSpan body);
    void take_run(ByteSpan body);
    void take_stats(ByteSpan body);
    void take_output(ByteSpan body);
    void take_environment(ByteSpan body);
    void take_alert(ByteSpan body);
    void take_config(ByteSpan body);
    void take_summary(ByteSpan body);
    /// By the name in the file.
    void add(std::string_view name_there, Step step, std::int64_t time_ns, double value);
    /// By our own.
    void add_number(const std::string& key, Step step, std::int64_t time_ns, double value);
    void append(Series& to, Step step, std::int64_t time_ns, double value) const;
    void add_json(const std::string& key, Step step, std::int64_t time_ns, const Json& json);
    [[nodiscard]] std::string key_of(const std::vector<std::string_view>& path) const;

    /// A number of the row being read; its name points into the record.
    struct RowNumber {
        std::string_view name;
        double value = 0;
    };

    formats::wandb::ItemView item_;
    std::vector<RowNumber> numbers_;
    /// The series of each name as it is written: no name is repaired or unescaped twice.
    KeyOrder<Series> series_there_;
    /// Of the summary by names as they are written; empty after a name was removed.
    KeyOrder<std::string> summary_there_;
    std::optional<Step> last_step_;
    std::uint64_t stats_rows_ = 0;
    bool line_is_open_[2] = {false, false};
    std::size_t open_line_[2] = {0, 0};
};

}  // namespace taffrail::sources::wandb
