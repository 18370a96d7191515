#include "base/strings.h"
#include "codec/json_writer.h"
#include "profile/formats/speedscope/speedscope.h"
#include "profile/json_scan.h"
#include "profile/span_stacks.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace taffrail::profile {
namespace {

constexpr double kNsPerOtherUnit = 1000;
constexpr double kLatestNs = 4e18;

double number_of(std::string_view text) {
    return parse_double(text).value_or(std::nan(""));
}

/// The members of one object, by name, as text.
template <typename Member>
void for_each_member(JsonScan& scan, Member&& member) {
    if (!scan.take('{')) {
        scan.fail();
        return;
    }
    for (bool is_first = true; scan.next_element(is_first, '}');) {
        const RawString key = scan.key();
        if (scan.failed()) {
            return;
        }
        member(key.text);
        if (scan.failed()) {
            return;
        }
    }
}

class SpeedscopeReader {
  public:
    SpeedscopeReader(std::string_view text, Profile& profile) : text_(text), profile_(profile) {}

    Result<void> read();

  private:
    struct Part {
        std::string name, unit = "none";
        std::string_view samples, weights, events;
        double start = 0, end = 0;
        bool is_evented = false;
    };

    struct Event {
        double at;
        std::uint32_t frame;
        bool is_open;
        std::size_t span = 0;  ///< once it is open
    };

    std::string string_of(JsonScan& scan) {
        return scan.peek() == '"' ? std::string(unescape(scan.string(), buffer_))
                                  : (scan.value(), std::string());
    }

    void read_shared(JsonScan& scan);
    void read_frame(JsonScan& scan);
    void read_profiles(JsonScan& scan);
    void take_part(const Part& part, std::uint32_t number);
    void take_samples(const Part& part, ThreadId thread);
    void take_events(const Part& part, ThreadId thread);
    std::optional<Event> read_one_event(JsonScan& scan);
    bool open_span(const Event& open, double ns, ThreadId thread);
    void close_span(std::size_t span, double end_ns, bool unfinished);

    std::string_view text_;
    Profile& profile_;
    std::string buffer_;
    std::vector<FrameId> frames_;
    bool said_weights_ = false;
};

Result<void> SpeedscopeReader::read() {
    // The frames may stand behind the profiles that use them: one pass for each.
    for (const bool profiles : {false, true}) {
        JsonScan scan(text_);
        for_each_member(scan, [&](std::string_view key) {
            if (!profiles && key == "shared") {
                read_shared(scan);
            } else if (profiles && key == "profiles") {
                read_profiles(scan);
            } else if (profiles && key == "name" && scan.peek() == '"') {
                profile_.name = string_of(scan);
            } else {
                (void)scan.value();
            }
        });
        if (scan.failed()) {
            profile_.notes.add("the file is cut off or damaged; what could be read is here",
                               scan.offset());
        }
    }
    return {};
}

void SpeedscopeReader::read_shared(JsonScan& scan) {
    for_each_member(scan, [&](std::string_view key) {
        if (key != "frames" || !scan.take('[')) {
            (void)scan.value();
            return;
        }
        for (bool is_first = true; scan.next_element(is_first, ']');) {
            read_frame(scan);
            if (scan.failed()) {
                return;
            }
        }
    });
}

void SpeedscopeReader::read_frame(JsonScan& scan) {
    std::string name, file;
    double line = 0, column = 0;
    for_each_member(scan, [&](std::string_view key) {
        if (key == "name") {
            name = string_of(scan);
        } else if (key == "file") {
            file = string_of(scan);
        } else if (key == "line") {
            line = number_of(scan.value());
        } else if (key == "col") {
            column = number_of(scan.value());
        } else {
            (void)scan.value();
        }
    });
    const auto whole = [](double number) {
        return number >= 0 && number <= UINT32_MAX ? static_cast<std::uint32_t>(number) : 0;
    };
    frames_.push_back(profile_.frame(name, file, whole(line), whole(column)));
}

void SpeedscopeReader::read_profiles(JsonScan& scan) {
    if (!scan.take('[')) {
        scan.fail();
        return;
    }
    std::uint32_t number = 0;
    for (bool is_first = true; scan.next_element(is_first, ']');) {
        Part part;
        // A file cut inside a list still has the beginning of that list.
        const auto list = [&](std::string_view& to) {
            (void)scan.peek();
            const std::size_t from = scan.offset();
            to = scan.value();
            if (scan.failed()) {
                to = text_.substr(from);
            }
        };
        for_each_member(scan, [&](std::string_view key) {
            if (key == "name") {
                part.name = string_of(scan);
            } else if (key == "unit") {
                part.unit = string_of(scan);
            } else if (key == "type") {
                part.is_evented = string_of(scan) == "evented";
            } else if (key == "samples") {
                list(part.samples);
            } else if (key == "weights") {
                list(part.weights);
            } else if (key == "events") {
                list(part.events);
            } else if (key == "startValue") {
                part.start = number_of(scan.value());
            } else if (key == "endValue") {
                part.end = number_of(scan.value());
            } else {
                (void)scan.value();
            }
        });
        take_part(part, number++);
        if (scan.failed()) {
            return;
        }
    }
}

void SpeedscopeReader::take_part(const Part& part, std::uint32_t number) {
    const ThreadId thread = profile_.thread(profile_.process(0), number);
    profile_.threads[thread].name = profile_.text(part.name);
    if (part.is_evented || (!part.events.empty() && part.samples.empty())) {
        take_events(part, thread);
    } else {
        take_samples(part, thread);
    }
}

void SpeedscopeReader::take_samples(const Part& part, ThreadId thread) {
    const bool is_time = nanoseconds_per(part.unit).has_value();
    const std::size_t value = profile_.value_type(is_time ? "time" : "samples",
                                                  part.unit == "none" ? "count" : part.unit);
    std::vector<double> values(profile_.value_types.size());
    JsonScan samples(part.samples), weights(part.weights);
    (void)samples.take('[');
    bool has_weights = weights.take('['), first_weight = true;
    for (bool is_first = true; samples.next_element(is_first, ']');) {
        NodeId node = kRoot;
        bool is_good = samples.take('[');
        for (bool first_frame = true; is_good && samples.next_element(first_frame, ']');) {
            const auto index = parse_int(samples.number());
            if (index && *index >= 0 && static_cast<std::size_t>(*index) < frames_.size()) {
                node = profile_.tree.child(node, frames_[static_cast<std::size_t>(*index)]);
            } else {
                profile_.notes.add("a sample names a frame that is not there");
            }
            if (samples.failed()) {
                return;
            }
        }
        if (!is_good || samples.failed()) {
            profile_.notes.add("a sample that is no list of frames ends its profile");
            return;
        }
        values[value] = 1;
        if (has_weights) {
            if (!weights.next_element(first_weight, ']')) {
                profile_.notes.add("a sample without a weight counts as 0");
                has_weights = false;
                values[value] = 0;
            } else {
                values[value] = number_of(weights.number());
            }
        } else if (!part.weights.empty()) {
            values[value] = 0;
        }
        if (!std::isfinite(values[value])) {
            profile_.notes.add("a weight that is no finite number was left out");
            continue;
        }
        profile_.add_sample({.node = node, .thread = thread}, values);
    }
}

std::optional<SpeedscopeReader::Event> SpeedscopeReader::read_one_event(JsonScan& scan) {
    Event event{std::nan(""), kNone, false};
    bool has_type = false;
    for_each_member(scan, [&](std::string_view key) {
        if (key == "type" && scan.peek() == '"') {
            const RawString type = scan.string();
            has_type = type.text == "O" || type.text == "C";
            event.is_open = type.text == "O";
        } else if (key == "frame") {
            const auto index = parse_int(scan.value());
            event.frame = index && *index >= 0 ? static_cast<std::uint32_t>(*index) : kNone;
        } else if (key == "at") {
            event.at = number_of(scan.value());
        } else {
            (void)scan.value();
        }
    });
    if (!has_type || event.frame >= frames_.size() || !std::isfinite(event.at)) {
        return std::nullopt;
    }
    return event;
}

void SpeedscopeReader::take_events(const Part& part, ThreadId thread) {
    const auto time_ns = nanoseconds_per(part.unit);
    const double ns = time_ns.value_or(kNsPerOtherUnit);
    if (!time_ns && !said_weights_) {
        said_weights_ = true;
        JsonWriter json;
        json.begin_object().member("name", "samples");
        json.member("unit", part.unit == "none" ? "count" : part.unit);
        json.member("nanoseconds", ns).end_object();
        profile_.metadata.emplace_back(kWeightsKey, json.text());
    }
    std::vector<Event> open;
    double last = part.start;
    JsonScan scan(part.events);
    (void)scan.take('[');
    for (bool is_first = true; scan.next_element(is_first, ']');) {
        std::optional<Event> event = read_one_event(scan);
        if (scan.failed()) {
            break;
        }
        if (!event) {
            profile_.notes.add("an event without type, frame or time was left out");
            continue;
        }
        if (event->at < last) {
            profile_.notes.add("an event earlier than the one before it was moved to that time");
            event->at = last;
        }
        last = event->at;
        if (event->is_open) {
            event->span = profile_.spans.size();
            if (open_span(*event, ns, thread)) {
                open.push_back(*event);
            }
            continue;
        }
        std::size_t found = open.size();
        constexpr std::size_t kLook = 64;
        while (found > 0 && open.size() - found < kLook && open[found - 1].frame != event->frame) {
            --found;
        }
        if (found == 0 || open[found - 1].frame != event->frame) {
            profile_.notes.add("a closed frame that was not open was left out");
            continue;
        }
        while (open.size() >= found) {
            if (open.size() > found) {
                profile_.notes.add("a frame without an end ends with the one it lies in");
            }
            close_span(open.back().span, event->at * ns, false);
            open.pop_back();
        }
    }
    const double end = std::max(last, std::isfinite(part.end) ? part.end : last);
    for (const Event& event : open) {
        profile_.notes.add("a frame without an end lasts to the end of its profile");
        close_span(event.span, end * ns, true);
    }
}

bool SpeedscopeReader::open_span(const Event& open, double ns, ThreadId thread) {
    const double begin_ns = open.at * ns;
    if (std::abs(begin_ns) > kLatestNs) {
        profile_.notes.add("a time out of range was left out");
        return false;
    }
    const Frame& frame = profile_.frames[frames_[open.frame]];
    ArgsId args = 0;
    if (frame.file != 0) {
        JsonWriter json;
        json.begin_object().member("file", profile_.texts[frame.file]);
        json.member("line", frame.line);
        if (frame.column != 0) {
            json.member("column", frame.column);
        }
        args = profile_.args(json.end_object().text());
    }
    profile_.spans.push_back(
        {.begin_ns = std::llround(begin_ns), .name = frame.name, .thread = thread, .args = args});
    return true;
}

void SpeedscopeReader::close_span(std::size_t span, double end_ns, bool unfinished) {
    Span& it = profile_.spans[span];
    const double bounded_ns = std::min(end_ns, kLatestNs);
    it.duration_ns = std::max<std::int64_t>(std::llround(bounded_ns) - it.begin_ns, 0);
    it.unfinished = unfinished;
}

}  // namespace

bool is_speedscope(ByteSpan bytes) {
    constexpr std::size_t kLook = 64u << 10;
    const std::string_view text = as_text(bytes);
    const std::size_t first = text.substr(0, kLook).find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{') {
        return false;
    }
    const std::string_view head = text.substr(0, kLook);
    return head.find("speedscope.app/file-format-schema") != std::string_view::npos ||
           (head.find("\"shared\"") != std::string_view::npos &&
            head.find("\"frames\"") != std::string_view::npos);
}

Result<void> read_speedscope(ByteSpan bytes, Profile& profile) {
    return SpeedscopeReader(as_text(bytes), profile).read();
}

}  // namespace taffrail::profile
