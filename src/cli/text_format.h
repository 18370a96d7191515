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
/// "12,345".
std::string grouped(std::uint64_t count);
/// "850 ms", "12.3 s", "4 m 05 s", "2 h 03 m", "5 d 11 h"; "unknown" where a clock that was set back
/// leaves less than nothing.
std::string short_duration(std::int64_t duration_ns);
/// "just now", "5 m ago", "3 h ago", "yesterday", "12 d ago", then the date.
std::string relative_time(std::int64_t time_ns, std::int64_t now_ns);
/// A cell as text; null is "".
std::string cell_text(const Cell& cell);

/// One character a bin, low to high; bins without points are blank.
std::string sparkline(std::span<const double> values, bool utf8);

/// "● running", with its colour.
std::string state_text(const Session& session, RunState state);

/// Rows under a head line, columns as wide as they need; numbers to the right.
class TextTable {
  public:
    enum class Align : std::uint8_t { Left, Right };
    void column(std::string title, Align align = Align::Left);
    void row(std::vector<std::string> cells);
    [[nodiscard]] std::string render(const Session& session, std::string_view indent = "") const;

    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

  private:
    std::vector<std::pair<std::string, Align>> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace taffrail::cli
