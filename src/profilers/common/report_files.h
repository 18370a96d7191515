// Names and places of what a profiler leaves: <stage>-<filename>[-<rank>][-<action>].<extension>.
#pragma once

#include <taffrail/profiler.h>

#include "base/bytes.h"

#include <optional>
#include <string>
#include <string_view>

namespace taffrail::profilers {

class ReportFiles {
  public:
    void configure(const ProfilerOptions& options);
    void setup(std::string_view stage, std::optional<int> rank, const std::string& folder);

    /// Whether there is a folder to write to.
    [[nodiscard]] bool wanted() const noexcept { return !folder_.empty(); }

    [[nodiscard]] std::string path(std::string_view action, std::string_view extension) const;
    /// Makes the folder. A file that is there is appended to (`append`) or replaced.
    Result<void> write(const std::string& path, ByteSpan bytes, bool append) const;

    /// "FIT Profiler Report", with the rank where there are several.
    [[nodiscard]] std::string heading() const;

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

    [[nodiscard]] std::optional<int> rank() const noexcept { return rank_; }

  private:
    std::string dirpath_, filename_ = "profiler", stage_, folder_;
    std::optional<int> rank_;
};

/// Characters that some file system or shell does not like become one '_'; empty is "profile".
std::string safe_file_name(std::string_view name);

}  // namespace taffrail::profilers
