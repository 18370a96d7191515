#include "mutate.h"

#include "codec/gzip.h"
#include "profile/formats.h"

#include <cmath>
#include <cstring>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace taffrail::profile::fuzzing {
namespace {

class Changer {
  public:
    Changer(Profile& profile, unsigned seed) : profile_(profile), chance_(seed) {}

    void change() {
        for (std::size_t count = 1 + below(3); count > 0; --count) {
            switch (below(4)) {
                case 0:
                    change_span();
                    break;
                case 1:
                    add_sample();
                    break;
                case 2:
                    change_graph();
                    break;
                default:
                    add_events();
            }
        }
    }

  private:
    std::size_t below(std::size_t limit) { return chance_() % limit; }

    std::int64_t time() {
        static constexpr std::int64_t kOdd[] = {0,
                                                1,
                                                -1,
                                                999,
                                                1'000'000,
                                                -5'000'000'000,
                                                4'000'000'000'000'000'000,
                                                -4'000'000'000'000'000'000};
        return below(2) == 0 ? kOdd[below(std::size(kOdd))]
                             : static_cast<std::int64_t>(below(100'000));
    }

    double weight() {
        static const double kOdd[] = {0, 1, -1, 0.5, 1e300, -1e300, std::nan(""), INFINITY, 9e15};
        return below(2) == 0 ? kOdd[below(std::size(kOdd))] : static_cast<double>(below(1000));
    }

    TextId name() {
        static constexpr std::string_view kOdd[] = {"",   "a;b", "new\nline", "x (f.py:3)", "(7)",
                                                    "\"", "~",   "\xff",      "\\u0041",    "<&>"};
        return below(2) == 0 ? profile_.text(kOdd[below(std::size(kOdd))])
                             : static_cast<TextId>(below(profile_.texts.size()));
    }

    void change_span() {
        if (profile_.spans.empty() || below(2) == 0) {
            profile_.spans.push_back({.begin_ns = time(),
                                      .duration_ns = std::abs(time()),
                                      .name = name(),
                                      .category = name(),
                                      .thread = thread(),
                                      .async_id = below(4) == 0 ? name() : 0,
                                      .unfinished = below(5) == 0});
            return;
        }
        Span& span = profile_.spans[below(profile_.spans.size())];
        span.begin_ns = time();
        span.name = name();
    }

    ThreadId thread() {
        if (profile_.threads.empty() || below(4) == 0) {
            const ThreadId made = profile_.thread(
                profile_.process(static_cast<std::int64_t>(below(3)), below(3) == 0 ? name() : 0),
                time());
            profile_.threads[made].name = name();
            return made;
        }
        return static_cast<ThreadId>(below(profile_.threads.size()));
    }

    void add_sample() {
        profile_.value_type("time", "nanoseconds");
        if (below(3) == 0) {
            profile_.value_type("calls", "count");
        }
        NodeId node = kRoot;
        for (std::size_t depth = below(12); depth > 0; --depth) {
            node = profile_.tree.child(
                node, profile_.frames.id({name(), name(), static_cast<std::uint32_t>(below(5)),
                                          static_cast<std::uint32_t>(below(2))}));
        }
        std::vector<double> values;
        for (std::size_t index = 0; index < profile_.value_types.size(); ++index) {
            values.push_back(weight());
        }
        profile_.add_sample({.node = node, .thread = thread()}, values);
    }

    void change_graph() {
        if (profile_.functions.empty()) {
            return;
        }
        const auto any = [&] {
            return static_cast<std::uint32_t>(below(profile_.functions.size()));
        };
        const std::size_t types = profile_.value_types.size();
        GraphCost cost{.calls = weight(), .primitive_calls = weight()};
        for (std::size_t index = 0; index < types; ++index) {
            cost.self.push_back(weight());
            cost.total.push_back(weight());
        }
        if (below(2) == 0) {
            profile_.functions[any()].cost = cost;
        } else {
            profile_.calls.push_back({any(), any(), cost});
        }
    }

    void add_events() {
        profile_.instants.push_back({.time_ns = time(), .name = name(), .thread = thread()});
        profile_.counters.push_back({.time_ns = time(),
                                     .value = weight(),
                                     .name = name(),
                                     .series = name(),
                                     .thread = thread()});
        profile_.flows.push_back({.time_ns = time(),
                                  .id = name(),
                                  .name = name(),
                                  .thread = thread(),
                                  .phase = static_cast<FlowPhase>(below(3))});
    }

    Profile& profile_;
    std::mt19937 chance_;
};

}  // namespace

std::size_t mutate(std::string_view name, std::uint8_t* data, std::size_t size,
                   std::size_t max_size, unsigned seed) {
    const Format& format = *find_format(name);
    Profile profile;
    if (seed % 2 == 0 ||
        !format.read({reinterpret_cast<const std::byte*>(data), size}, profile).ok()) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    Changer(profile, seed).change();
    Bytes written;
    Output out([&](ByteSpan bytes) -> Result<void> {
        append(written, bytes);
        return {};
    });
    if (!format.write(profile, out, {}).ok()) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (format.name == "pprof") {
        auto unpacked = gunzip(written, 1u << 20);
        written = unpacked.ok() ? *std::move(unpacked) : Bytes();
    }
    if (written.empty() || written.size() > max_size) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    std::memcpy(data, written.data(), written.size());
    return written.size();
}

}  // namespace taffrail::profile::fuzzing
