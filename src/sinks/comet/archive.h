// The folder that an archive is made of, and the archive.
//
// Messages are appended; what lies behind the noted length never counted. The folder always holds a
// whole experiment.json, so that after a kill it can be packed as it stands.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "codec/formats/comet/messages.h"
#include "io/file.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace taffrail::sinks::comet {

class ArchiveFolder {
  public:
    /// A new folder `log_dir/<name>`.
    static Result<ArchiveFolder> create(const std::string& path);
    /// Goes on behind `length` bytes of messages.
    static Result<ArchiveFolder> reopen(const std::string& path, std::uint64_t length);

    void add(std::string_view line) { pending_ += line; }

    [[nodiscard]] std::string& pending() noexcept { return pending_; }

    /// Writes a file under a plain name; the same name again is the same file.
    Result<void> store(std::string_view name, ByteSpan bytes) const;
    /// After a failure everything is kept and written again by the next call.
    Result<void> write_out();
    Result<void> describe(const formats::comet::Experiment& experiment) const;
    /// Makes `<folder>.zip` of it, whole or not at all, and removes the folder.
    Result<void> pack(std::int64_t time_ns);

    [[nodiscard]] std::uint64_t length() const noexcept { return length_; }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  private:
    std::string path_;
    std::unique_ptr<io::File> file_;
    std::string pending_;
    std::uint64_t length_ = 0;
};

}  // namespace taffrail::sinks::comet
