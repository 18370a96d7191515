// Profilers by name. The interface stands now so that configurations, trainer hooks and zones can
// name one; "none" is the only one built in so far.
#pragma once

#include <taffrail/api.h>
#include <taffrail/result.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

/// Measures named actions. start/stop may nest; both are safe from any thread.
class TAFFRAIL_API Profiler {
  public:
    virtual ~Profiler() = default;
    /// An action begins. Starting a running action is an error.
    virtual Result<void> start(std::string_view action) = 0;
    /// It ends. Stopping an action that does not run is an error.
    virtual Result<void> stop(std::string_view action) = 0;
    /// The report as text; empty when there is nothing to say.
    [[nodiscard]] virtual std::string summary() const = 0;
};

struct ProfilerInfo {
    std::string name = {};
    std::string summary = {};
    std::function<Result<std::unique_ptr<Profiler>>()> make = {};
};

TAFFRAIL_API void register_profiler(ProfilerInfo info);
TAFFRAIL_API std::vector<ProfilerInfo> registered_profilers();
/// Unknown names fail with the known ones listed.
TAFFRAIL_API Result<std::unique_ptr<Profiler>> make_profiler(std::string_view name);

}  // namespace taffrail
