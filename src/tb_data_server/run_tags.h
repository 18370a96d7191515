// A recorded run as TensorBoard's data provider sees it: tags with a plugin and a data class.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <taffrail/reader.h>

#include "codec/formats/tensorboard/event.h"

namespace taffrail::data_server {

struct TagInfo {
    std::string tag;
    tensorboard::Metadata metadata;  ///< plugin and data class always set
    std::string key;                 ///< the run's key behind it
    std::int64_t max_step = 0;
    double max_wall_time = 0;
    std::int64_t max_length = 0;     ///< blob sequences
};

/// All tags of a data class and plugin (empty: of every plugin), sorted by name.
std::vector<TagInfo> list_tags(const RecordedRun& run, tensorboard::DataClass data_class, std::string_view plugin);
/// Names of the plugins that have tags of a data class.
std::vector<std::string> plugins_of(const RecordedRun& run, tensorboard::DataClass data_class);
/// The tag, if the run has it with this data class.
std::optional<TagInfo> find_tag(const RecordedRun& run, tensorboard::DataClass data_class, std::string_view plugin,
                                std::string_view tag);

struct ScalarColumns {
    std::vector<std::int64_t> step;
    std::vector<double> wall_time;
    std::vector<float> value;
};
/// The winning points of a scalar tag, at most `limit` of them: the last always, the others evenly spread.
ScalarColumns read_scalars(const RecordedRun& run, const TagInfo& tag, std::int64_t limit);

struct TensorDatum {
    std::int64_t step = 0;
    double wall_time = 0;
    Bytes tensor;  ///< TensorProto
};
std::vector<TensorDatum> read_tensors(const RecordedRun& run, const TagInfo& tag, std::int64_t limit);

/// A blob is text that stands in its key, or bytes that the run loads.
struct BlobDatum {
    std::int64_t step = 0;
    double wall_time = 0;
    std::vector<std::string> keys;
};
std::vector<BlobDatum> read_blob_sequences(const RecordedRun& run, std::string_view run_id, const TagInfo& tag,
                                           std::int64_t limit);

/// What a blob key names: its run, and how to get the bytes.
struct BlobKey {
    std::string run_id;
    std::string text;             ///< the bytes themselves
    std::optional<BlobRef> ref;
    std::optional<std::size_t> graph;  ///< number of the graph entry
};
std::optional<BlobKey> parse_blob_key(std::string_view key);
Result<Bytes> read_blob(const RecordedRun& run, const BlobKey& key);

/// Which of `count` points to give when at most `limit` are wanted.
std::vector<std::size_t> spread(std::size_t count, std::int64_t limit);

}  // namespace taffrail::data_server
