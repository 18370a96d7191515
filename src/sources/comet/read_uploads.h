// Files that messages tell of, as values.
#pragma once

#include "codec/json.h"
#include "model/gathered_run.h"
#include "sources/comet/archive_files.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::sources::comet {

/// For the messages of one archive.
class UploadReader {
  public:
    UploadReader(std::shared_ptr<const ArchiveFiles> files, std::uint32_t attempt,
                 model::GatheredContent& to)
        : files_(std::move(files)), attempt_(attempt), to_(to) {}

    /// The payload of a `file_upload` message.
    void take(const Json& payload);
    /// The payload of a `3d-image` message.
    void take_points(const Json& payload);

  private:
    struct File {
        std::string path, name, caption;
    };

    using Group = std::shared_ptr<std::vector<File>>;

    static Result<Value> value_of(Kind kind, const std::string& type, const std::string& shown,
                                  const std::vector<File>& group, const ArchiveFiles& files,
                                  const std::shared_ptr<const ArchiveFiles>& owner,
                                  model::GatheredBlobs& blobs);

    std::shared_ptr<const ArchiveFiles> files_;
    std::uint32_t attempt_;
    model::GatheredContent& to_;
    std::map<std::string, Group> groups_;  ///< files that are one value, by what names it
};

}  // namespace taffrail::sources::comet
