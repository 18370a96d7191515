// Reads the metadata of a foreign Parquet file (foreign_file.h).
#pragma once

#include "codec/parquet/foreign_file.h"
#include "codec/parquet/thrift.h"

#include <string>
#include <vector>

namespace taffrail::parquet {

/// A file of few bytes may claim any number of rows: nulls and repeated values pack to nothing, but
/// would take memory here.
constexpr std::uint64_t most_rows_of(std::uint64_t file_bytes) noexcept {
    return 1'000'000 + 8 * file_bytes;
}

class ForeignMetadata {
  public:
    static Result<ForeignFile> read(ReadAt read_at, std::uint64_t file_bytes);

  private:
    struct Node;

    static std::vector<Node> read_nodes(ThriftReader& reader);
    static void read_groups(ThriftReader& reader, ForeignFile& file);
    static ForeignFile::Chunk read_chunk(ThriftReader& reader);
    static bool add_leaves(const std::vector<Node>& nodes, std::size_t& next,
                           const std::string& above, unsigned definition, unsigned repetition,
                           int depth, std::vector<ForeignLeaf>& to);
};

}  // namespace taffrail::parquet
