#include "codec/json_cells.h"

namespace taffrail {

Cell cell_of(const Json& json) {
    if (const auto truth = json.truth()) {
        return *truth;
    }
    if (const auto whole = json.integer()) {
        return *whole;
    }
    if (const auto number = json.number()) {
        return *number;
    }
    if (const auto* text = json.string()) {
        return *text;
    }
    return json.is_null() ? Cell() : Cell(json.dump());
}

}  // namespace taffrail
