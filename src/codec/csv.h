// CSV: the one rule by which cells are quoted, and their reading.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// A cell that reads back as `text`: quoted where it holds a comma, a quote or a line end, or
/// begins or ends with a space.
std::string csv_cell(std::string_view text);

/// The same for a table that people open in a spreadsheet: what would be taken for a formula gets a
/// quotation mark in front and is text. Numbers stay numbers.
std::string csv_safe_cell(std::string_view text);

/// The cells of every line, also of a last one without its end; quoted cells may hold line ends.
std::vector<std::vector<std::string>> parse_csv(std::string_view text);

}  // namespace taffrail
