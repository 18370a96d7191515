// A growing `.wandb` file. Records gather in memory; write_out() puts them behind the last ones.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"
#include "io/file.h"

#include <cstdint>
#include <memory>
#include <string>

namespace taffrail::sinks::wandb {

class RunFile {
  public:
    /// A new file with its header, which must not exist.
    static Result<std::unique_ptr<RunFile>> create(const std::string& path);
    /// Goes on behind `length` bytes; what lies behind them never counted and is cut off.
    static Result<std::unique_ptr<RunFile>> reopen(const std::string& path, std::uint64_t length,
                                                   std::int64_t records);

    /// The number of the next record; take one for each add().
    std::int64_t next_number() noexcept { return ++records_; }

    void add(ByteSpan record);
    /// After a failure everything is kept and written again by the next call.
    Result<void> write_out();

    [[nodiscard]] std::size_t pending_bytes() const noexcept { return pending_.size(); }

    /// Bytes in the file.
    [[nodiscard]] std::uint64_t length() const noexcept { return length_; }

    [[nodiscard]] std::int64_t records() const noexcept { return records_; }

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

  private:
    RunFile(std::string path, std::unique_ptr<io::File> file)
        : path_(std::move(path)), file_(std::move(file)) {}

    std::string path_;
    std::unique_ptr<io::File> file_;
    Bytes pending_;
    std::uint64_t length_ = 0;
    std::int64_t records_ = 0;
};

}  // namespace taffrail::sinks::wandb
