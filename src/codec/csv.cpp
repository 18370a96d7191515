#include "codec/csv.h"

#include "base/strings.h"

namespace taffrail {

std::string csv_cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos &&
        (text.empty() || (text.front() != ' ' && text.back() != ' '))) {
        return std::string(text);
    }
    std::string cell = "\"";
    for (const char c : text) {
        cell.append(c == '"' ? 2 : 1, c);
    }
    return cell + '"';
}

std::string csv_safe_cell(std::string_view text) {
    constexpr std::string_view kBeginsFormula = "=+-@\t\r";
    const bool is_formula = !text.empty() &&
                            kBeginsFormula.find(text.front()) != std::string_view::npos &&
                            !parse_double(text);
    return is_formula ? csv_cell("'" + std::string(text)) : csv_cell(text);
}

}  // namespace taffrail
