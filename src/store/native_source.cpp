#include "store/native_source.h"

#include <taffrail/reader.h>

#include "store/catalogue.h"
#include "store/layout.h"

namespace taffrail::storage {

void register_native_source() {
    register_source({.name = "taffrail",
                     .summary = "runs recorded by Taffrail: a root folder or one run folder",
                     .recognise =
                         [](const std::string& path) {
                             return is_root(path) ? 100 : is_run_folder(path) ? 90 : 0;
                         },
                     .open = open_catalogue});
}

}  // namespace taffrail::storage
