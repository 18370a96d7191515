// The files of an archive, or of the folder it is made of.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "codec/zip_reader.h"
#include "io/file.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::sources::comet {

/// Safe from several threads; owns what it needs.
class ArchiveFiles {
  public:
    static Result<std::shared_ptr<const ArchiveFiles>> open(const std::string& path);

    /// A whole file. Names come out of messages: only what lies in the archive is opened.
    [[nodiscard]] Result<Bytes> read(std::string_view name, std::uint64_t limit) const;
    /// Its size; nothing where there is none.
    [[nodiscard]] std::optional<std::uint64_t> size_of(std::string_view name) const;
    /// The lines of a file one after the other, also one without an end; long ones are left out and
    /// counted by `too_long`. Returns how many bytes could not be read.
    Result<void> for_each_line(std::string_view name,
                               const std::function<void(std::string_view, std::uint64_t)>& visit,
                               std::uint64_t& too_long) const;

  private:
    std::string folder_;  ///< empty for an archive
    std::optional<ZipReader> zip_;
};

}  // namespace taffrail::sources::comet
