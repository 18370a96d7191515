// Every function as a zone, for programs that are compiled with -finstrument-functions: the two
// functions that such code calls at each beginning and end. This library itself is not compiled so,
// and its own functions in headers are left out by their names.
#include "base/clock.h"
#include "base/clock_ready.h"
#include "zones/named_sites.h"
#include "zones/record_path.h"
#include "zones/symbols.h"
#include "zones/this_thread.h"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace taffrail::zones {

namespace {

/// A function that runs. `counted` is where a call is counted that has no place of its own.
struct OpenFunction {
    const void* function = nullptr;
    detail::OpenZone zone = {};
    Node* counted = nullptr;
};

/// Of one thread. Never destroyed: functions run in destructors of other thread-local objects too.
struct FunctionStack {
    std::vector<OpenFunction> open = {};
    std::unordered_map<const void*, ZoneSite*> sites = {};  ///< nullptr: left out
};

// Whatever is called while one of the two functions below works: allocators, signal handlers.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool busy = false;
[[gnu::tls_model("initial-exec")]] constinit thread_local FunctionStack* stack_of_thread = nullptr;

struct StackEnd {
    bool armed = false;

    ~StackEnd() {
        busy = true;  // for good: what runs now is the end of the thread
        delete stack_of_thread;
        stack_of_thread = nullptr;
    }
};

thread_local StackEnd stack_end;

// One site for each function, however many threads call it.
ZoneSite* make_site(const void* function) {
    struct Sites {
        std::mutex mutex;
        std::unordered_map<const void*, ZoneSite*> by_address;
    };

    static auto* sites = new Sites;
    const std::lock_guard lock(sites->mutex);
    const auto known = sites->by_address.find(function);
    if (known != sites->by_address.end()) {
        return known->second;
    }
    const std::string name = function_name(function);
    ZoneSite* site = nullptr;
    if (name.find("taffrail::") == std::string::npos) {
        site = new ZoneSite;
        site->name = *new std::string(name);  // as long as the program
    }
    sites->by_address.emplace(function, site);
    return site;
}

// Where a call is counted when the tree has no room for a place of its own: at the same function
// further out, else at the root. It has no time there; that stays with its caller.
Node* place_to_count(ThreadZones& mine, ZoneSite& site) {
    for (Node* node = mine.current.load(std::memory_order_relaxed); node != nullptr;
         node = node->parent) {
        if (node->site == &site) {
            return node;
        }
    }
    return mine.child_of(mine.node(0), site, false);
}

void enter(const void* function) {
    if (stack_of_thread == nullptr) {
        stack_of_thread = new FunctionStack;
        stack_end.armed = true;  // the first use registers its destructor
    }
    FunctionStack& stack = *stack_of_thread;
    auto known = stack.sites.find(function);
    if (known == stack.sites.end()) {
        known = stack.sites.emplace(function, make_site(function)).first;
    }
    if (known->second == nullptr) {
        return;
    }
    ZoneSite& site = *known->second;
    ThreadZones* mine = zones_of_this_thread();
    if (mine == nullptr) {
        return;
    }
    stack.open.push_back({function, {}, nullptr});
    OpenFunction& open = stack.open.back();
    if (mine->has_room(*mine->current.load(std::memory_order_relaxed), site)) {
        open.zone = detail::enter_zone(site);
    } else {
        open.counted = place_to_count(*mine, site);
        open.zone.since = ticks();
    }
}

void leave(const void* function, std::uint64_t now) {
    FunctionStack& stack = *stack_of_thread;
    const auto known = stack.sites.find(function);
    if (known == stack.sites.end() || known->second == nullptr) {
        return;
    }
    // Jumps over frames leave functions without an end; the one that ends now closes them.
    std::size_t depth = stack.open.size();
    while (depth > 0 && stack.open[depth - 1].function != function) {
        --depth;
    }
    while (depth > 0 && stack.open.size() >= depth) {
        const OpenFunction open = stack.open.back();
        stack.open.pop_back();
        if (open.zone.node != nullptr) {
            detail::leave_zone(open.zone.node, open.zone.since);
        } else if (open.counted != nullptr) {
            count_call(*open.counted, now > open.zone.since ? now - open.zone.since : 0);
        }
    }
}

}  // namespace

}  // namespace taffrail::zones

// NOLINTBEGIN(readability-identifier-naming): names that compilers give
extern "C" {

TAFFRAIL_API void __cyg_profile_func_enter(void* function, void* caller) noexcept;
TAFFRAIL_API void __cyg_profile_func_exit(void* function, void* caller) noexcept;

void __cyg_profile_func_enter(void* function, void*) noexcept {
    using namespace taffrail;
    if (zones::busy || !detail::zones_are_on() || !clock_is_ready()) {
        return;
    }
    zones::busy = true;
    try {
        zones::enter(function);
    } catch (...) {
        // No memory: this call is not measured.
    }
    zones::busy = false;
}

void __cyg_profile_func_exit(void* function, void*) noexcept {
    using namespace taffrail;
    if (zones::busy || zones::stack_of_thread == nullptr) {
        return;
    }
    zones::busy = true;
    zones::leave(function, ticks());
    zones::busy = false;
}
}
// NOLINTEND(readability-identifier-naming)
