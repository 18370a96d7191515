// Sorts the scalars of a run into files: rows that many steps share become wide tables, everything
// else one long table.
//
// Rows arrive in log order. A set of keys with many rows gets its file at once and is streamed; the
// others wait in memory until the end, when it is known that they are few. Memory is bounded: what
// waits goes into a long table of its own when it becomes much, and streamed tables write their
// rows early.
#pragma once

#include <taffrail/result.h>

#include "codec/tlog/batch.h"
#include "seal/row_buffer.h"
#include "seal/table_writer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::seal {

/// A file that is complete but still has its temporary name.
struct NewFile {
    std::string temporary_path, name;
    std::uint64_t rows = 0;
    /// What it should hold; who has not noted that while writing it reads the file instead.
    std::uint64_t bytes = 0;
    std::optional<std::uint32_t> crc = {};
};

class ScalarSorter {
  public:
    /// Keys of one wide file at most.
    static constexpr std::size_t kMaxWidth = 512;
    /// Rows from which on a set of keys is streamed into a file of its own, and bytes of a set that
    /// gets one in any case: what does not wait is not copied.
    static constexpr std::size_t kStreamRows = 32 * 1024, kStreamBytes = 1 << 20;
    /// Tables streamed at once at most: each has an open file. Further sets of keys go into long
    /// tables.
    static constexpr std::size_t kMaxTables = 48;
    /// Bytes that wait in memory, and bytes in the tables, at most.
    static constexpr std::size_t kWaitingBytes = 12 << 20, kTableBytes = 12 << 20;
    /// Rows from which on a shared row set is worth a file of its own at the end.
    static constexpr std::size_t kWideRows = 1024;

    /// `name_suffix` tells this sealing from others of the run; `folder` takes the files.
    ScalarSorter(std::string folder, std::string run_id, std::string name_suffix,
                 TableOptions options);

    /// Rows of one set of keys; `rows` lists which rows of the spans count.
    Result<void> add(const RowWriter& writer, const std::vector<std::string_view>& keys,
                     const tlog::Axes& axes, std::span<const std::span<const double>> columns,
                     std::span<const std::uint32_t> rows);

    Result<std::vector<NewFile>> finish();

    [[nodiscard]] std::uint64_t points() const noexcept { return points_; }

  private:
    struct Group {
        std::vector<std::string> keys;
        RowBuffer buffer;
        std::vector<std::unique_ptr<TableWriter>> tables;  ///< one per 512 keys, once streaming
        std::size_t first_file = 0;                        ///< of the tables, in files_
    };

    static bool is_worth_a_file(const Group& group);
    Result<void> start_streaming(Group& group);
    Result<void> finish(TableWriter& table, NewFile& file);
    /// `columns` in the order of the group's keys.
    static Result<void> add_to_tables(const Group& group, const RowWriter& writer,
                                      const RowAxes& axes,
                                      std::span<const std::span<const double>> columns);
    Result<void> drain(Group& group);
    Result<void> write_long(std::vector<NewFile>& files);
    Result<void> keep_memory_small();
    Result<void> keep_tables_small();
    [[nodiscard]] std::string path_of(const std::string& name) const;

    std::string folder_, run_id_, name_suffix_;
    TableOptions options_;
    std::map<std::vector<std::string>, Group> groups_;
    std::vector<NewFile> files_;
    std::uint64_t points_ = 0;
    std::vector<Group*> streaming_;
    std::size_t waiting_bytes_ = 0;
    std::size_t tables_ = 0, long_tables_ = 0;
};

}  // namespace taffrail::seal
