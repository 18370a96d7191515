// What a tracer of zones gets from CUDA: kernels, copies, memsets, calls, marked ranges.
#include "zones/trace_source.h"

#include "gpu/collector.h"
#include "gpu/register.h"
#include "gpu/to_trace.h"

#include <unistd.h>

namespace taffrail::gpu {
namespace {

class CudaSource final : public zones::TraceSource {
  public:
    // The library unpacks and starts its threads here, not inside the window.
    Result<void> prepare() override {
        auto started = start_collecting();
        if (started.ok()) {
            (void)stop_collecting();
        }
        return started;
    }

    Result<void> start(const zones::TraceWindow& /*window*/) override { return start_collecting(); }

    Result<void> stop() override {
        records_ = stop_collecting();
        return {};
    }

    Result<void> add_to(profile::Profile& trace) override {
        const auto cupti = load_cupti();
        add_records(records_,
                    {.cupti = cupti.ok() ? *cupti : nullptr,
                     .devices = device_facts(),
                     .process = ::getpid()},
                    trace);
        records_ = Records();
        return {};
    }

  private:
    Records records_;
};

}  // namespace

void register_cuda() {
    zones::trace_sources().add({"cuda", "kernels, copies and calls of CUDA",
                                []() -> Result<std::unique_ptr<zones::TraceSource>> {
                                    auto loaded = load_cupti();
                                    if (!loaded.ok()) {
                                        return loaded.error();
                                    }
                                    return std::unique_ptr<zones::TraceSource>(new CudaSource);
                                }});
}

}  // namespace taffrail::gpu
