// Records of a `.wandb` file as bytes: what the official program writes, field by field.
#pragma once

#include "base/bytes.h"
#include "codec/formats/wandb/fields.h"
#include "codec/protobuf_wire.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::formats::wandb {

/// A name (or the path to a leaf) and its value as JSON.
struct Item {
    std::vector<std::string> path;
    std::string json;
};

/// The run as its record tells it.
struct RunDescription {
    std::string run_id, entity, project, group, job_type, display_name, notes, host, version;
    std::vector<std::string> tags;
    std::vector<Item> config;
    std::int64_t start_time_ns = 0;
    bool resume = false;
};

struct ManifestEntry {
    std::string path, digest, local_path;  ///< the digest is an MD5 as base64
    std::uint64_t size = 0;
};

struct ArtifactDescription {
    std::string run_id, entity, project, type, name, digest, metadata_json, client_id, sequence_id;
    std::vector<std::string> aliases;
    std::vector<ManifestEntry> files;
};

struct MetricDescription {
    std::string name, glob, step;
    bool hidden = false, minimum = false, maximum = false, mean = false, last = false, none = false;
    int goal = 0;  ///< 1 smaller is better, 2 larger
};

// Each gives the payload of one record; `number` counts the records of a file from 1.
Bytes encode_header(std::int64_t number, std::string_view producer);
Bytes encode_run(std::int64_t number, const RunDescription& run);
Bytes encode_config(std::int64_t number, std::span<const Item> update);
Bytes encode_summary(std::int64_t number, std::span<const Item> update);
Bytes encode_metric(std::int64_t number, const MetricDescription& metric);
/// A file below files/.
Bytes encode_file(std::int64_t number, std::string_view path);
Bytes encode_stats(std::int64_t number, std::int64_t time_ns,
                   std::span<const std::pair<std::string, double>> values);
Bytes encode_output(std::int64_t number, std::int64_t time_ns, bool is_error,
                    std::string_view line);
Bytes encode_alert(std::int64_t number, std::string_view title, std::string_view text,
                   std::string_view level);
Bytes encode_artifact(std::int64_t number, const ArtifactDescription& artifact);
Bytes encode_environment(std::int64_t number, std::string_view system, std::string_view program,
                         std::string_view host, std::int64_t start_time_ns);
Bytes encode_exit(std::int64_t number, std::int64_t exit_code, std::int64_t runtime_seconds);

/// One row of the history, item by item, without a copy of its parts.
class HistoryRow {
  public:
    void clear() noexcept { items_.clear(); }

    /// The items so far, as fields of the row.
    [[nodiscard]] const Bytes& items() const noexcept { return items_; }

    /// `item` is what item_prefix() made of the name.
    void add(std::string_view item_prefix, std::string_view json);
    [[nodiscard]] Bytes encode(std::int64_t number, std::int64_t step) const;

  private:
    Bytes items_;
};

/// The bytes of a history item up to the length of its value: made once for a name.
std::string item_prefix(std::string_view name);

/// The official digest of a manifest: what artifact versions are told apart by.
std::string manifest_text(std::span<const ManifestEntry> files);

}  // namespace taffrail::formats::wandb
