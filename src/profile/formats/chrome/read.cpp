// Reads trace events in one pass over the text.
#include "base/strings.h"
#include "io/map_memory.h"
#include "profile/boundaries.h"
#include "profile/formats/chrome/chrome.h"
#include "profile/json_scan.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taffrail::profile {
namespace {

constexpr std::size_t kMaxMetadataBytes = 16u << 20;

/// A text of at most seven bytes as a number, its length included; longer ones are all alike.
constexpr std::uint64_t packed(std::string_view text) noexcept {
    if (text.size() > 7) {
        return UINT64_MAX;
    }
    std::uint64_t bytes = text.size();
    for (const char each : text) {
        bytes = bytes << 8 | static_cast<unsigned char>(each);
    }
    return bytes;
}

/// The members of an event that mean something here, as they stand in the text.
struct RawEvent {
    char phase = '\0';
    char scope = 't';
    bool binds_enclosing = false;
    RawString name, category;
    std::string_view time, duration, args;
    std::string_view process, thread, id;  ///< numbers, or strings with their quotes
    bool args_doubtful = false;
    std::size_t offset = 0;
};

class ChromeReader {
  public:
    ChromeReader(std::string_view text, Profile& profile, const io::Mapping* pages = nullptr)
        : text_(text), scan_(text), profile_(profile), boundaries_(profile), pages_(pages) {
        profile.reserve_for_text(text.size());
    }

    Result<void> read();

  private:
    void read_events();
    void forget_what_was_read();
    bool read_event(RawEvent& event);
    void read_member(RawEvent& event, std::string_view name);
    void take_event(const RawEvent& event);
    void take_metadata(const RawEvent& event);
    void take_counter(const RawEvent& event, std::int64_t time_ns);
    void take_span(const RawEvent& event, std::int64_t time_ns);

    ThreadId thread_of(const RawEvent& event);
    /// A number, or the id of a text where it is one.
    std::pair<std::int64_t, TextId> id_of(std::string_view raw);
    TextId text_of(const RawString& raw);
    ArgsId args_of(const RawEvent& event);
    TextId id_text(std::string_view raw);

    std::string_view text_;
    JsonScan scan_;
    Profile& profile_;
    Boundaries boundaries_;
    std::string buffer_;

    /// Events come from few threads, which take turns.
    struct SeenThread {
        std::uint64_t process = 0, thread = 0;  ///< as they stand in the text, packed
        ThreadId id = kNone;
    };

    std::array<SeenThread, 61> seen_threads_ = {};
    bool found_events_ = false, is_cut_ = false;
    std::uint64_t events_ = 0;
    const io::Mapping* pages_;
    std::size_t forgotten_ = 0;
};

Result<void> ChromeReader::read() {
    if (scan_.peek() == '[') {
        read_events();
    } else if (scan_.take('{')) {
        for (bool is_first = true; scan_.next_element(is_first, '}');) {
            const RawString key = scan_.key();
            if (scan_.failed()) {
                break;
            }
            if (key.text == "traceEvents" && scan_.peek() == '[') {
                read_events();
                if (scan_.failed()) {
                    break;
                }
                continue;
            }
            scan_.clear_doubt();
            const std::string_view value = scan_.value();
            if (scan_.failed()) {
                break;
            }
            if (value.size() > kMaxMetadataBytes) {
                profile_.notes.add(
                    "a member of the file beside its events is larger than 16 MiB "
                    "and was left out",
                    scan_.offset());
                continue;
            }
            std::string name(unescape(key, buffer_));
            profile_.metadata.emplace_back(
                std::move(name), scan_.is_doubtful() ? clean_json(value) : std::string(value));
        }
    } else {
        return Error{ErrorCode::Corrupt, "no trace: a list or an object of JSON was expected"};
    }
    if (scan_.failed() && !is_cut_) {
        profile_.notes.add("the file ends or breaks off before its end", scan_.offset());
    }
    if (!found_events_) {
        return Error{ErrorCode::Corrupt, "no trace: the file has no list \"traceEvents\""};
    }
    boundaries_.finish();
    return {};
}

void ChromeReader::read_events() {
    found_events_ = true;
    (void)scan_.take('[');
    bool is_first = true;
    for (;;) {
        if (!scan_.next_element(is_first, ']')) {
            // A list may end without its bracket: programs that die leave it like that.
            if (!scan_.failed() || scan_.at_end()) {
                scan_.recover();
                return;
            }
        } else {
            RawEvent event;
            event.offset = scan_.offset();
            forget_what_was_read();
            if (scan_.peek() != '{') {
                (void)scan_.value();
                profile_.notes.add("an element of the list is no event", event.offset);
            } else if (read_event(event)) {
                take_event(event);
                if ((++events_ & 0xFFF) == 0 && profile_.progress != nullptr) {
                    profile_.progress->done_bytes = event.offset;
                }
            }
        }
        if (scan_.failed()) {
            const std::size_t offset = scan_.offset();
            if (!scan_.find_next_object()) {
                is_cut_ = true;
                profile_.notes.add("the file is cut off inside an event", offset);
                return;
            }
            profile_.notes.add("an event that is no valid JSON was left out", offset);
            is_first = true;
        }
    }
}

void ChromeReader::forget_what_was_read() {
    // Whole pieces, so that large pages go as they came.
    constexpr std::size_t kPiece = 4u << 20;
    if (pages_ != nullptr && scan_.offset() - forgotten_ >= kPiece) {
        const std::size_t until = scan_.offset() / kPiece * kPiece;
        io::forget_pages(*pages_, forgotten_, until - forgotten_);
        forgotten_ = until;
    }
}

bool ChromeReader::read_event(RawEvent& event) {
    (void)scan_.take('{');
    for (bool is_first = true; scan_.next_element(is_first, '}');) {
        const RawString key = scan_.key();
        if (scan_.failed()) {
            return false;
        }
        read_member(event, key.text);
        if (scan_.failed()) {
            return false;
        }
    }
    return !scan_.failed();
}

void ChromeReader::read_member(RawEvent& event, std::string_view name) {
    const char next = scan_.peek();
    // Names of members are short: as a number each is one comparison, and there are eight an event.
    switch (packed(name)) {
        case packed("name"):
            if (next == '"') {
                event.name = scan_.string();
                return;
            }
            break;
        case packed("ph"):
            if (next == '"') {
                const RawString phase = scan_.string();
                event.phase = phase.text.size() == 1 ? phase.text[0] : '?';
                return;
            }
            break;
        case packed("ts"):
            event.time = scan_.value();
            return;
        case packed("dur"):
            event.duration = scan_.value();
            return;
        case packed("cat"):
            if (next == '"') {
                event.category = scan_.string();
                return;
            }
            break;
        case packed("pid"):
            event.process = scan_.value();
            return;
        case packed("tid"):
            event.thread = scan_.value();
            return;
        case packed("args"):
            if (next == '{') {
                scan_.clear_doubt();
                event.args = scan_.value();
                event.args_doubtful = scan_.is_doubtful();
                return;
            }
            break;
        case packed("id"):
        case packed("id2"):
            event.id = scan_.value();
            return;
        case packed("s"):
            if (next == '"') {
                const RawString scope = scan_.string();
                event.scope = scope.text.empty() ? 't' : scope.text[0];
                return;
            }
            break;
        case packed("bp"):
            if (next == '"') {
                event.binds_enclosing = scan_.string().text == "e";
                return;
            }
            break;
        default:
            break;
    }
    (void)scan_.value();
}

TextId ChromeReader::text_of(const RawString& raw) {
    return profile_.text(unescape(raw, buffer_));
}

ArgsId ChromeReader::args_of(const RawEvent& event) {
    const std::uint64_t place = profile_.wants_places && !event.args.empty()
                                    ? static_cast<std::uint64_t>(event.args.data() - text_.data())
                                    : 0;
    return event.args_doubtful ? profile_.args(clean_json(event.args), place)
                               : profile_.args(event.args, place);
}

TextId ChromeReader::id_text(std::string_view raw) {
    if (raw.size() >= 2 && raw.front() == '"') {
        return text_of({raw.substr(1, raw.size() - 2), false});
    }
    return profile_.text(raw);
}

std::pair<std::int64_t, TextId> ChromeReader::id_of(std::string_view raw) {
    if (const auto number = parse_int(raw)) {
        return {*number, 0};
    }
    if (raw.empty()) {
        return {0, 0};
    }
    return {0, id_text(raw)};
}

ThreadId ChromeReader::thread_of(const RawEvent& event) {
    const std::uint64_t process_key = packed(event.process), thread_key = packed(event.thread);
    const bool is_short = process_key != UINT64_MAX && thread_key != UINT64_MAX;
    SeenThread& seen = seen_threads_[(process_key * 31 + thread_key) % seen_threads_.size()];
    if (is_short && seen.id != kNone && seen.process == process_key && seen.thread == thread_key) {
        return seen.id;
    }
    const auto [process, process_text] = id_of(event.process);
    const auto [thread, thread_text] = id_of(event.thread);
    const ThreadId id =
        profile_.thread(profile_.process(process, process_text), thread, thread_text);
    if (is_short) {
        seen = {process_key, thread_key, id};
    }
    return id;
}

void ChromeReader::take_event(const RawEvent& event) {
    if (event.phase == 'M') {
        take_metadata(event);
        return;
    }
    std::int64_t time_ns = 0;
    std::string_view time = event.time;
    if (time.size() >= 2 && time.front() == '"') {
        time = time.substr(1, time.size() - 2);
    }
    if (!parse_microseconds(time, time_ns)) {
        profile_.notes.add(event.phase == '\0'
                               ? "an event without a phase was left out"
                               : "an event whose time is absent, no number or out of range was "
                                 "left out",
                           event.offset);
        return;
    }
    switch (event.phase) {
        case 'X':
            take_span(event, time_ns);
            return;
        case 'B':
        case 'E':
            boundaries_.add({.time_ns = time_ns,
                             .name = text_of(event.name),
                             .category = text_of(event.category),
                             .thread = thread_of(event),
                             .args = args_of(event),
                             .is_begin = event.phase == 'B',
                             .offset = event.offset});
            return;
        case 'b':
        case 'e':
        case 'S':
        case 'F':
            boundaries_.add(
                {.time_ns = time_ns,
                 .name = text_of(event.name),
                 .category = text_of(event.category),
                 .thread = thread_of(event),
                 .args = args_of(event),
                 .async_id = id_text(event.id.empty() ? std::string_view("0") : event.id),
                 .is_begin = event.phase == 'b' || event.phase == 'S',
                 .offset = event.offset});
            return;
        case 'i':
        case 'I':
        case 'R':
        case 'n':
            profile_.instants.push_back({.time_ns = time_ns,
                                         .name = text_of(event.name),
                                         .category = text_of(event.category),
                                         .thread = thread_of(event),
                                         .args = args_of(event),
                                         .scope = event.scope == 'g'   ? InstantScope::Global
                                                  : event.scope == 'p' ? InstantScope::Process
                                                                       : InstantScope::Thread});
            return;
        case 'C':
            take_counter(event, time_ns);
            return;
        case 's':
        case 't':
        case 'f':
            profile_.flows.push_back({.time_ns = time_ns,
                                      .id = id_text(event.id),
                                      .name = text_of(event.name),
                                      .category = text_of(event.category),
                                      .thread = thread_of(event),
                                      .args = args_of(event),
                                      .phase = event.phase == 's'   ? FlowPhase::Start
                                               : event.phase == 't' ? FlowPhase::Step
                                                                    : FlowPhase::End,
                                      .binds_enclosing = event.binds_enclosing});
            return;
        default:
            profile_.notes.add("an event of a kind that is not known was left out", event.offset);
    }
}

void ChromeReader::take_span(const RawEvent& event, std::int64_t time_ns) {
    std::int64_t duration_ns = 0;
    if (!event.duration.empty() && !parse_microseconds(event.duration, duration_ns)) {
        profile_.notes.add("a duration that is no number counts as 0", event.offset);
    }
    if (duration_ns < 0) {
        profile_.notes.add("a negative duration counts as 0", event.offset);
        duration_ns = 0;
    }
    profile_.spans.push_back({.begin_ns = time_ns,
                              .duration_ns = duration_ns,
                              .name = text_of(event.name),
                              .category = text_of(event.category),
                              .thread = thread_of(event),
                              .args = args_of(event)});
}

void ChromeReader::take_counter(const RawEvent& event, std::int64_t time_ns) {
    CounterPoint point{.time_ns = time_ns,
                       .name = text_of(event.name),
                       .category = text_of(event.category),
                       .thread = thread_of(event)};
    JsonScan members(event.args);
    (void)members.take('{');
    for (bool is_first = true; members.next_element(is_first, '}');) {
        point.series = text_of(members.key());
        std::string_view value = members.value();
        if (value.size() >= 2 && value.front() == '"') {
            value = value.substr(1, value.size() - 2);
        }
        const auto number = parse_double(value);
        if (number && std::isfinite(*number)) {
            point.value = *number;
            profile_.counters.push_back(point);
        } else {
            profile_.notes.add("a counter's value that is no number was left out", event.offset);
        }
    }
}

void ChromeReader::take_metadata(const RawEvent& event) {
    const std::string_view kind = event.name.text;
    const auto [process_number, process_text] = id_of(event.process);
    const ProcessId process = profile_.process(process_number, process_text);
    JsonScan members(event.args);
    (void)members.take('{');
    for (bool is_first = true; members.next_element(is_first, '}');) {
        const RawString key = members.key();
        const std::string_view value = members.value();
        const bool is_text = value.size() >= 2 && value.front() == '"';
        if (kind == "process_name" && key.text == "name" && is_text) {
            profile_.processes[process].name = id_text(value);
        } else if (kind == "process_labels" && key.text == "labels" && is_text) {
            profile_.processes[process].labels = id_text(value);
        } else if (kind == "process_sort_index" && key.text == "sort_index") {
            profile_.processes[process].sort_index = parse_int(value);
        } else if (kind == "thread_name" && key.text == "name" && is_text) {
            profile_.threads[thread_of(event)].name = id_text(value);
        } else if (kind == "thread_sort_index" && key.text == "sort_index") {
            profile_.threads[thread_of(event)].sort_index = parse_int(value);
        }
    }
}

}  // namespace

bool is_chrome_trace(ByteSpan bytes) {
    constexpr std::size_t kLook = 1u << 20;
    const std::string_view head = as_text(bytes).substr(0, kLook);
    const std::size_t first = head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return false;
    }
    if (head[first] == '{') {
        return head.find("\"traceEvents\"") != std::string_view::npos;
    }
    return head[first] == '[' && head.find("\"ph\"") != std::string_view::npos;
}

Result<void> read_chrome_trace(ByteSpan bytes, Profile& profile) {
    return ChromeReader(as_text(bytes), profile).read();
}

Result<void> read_chrome_trace_once(const io::Mapping& pages, std::size_t size, Profile& profile) {
    return ChromeReader(as_text(pages.bytes().first(size)), profile, &pages).read();
}

}  // namespace taffrail::profile
