#include "base/try.h"
#include "model/source_registry.h"
#include "sources/neptune/discovery.h"

namespace taffrail::sources::neptune {
namespace {

Result<std::shared_ptr<Catalogue>> open(const std::string& path, const OptionMap& given) {
    for (const auto& [name, text] : given) {
        return read_option("neptune", {}, name, text).error();
    }
    auto catalogue = std::make_shared<model::GatheredCatalogue>([path] { return find_runs(path); });
    TAFFRAIL_TRY(catalogue->refresh());
    return std::shared_ptr<Catalogue>(std::move(catalogue));
}

}  // namespace

void register_part() {
    model::source_registry().add({.name = "neptune",
                                  .summary = "logs of neptune-scale, queues of the older Neptune "
                                             "client, Parquet of neptune-exporter",
                                  .recognise =
                                      [](const std::string& path) {
                                          const auto depth = depth_of_runs(path);
                                          return depth ? (*depth <= 2 ? 75 : 55) : 0;
                                      },
                                  .open = open});
}

}  // namespace taffrail::sources::neptune
