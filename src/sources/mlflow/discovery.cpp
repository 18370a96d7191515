#include "sources/mlflow/discovery.h"

#include "io/files.h"
#include "io/inside.h"
#include "sources/mlflow/flat_yaml.h"
#include "sqlite/database.h"

namespace taffrail::sources::mlflow {
namespace {

constexpr std::size_t kMostEntries = 2000;

bool is_database(const std::string& path) {
    if (!sqlite::is_database_file(path)) {
        return false;
    }
    const auto opened = sqlite::Database::open(path, sqlite::Mode::Read);
    return opened.ok() && opened->has_table("experiments") && opened->has_table("runs") &&
           opened->has_table("metrics");
}

}  // namespace

bool is_file_store(const std::string& path) {
    const auto entries = io::list(path);
    std::size_t looked = 0;
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.type == io::EntryType::Directory && ++looked < kMostEntries) {
            const auto meta =
                read_flat_yaml(path, io::join(io::join(path, entry.name), "meta.yaml"));
            if (meta.contains("experiment_id") && !meta.contains("run_id") &&
                !meta.contains("run_uuid")) {
                return true;
            }
        }
    }
    return false;
}

Places places_in(const std::string& path) {
    Places places;
    const auto info = io::stat(path);
    if (!info.ok()) {
        return places;
    }
    if (info->type == io::EntryType::File) {
        if (is_database(path)) {
            places.databases.push_back(path);
        }
        return places;
    }
    if (is_file_store(path)) {
        places.file_stores.push_back(path);
        return places;
    }
    if (const std::string inside = io::join(path, "mlflow.db"); is_database(inside)) {
        places.databases.push_back(inside);
    }
    if (const std::string inside = io::join(path, "mlruns"); is_file_store(inside)) {
        places.file_stores.push_back(inside);
    }
    return places;
}

int recognise(const std::string& path) {
    const Places places = places_in(path);
    return !places.databases.empty() ? 90 : !places.file_stores.empty() ? 88 : 0;
}

}  // namespace taffrail::sources::mlflow
