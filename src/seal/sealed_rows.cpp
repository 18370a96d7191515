#include "seal/sealed_rows.h"

#include <algorithm>

namespace taffrail::seal {
namespace {

constexpr std::uint64_t kChunkRows = 16 * 1024;

struct RowRange {
    std::uint64_t first = 0, last = 0;
};

}  // namespace

/// Rows of one file, a chunk at a time; a long table is taken whole, since its rows are sorted by
/// key.
class SealedRows::Stream {
  public:
    Stream(std::shared_ptr<SealedFile> file, std::vector<RowRange> ranges)
        : file_(std::move(file)), ranges_(std::move(ranges)) {}

    /// The number of the next row; UINT64_MAX at the end.
    std::uint64_t peek() {
        while (at_ == order_.size()) {
            if (next_range_ == ranges_.size()) {
                return UINT64_MAX;
            }
            load();
        }
        return axes_[order_[at_]].seq;
    }

    /// Adds the next row's values to `row`.
    void take(SealedRow& row) {
        const std::size_t index = order_[at_++];
        row.axes = axes_[index];
        if (file_->index().kind == TableKind::Long) {
            row.values.emplace_back(keys_[index], columns_[0].values[index]);
            return;
        }
        const auto& series = file_->index().sections[0].series;
        for (std::size_t i = 0; i < series.size(); ++i) {
            if (!columns_[i].lost.contains(index)) {
                row.values.emplace_back(series[i].key, columns_[i].values[index]);
            }
        }
    }

  private:
    struct Column {
        std::vector<double> values;
        LostRows lost;
    };

    void load() {
        axes_.clear();
        columns_.clear();
        keys_.clear();
        order_.clear();
        const FileIndex& index = file_->index();
        if (index.kind == TableKind::Wide) {
            RowRange& range = ranges_[next_range_];
            const std::uint64_t count = std::min(kChunkRows, range.last - range.first);
            LostRows lost;
            axes_ = file_->axes(range.first, count, lost);
            for (const SeriesEntry& series : index.sections[0].series) {
                Column& column = columns_.emplace_back();
                column.values = file_->values(series.column, range.first, count, column.lost);
            }
            add_order(0, axes_.size(), lost);
            range.first += count;
            next_range_ += range.first == range.last;
        } else {
            load_long();
            next_range_ = ranges_.size();
        }
        std::stable_sort(order_.begin(), order_.end(),
                         [&](std::size_t a, std::size_t b) { return axes_[a].seq < axes_[b].seq; });
        at_ = 0;
    }

    /// Rows that can be read; `lost` counts from `first`.
    void add_order(std::size_t first, std::size_t end, const LostRows& lost) {
        for (std::size_t row = first; row < end; ++row) {
            if (!lost.contains(row - first)) {
                order_.push_back(row);
            }
        }
    }

    void load_long() {
        columns_.resize(1);
        const std::size_t column = file_->index().sections[0].series[0].column;
        for (const RowRange& range : ranges_) {
            const std::uint64_t count = range.last - range.first;
            LostRows lost;
            const std::vector<Point> axes = file_->axes(range.first, count, lost);
            const std::vector<double> values = file_->values(column, range.first, count, lost);
            add_order(axes_.size(), axes_.size() + axes.size(), lost);
            axes_.insert(axes_.end(), axes.begin(), axes.end());
            columns_[0].values.insert(columns_[0].values.end(), values.begin(), values.end());
            for (const Section& section : file_->index().sections) {
                const std::uint64_t low = std::max(range.first, section.first_row);
                const std::uint64_t high = std::min(range.last, section.first_row + section.rows);
                for (std::uint64_t row = low; row < high; ++row) {
                    keys_.push_back(section.series[0].key);
                }
            }
        }
    }

    std::shared_ptr<SealedFile> file_;
    std::vector<RowRange> ranges_;
    std::size_t next_range_ = 0;
    std::vector<Point> axes_;
    std::vector<Column> columns_;
    std::vector<std::string_view> keys_;
    std::vector<std::size_t> order_;
    std::size_t at_ = 0;
};

SealedRows::~SealedRows() = default;

SealedRows::SealedRows(const std::vector<std::shared_ptr<SealedFile>>& files,
                       std::uint64_t writer) {
    for (const auto& file : files) {
        std::vector<RowRange> ranges;
        for (const WriterSpan& span : file->index().writers) {
            if (span.writer == writer && span.rows > 0) {
                ranges.push_back({span.first_row, span.first_row + span.rows});
            }
        }
        if (!ranges.empty() && !file->index().sections.empty()) {
            streams_.push_back(std::make_unique<Stream>(file, std::move(ranges)));
        }
    }
}

bool SealedRows::next(std::uint64_t end_seq, SealedRow& row) {
    row.values.clear();
    std::uint64_t lowest = UINT64_MAX;
    for (const auto& stream : streams_) {
        lowest = std::min(lowest, stream->peek());
    }
    if (lowest == UINT64_MAX || lowest >= end_seq) {
        return false;
    }
    // A very wide row lies in several files; a row dissolved into the long table there several
    // times.
    std::size_t takes = 0;
    for (const auto& stream : streams_) {
        for (; stream->peek() == lowest; ++takes) {
            stream->take(row);
        }
    }
    if (takes > 1) {  // one table has its keys in order by itself
        std::ranges::stable_sort(row.values, {}, &std::pair<std::string_view, double>::first);
    }
    return true;
}

}  // namespace taffrail::seal
