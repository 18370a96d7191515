#include "codec/json_cells.h"

namespace taffrail {

Cell cell_of(const Json& json) {
    if (auto plain = plain_value<Cell>(json)) {
        return *std::move(plain);
    }
    return json.is_null() ? Cell() : Cell(json.dump());
}

}  // namespace taffrail
