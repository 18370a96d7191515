#include "profile/analysis/events.h"

#include "base/strings.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

namespace taffrail::profile::analysis {
namespace {

std::vector<ThreadNumber> number_threads(const Profile& profile, std::uint32_t& count) {
    // A word that is a number is that number; other words count for themselves.
    std::map<std::tuple<ProcessId, bool, std::int64_t>, ThreadNumber> known;
    std::vector<ThreadNumber> numbers;
    for (const Thread& thread : profile.threads) {
        std::tuple<ProcessId, bool, std::int64_t> key{thread.process, true, thread.id};
        if (thread.id_text != 0) {
            const auto number = parse_int(profile.texts[thread.id_text]);
            key = {thread.process, number.has_value(), number.value_or(thread.id_text)};
        }
        const auto next = static_cast<ThreadNumber>(known.size());
        numbers.push_back(known.try_emplace(key, next).first->second);
    }
    count = static_cast<std::uint32_t>(known.size());
    return numbers;
}

/// What a text means as a name or as a category, worked out when it is first seen.
class Meanings {
  public:
    explicit Meanings(const Profile& profile)
        : profile_(profile),
          flags_(profile.texts.size(), kUnknown),
          kinds_(profile.texts.size()),
          is_kind_known_(profile.texts.size()) {}

    std::uint16_t flags(TextId name) {
        if (flags_[name] == kUnknown) {
            flags_[name] = flags_of_name(profile_.texts[name]);
        }
        return flags_[name];
    }

    Kind kind(TextId category) {
        if (!is_kind_known_[category]) {
            is_kind_known_[category] = true;
            kinds_[category] = kind_of_category(profile_.texts[category]);
        }
        return kinds_[category];
    }

  private:
    static constexpr std::uint16_t kUnknown = UINT16_MAX;
    const Profile& profile_;
    std::vector<std::uint16_t> flags_;
    std::vector<Kind> kinds_;
    std::vector<bool> is_kind_known_;
};

/// A trace of another program has categories of its own: then every span is an operator.
bool has_known_categories(const Profile& profile, Meanings& meanings) {
    return std::any_of(profile.spans.begin(), profile.spans.end(), [&](const Span& span) {
        const Kind kind = meanings.kind(span.category);
        return kind != Kind::Ignored && kind != Kind::Trace && kind != Kind::Annotation;
    });
}

std::int64_t end_of(const Span& span) noexcept {
    // Begins lie within ±146 years. Ends do too, so that no difference leaves its type.
    constexpr std::int64_t kLatest = 4'600'000'000'000'000'000;
    return span.begin_ns +
           std::min(std::max<std::int64_t>(span.duration_ns, 0),
                    std::max<std::int64_t>(kLatest - std::max<std::int64_t>(span.begin_ns, 0), 0));
}

DeviceDetails details_of(const EventArgs& args) {
    DeviceDetails details;
    details.device = args.device;
    details.stream = args.stream;
    details.bytes = args.bytes == kAbsent ? 0 : std::max<std::int64_t>(args.bytes, 0);
    details.blocks_per_sm = args.blocks_per_sm;
    details.recorded_occupancy = args.occupancy < 0 ? -1 : args.occupancy / 100;
    details.grid = args.grid;
    details.block = args.block;
    details.registers =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(args.registers, 0, 1 << 20));
    details.shared_memory =
        static_cast<std::uint64_t>(std::max<std::int64_t>(args.shared_memory, 0));
    return details;
}

void take_span(const Profile& profile, const Span& span, std::uint32_t index, Kind kind,
               Meanings& meanings, Events& events) {
    Event event{.begin_ns = span.begin_ns,
                .end_ns = end_of(span),
                .name = span.name,
                .thread = events.thread_numbers[span.thread],
                .span = index,
                .kind = kind,
                .flags = meanings.flags(span.name)};
    if (kind == Kind::Trace) {
        if (profile.texts[span.name] == "PyTorch Profiler (0)") {
            events.recorded = event.range();
        }
    } else {
        const EventArgs args = scan_args(profile.args_text(span.args));
        event.external = args.external;
        event.correlation = args.correlation;
        if (event.on_device()) {
            event.details = static_cast<std::uint32_t>(events.details.size());
            events.details.push_back(details_of(args));
            if (args.device == kAbsent) {
                const Process& process = profile.processes[profile.threads[span.thread].process];
                events.details.back().device = process.id_text == 0 ? process.id : 0;
            }
        } else if (kind == Kind::Function && args.module_id != kAbsent) {
            event.kind = Kind::Module;
            event.external = args.module_id;  // modules launch nothing themselves
        } else if ((kind == Kind::Operator || kind == Kind::Annotation) && event.is(kIsStep)) {
            event.kind = Kind::Step;
        }
    }
    events.all.push_back(event);
}

void link_calls(Events& events) {
    struct Waiting {
        std::uint32_t call = kNone;            // place in events.calls
        std::vector<EventNumber> before_call;  // what ran on a device before its call was seen
    };

    std::unordered_map<std::int64_t, Waiting> by_correlation;
    for (EventNumber number = 0; number < events.all.size(); ++number) {
        Event& event = events.all[number];
        if (event.kind == Kind::Runtime) {
            const auto place = static_cast<std::uint32_t>(events.calls.size());
            events.calls.push_back(number);
            events.launches.emplace_back();
            if (event.correlation != kAbsent) {
                Waiting& waiting = by_correlation[event.correlation];
                waiting.call = place;
                events.launches[place] = std::move(waiting.before_call);
                waiting.before_call.clear();
            }
        } else if (event.on_device()) {
            events.on_device.push_back(number);
            if (event.correlation != kAbsent) {
                Waiting& waiting = by_correlation[event.correlation];
                (waiting.call == kNone ? waiting.before_call : events.launches[waiting.call])
                    .push_back(number);
            }
        }
    }
    for (std::size_t place = 0; place < events.calls.size(); ++place) {
        for (const EventNumber launched : events.launches[place]) {
            events.of(events.all[launched]).launched_by = events.calls[place];
        }
    }
}

}  // namespace

Events collect_events(const Profile& profile) {
    Events events;
    events.profile = &profile;
    events.thread_numbers = number_threads(profile, events.threads);
    Meanings meanings(profile);
    const bool is_known = has_known_categories(profile, meanings);
    events.all.reserve(profile.spans.size());
    for (std::uint32_t index = 0; index < profile.spans.size(); ++index) {
        const Span& span = profile.spans[index];
        Kind kind = meanings.kind(span.category);
        if (!is_known && kind == Kind::Ignored && span.async_id == 0) {
            kind = Kind::Operator;
        }
        if (kind != Kind::Ignored) {
            take_span(profile, span, index, kind, meanings, events);
        }
    }
    std::stable_sort(
        events.all.begin(), events.all.end(),
        [](const Event& left, const Event& right) { return left.begin_ns < right.begin_ns; });
    if (!events.all.empty()) {
        events.begin_ns = events.all.front().begin_ns;
        events.end_ns = events.begin_ns;
        for (const Event& event : events.all) {
            events.end_ns = std::max(events.end_ns, event.end_ns);
        }
    }
    if (events.recorded.begin_ns >= events.recorded.end_ns) {
        events.recorded = {events.begin_ns, events.end_ns};
    }
    link_calls(events);
    return events;
}

}  // namespace taffrail::profile::analysis
