// What the loops tell a profiler: where its files go, who owns a hook, and when to report.
#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "io/files.h"
#include "terminal/screen.h"
#include "trainer/core.h"
#include "zones/exit_report.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <typeinfo>

namespace taffrail::trainer {

namespace {

// "taffrail::ModelCheckpoint" → "ModelCheckpoint".
std::string class_name(const std::type_info& type) {
    int status = 0;
    char* readable = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string name = status == 0 && readable != nullptr ? readable : type.name();
    std::free(readable);
    name = name.substr(0, name.find('<'));
    const std::size_t colons = name.rfind("::");
    return colons == std::string::npos ? name : name.substr(colons + 2);
}

}  // namespace

void Core::begin_profiling() {
    zones::leave_report_to_others();
    Profiler* profiler = options_.profiler.get();
    actions_ = profiler != nullptr && profiler->measures_actions() ? profiler : nullptr;
    callback_labels_.clear();
    if (profiler == nullptr) {
        return;
    }
    module_label_ = "[Module]" + class_name(typeid(*module_)) + ".";
    const bool recorded = options_.run != nullptr && options_.run->active();
    const auto ready =
        profiler->setup(to_string(stage_), world_size() > 1 ? std::optional(rank()) : std::nullopt,
                        recorded ? io::join(options_.run->folder(), "profiles") : std::string());
    if (!ready.ok()) {
        diagnose(DiagnosticLevel::Warning, "the profiler: " + ready.error().message);
    }
}

// However the stage ended. A report that cannot be kept does not change how it did.
void Core::end_profiling() noexcept {
    actions_ = nullptr;
    if (!options_.profiler) {
        return;
    }
    try {
        // First: what it says of its files is then true.
        if (const auto done = options_.profiler->teardown(); !done.ok()) {
            diagnose(DiagnosticLevel::Warning,
                     "the profiler's report is not kept: " + done.error().message);
        }
        if (const std::string report = options_.profiler->summary(); !report.empty()) {
            terminal::Screen::standard().print("\n" + report + "\n");
        }
    } catch (const std::exception& problem) {
        diagnose(DiagnosticLevel::Error,
                 std::string("the profiler's report was lost: ") + problem.what());
    } catch (...) {
        diagnose(DiagnosticLevel::Error, "the profiler's report was lost");
    }
}

std::string_view Core::label_of(const Callback& callback) {
    if (actions_ == nullptr) {
        return "[Callback]";
    }
    std::string& label = callback_labels_[&callback];
    if (label.empty()) {
        label = "[Callback]" + class_name(typeid(callback)) + ".";
    }
    return label;
}

void Core::log_profiled(std::string_view name, const LogValue& value, const LogOptions& options,
                        const std::source_location& site) noexcept {
    std::optional<ProfiledAction> action;
    try {
        action.emplace(actions_, "cache_result");
    } catch (...) {
        // Not measured, and logged all the same.
    }
    log_now(name, value, options, site);
}

}  // namespace taffrail::trainer
