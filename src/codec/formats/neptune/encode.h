// Operations of the log, as the messages of the official program.
#pragma once

#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::formats::neptune {

struct CreateRun {
    std::string family;      ///< the run's id
    std::string experiment;  ///< its name
    std::int64_t time_ns = 0;
};

Bytes encode_create(const CreateRun& run);

/// The bytes of a Value, for entries below.
Bytes float_value(double number);
Bytes cell_value(const Cell& cell);  ///< nothing as an empty text
Bytes text_value(std::string_view text);
Bytes file_value(std::string_view path, std::uint64_t size, std::string_view mime);
/// At most 512 bins: neighbours are joined. Counts are whole there.
Bytes histogram_value(const Histogram& histogram);

/// What stands before each number of a series.
Bytes number_head(std::string_view path);

/// Gathers one update: values assigned, sets changed, points appended.
class Update {
  public:
    void assign(std::string_view path, ByteSpan value) { entry(4, path, value); }

    void append(std::string_view path, ByteSpan value) { entry(8, path, value); }

    /// The quick way for a number; `head` is number_head() of its path.
    void append_number(ByteSpan head, double number);
    void add_tag(std::string_view path, std::string_view tag, bool is_removed);

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    /// The whole message, and nothing gathered any more. The step counts in millionths.
    Bytes take(std::optional<std::uint64_t> micro_step, std::int64_t time_ns);

  private:
    void entry(std::uint32_t field, std::string_view path, ByteSpan value);

    Bytes entries_;
};

}  // namespace taffrail::formats::neptune
