// The table validate() and test() print: one row per metric, one column per loader.
#pragma once

#include <taffrail/trainer.h>

#include <string>
#include <string_view>

namespace taffrail::trainer {

/// The table as text, columns at least 25 wide; several loaders wrap to further blocks when they do
/// not fit into `terminal_width`. `unicode` draws with box lines, else with dashes.
std::string format_result_table(const EvaluationResults& results, std::string_view title,
                                int terminal_width, bool unicode);

/// To standard output, as wide as the terminal is.
void print_result_table(const EvaluationResults& results, std::string_view title);

}  // namespace taffrail::trainer
