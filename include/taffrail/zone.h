// Zones: where a program spends its time, measured where it says so.
//
//   void Model::forward() {
//       TAFFRAIL_ZONE_FUNCTION();               // named after the function: "Model::forward"
//       { TAFFRAIL_ZONE("matmul"); … }          // nested: its time is no self time of forward
//   }
//
// A zone costs two reads of the processor's counter and a few stores: no lock, no system call, and
// no allocation once its place in the tree of its thread exists. Every zone is aggregated (calls,
// total, self, least, most, percentiles) in bounded memory. A program that does nothing else prints
// the table when it ends, also by an uncaught exception or a signal; one that opens a run or names
// a profiler gets it from there. TAFFRAIL_ZONES=off switches zones off at run time, defining
// TAFFRAIL_NO_ZONES removes them at compile time.
#pragma once

#include <taffrail/api.h>
#include <taffrail/record.h>
#include <taffrail/result.h>

#include <atomic>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

/// One place in the source that opens zones. Lives as long as the program.
struct ZoneSite {
    std::string_view name = {};
    const char* file = "";
    std::uint32_t line = 0;
    bool function = false;               ///< `name` is a whole signature
    std::atomic<std::uint32_t> id = {};  ///< given at first use; 0 before
};

namespace detail {

struct ZoneNode;
TAFFRAIL_API extern std::atomic<bool> zones_on;

/// An entered zone. Small enough for two registers: on its way out it meets no memory.
struct OpenZone {
    ZoneNode* node = nullptr;  ///< nullptr when it is not kept: nested too deep, or no memory
    std::uint64_t since = 0;
};

TAFFRAIL_API OpenZone enter_zone(ZoneSite& site) noexcept;
TAFFRAIL_API void leave_zone(ZoneNode* node, std::uint64_t since) noexcept;
TAFFRAIL_API void change_lap(ZoneSite* site) noexcept;
TAFFRAIL_API void add_zone_value(double value) noexcept;
/// The site of a name that is known only at run time. Names beyond 65,536 share one.
TAFFRAIL_API ZoneSite& named_site(std::string_view name) noexcept;
TAFFRAIL_API std::uint64_t zone_ticks() noexcept;
TAFFRAIL_API void end_span(ZoneSite& site, std::uint64_t since) noexcept;

inline bool zones_are_on() noexcept {
    return zones_on.load(std::memory_order_relaxed);
}

}  // namespace detail

/// Measures its own life. On the stack of one thread; what the macros make.
class [[nodiscard]] Zone {
  public:
    explicit Zone(ZoneSite& site) noexcept
        : open_(detail::zones_are_on() ? detail::enter_zone(site) : detail::OpenZone()) {}

    /// A name known only at run time: a look-up more, and one place for each name.
    explicit Zone(std::string_view name) noexcept
        : open_(detail::zones_are_on() ? detail::enter_zone(detail::named_site(name))
                                       : detail::OpenZone()) {}

    Zone(const Zone&) = delete;
    Zone& operator=(const Zone&) = delete;

    ~Zone() {
        if (open_.node != nullptr) {
            detail::leave_zone(open_.node, open_.since);
        }
    }

  private:
    detail::OpenZone open_;
};

/// A stretch that does not follow the stack: a coroutine, a request handed between threads. Begun
/// here, ended anywhere; many may be open at once. Counted beside the tree, because spans overlap.
class [[nodiscard]] ZoneSpan {
  public:
    ZoneSpan() = default;

    explicit ZoneSpan(ZoneSite& site) noexcept
        : site_(detail::zones_are_on() ? &site : nullptr),
          since_(site_ != nullptr ? detail::zone_ticks() : 0) {}

    explicit ZoneSpan(std::string_view name) noexcept : ZoneSpan(detail::named_site(name)) {}

    ZoneSpan(ZoneSpan&& other) noexcept
        : site_(std::exchange(other.site_, nullptr)), since_(other.since_) {}

    ZoneSpan& operator=(ZoneSpan&& other) noexcept {
        end();
        site_ = std::exchange(other.site_, nullptr);
        since_ = other.since_;
        return *this;
    }

    ~ZoneSpan() { end(); }

    /// Once; the destructor does it otherwise.
    void end() noexcept {
        if (site_ != nullptr) {
            detail::end_span(*std::exchange(site_, nullptr), since_);
        }
    }

  private:
    ZoneSite* site_ = nullptr;
    std::uint64_t since_ = 0;
};

/// What all zones of one name came to, in seconds. `total` counts a zone inside one of its own name
/// once; `self` leaves out what stood in zones of its own. All `self` of the rows that are no spans
/// sum up to the time in zones, and `share` to 1.
struct ZoneRow {
    std::string name = {};
    std::uint64_t calls = 0;
    double total = 0, self = 0, mean = 0;
    double least = 0, most = 0, p50 = 0, p99 = 0;
    double share = 0;
    int depth = 0;      ///< in a tree; 0 in a flat list
    bool span = false;  ///< ended by a ZoneSpan: beside the tree
    bool open = false;  ///< at least one is open now; its time so far is in `total` and `self`
    std::uint64_t values = 0;
    double value_sum = 0;
};

/// Everything so far, of all threads, largest total first. Zones go on meanwhile.
TAFFRAIL_API std::vector<ZoneRow> zone_rows();
/// The same as a tree in depth-first order: one row for each way from a root.
TAFFRAIL_API std::vector<ZoneRow> zone_tree();
/// As printed at the end; empty when no zone was entered.
TAFFRAIL_API std::string zone_table_text();
TAFFRAIL_API std::string zone_tree_text();

/// Off: a zone costs one load. Those open at that moment still end.
TAFFRAIL_API void enable_zones(bool on) noexcept;

enum class ZoneReport : std::uint8_t { None, Table, Tree, Both };

/// What is printed to stderr when the program ends, however it does. TAFFRAIL_ZONES = none, table,
/// tree or both says it from outside, and wins.
TAFFRAIL_API void print_zones_at_exit(ZoneReport report) noexcept;

/// Says that a new step begins now, on whatever thread.
TAFFRAIL_API void mark_step(Step step) noexcept;

struct ZoneTraceOptions {
    /// Where the zones go; empty: into the profile of the open run.
    std::string path = {};
    /// When so many bytes are written, the window closes and one line says so.
    std::uint64_t max_bytes = std::uint64_t{1} << 30;
};

/// From now on zones are also kept one by one, until stop_zone_trace(), the end of the run or the
/// budget. An error without a run and without a path, or when a window is open already.
TAFFRAIL_API Result<void> start_zone_trace(const ZoneTraceOptions& options = {});
/// Returns when everything is in the file.
TAFFRAIL_API Result<void> stop_zone_trace();

/// Forgets every number; open zones count from now on. For tests and programs that warm up first.
TAFFRAIL_API void reset_zones() noexcept;

}  // namespace taffrail

#define TAFFRAIL_JOIN_(a, b) a##b
#define TAFFRAIL_JOIN(a, b) TAFFRAIL_JOIN_(a, b)

#if defined(TAFFRAIL_NO_ZONES)
#define TAFFRAIL_ZONE(zone_name) static_cast<void>(0)
#define TAFFRAIL_ZONE_NAMED(zone_name) static_cast<void>(0)
#define TAFFRAIL_ZONE_FUNCTION() static_cast<void>(0)
#define TAFFRAIL_ZONE_VALUE(value) static_cast<void>(0)
#define TAFFRAIL_LAP(zone_name) static_cast<void>(0)
#define TAFFRAIL_LAP_END() static_cast<void>(0)
#define TAFFRAIL_SPAN(zone_name) (::taffrail::ZoneSpan())
#else
#define TAFFRAIL_ZONE_AT_(zone_name, is_function, number)                        \
    static constinit ::taffrail::ZoneSite TAFFRAIL_JOIN(taffrail_site_, number){ \
        (zone_name), __FILE__, __LINE__, (is_function)};                         \
    const ::taffrail::Zone TAFFRAIL_JOIN(taffrail_zone_,                         \
                                         number)(TAFFRAIL_JOIN(taffrail_site_, number))
/// The rest of this block is a zone. The name is a literal.
#define TAFFRAIL_ZONE(zone_name) TAFFRAIL_ZONE_AT_("" zone_name, false, __COUNTER__)
/// The same with the name of the function, classes and namespaces included.
#define TAFFRAIL_ZONE_FUNCTION() TAFFRAIL_ZONE_AT_(__PRETTY_FUNCTION__, true, __COUNTER__)
/// The same with a text made at run time.
#define TAFFRAIL_ZONE_NAMED(zone_name)                                  \
    const ::taffrail::Zone TAFFRAIL_JOIN(taffrail_zone_, __COUNTER__) { \
        ::std::string_view(zone_name)                                   \
    }
/// A number about the innermost zone of this thread: summed up.
#define TAFFRAIL_ZONE_VALUE(value) ::taffrail::detail::add_zone_value(value)
/// Phases that follow each other inside a zone: each ends where the next begins, the last with the
/// zone around it or with TAFFRAIL_LAP_END(). One read of the counter a phase instead of two.
#define TAFFRAIL_LAP(zone_name)                                                                    \
    do {                                                                                           \
        static constinit ::taffrail::ZoneSite taffrail_lap_site{"" zone_name, __FILE__, __LINE__}; \
        if (::taffrail::detail::zones_are_on()) {                                                  \
            ::taffrail::detail::change_lap(&taffrail_lap_site);                                    \
        }                                                                                          \
    } while (false)
#define TAFFRAIL_LAP_END() ::taffrail::detail::change_lap(nullptr)
/// A ZoneSpan that begins now: auto span = TAFFRAIL_SPAN("request"); … span.end();
#define TAFFRAIL_SPAN(zone_name)                                                               \
    (::taffrail::ZoneSpan([]() noexcept -> ::taffrail::ZoneSite& {                             \
        static constinit ::taffrail::ZoneSite taffrail_site{"" zone_name, __FILE__, __LINE__}; \
        return taffrail_site;                                                                  \
    }()))
#endif
