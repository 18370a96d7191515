// Blobs as files other programs open: PNG, WAV, MP4, PLY, .npy. One folder per key.
#pragma once

#include <taffrail/reader.h>

#include "base/bytes.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace taffrail::query {

/// One file of a value.
struct MediaFile {
    std::string file;        ///< relative to the media folder; "" when none is written
    std::string preview;     ///< a picture or GIF of what the file holds exactly; often empty
    std::string sha256;      ///< hexadecimal: of the file, or of the recorded bytes without one
    std::uint64_t size = 0;  ///< bytes of the same
};

/// Writes media below one folder. Names are made of run, key, step and a part of the file's hash,
/// so that exporting twice gives the same files and different bytes never share a name.
class MediaFiles {
  public:
    /// `folder` "" writes nothing: files() then gives hashes without names.
    explicit MediaFiles(std::string folder) : folder_(std::move(folder)) {}

    /// The files of a record's value, written if they are not there yet.
    Result<std::vector<MediaFile>> files(const RecordedRun& run, const RunInfo& info,
                                         const Record& record);

  private:
    Result<void> write(const std::string& relative, ByteSpan bytes);
    /// Of the run: its name, and its id too where another run of this export has the same name.
    const std::string& folder_of(const RunInfo& info);

    std::string folder_;
    std::set<std::string> made_folders_;
    std::map<std::string, std::string> run_folders_;  ///< by run id
};

}  // namespace taffrail::query
