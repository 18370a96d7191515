#include "base/try.h"
#include "model/source_registry.h"
#include "rocksdb/store.h"
#include "sources/aim/discovery.h"

namespace taffrail::sources::aim {
namespace {

Result<std::shared_ptr<Catalogue>> open(const std::string& path, const OptionMap& given) {
    for (const auto& [name, text] : given) {
        return read_option("aim", {}, name, text).error();
    }
    auto catalogue = std::make_shared<model::GatheredCatalogue>([path] { return find_runs(path); });
    TAFFRAIL_TRY(catalogue->refresh());
    if (catalogue->runs().empty() && !catalogue->unreadable().empty()) {
        TAFFRAIL_TRY(rocksdb::available());
    }
    return std::shared_ptr<Catalogue>(std::move(catalogue));
}

}  // namespace

void register_part() {
    model::source_registry().add(
        {.name = "aim",
         .summary = "repositories of Aim (RocksDB for runs that go on, and for media)",
         .recognise =
             [](const std::string& path) {
                 const auto depth = depth_of_repositories(path);
                 return depth ? (*depth <= 2 ? 75 : 55) : 0;
             },
         .open = open});
}

}  // namespace taffrail::sources::aim
