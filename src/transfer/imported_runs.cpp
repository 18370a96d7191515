#include "transfer/imported_runs.h"

#include "io/files.h"

#include <filesystem>

namespace taffrail::transfer {
namespace {

constexpr std::string_view kPrefix = "import/", kOrigin = "import/origin",
                           kRecords = "import/records";

/// The same folder gives the same text, however it was named on the command line.
std::string full_path(std::string_view path) {
    if (!io::is_local(path)) {
        return std::string(path);
    }
    std::error_code failure;
    std::filesystem::path full = std::filesystem::weakly_canonical(path, failure);
    std::string text = failure ? std::string(path) : full.string();
    while (text.size() > 1 && text.ends_with('/')) {
        text.pop_back();
    }
    return text;
}

}  // namespace

std::string origin_of(const RunInfo& original) {
    // Opened under names, a run has the name of its folder in front of its id.
    return original.source == "taffrail"
               ? "taffrail:" + original.id.substr(original.id.rfind('/') + 1)
               : original.source + ":" + full_path(original.location);
}

ImportedRuns imported_runs(const std::string& root) {
    ImportedRuns imported;
    if (!io::exists(root)) {
        return imported;
    }
    // A folder that is no store yet holds nothing imported.
    const auto catalogue = read(root);
    if (!catalogue.ok()) {
        return imported;
    }
    for (const RunInfo& info : (*catalogue)->runs()) {
        const auto run = (*catalogue)->run(info.id);
        if (!run.ok()) {
            continue;
        }
        std::string origin;
        ImportedRun copy{info.id, 0};
        for (const auto& [name, cell] : (*run)->environment()) {
            if (const auto* text = std::get_if<std::string>(&cell);
                name == kOrigin && text != nullptr) {
                origin = *text;
            } else if (const auto* number = std::get_if<std::int64_t>(&cell);
                       name == kRecords && number != nullptr) {
                copy.records = static_cast<std::uint64_t>(*number);
            }
        }
        // Newest first: of several copies the newest counts.
        if (!origin.empty()) {
            imported.try_emplace(std::move(origin), std::move(copy));
        }
    }
    return imported;
}

void note_origin(Hparams& environment, const RunInfo& original, std::uint64_t records) {
    std::erase_if(environment, [](const auto& one) { return one.first.starts_with(kPrefix); });
    environment.emplace_back("import/source", Cell(original.source));
    environment.emplace_back("import/location", Cell(full_path(original.location)));
    environment.emplace_back(kOrigin, Cell(origin_of(original)));
    environment.emplace_back(kRecords, Cell(static_cast<std::int64_t>(records)));
}

std::uint64_t count_records(const RecordedRun& run) {
    // The list of keys counts the points that count; an import copies the superseded ones, too.
    const bool was_resumed = run.info().attempts > 1;
    std::uint64_t records = 0;
    for (const KeyInfo& key : run.keys()) {
        if (key.kind != Kind::Scalar || !was_resumed) {
            records += key.count;
            continue;
        }
        (void)run.visit_points(key.key, Attempts::All,
                               [&](std::span<const Point> points) -> Result<void> {
                                   records += points.size();
                                   return {};
                               });
    }
    return records;
}

bool lies_in(std::string_view path, std::string_view folder) {
    const std::string inner = full_path(path), outer = full_path(folder);
    return inner == outer || inner.starts_with(outer + "/");
}

}  // namespace taffrail::transfer
