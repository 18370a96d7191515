#include "base/try.h"
#include "model/source_registry.h"
#include "sources/trackio/discovery.h"

#include <algorithm>
#include <iterator>

namespace taffrail::sources::trackio {
namespace {

Result<std::shared_ptr<Catalogue>> open(const std::string& path, const OptionMap& given) {
    for (const auto& [name, text] : given) {
        return read_option("trackio", {}, name, text).error();
    }
    auto catalogue = std::make_shared<model::GatheredCatalogue>([path] {
        std::vector<model::FoundRun> all;
        for (const std::string& database : databases_in(path)) {
            std::ranges::move(runs_of_database(database), std::back_inserter(all));
        }
        return all;
    });
    TAFFRAIL_TRY(catalogue->refresh());
    return std::shared_ptr<Catalogue>(std::move(catalogue));
}

}  // namespace

void register_part() {
    model::source_registry().add({.name = "trackio",
                                  .summary = "projects of Trackio: their SQLite files",
                                  .recognise = recognise,
                                  .open = open});
}

}  // namespace taffrail::sources::trackio
