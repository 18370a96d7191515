#include "profilers/common/window_trace.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "codec/json_writer.h"
#include "profile/formats/tprof/tprof.h"
#include "profilers/common/call_stacks.h"
#include "zones/snapshot.h"
#include "zones/trace_range.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace taffrail::profilers {

namespace {

/// What a viewer of this size can still show, and a process can hold beside its training.
constexpr std::uint64_t kMostBytesOfTrace = 256u << 20;

/// The action get_train_batch by the name under which the viewers of PyTorch's traces know a data
/// loader.
constexpr std::string_view kLoaderName = "enumerate(DataLoader)#get_train_batch.__next__";

void say_once(const std::string& source, const Error& error) {
    diagnose_once(DiagnosticLevel::Warning, "trace.source:" + source,
                  "the trace is without '" + source + "': " + error.message);
}

bool crosses(const profile::Span& span, std::int64_t begin_ns, std::int64_t end_ns) {
    const std::int64_t until = span.begin_ns + span.duration_ns;
    return (span.begin_ns < begin_ns && until > begin_ns && until < end_ns) ||
           (span.begin_ns > begin_ns && span.begin_ns < end_ns && until > end_ns);
}

}  // namespace

void WindowTrace::prepare() {
    if (!prepared_) {
        prepared_ = true;
        for (const zones::TraceSourceInfo& info : zones::trace_sources().all()) {
            auto made = info.make();
            if (made.ok()) {
                sources_.push_back(*std::move(made));
            } else {
                leave_out(info.name, made.error());
            }
        }
    }
    std::erase_if(sources_, [this](const auto& source) {
        const auto ready = source->prepare();
        if (!ready.ok()) {
            leave_out("a source", ready.error());
        }
        return !ready.ok();
    });
}

// What cannot be here (no device) is no fault: it stands in the report. Anything else is said at
// once.
void WindowTrace::leave_out(const std::string& source, const Error& why) {
    if (why.code == ErrorCode::Unsupported) {
        left_out_.push_back(why.message);
    } else {
        say_once(source, why);
    }
}

Result<void> WindowTrace::begin(std::int64_t number, std::uint64_t max_bytes) {
    prepare();
    TAFFRAIL_ASSIGN(window_.clock,
                    zones::begin_trace_range(std::min(max_bytes, kMostBytesOfTrace)));
    open_ = true;
    steps_.clear();
    window_.first_step = number;
    window_.begin_ns = window_.clock.to_wall_ns(ticks());
    window_.thread_id = ::syscall(SYS_gettid);
    if (const auto kept = zones::begin_notes(extras_.notes); !kept.ok()) {
        say_once("memory and shapes", kept.error());
    }
    for (const auto& source : sources_) {
        if (const auto started = source->start(window_); !started.ok()) {
            say_once("a source", started.error());
        }
    }
    return {};
}

void WindowTrace::begin_step(std::int64_t number, std::int64_t step) {
    if (!open_) {
        return;
    }
    steps_.push_back({number, step, window_.clock.to_wall_ns(ticks())});
    for (const auto& source : sources_) {
        source->begin_step(number);
    }
}

// A step lasts to the next one. Zones that begin in one step and end in another (an epoch) would
// overlap with it: they get a track of their own, for on one track everything nests.
void WindowTrace::add_steps(profile::Profile& trace, std::int64_t end_ns) const {
    const profile::ProcessId process = trace.process(::getpid());
    const profile::ThreadId thread = trace.thread(process, window_.thread_id);
    profile::ThreadId beside = profile::kNone;
    const auto end_of = [&](std::size_t index) {
        return index + 1 < steps_.size() ? steps_[index + 1].begin_ns : end_ns;
    };
    for (profile::Span& span : trace.spans) {
        if (span.thread != thread) {
            continue;
        }
        // The steps that its two ends lie in.
        const auto at = [&](std::int64_t time) {
            return std::ranges::upper_bound(steps_, time, {}, &StepBegin::begin_ns) -
                   steps_.begin();
        };
        bool overlaps = false;
        for (const auto index : {at(span.begin_ns), at(span.begin_ns + span.duration_ns)}) {
            if (index > 0) {
                const auto step = static_cast<std::size_t>(index - 1);
                overlaps = overlaps || crosses(span, steps_[step].begin_ns, end_of(step));
            }
        }
        if (overlaps) {
            if (beside == profile::kNone) {
                beside = trace.thread(process, -1);
                trace.threads[beside].name = trace.text("longer than a step");
            }
            span.thread = beside;
        }
    }
    const profile::TextId category = trace.text("user_annotation");
    for (std::size_t index = 0; index < steps_.size(); ++index) {
        JsonWriter json;
        json.begin_object().member("step", steps_[index].step).end_object();
        profile::Span span;
        span.begin_ns = steps_[index].begin_ns;
        span.duration_ns = std::max<std::int64_t>(0, end_of(index) - span.begin_ns);
        span.name = trace.text("ProfilerStep#" + std::to_string(steps_[index].number));
        span.category = category;
        span.thread = thread;
        span.args = trace.args(json.text());
        trace.spans.push_back(span);
    }
}

Result<profile::Profile> WindowTrace::end() {
    open_ = false;
    const std::int64_t end_ns = window_.clock.to_wall_ns(ticks());
    zones::end_notes();
    auto kept = zones::end_trace_range();
    for (const auto& source : sources_) {
        if (const auto stopped = source->stop(); !stopped.ok()) {
            say_once("a source", stopped.error());
        }
    }
    if (!kept.ok()) {
        return std::move(kept).error();
    }
    bytes_ = kept->size();
    profile::Profile trace;
    TAFFRAIL_TRY(profile::read_tprof(*kept, trace));
    trace.instants.clear();  // the steps, which become spans here
    const profile::TextId category = trace.text("cpu_op");
    const profile::TextId fetched = trace.text("get_train_batch");
    const profile::TextId loader = trace.text(kLoaderName);
    for (profile::Span& span : trace.spans) {
        span.category = category;
        span.name = span.name == fetched ? loader : span.name;
    }
    add_steps(trace, end_ns);
    if (extras_.notes.any()) {
        zones::add_notes(window_.clock, trace.process(::getpid()), trace);
    }
    if (extras_.stacks) {
        add_call_stacks(zones::take_snapshot(), trace);
    }
    for (const auto& source : sources_) {
        if (const auto added = source->add_to(trace); !added.ok()) {
            say_once("a source", added.error());
        }
    }
    return trace;
}

}  // namespace taffrail::profilers
