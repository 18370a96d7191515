// One line a step of a process, one column a key.
//
// A small run is put together in memory and its lines go by step. A large one is read record by
// record, in the order of its log: lines are kept open until enough newer ones came, so that keys
// logged at the same step meet although others came between, and memory stays bounded.
#include "base/try.h"
#include "query/export/exporters.h"
#include "query/export/wide_lines.h"
#include "query/export/winning_records.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace taffrail::query {
namespace {

/// Points of a run that are put together in memory, and cells of lines that are kept open.
constexpr std::uint64_t kMostCells = 200'000;

/// Every wanted key of any run, in order.
std::vector<std::string> column_names(const ExportRequest& request) {
    std::vector<std::string> names;
    for (const auto& run : request.runs) {
        for (const KeyInfo& key : run->keys()) {
            if (wants_scalar(request, key)) {
                names.push_back(key.key);
            }
        }
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

/// The lines of one run on their way out.
class WideLines {
  public:
    WideLines(const RunInfo& run, std::size_t columns, TextPieces& pieces)
        : head_(wide_head({run.id, run.name})), columns_(columns), pieces_(pieces) {}

    Result<void> write(const WideRow& place, const WideCells& cells) {
        append_wide_line(pieces_.text(), head_, place, cells, columns_);
        return pieces_.hand_on_if_large();
    }

  private:
    std::string head_;
    std::size_t columns_;
    TextPieces& pieces_;
};

/// The open lines of the process that is being read.
class OpenLines {
  public:
    explicit OpenLines(WideLines& lines) : lines_(lines) {}

    Result<void> add(std::size_t column, const Record& record) {
        const std::pair process(record.rank, record.attempt);
        if (process != process_) {
            TAFFRAIL_TRY(close_all());
            process_ = process;
        }
        WideRow place{record.step, record.rank, record.attempt, 0};
        WideCells* cells = &open_[place];
        const auto at = [&] { return std::ranges::lower_bound(*cells, column, {}, first_of); };
        while (at() != cells->end() && at()->first == column) {
            ++place.repeat;
            cells = &open_[place];
        }
        cells->emplace(at(), column, record.scalar);
        if (++cells_ > kMostCells) {
            // Half of them at once: the smallest steps are the ones that nothing is added to.
            while (cells_ > kMostCells / 2) {
                TAFFRAIL_TRY(close_first());
            }
        }
        return {};
    }

    Result<void> close_all() {
        while (!open_.empty()) {
            TAFFRAIL_TRY(close_first());
        }
        return {};
    }

  private:
    static constexpr auto first_of = [](const auto& cell) { return cell.first; };

    Result<void> close_first() {
        const auto first = open_.begin();
        cells_ -= first->second.size();
        TAFFRAIL_TRY(lines_.write(first->first, first->second));
        open_.erase(first);
        return {};
    }

    WideLines& lines_;
    std::pair<std::int32_t, std::uint32_t> process_;
    std::map<WideRow, WideCells> open_;
    std::uint64_t cells_ = 0;
};

Result<void> write_in_log_order(const ExportRequest& request, const RecordedRun& run,
                                const std::vector<std::string>& names, WideLines& lines) {
    std::unordered_map<std::string_view, std::size_t> columns;
    for (std::size_t column = 0; column < names.size(); ++column) {
        columns.emplace(names[column], column);
    }
    std::optional<WinningRecords> winners;
    if (request.attempts == Attempts::Winning) {
        TAFFRAIL_ASSIGN(winners, WinningRecords::of(run));
    }
    OpenLines open(lines);
    Result<void> status;
    TAFFRAIL_TRY(run.for_each([&](const Record& record) {
        const auto column = columns.find(record.key);
        if (record.kind != Kind::Scalar || column == columns.end() ||
            (winners && !winners->wins(record))) {
            return true;
        }
        status = open.add(column->second, record);
        return status.ok();
    }));
    TAFFRAIL_TRY(status);
    return open.close_all();
}

Result<void> write_by_step(const ExportRequest& request, const RecordedRun& run,
                           const std::vector<std::string>& names, WideLines& lines) {
    WideTable table;
    std::vector<KeyInfo> keys = run.keys();
    std::ranges::sort(keys, {}, &KeyInfo::key);  // as the columns are
    for (const KeyInfo& key : keys) {
        if (wants_scalar(request, key)) {
            const auto column =
                static_cast<std::size_t>(std::ranges::lower_bound(names, key.key) - names.begin());
            TAFFRAIL_TRY(run.visit_points(key.key, request.attempts,
                                          [&](std::span<const Point> points) -> Result<void> {
                                              table.add(column, points);
                                              return {};
                                          }));
        }
    }
    for (const auto& [place, cells] : table.rows()) {
        TAFFRAIL_TRY(lines.write(place, cells));
    }
    return {};
}

}  // namespace

Result<void> export_wide(const ExportRequest& request, const ExportOutput& output) {
    const std::vector<std::string> names = column_names(request);
    TextPieces pieces(output);
    pieces.text() = wide_header(names);
    for (const auto& run : request.runs) {
        std::uint64_t points = 0;
        for (const KeyInfo& key : run->keys()) {
            points += wants_scalar(request, key) ? key.count : 0;
        }
        WideLines lines(run->info(), names.size(), pieces);
        TAFFRAIL_TRY(points <= kMostCells ? write_by_step(request, *run, names, lines)
                                          : write_in_log_order(request, *run, names, lines));
    }
    return pieces.hand_on();
}

}  // namespace taffrail::query
