// Points as the rows of a file: the one table that the command line writes and the server sends.
#pragma once

#include <taffrail/reader.h>

#include "codec/json_writer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace taffrail::query {

/// Takes the next bytes of a file; an error ends the export.
using ExportOutput = std::function<Result<void>(std::string_view bytes)>;

/// A run as its rows name it.
struct ExportedRun {
    std::string id, name;
};

enum class TableFormat : std::uint8_t { Csv, Jsonl, Parquet };

/// CSV and Parquet: run,name,key,step,time,epoch,samples,phase,rank,attempt,value (time in ns since
/// 1970). JSONL: docs/formats/jsonl.md.
class PointTable {
  public:
    virtual ~PointTable() = default;
    /// Rows come out in pieces of some hundred kilobytes; what is left with finish().
    virtual Result<void> add(const ExportedRun& run, std::string_view key,
                             std::span<const Point> points) = 0;
    virtual Result<void> finish() = 0;
};

std::unique_ptr<PointTable> make_point_table(TableFormat format, ExportOutput output);

/// Text that is handed on when there is enough of it.
class TextPieces {
  public:
    explicit TextPieces(ExportOutput output) : output_(std::move(output)) {}

    [[nodiscard]] std::string& text() noexcept { return text_; }

    /// Between two lines.
    Result<void> hand_on_if_large() {
        constexpr std::size_t kPieceBytes = 1u << 18;
        return text_.size() < kPieceBytes ? Result<void>() : hand_on();
    }

    Result<void> hand_on() {
        const Result<void> done = text_.empty() ? Result<void>() : output_(text_);
        text_.clear();
        return done;
    }

  private:
    ExportOutput output_;
    std::string text_;
};

/// Begins a JSONL line with everything but its value, which follows the call.
void begin_jsonl(JsonWriter& json, std::string_view run_id, std::string_view key, Kind kind,
                 const Point& place);

}  // namespace taffrail::query
