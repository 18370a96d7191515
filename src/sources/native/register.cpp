#include "model/source_registry.h"
#include "store/catalogue.h"
#include "store/layout.h"

namespace taffrail::sources::native {
namespace {

Result<std::shared_ptr<Catalogue>> open(const std::string& path, const OptionMap& options) {
    if (!options.empty()) {
        return read_option("taffrail", {}, options.front().first, options.front().second).error();
    }
    return store::open_catalogue(path);
}

}  // namespace

void register_part() {
    model::source_registry().add(
        {.name = "taffrail",
         .summary = "runs recorded by Taffrail: a root folder or one run folder",
         .recognise =
             [](const std::string& path) {
                 return store::is_root(path) ? 100 : store::is_run_folder(path) ? 90 : 0;
             },
         .open = open});
}

}  // namespace taffrail::sources::native
