// `none`: measures nothing.
#include "profilers/common/registry.h"

namespace taffrail::profilers {
namespace {

class NoProfiler final : public Profiler {
  public:
    [[nodiscard]] bool measures_actions() const noexcept override { return false; }

    Result<void> start(std::string_view) override { return {}; }

    Result<void> stop(std::string_view) override { return {}; }

    [[nodiscard]] std::string summary() const override { return {}; }
};

}  // namespace

void register_none() {
    registry().add({"none", "measures nothing", []() -> Result<std::unique_ptr<Profiler>> {
                        return std::unique_ptr<Profiler>(new NoProfiler);
                    }});
}

}  // namespace taffrail::profilers
