// Values too big for a ring wait here for their encoder: `<writer>-<n>.spool`, one write a value,
// safe in the page cache when the log call returns. The collector adds the axes it resolved, so
// that an entry can be recovered by itself.
#pragma once

#include <taffrail/result.h>

#include "io/file.h"
#include "record/drain.h"
#include "record/identity.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace taffrail::record {

struct SpoolPlace {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;  ///< of the entry
    std::uint64_t length = 0;  ///< of the payload
};

class Spool {
  public:
    Spool(std::string folder, const WriterIdentity& identity)
        : folder_(std::move(folder)), writer_(identity.writer) {}

    /// Appends one entry. Thread-safe.
    Result<SpoolPlace> write(std::span<const ByteSpan> parts);
    /// Notes the axes of an entry beside it.
    Result<void> resolve(const SpooledValue& value);
    /// The payload, checked.
    Result<Bytes> read(std::uint32_t file, std::uint64_t offset, std::uint64_t length);
    /// One entry of this file is in the log; a full file without open entries is removed.
    void done(std::uint32_t file) noexcept;
    /// Removes all files.
    void remove_all() noexcept;

    static std::string path(const std::string& folder, std::uint64_t writer, std::uint32_t file);

  private:
    struct Part {
        std::unique_ptr<io::File> file;
        std::uint64_t end = 0;
        std::uint64_t open_entries = 0;
    };

    Result<std::shared_ptr<Part>> part(std::uint32_t file);

    std::string folder_;
    std::uint64_t writer_;
    std::mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<Part>> parts_;
    std::uint32_t current_ = 0;
};

/// Notes the axes of an entry beside it.
Result<void> resolve_spool_entry(io::File& file, const SpooledValue& value);

/// Reads one entry of a spool file: the axes noted beside it and its payload. `value.file` and
/// `.offset` say where.
Result<Bytes> read_spool_entry(io::File& file, SpooledValue& value);

}  // namespace taffrail::record
