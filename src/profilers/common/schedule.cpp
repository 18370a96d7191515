#include <taffrail/profiler.h>

namespace taffrail {

namespace {

Result<void> check_schedule(const ScheduleOptions& options) {
    const auto refuse = [](const char* name, std::int64_t value, const char* bound) {
        return Error{ErrorCode::InvalidArgument, "a schedule of traces cannot have " +
                                                     std::string(name) + " = " +
                                                     std::to_string(value) + "; give " + bound};
    };
    constexpr const char* kFromZero = "0 or more steps";
    constexpr std::int64_t kMost = std::int64_t{1} << 60;  // sums of three stay numbers
    if (options.skip_first < 0 || options.skip_first > kMost) {
        return refuse("skip_first", options.skip_first, kFromZero);
    }
    if (options.wait < 0 || options.wait > kMost) {
        return refuse("wait", options.wait, kFromZero);
    }
    if (options.warmup < 0 || options.warmup > kMost) {
        return refuse("warmup", options.warmup, kFromZero);
    }
    if (options.active < 1 || options.active > kMost) {
        return refuse("active", options.active, "1 or more steps");
    }
    if (options.repeat < 0) {
        return refuse("repeat", options.repeat, "0 (for ever) or more cycles");
    }
    return {};
}

}  // namespace

Result<Schedule> schedule(const ScheduleOptions& options) {
    if (auto fine = check_schedule(options); !fine.ok()) {
        return std::move(fine).error();
    }
    return Schedule([options](std::int64_t step) {
        if (step < options.skip_first) {
            return TraceAction::None;
        }
        step -= options.skip_first;
        const std::int64_t cycle = options.wait + options.warmup + options.active;
        if (options.repeat > 0 && step / cycle >= options.repeat) {
            return TraceAction::None;
        }
        const std::int64_t place = step % cycle;
        if (place < options.wait) {
            return TraceAction::None;
        }
        if (place < options.wait + options.warmup) {
            return TraceAction::WarmUp;
        }
        return place == cycle - 1 ? TraceAction::RecordAndSave : TraceAction::Record;
    });
}

}  // namespace taffrail
