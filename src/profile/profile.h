// One model for every profile: stacks with weights, a call graph, a timeline. Importers fill what
// their format has, exporters take what theirs can hold, and profile/derive.h makes one part from
// another (stacks from a timeline, a call graph from stacks).
//
// Texts, frames, stacks and arguments are kept once and known by number. Nothing here recurses: a
// stack ten million frames deep is ten million nodes.
#pragma once

#include "profile/call_tree.h"
#include "profile/notes.h"
#include "profile/progress.h"
#include "profile/texts.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::profile {

using ProcessId = std::uint32_t;
using ThreadId = std::uint32_t;
/// Number of an argument text; 0 is none.
using ArgsId = std::uint32_t;

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

/// What a weight counts: {"time", "nanoseconds"}, {"calls", "count"}, {"allocated", "bytes"}. Units
/// of time are nanoseconds, microseconds, milliseconds and seconds; others are only names.
struct ValueType {
    std::string name, unit;

    friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// A process or thread goes by a number; a few writers use words instead (`id_text`).
struct Process {
    std::int64_t id = 0;
    TextId id_text = 0, name = 0, labels = 0;
    std::optional<std::int64_t> sort_index;
};

struct Thread {
    ProcessId process = 0;
    std::int64_t id = 0;
    TextId id_text = 0, name = 0;
    std::optional<std::int64_t> sort_index;
};

/// One stack with its weights: `Profile::values_of(index)`. Samples keep the order of their file.
struct Sample {
    NodeId node = kRoot;
    ThreadId thread = 0;
    std::int64_t time_ns = kNoTime;
    ArgsId args = 0;  ///< labels
};

/// A function in the call graph, or a call from one into another. Recursion: `calls` counts all,
/// `primitive_calls` those that were not made while the same function ran already.
struct GraphCost {
    double calls = 0, primitive_calls = 0;
    std::vector<double> self, total;  ///< one per value type
};

struct GraphFunction {
    FrameId frame = 0;
    GraphCost cost;
};

/// Between two entries of Profile::functions.
struct GraphCall {
    std::uint32_t caller = 0, callee = 0;
    GraphCost cost;
};

/// Something that lasted. Spans of one thread nest; those with an `async_id` do not have to.
struct Span {
    std::int64_t begin_ns = 0, duration_ns = 0;
    TextId name = 0, category = 0;
    ThreadId thread = 0;
    ArgsId args = 0;
    TextId async_id = 0;      ///< 0 = an ordinary span
    bool unfinished = false;  ///< its end was never seen: it lasts to the end of the recording
};

enum class InstantScope : std::uint8_t { Thread, Process, Global };

struct Instant {
    std::int64_t time_ns = 0;
    TextId name = 0, category = 0;
    ThreadId thread = 0;
    ArgsId args = 0;
    InstantScope scope = InstantScope::Thread;
};

/// One point of one curve: the curve `series` of the counter `name` of a process.
struct CounterPoint {
    std::int64_t time_ns = 0;
    double value = 0;
    TextId name = 0, series = 0, category = 0;
    ThreadId thread = 0;
};

enum class FlowPhase : std::uint8_t { Start, Step, End };

/// An arrow from span to span: the points with the same name, category and id, in order of time.
struct FlowPoint {
    std::int64_t time_ns = 0;
    TextId id = 0, name = 0, category = 0;
    ThreadId thread = 0;
    ArgsId args = 0;
    FlowPhase phase = FlowPhase::Start;
    bool binds_enclosing = false;  ///< ends at the span that encloses it, not at the next one
};

class Profile {
  public:
    Texts texts;
    Frames frames;
    std::string name;

    std::vector<Process> processes;
    std::vector<Thread> threads;

    std::vector<ValueType> value_types;
    CallTree tree;
    std::vector<Sample> samples;

    std::vector<GraphFunction> functions;
    std::vector<GraphCall> calls;

    std::vector<Span> spans;
    std::vector<Instant> instants;
    std::vector<CounterPoint> counters;
    std::vector<FlowPoint> flows;

    /// What a file says of itself, each value as JSON text.
    std::vector<std::pair<std::string, std::string>> metadata;

    /// What was wrong with the file.
    Notes notes;

    /// Told by readers of large files how far they are; null = nobody wants to know.
    Progress* progress = nullptr;
    /// Readers of large files say where arguments stand: what they read is the file as it lies.
    bool wants_places = false;

    TextId text(std::string_view text) { return texts.id(text); }

    FrameId frame(std::string_view function, std::string_view file = {}, std::uint32_t line = 0,
                  std::uint32_t column = 0) {
        return frames.id({texts.id(function), texts.id(file), line, column});
    }

    /// The process or thread of that number, made when it is new.
    ProcessId process(std::int64_t id, TextId id_text = 0);
    ThreadId thread(ProcessId process, std::int64_t id, TextId id_text = 0);

    /// For formats that know neither: thread 0 of process 0.
    ThreadId only_thread() { return thread(process(0), 0); }

    /// The column of a value type, added when it is new; samples before it weigh 0 there.
    std::size_t value_type(std::string_view type_name, std::string_view unit);

    /// `values` has one number per value type.
    void add_sample(const Sample& sample, std::span<const double> values);

    [[nodiscard]] std::span<const double> values_of(std::size_t sample) const noexcept {
        return std::span(values_).subspan(sample * value_types.size(), value_types.size());
    }

    /// Keeps a JSON object (`{"a":1}`) as it is; one without members is none. `place` is where it
    /// begins in the file, for readers that are asked to say so.
    ArgsId args(std::string_view json, std::uint64_t place = 0);

    /// 0 = made from what the file has, or nobody asked.
    [[nodiscard]] std::uint64_t args_place(ArgsId id) const noexcept {
        return id < args_places_.size() ? args_places_[id] : 0;
    }

    /// Room for the events of a trace whose text is so long: a guess that saves copying while they
    /// grow. What is not used is never touched.
    void reserve_for_text(std::size_t bytes);

    [[nodiscard]] std::string_view args_text(ArgsId id) const noexcept {
        return id == 0 ? std::string_view()
                       : std::string_view(args_).substr(args_ends_[id - 1],
                                                        args_ends_[id] - args_ends_[id - 1]);
    }

    [[nodiscard]] bool has_timeline() const noexcept {
        return !spans.empty() || !instants.empty() || !counters.empty() || !flows.empty();
    }

    [[nodiscard]] bool empty() const noexcept {
        return samples.empty() && functions.empty() && !has_timeline();
    }

  private:
    std::vector<double> values_;
    std::string args_;
    std::vector<std::uint64_t> args_ends_{0}, args_places_;
    IdTable process_table_, thread_table_;
};

/// Nanoseconds in one `unit`; nothing for units that are no times.
std::optional<double> nanoseconds_per(std::string_view unit) noexcept;

/// The process and thread as a person reads them: "trainer 4711", "loader 12".
std::string process_title(const Profile& profile, ProcessId process);
std::string thread_title(const Profile& profile, ThreadId thread);

}  // namespace taffrail::profile
