#include "places.h"

namespace taffrail::tests {

std::string data_folder() {
    return TAFFRAIL_TEST_DATA;
}

std::string build_folder() {
    return TAFFRAIL_BINARY_DIR;
}

}  // namespace taffrail::tests
