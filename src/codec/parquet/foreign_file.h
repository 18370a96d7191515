// Parquet files of other programs: any schema, columns as they lie in the file.
//
// Wider than the profile of our own files (reader.h) in what it takes (nested columns, Snappy and
// gzip, dictionaries of numbers, pages of both versions) and narrower in what it gives: levels and
// values, for a caller that knows the schema it looks for.
#pragma once

#include <taffrail/result.h>

#include "codec/parquet/reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::parquet {

/// A column without children.
struct ForeignLeaf {
    enum class Type : std::uint8_t {
        Boolean,
        Int32,
        Int64,
        Int96,
        Float,
        Double,
        ByteArray,
        FixedBytes
    };

    std::string path;  ///< names joined with dots, those of a list's layers left out
    Type type = Type::Int32;
    std::size_t width = 0;  ///< of FixedBytes
    bool is_decimal = false;
    int scale = 0;           ///< of decimals
    bool is_micros = false;  ///< a time in microseconds; others are in milliseconds
    unsigned definition = 0, repetition = 0;  ///< the largest levels
};

struct ForeignColumn {
    /// One for each entry; empty where the leaf has no such levels. An entry has a value where its
    /// definition is the leaf's largest; a row begins where its repetition is 0.
    std::vector<std::uint8_t> definitions, repetitions;
    std::size_t entries = 0;
    /// The values alone, in one of these.
    std::vector<std::int64_t> whole;   ///< booleans, integers, decimals without their point
    std::vector<double> numbers;       ///< Float and Double
    std::vector<std::uint32_t> words;  ///< places in `pool`: a text that repeats is held once
    std::vector<std::string> pool;
};

class ForeignFile {
  public:
    static Result<ForeignFile> open(ReadAt read_at, std::uint64_t file_bytes);

    [[nodiscard]] const std::vector<ForeignLeaf>& leaves() const noexcept { return leaves_; }

    [[nodiscard]] std::optional<std::size_t> leaf(std::string_view path) const;

    [[nodiscard]] std::size_t row_groups() const noexcept { return groups_.size(); }

    [[nodiscard]] std::uint64_t rows(std::size_t group) const { return groups_[group].rows; }

    [[nodiscard]] Result<ForeignColumn> read(std::size_t group, std::size_t leaf) const;

  private:
    struct Chunk {
        std::int64_t codec = 0, values = 0, bytes = 0, data = 0, dictionary = 0;
    };

    struct Group {
        std::uint64_t rows = 0;
        std::vector<Chunk> chunks;
    };

    ReadAt read_at_;
    std::uint64_t file_bytes_ = 0;
    std::vector<ForeignLeaf> leaves_;
    std::vector<Group> groups_;

    friend class ForeignMetadata;
};

}  // namespace taffrail::parquet
