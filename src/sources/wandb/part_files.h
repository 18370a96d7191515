// Files of a run folder that values lead to. A blob names its place: reading a list of pictures
// must not read the pictures.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::wandb {

/// What a reference of ours names.
struct FilePlace {
    std::uint32_t part = 0, file = 0;
};

BlobRef to_ref(const FilePlace& place, std::uint64_t size) noexcept;
/// Nothing for references that are true hashes.
std::optional<FilePlace> from_ref(const BlobRef& ref) noexcept;

/// The files of one run folder. Every name came out of a file: only what really lies inside the
/// folder is opened.
class PartFiles {
  public:
    PartFiles(std::string folder, std::uint32_t part) : folder_(std::move(folder)), part_(part) {}

    /// A file below files/. Fails where there is none.
    Result<Blob> media(std::string_view path);
    /// A file of an artifact, by where it lay when it was logged: inside the folder, also after
    /// the folder was moved.
    Result<Blob> artifact(std::string_view local_path);
    /// Files directly in files/, but for media: requirements, settings, output.
    std::vector<std::pair<std::string, Blob>> others();

    /// The whole file, where it has at most `limit` bytes.
    Result<Bytes> read(const Blob& blob, std::uint64_t limit) const;
    [[nodiscard]] const std::string* path_of(std::uint32_t file) const noexcept;

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

  private:
    Result<Blob> file(const std::string& url);

    std::string folder_;
    std::uint32_t part_;
    std::vector<std::string> paths_;
    std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

}  // namespace taffrail::sources::wandb
