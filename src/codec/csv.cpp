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

std::vector<std::vector<std::string>> parse_csv(std::string_view text) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row;
    std::string cell;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_quoted) {
            if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
                cell += text[++i];
            } else if (c == '"') {
                is_quoted = false;
            } else {
                cell += c;
            }
        } else if (c == '"' && cell.empty()) {
            is_quoted = true;
        } else if (c == ',' || c == '\n') {
            row.push_back(std::move(cell));
            cell.clear();
            if (c == '\n') {
                rows.push_back(std::move(row));
                row.clear();
            }
        } else if (c != '\r') {
            cell += c;
        }
    }
    if (!cell.empty() || !row.empty()) {
        row.push_back(std::move(cell));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace taffrail
