// Lines of an offline archive's messages.json: {"type": …, "payload": {…}}.
//
// The uploader stops sending metrics at the first one that is not as its schema wants it, so what
// is written here is exact: whole times, numbers or texts, no further member.
#pragma once

#include <taffrail/key.h>
#include <taffrail/value.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::formats::comet {

/// The beginning of a metric's lines, the same for each of them.
std::string metric_prefix(std::string_view name);
/// A whole line. Numbers that JSON lacks are texts.
void append_metric(std::string& to, std::string_view prefix, double value, Step step,
                   const std::optional<double>& epoch, std::int64_t time_ns, std::int64_t number);

std::string parameter_line(std::string_view name, const Cell& value, std::int64_t time_ns,
                           std::int64_t number);
std::string other_line(std::string_view key, const Cell& value, std::int64_t number);
std::string output_line(std::string_view text, bool is_error, std::int64_t time_ns,
                        std::int64_t number);
std::string graph_line(std::string_view graph, std::int64_t number);

/// A file of the archive.
struct Upload {
    std::string path;  ///< in the archive
    std::string type;  ///< "asset", "visualization", "audio", …
    std::string name;  ///< shown there
    std::string id;    ///< 32 hexadecimal digits
    std::string ending;
    std::string metadata_json = "{}";
    std::optional<Step> step;
    std::int64_t time_ns = 0;
};

std::string upload_line(const Upload& upload, std::int64_t number);

/// A cloud of points: its file has one JSON list a line.
struct PointCloud {
    std::string name, points_path, thumbnail_path, metadata_json = "{}";
    std::optional<Step> step;
};

std::string points_line(const PointCloud& cloud, std::int64_t number);

/// What stands beside the messages: experiment.json.
struct Experiment {
    std::string key, project, workspace;
    std::int64_t start_ms = 0, stop_ms = 0;
    std::vector<std::string> tags;
    bool is_further_part = false;  ///< of an experiment that may be there already
    bool has_failed = false;
    std::string error;
};

std::string experiment_document(const Experiment& experiment);

/// Names of parameters: groups are joined with `|` there, `/` here.
std::string parameter_name(std::string_view name);
std::string from_parameter_name(std::string_view name);

/// Beginning of the keys of `log_other` that only readers here understand.
inline constexpr std::string_view kOwnOther = "taffrail.";

}  // namespace taffrail::formats::comet
