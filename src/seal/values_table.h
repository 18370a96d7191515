// The table of everything that is not a scalar: one row a value. `metadata` and `blobs` are the
// truth (docs/formats/values.md, docs/formats/sealed.md); text, edges, counts, format, sha256 and
// size repeat what SQL users ask for.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "codec/parquet/reader.h"
#include "codec/parquet/writer.h"
#include "codec/tlog/batch.h"
#include "io/file.h"
#include "seal/damage_notes.h"
#include "seal/table_writer.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::seal {

/// A value read back: what the log said about it. Views point into the table that returned it.
struct SealedValue {
    tlog::ValueRecord record;  ///< key is 0: `name` says it
    std::string_view name;
    RowWriter writer;
};

/// The columns of the table.
const std::vector<parquet::Column>& value_columns();

class ValuesTableWriter {
  public:
    static Result<std::unique_ptr<ValuesTableWriter>> create(const std::string& path,
                                                             std::string run_id,
                                                             parquet::Profile profile);
    Result<void> add(const RowWriter& writer, std::string_view key,
                     const tlog::ValueRecord& record);
    /// Completes the file, forces it to disk and reads it back.
    Result<void> finish();

    [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

  private:
    struct Buffer;

  public:
    ~ValuesTableWriter();

  private:
    ValuesTableWriter(std::string path, std::unique_ptr<io::File> file, std::string run_id,
                      parquet::Profile profile);
    Result<void> write_row_group();
    Result<void> verify();

    std::string path_, run_id_;
    std::unique_ptr<io::File> file_;
    std::unique_ptr<parquet::Writer> writer_;
    std::unique_ptr<Buffer> buffer_;
    std::uint64_t rows_ = 0;
    std::uint32_t crc_ = 0;  ///< of metadata and blobs
};

/// The whole table in memory but for the bytes of blobs: it holds descriptions, not pixels.
class ValuesTable {
  public:
    /// Values in damaged pages are left out and noted. `rows` is what the manifest counts: it helps
    /// where the footer is lost. Fails when the file cannot be read at all.
    static Result<std::shared_ptr<const ValuesTable>> read(const std::string& path,
                                                           std::uint64_t rows, DamageNotes& notes);
    /// Reads the columns that are only there for other programs, too, so that all damage is noted.
    static Result<void> check(const std::string& path, std::uint64_t rows, DamageNotes& notes);

    /// Blobs that lie in the table itself have no bytes here: inline_bytes() has them.
    [[nodiscard]] const std::vector<SealedValue>& values() const noexcept { return values_; }

    /// The bytes of a blob that a value of this table holds in line, read when asked for, a row
    /// group at a time; safe from any thread.
    [[nodiscard]] Result<Bytes> inline_bytes(const SealedValue& value, const BlobRef& blob) const;

  private:
    using Places = std::vector<tlog::BlobPlace>;
    /// One a row; nothing where they make no sense.
    Result<void> read_places(const parquet::Reader& reader,
                             std::vector<std::optional<Places>>& places);

    std::string path_;
    std::vector<std::string> keys_, metadata_;
    std::vector<SealedValue> values_;
    std::vector<std::uint32_t> rows_;          ///< of each value
    std::vector<std::uint64_t> group_begins_;  ///< first row of each row group
    std::vector<std::string> salvaged_blobs_;  ///< of a damaged file, by row
    mutable std::mutex mutex_;
    mutable std::size_t cached_group_ = SIZE_MAX;
    mutable std::vector<std::string> cached_blobs_;
};

/// Blob places as bytes: varint count, then each 32 bytes SHA-256, varint size, u8 place and what
/// that place needs (as in a value record of the live log).
Bytes encode_blob_places(std::span<const tlog::BlobPlace> places);
/// Views point into `bytes`. False when they do not fit.
[[nodiscard]] bool decode_blob_places(ByteSpan bytes, std::vector<tlog::BlobPlace>& places);

}  // namespace taffrail::seal
