#include <taffrail/profiler.h>

namespace taffrail {

Result<void> Profiler::configure(const ProfilerOptions&) {
    return {};
}

Result<void> Profiler::setup(std::string_view, std::optional<int>, const std::string&) {
    return {};
}

void Profiler::step(Step) noexcept {}

Result<void> Profiler::teardown() {
    return {};
}

ProfiledAction::ProfiledAction(Profiler* profiler, std::string_view action) : profiler_(profiler) {
    if (profiler_ != nullptr) {
        action_ = action;
        if (!profiler_->start(action_).ok()) {
            profiler_ = nullptr;  // somebody else's to stop
        }
    }
}

ProfiledAction::~ProfiledAction() {
    if (profiler_ != nullptr) {
        static_cast<void>(profiler_->stop(action_));
    }
}

}  // namespace taffrail
