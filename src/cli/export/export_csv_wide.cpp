// One line a step of a process, one column a key.
//
// A small run is put together in memory and its lines go by step. A large one is read record by
// record, in the order of its log: lines are kept open until enough newer ones came, so that keys
// logged at the same step meet although others came between, and memory stays bounded.
#include "base/strings.h"
#include "base/try.h"
#include "cli/export/exporters.h"
#include "query/wide_table.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace taffrail::cli {
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

class WideLines {
  public:
    using Cells = std::vector<std::pair<std::size_t, double>>;

    WideLines(std::size_t columns, const ExportOutput& output)
        : columns_(columns), output_(output) {}

    Result<void> write(const std::string& run, const query::WideRow& place, const Cells& cells) {
        text_ += run + "," + std::to_string(place.step) + "," + std::to_string(place.rank) + "," +
                 std::to_string(place.attempt);
        std::size_t next = 0;
        for (std::size_t column = 0; column < columns_; ++column) {
            text_ += ",";
            if (next < cells.size() && cells[next].first == column) {
                text_ += format_double(cells[next++].second);
            }
        }
        text_ += "\n";
        return text_.size() > (1u << 18) ? flush() : Result<void>();
    }

    Result<void> flush() {
        const Result<void> written = output_(text_);
        text_.clear();
        return written;
    }

    std::string& text() noexcept { return text_; }

  private:
    std::size_t columns_;
    const ExportOutput& output_;
    std::string text_;
};

/// Until which step the points of each process win, by column. Absent: none of them does.
using LastWinners = std::vector<std::map<std::pair<std::int32_t, std::uint32_t>, Step>>;

Result<LastWinners> last_winners(const RecordedRun& run, const std::vector<std::string>& names) {
    LastWinners last(names.size());
    for (std::size_t column = 0; column < names.size(); ++column) {
        const auto note = [&](std::span<const Point> points) -> Result<void> {
            for (const Point& point : points) {
                const auto [at, fresh] =
                    last[column].try_emplace({point.rank, point.attempt}, point.step);
                at->second = std::max(at->second, point.step);
            }
            return {};
        };
        const auto visited = run.visit_points(names[column], Attempts::Winning, note);
        if (!visited.ok() && visited.error().code != ErrorCode::NotFound) {
            return visited.error();
        }
    }
    return last;
}

/// The open lines of the process that is being read.
class OpenLines {
  public:
    OpenLines(std::string run, WideLines& lines) : run_(std::move(run)), lines_(lines) {}

    Result<void> add(std::size_t column, const Record& record) {
        const std::pair process(record.rank, record.attempt);
        if (process != process_) {
            TAFFRAIL_TRY(close_all());
            process_ = process;
        }
        query::WideRow place{record.step, record.rank, record.attempt, 0};
        WideLines::Cells* cells = &open_[place];
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
        TAFFRAIL_TRY(lines_.write(run_, first->first, first->second));
        open_.erase(first);
        return {};
    }

    std::string run_;
    WideLines& lines_;
    std::pair<std::int32_t, std::uint32_t> process_;
    std::map<query::WideRow, WideLines::Cells> open_;
    std::uint64_t cells_ = 0;
};

Result<void> write_in_log_order(const ExportRequest& request, const RecordedRun& run,
                                const std::vector<std::string>& names, WideLines& lines) {
    std::unordered_map<std::string_view, std::size_t> columns;
    for (std::size_t column = 0; column < names.size(); ++column) {
        columns.emplace(names[column], column);
    }
    const bool choose = request.attempts == Attempts::Winning && run.info().attempts > 1;
    LastWinners last;
    if (choose) {
        TAFFRAIL_ASSIGN(last, last_winners(run, names));
    }
    OpenLines open(csv_field(run.info().id), lines);
    Result<void> status;
    TAFFRAIL_TRY(run.for_each([&](const Record& record) {
        const auto column = columns.find(record.key);
        if (record.kind != Kind::Scalar || column == columns.end()) {
            return true;
        }
        if (choose) {
            const auto& winners = last[column->second];
            const auto found = winners.find({record.rank, record.attempt});
            if (found == winners.end() || record.step > found->second) {
                return true;
            }
        }
        status = open.add(column->second, record);
        return status.ok();
    }));
    TAFFRAIL_TRY(status);
    return open.close_all();
}

Result<void> write_by_step(const ExportRequest& request, const RecordedRun& run,
                           const std::vector<std::string>& names, WideLines& lines) {
    query::WideTable table;
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
    const std::string id = csv_field(run.info().id);
    for (const auto& [place, cells] : table.rows()) {
        TAFFRAIL_TRY(lines.write(id, place, cells));
    }
    return {};
}

}  // namespace

Result<void> export_csv_wide(const ExportRequest& request, const ExportOutput& output) {
    const std::vector<std::string> names = column_names(request);
    WideLines lines(names.size(), output);
    lines.text() = "run,step,rank,attempt";
    for (const std::string& name : names) {
        lines.text() += "," + csv_field(name);
    }
    lines.text() += "\n";
    for (const auto& run : request.runs) {
        std::uint64_t points = 0;
        for (const KeyInfo& key : run->keys()) {
            points += wants_scalar(request, key) ? key.count : 0;
        }
        TAFFRAIL_TRY(points <= kMostCells ? write_by_step(request, *run, names, lines)
                                          : write_in_log_order(request, *run, names, lines));
    }
    return lines.flush();
}

}  // namespace taffrail::cli
