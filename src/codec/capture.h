// From the caller's views to values that own their bytes, in two halves.
//
// capture_…() runs inside the log call: it checks the shape and copies once, nothing more.
// encode_media() runs later, on the collector: it turns captured pixels into PNG, frames into video
// where an encoder is at hand, and gives every blob its SHA-256. Between the two, 8- and 16-bit
// images have the format "raw".
#pragma once

#include <taffrail/media_options.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <string_view>

namespace taffrail {

// Errors name shape and dtype of what was given and say what would be taken.
Result<Value> capture_image(const ImageView& image, const ImageOptions& options = {});
Result<Value> capture_audio(const AudioView& audio, const MediaOptions& options = {});
Result<Value> capture_video(const VideoView& video, const MediaOptions& options = {});
Result<Value> capture_mesh(const MeshView& mesh);
Result<Value> capture_histogram(const TensorView& values, const HistogramOptions& options = {});
Result<Value> capture_histogram(const Histogram& bins);
Result<Value> capture_table(const Table& table);
Result<Value> capture_figure(std::string_view plotly_json, const ImageView* picture = nullptr);
Result<Value> capture_pr_curve(const PrCurve& curve);
Result<Value> capture_embedding(const TensorView& vectors, const EmbeddingOptions& options = {});
Result<Value> capture_tensor(const TensorView& tensor);

// Files kept as they are; `name` is the path, for messages and for formats known only by their
// ending.
Result<Value> capture_image_file(Bytes file, std::string_view name,
                                 const ImageOptions& options = {});
Result<Value> capture_audio_file(Bytes file, std::string_view name,
                                 const MediaOptions& options = {});
Result<Value> capture_video_file(Bytes file, std::string_view name,
                                 const MediaOptions& options = {});
Result<Value> capture_mesh_file(Bytes file, std::string_view name);

/// The second half. Values without blobs pass unchanged; a value that went through already does
/// too.
Result<void> encode_media(Value& value);

/// A blob that owns `bytes`, not hashed yet.
Blob make_blob(Bytes bytes);
/// Fills in size and SHA-256 where bytes are present and the hash is not.
void seal_blob(Blob& blob);

}  // namespace taffrail
