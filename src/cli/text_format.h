// Numbers, times and small pictures for the command line.
#pragma once

#include <taffrail/record.h>
#include <taffrail/value.h>

#include "cli/session.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::cli {

/// At most five significant digits: "0.01234", "1.2e-07", "12345", "NaN".
std::string short_number(double value);
/// "850 ms", "12.3 s", "4 m 05 s", "2 h 03 m", "5 d 11 h"; "unknown" where a clock that was set
/// back leaves less than nothing.
std::string short_duration(std::int64_t duration_ns);
/// "just now", "5 m ago", "3 h ago", "yesterday", "12 d ago", then the date.
std::string relative_time(std::int64_t time_ns, std::int64_t now_ns);
/// One character a bin, low to high; bins without points are blank.
std::string sparkline(std::span<const double> values, bool utf8);

struct TableCell;

/// "● running", with its colour.
TableCell state_cell(const Session& session, RunState state);
std::string state_text(const Session& session, RunState state);

/// Cells wider than this are cut in the middle, unless everything is asked for: one long name must
/// not push all other columns away.
inline constexpr std::size_t kWidestCell = 60;

/// One cell: plain text and the style of all of it. What a name holds that a terminal would obey is
/// shown instead.
struct TableCell {
    std::string text;
    Style style = Style::Plain;

    TableCell(std::string content, Style how = Style::Plain)
        : text(std::move(content)), style(how) {}

    TableCell(const char* content) : text(content) {}
};

/// How much of a long cell is shown.
enum class Fit : std::uint8_t { Cut, Whole };

inline Fit fit_of(bool wide) {
    return wide ? Fit::Whole : Fit::Cut;
}

/// Adds `--wide`.
void declare_wide(Arguments& arguments, bool& wide);

/// Rows under a head line, columns as wide as they need; numbers to the right.
class TextTable {
  public:
    enum class Align : std::uint8_t { Left, Right };
    void column(std::string title, Align align = Align::Left);
    void row(std::vector<TableCell> cells);
    [[nodiscard]] std::string render(const Session& session, std::string_view indent = "",
                                     Fit fit = Fit::Cut) const;

    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

  private:
    [[nodiscard]] std::vector<std::size_t> widths(const Session& session, std::string_view indent,
                                                  Fit fit) const;

    std::vector<std::pair<TableCell, Align>> columns_;
    std::vector<std::vector<TableCell>> rows_;
};

}  // namespace taffrail::cli
