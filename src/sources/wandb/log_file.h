// One `.wandb` file, followed: each record handed out once, from where the last look ended.
#pragma once

#include <taffrail/reader.h>

#include "codec/formats/wandb/framing.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace taffrail::sources::wandb {

class LogFile {
  public:
    LogFile(std::string folder, std::string path)
        : folder_(std::move(folder)), path_(std::move(path)) {}

    enum class Change : std::uint8_t { None, Grown, Replaced };

    /// Looks at the file. Replaced: it is another one than before, or shorter; everything that was
    /// read of it is void, and the next read() begins at its beginning.
    Change look();
    /// Hands out what is new.
    void read(const formats::wandb::RecordScanner::OnRecord& on_record);

    [[nodiscard]] std::vector<Damage> damage() const;

    /// Why the file as a whole cannot be read; empty when it can.
    [[nodiscard]] const std::string& error() const noexcept { return error_; }

    [[nodiscard]] std::int64_t modified_ns() const noexcept { return modified_ns_; }

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  private:
    std::string folder_, path_, error_;
    std::uint64_t size_ = 0, inode_ = 0;
    std::int64_t modified_ns_ = 0;
    bool is_begun_ = false;
    formats::wandb::RecordScanner scanner_;
};

}  // namespace taffrail::sources::wandb
