// The data behind a tag: points, tensors and blobs, as TensorBoard's data provider hands them out.
#pragma once

#include "codec/formats/tensorboard/encode.h"
#include "tb_data_server/run_tags.h"

namespace taffrail::tb_data_server {

/// The summary values that `entry` of `key` becomes.
std::vector<formats::tensorboard::EncodedValue> encode_entry(const RecordedRun& run,
                                                             std::string_view key,
                                                             const Entry& entry);

struct ScalarColumns {
    std::vector<std::int64_t> step;
    std::vector<double> wall_time;
    std::vector<float> value;
};

/// The winning points of a scalar tag, at most `limit` of them: the last always, the others evenly
/// spread.
ScalarColumns read_scalars(const RecordedRun& run, const TagInfo& tag, std::int64_t limit);

struct TensorDatum {
    std::int64_t step = 0;
    double wall_time = 0;
    Bytes tensor;  ///< TensorProto
};

std::vector<TensorDatum> read_tensors(const RecordedRun& run, const TagInfo& tag,
                                      std::int64_t limit);

/// A blob is text that stands in its key, or bytes that the run loads.
struct BlobDatum {
    std::int64_t step = 0;
    double wall_time = 0;
    std::vector<std::string> keys;
};

std::vector<BlobDatum> read_blob_sequences(const RecordedRun& run, std::string_view run_id,
                                           const TagInfo& tag, std::int64_t limit);

/// What a blob key names: its run, and how to get the bytes.
struct BlobKey {
    std::string run_id;
    std::string text;            ///< the bytes themselves
    std::optional<BlobRef> ref;  ///< stored bytes
    /// Else bytes that are made when asked for: a graph, a film or a picture in another format.
    std::string key;
    std::size_t entry = 0;    ///< number among all entries of `key`
    std::size_t element = 0;  ///< of the encoded tensor
};

std::optional<BlobKey> parse_blob_key(std::string_view key);
Result<Bytes> read_blob(const RecordedRun& run, const BlobKey& key);

/// Which of `count` points to give when at most `limit` are wanted.
std::vector<std::size_t> spread(std::size_t count, std::int64_t limit);

}  // namespace taffrail::tb_data_server
