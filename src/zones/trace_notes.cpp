// Notes lie in one array that is made once and never freed: whoever takes a place in it with one
// addition writes there alone. A place that is being written when the window ends is left out.
#include "zones/trace_notes.h"

#include <taffrail/trace_notes.h>

#include "base/try.h"
#include "codec/json_writer.h"
#include "io/map_memory.h"
#include "profile/enclosing.h"
#include "zones/this_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <string>
#include <utility>

namespace taffrail {

namespace detail {
constinit std::atomic<bool> shapes_are_kept{false};
}

namespace zones {
namespace {

constexpr std::size_t kMostNotes = std::size_t{1} << 19;
constexpr std::size_t kValues = 5;
constexpr std::size_t kDevices = 17;  // the processor and sixteen others

enum class NoteKind : std::uint8_t { Memory, Shape };

/// All of it is read and written as atomics: a late writer may meet the next window.
struct Note {
    std::uint64_t at;     ///< written last; 0 = not yet
    std::uint64_t since;  ///< of a shape: when the zone began that it belongs to
    std::array<std::int64_t, kValues> values;
    std::int32_t thread;
    std::int16_t device;
    NoteKind kind;
    std::uint8_t count;
};

static_assert(sizeof(Note) == 64);

constinit std::atomic<Note*> notes{nullptr};
constinit std::atomic<std::size_t> next_note{0};
constinit std::atomic<std::uint64_t> begun_at{0};
constinit std::atomic<bool> memory_is_kept{false};
constinit std::array<std::atomic<std::int64_t>, kDevices> allocated{};

std::int32_t this_thread_id() noexcept {
    static constinit thread_local std::int32_t known = 0;
    static constinit thread_local std::int32_t process = 0;
    // A forked child has other numbers.
    if (const auto now = static_cast<std::int32_t>(::getpid()); known == 0 || process != now) {
        process = now;
        known = static_cast<std::int32_t>(::syscall(SYS_gettid));
    }
    return known;
}

template <typename Value>
void put(Value& to, Value value) noexcept {
    std::atomic_ref(to).store(value, std::memory_order_relaxed);
}

template <typename Value>
Value get(Value& from) noexcept {
    return std::atomic_ref(from).load(std::memory_order_relaxed);
}

void add_note(NoteKind kind, int device, const std::int64_t* values, std::size_t count) noexcept {
    Note* const all = notes.load(std::memory_order_acquire);
    const std::uint64_t now = ticks();
    const std::size_t place = next_note.fetch_add(1, std::memory_order_relaxed);
    if (all == nullptr || place >= kMostNotes) {
        return;
    }
    Note& note = all[place];
    count = std::min(count, kValues);
    for (std::size_t index = 0; index < count; ++index) {
        put(note.values[index], values[index]);
    }
    put(note.thread, this_thread_id());
    put(note.device, static_cast<std::int16_t>(device));
    put(note.kind, kind);
    put(note.count, static_cast<std::uint8_t>(count));
    // By the clock alone a shape told just behind the end of a zone cannot be put to its own: a
    // processor may read its counter for both in the other order.
    put(note.since, kind == NoteKind::Shape ? innermost_since() : std::uint64_t{0});
    std::atomic_ref(note.at).store(now, std::memory_order_release);
}

/// "[memory]" as PyTorch writes it.
void add_memory(const Note& note, const TickClock& clock, profile::ThreadId thread,
                profile::Profile& trace) {
    JsonWriter json;
    json.begin_object().member("Device Type", note.device < 0 ? 0 : 1);
    json.member("Device Id", note.device);
    json.member("Addr", note.values[0]).member("Bytes", note.values[1]);
    json.member("Total Allocated", note.values[2]).member("Total Reserved", note.values[2]);
    json.end_object();
    trace.instants.push_back({.time_ns = clock.to_wall_ns(note.at),
                              .name = trace.text("[memory]"),
                              .category = trace.text("cpu_instant_event"),
                              .thread = thread,
                              .args = trace.args(json.text())});
}

/// Names a zone: nothing else of its thread begins at that nanosecond.
using Beginning = std::pair<profile::ThreadId, std::int64_t>;

void append_shape(std::string& to, const Note& note) {
    to.append(to.empty() ? "[" : ",[");
    for (std::size_t side = 0; side < note.count; ++side) {
        to.append(side == 0 ? "" : ",").append(std::to_string(note.values[side]));
    }
    to.append("]");
}

}  // namespace

Result<void> begin_notes(const NotesWanted& wanted) {
    end_notes();
    if (!wanted.any()) {
        return {};
    }
    Note* all = notes.load(std::memory_order_acquire);
    if (all == nullptr) {
        TAFFRAIL_ASSIGN(io::Mapping mapped, io::map_memory(kMostNotes * sizeof(Note)));
        // Never given back: programs free memory until they end.
        static auto* pages = new io::Mapping(std::move(mapped));
        all = reinterpret_cast<Note*>(pages->data());
        notes.store(all, std::memory_order_release);
    }
    for (std::size_t place = 0; place < std::min(next_note.load(), kMostNotes); ++place) {
        put(all[place].at, std::uint64_t{0});
    }
    next_note.store(0);
    begun_at.store(ticks());
    memory_is_kept.store(wanted.memory);
    detail::shapes_are_kept.store(wanted.shapes);
    return {};
}

void end_notes() noexcept {
    memory_is_kept.store(false);
    detail::shapes_are_kept.store(false);
}

void add_notes(const TickClock& clock, profile::ProcessId process, profile::Profile& trace) {
    Note* const all = notes.load(std::memory_order_acquire);
    const std::size_t taken = next_note.load();
    if (all == nullptr || taken == 0) {
        return;
    }
    std::map<Beginning, std::string> inputs;
    for (std::size_t place = 0; place < std::min(taken, kMostNotes); ++place) {
        Note note{};
        note.at = std::atomic_ref(all[place].at).load(std::memory_order_acquire);
        if (note.at < begun_at.load()) {
            continue;  // being written, or late from the window before
        }
        note.thread = get(all[place].thread);
        note.device = get(all[place].device);
        note.kind = get(all[place].kind);
        note.count = get(all[place].count);
        note.since = get(all[place].since);
        for (std::size_t index = 0; index < kValues; ++index) {
            note.values[index] = get(all[place].values[index]);
        }
        const profile::ThreadId thread = trace.thread(process, note.thread);
        if (note.kind == NoteKind::Memory) {
            add_memory(note, clock, thread, trace);
        } else if (note.since != 0) {
            append_shape(inputs[{thread, clock.to_wall_ns(note.since)}], note);
        }
    }
    if (taken > kMostNotes) {
        trace.notes.add("allocations and shapes that had no room", 0, taken - kMostNotes);
    }
    const profile::TextId zone = trace.text("cpu_op");
    for (std::size_t index = 0; index < trace.spans.size() && !inputs.empty(); ++index) {
        profile::Span& span = trace.spans[index];
        if (span.category != zone || span.async_id != 0) {
            continue;
        }
        if (const auto told = inputs.extract({span.thread, span.begin_ns}); !told.empty()) {
            profile::add_member(trace, span, "Input Dims", "[" + told.mapped() + "]");
        }
    }
    next_note.store(0);
}

}  // namespace zones

void report_memory(const void* address, std::int64_t bytes, int device) noexcept {
    const auto place =
        static_cast<std::size_t>(std::clamp(device + 1, 0, static_cast<int>(zones::kDevices) - 1));
    const std::int64_t sum =
        zones::allocated[place].fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (zones::memory_is_kept.load(std::memory_order_relaxed)) {
        const std::int64_t values[] = {
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address)), bytes, sum};
        zones::add_note(zones::NoteKind::Memory, device, values, std::size(values));
    }
}

void detail::note_shape(const std::int64_t* sides, std::size_t count) noexcept {
    zones::add_note(zones::NoteKind::Shape, -1, sides, count);
}

}  // namespace taffrail
