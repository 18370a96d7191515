#include "server/waiting_catalogue.h"

#include "io/files.h"

namespace taffrail::server {

bool WaitingCatalogue::fits(const std::string& path) {
    const auto entries = io::list(path);
    return entries.ok() && entries->empty();
}

std::shared_ptr<Catalogue> WaitingCatalogue::found() const {
    const std::lock_guard lock(mutex_);
    return found_;
}

std::vector<RunInfo> WaitingCatalogue::runs(bool include_deleted) const {
    const auto catalogue = found();
    return catalogue ? catalogue->runs(include_deleted) : std::vector<RunInfo>();
}

std::vector<UnreadableRun> WaitingCatalogue::unreadable() const {
    if (const auto catalogue = found()) {
        return catalogue->unreadable();
    }
    if (!io::exists(path_)) {
        return {{path_, "it is gone: removed, renamed or no longer mounted"}};
    }
    return {};
}

Result<std::shared_ptr<RecordedRun>> WaitingCatalogue::run(std::string_view id) const {
    if (const auto catalogue = found()) {
        return catalogue->run(id);
    }
    return Error{ErrorCode::NotFound, path_ + " holds no runs yet"};
}

Result<std::vector<std::string>> WaitingCatalogue::refresh() {
    if (const auto catalogue = found()) {
        return catalogue->refresh();
    }
    auto opened = fits(path_) ? Result<std::shared_ptr<Catalogue>>(Error{ErrorCode::NotFound, ""})
                              : read(path_);
    if (!opened) {
        return std::vector<std::string>();  // half a folder is not yet one; the next look will tell
    }
    std::vector<std::string> ids;
    for (const RunInfo& run : (*opened)->runs(true)) {
        ids.push_back(run.id);
    }
    const std::lock_guard lock(mutex_);
    found_ = *std::move(opened);
    return ids;
}

Result<std::vector<model::RunChange>> WaitingCatalogue::follow() {
    if (const auto catalogue = found()) {
        return model::follow(*catalogue);
    }
    const auto ids = refresh();
    std::vector<model::RunChange> changes;
    for (RunInfo& info : ids.ok() && !ids->empty() ? runs(true) : std::vector<RunInfo>()) {
        changes.push_back({info.id, std::nullopt});
        changes.back().info = std::move(info);
    }
    return changes;
}

}  // namespace taffrail::server
