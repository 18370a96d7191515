#include "profile/formats.h"

#include "profile/flame/svg.h"
#include "profile/formats/callgrind/callgrind.h"
#include "profile/formats/chrome/chrome.h"
#include "profile/formats/collapsed/collapsed.h"
#include "profile/formats/perfetto/perfetto.h"
#include "profile/formats/pprof/pprof.h"
#include "profile/formats/pstats/pstats.h"
#include "profile/formats/speedscope/speedscope.h"
#include "profile/formats/tprof/tprof.h"

#include <algorithm>

namespace taffrail::profile {
namespace {

// Those that are easy to tell come first; collapsed stacks are any text with numbers.
constexpr Format kFormats[] = {
    {"tprof", "our own: the zones of a process (only read)", ".tprof", 0, is_tprof, read_tprof,
     nullptr},
    {"speedscope", "speedscope's JSON", ".speedscope.json",
     Holds::Stacks | Holds::Spans | Holds::Threads | Holds::Files | Holds::Columns, is_speedscope,
     read_speedscope, write_speedscope},
    {"chrome", "trace events of Chrome, PyTorch and others (JSON)",
     ".pt.trace.json .trace.json .json",
     Holds::Stacks | Holds::Spans | Holds::Instants | Holds::Counters | Holds::Flows | Holds::Args |
         Holds::Threads | Holds::Files | Holds::Columns | Holds::Metadata,
     is_chrome_trace, read_chrome_trace, write_chrome_trace, read_chrome_trace_once},
    {"pstats", "Python's cProfile", ".prof .pstats", Holds::Graph | Holds::Calls | Holds::Files,
     is_pstats, read_pstats, write_pstats},
    {"callgrind", "valgrind's callgrind and KCachegrind", ".callgrind .callgrind.out",
     Holds::Graph | Holds::ManyValues | Holds::Files, is_callgrind, read_callgrind,
     write_callgrind},
    {"pprof", "pprof's protobuf, packed with gzip", ".pb.gz .pprof",
     Holds::Stacks | Holds::ManyValues | Holds::Calls | Holds::Files | Holds::Columns, is_pprof,
     read_pprof, write_pprof},
    {"perfetto", "Perfetto's protobuf", ".perfetto-trace .pftrace",
     Holds::Stacks | Holds::Spans | Holds::Instants | Holds::Counters | Holds::Flows | Holds::Args |
         Holds::Threads | Holds::Files | Holds::Columns,
     is_perfetto, read_perfetto, write_perfetto},
    {"collapsed", "collapsed stacks, a line each", ".folded .collapsed .txt",
     static_cast<std::uint32_t>(Holds::Stacks) | Holds::Files, is_collapsed, read_collapsed,
     write_collapsed},
    {"svg", "a flame graph as a picture (only written)", ".svg", 0, nullptr, nullptr, write_svg},
    {"html", "a page with flame graph and table (only written)", ".html", 0, nullptr, nullptr,
     write_html},
};

}  // namespace

std::span<const Format> formats() {
    return kFormats;
}

const Format* find_format(std::string_view name) {
    const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                     [&](const Format& format) { return format.name == name; });
    return found == std::end(kFormats) ? nullptr : found;
}

bool is_profile_of_run(std::string_view name) {
    const Format* format = format_of_path(name);
    return format != nullptr && format->read != nullptr && !name.ends_with(".txt");
}

std::string format_names(bool writable) {
    std::string names;
    for (const Format& format : kFormats) {
        if (writable ? format.write != nullptr : format.read != nullptr) {
            names += names.empty() ? "" : ", ";
            names += format.name;
        }
    }
    return names;
}

}  // namespace taffrail::profile
