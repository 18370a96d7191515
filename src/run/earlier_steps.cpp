#include "run/earlier_steps.h"

#include "base/strings.h"
#include "store/run_reader.h"

#include <algorithm>

namespace taffrail::run {
namespace {

Step after(Step step) {
    return step == INT64_MAX ? step : step + 1;
}

}  // namespace

// The reader, not the logs: logs of a sealed run may be gone, and the library's own series go to no
// sink.
Step EarlierSteps::operator()(const record::Definitions::Key& key) {
    if (!run_) {
        auto opened = store::RunReader::open(run_folder_);
        run_ = opened.ok() ? std::shared_ptr<RecordedRun>(*std::move(opened)) : nullptr;
        if (!run_) {
            return INT64_MIN;
        }
    }
    Step next = INT64_MIN;
    if (key.kind == Kind::Scalar) {
        (void)run_->visit_points(key.name, Attempts::All,
                                 [&next](std::span<const Point> some) -> Result<void> {
                                     for (const Point& point : some) {
                                         next = std::max(next, after(point.step));
                                     }
                                     return {};
                                 },
                                 {Column::Step});
    } else {
        const auto entries = run_->entries(key.name);
        for (const Entry& entry : entries.ok() ? *entries : std::vector<Entry>()) {
            if (entry.value && kind_of(*entry.value) == key.kind) {
                next = std::max(next, after(entry.step));
            }
        }
    }
    return next;
}

std::string earlier_notes(const std::string& run_folder) {
    const auto run = store::RunReader::open(run_folder);
    return run.ok() ? (*run)->info().notes : std::string();
}

std::uint32_t next_artifact_version(const std::string& run_folder, std::string_view artifact) {
    const auto run = store::RunReader::open(run_folder);
    if (!run.ok()) {
        return 0;
    }
    const auto entries = (*run)->entries(artifact);
    std::uint32_t next = 0;
    for (const Entry& entry : entries.ok() ? *entries : std::vector<Entry>()) {
        const auto* known = std::get_if<Artifact>(entry.value.get());
        const auto number = known != nullptr && known->version.starts_with('v')
                                ? parse_int(std::string_view(known->version).substr(1))
                                : std::nullopt;
        if (number && *number >= 0) {
            next = std::max(next, static_cast<std::uint32_t>(*number) + 1);
        }
    }
    return next;
}

}  // namespace taffrail::run
