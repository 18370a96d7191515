// Blobs as files other programs open: PNG, WAV, MP4, PLY, .npy. One folder per key.
#pragma once

#include <taffrail/reader.h>

#include "base/bytes.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::cli {

/// One file of a value.
struct MediaFile {
    std::string file;     ///< relative to the media folder
    std::string preview;  ///< a picture or GIF of what the file holds exactly; often empty
    BlobRef blob;
};

/// Writes media below one folder. Names are made of run, key, step and a part of the hash, so that
/// exporting twice gives the same files.
class MediaFiles {
  public:
    /// `folder` "" writes nothing: files() then gives blobs without names.
    explicit MediaFiles(std::string folder) : folder_(std::move(folder)) {}

    /// The files of a record's value, written if they are not there yet.
    Result<std::vector<MediaFile>> files(const RecordedRun& run, const std::string& run_name,
                                         const Record& record);

  private:
    Result<void> write(const std::string& relative, ByteSpan bytes);

    std::string folder_;
    std::set<std::string> made_folders_;
};

}  // namespace taffrail::cli
