#include "base/try.h"
#include "model/source_registry.h"
#include "sources/mlflow/discovery.h"

#include <algorithm>
#include <iterator>

namespace taffrail::sources::mlflow {
namespace {

Result<std::shared_ptr<Catalogue>> open(const std::string& path, const OptionMap& given) {
    for (const auto& [name, text] : given) {
        return read_option("mlflow", {}, name, text).error();
    }
    auto catalogue = std::make_shared<model::GatheredCatalogue>([path] {
        const Places places = places_in(path);
        std::vector<model::FoundRun> all;
        for (const std::string& database : places.databases) {
            std::ranges::move(runs_of_database(database), std::back_inserter(all));
        }
        for (const std::string& folder : places.file_stores) {
            std::ranges::move(runs_of_folder(folder), std::back_inserter(all));
        }
        return all;
    });
    TAFFRAIL_TRY(catalogue->refresh());
    return std::shared_ptr<Catalogue>(std::move(catalogue));
}

}  // namespace

void register_part() {
    model::source_registry().add({.name = "mlflow",
                                  .summary = "runs of MLflow: SQLite files and folders (mlruns)",
                                  .recognise = recognise,
                                  .open = open});
}

}  // namespace taffrail::sources::mlflow
