#include "base/cell_text.h"

#include "base/strings.h"

namespace taffrail {

std::string cell_text(const Cell& cell) {
    if (const auto* truth = std::get_if<bool>(&cell)) {
        return *truth ? "true" : "false";
    }
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return std::to_string(*whole);
    }
    if (const auto* number = std::get_if<double>(&cell)) {
        return format_double(*number);
    }
    const auto* text = std::get_if<std::string>(&cell);
    return text != nullptr ? *text : std::string();
}

}  // namespace taffrail
