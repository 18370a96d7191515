// Records of a real GPU through the decoder: a trace kept from an H200, written as the buffers that
// NVIDIA's library hands out, must come back as that trace.
#include "codec/json.h"
#include "gpu/collector.h"
#include "gpu/to_trace.h"
#include "profile/formats.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <tuple>
#include <vector>

namespace taffrail::gpu {
namespace {

constexpr std::uint32_t kProcess = 1059;

/// A span by what is said of it: track, times, name, and the arguments as JSON.
using Line = std::tuple<std::int64_t, std::int64_t, std::string, std::string, std::string>;

std::vector<Line> lines_of(const profile::Profile& trace, bool with_calls) {
    std::vector<Line> lines;
    for (const profile::Span& span : trace.spans) {
        const std::string category(trace.texts[span.category]);
        const bool is_call = category.starts_with("cuda_");
        if (is_call != with_calls) {
            continue;
        }
        // The library that stands in knows no names of functions; their numbers are in the args.
        lines.emplace_back(span.begin_ns, span.duration_ns, category,
                           is_call ? "" : std::string(trace.texts[span.name]),
                           std::string(trace.args_text(span.args)));
    }
    std::ranges::sort(lines);
    return lines;
}

/// The records of a trace, as they lie in a buffer.
class Recorder {
  public:
    explicit Recorder(const profile::Profile& trace) : trace_(trace) {
        for (const profile::Span& span : trace.spans) {
            const std::string_view category = trace.texts[span.category];
            args_ = *parse_json(trace.args_text(span.args));
            if (category == "kernel") {
                kernel(span);
            } else if (category == "gpu_memcpy") {
                copy(span);
            } else if (category == "gpu_memset") {
                place(span, start(2, 72), 16);
            } else if (category == "cuda_runtime" || category == "cuda_driver") {
                call(span, category == "cuda_driver" ? 4 : 5);
            }
        }
    }

    [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  private:
    std::size_t start(std::uint32_t kind, std::size_t size) {
        const std::size_t at = bytes_.size();
        // What no field is read from is not zero in real records.
        bytes_.resize(at + size, 0xA5);
        put(at, kind);
        return at;
    }

    template <typename Value>
    void put(std::size_t at, Value value) {
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }

    [[nodiscard]] std::uint32_t number(const char* name) const {
        return static_cast<std::uint32_t>(args_.find(name)->integer().value());
    }

    void times(const profile::Span& span, std::size_t at) {
        put(at, static_cast<std::uint64_t>(span.begin_ns));
        put(at + 8, static_cast<std::uint64_t>(span.begin_ns + span.duration_ns));
    }

    /// The fields that copies and memsets have in common.
    void place(const profile::Span& span, std::size_t at, std::size_t times_at) {
        times(span, at + times_at);
        put(at + 8, static_cast<std::uint64_t>(number("bytes")));
        put(at + 32, number("device"));
        put(at + 36, number("context"));
        put(at + 40, number("stream"));
        put(at + 44, number("correlation"));
    }

    void copy(const profile::Span& span) {
        const std::size_t at = start(1, 88);
        place(span, at, 16);
        EXPECT_EQ(trace_.texts[span.name], "Memcpy DtoD (Device -> Device)") << "the only kind";
        put<std::uint8_t>(at + 4, 8);
        put<std::uint8_t>(at + 5, 3);
        put<std::uint8_t>(at + 6, 3);
    }

    void kernel(const profile::Span& span) {
        const std::size_t at = start(10, 216);
        times(span, at + 16);
        put(at + 6, static_cast<std::uint16_t>(number("registers per thread")));
        put(at + 40, number("device"));
        put(at + 44, number("context"));
        put(at + 48, number("stream"));
        for (const auto& [name, where] : {std::pair("grid", 52), std::pair("block", 64)}) {
            const Json::Array& sides = *args_.find(name)->array();
            for (std::size_t side = 0; side < 3; ++side) {
                put(at + static_cast<std::size_t>(where) + side * 4,
                    static_cast<std::uint32_t>(sides[side].integer().value()));
            }
        }
        put(at + 76, std::uint32_t{1024});
        put(at + 80, number("shared memory") - 1024);
        put(at + 92, number("correlation"));
        names_.emplace_back(trace_.texts[span.name]);
        put(at + 104, names_.back().c_str());
    }

    void call(const profile::Span& span, std::uint32_t kind) {
        const std::size_t at = start(kind, 40);
        put(at + 4, number("cbid"));
        times(span, at + 8);
        put(at + 24, kProcess);
        put(at + 28, kProcess);
        put(at + 32, number("correlation"));
    }

    const profile::Profile& trace_;
    Json args_;
    std::vector<std::uint8_t> bytes_;
    std::deque<std::string> names_;
};

TEST(GpuReplay, TheRecordsOfAnH200ComeBackAsItsTrace) {
    ::setenv("TAFFRAIL_CUPTI_LIBRARY", TAFFRAIL_FAKE_CUPTI, 1);
    ::unsetenv("FAKE_CUPTI_FAILS");
    const auto kept =
        profile::read_profile_file(std::string(TAFFRAIL_H200_TRACES) + "/ours.pt.trace.json.gz");
    ASSERT_TRUE(kept.ok()) << kept.error().message;
    const Recorder recorder(kept->profile);
    void* library = ::dlopen(TAFFRAIL_FAKE_CUPTI, RTLD_NOW);
    ASSERT_NE(library, nullptr);
    const auto replay = reinterpret_cast<void (*)(const std::uint8_t*, std::size_t)>(
        ::dlsym(library, "fake_cupti_replay"));
    ASSERT_NE(replay, nullptr);
    ASSERT_TRUE(start_collecting().ok());
    replay(recorder.bytes().data(), recorder.bytes().size());
    const Records records = stop_collecting();
    EXPECT_EQ(records.work.size(), 540U);
    EXPECT_EQ(records.calls.size(), 5508U);
    EXPECT_EQ(records.others, 0U);
    profile::Profile made;
    add_records(
        records,
        {.cupti = *load_cupti(), .devices = {.multiprocessors = {132}}, .process = kProcess}, made);
    for (const bool with_calls : {false, true}) {
        const auto expected = lines_of(kept->profile, with_calls);
        const auto found = lines_of(made, with_calls);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t index = 0; index < found.size(); ++index) {
            ASSERT_EQ(found[index], expected[index]) << "span " << index;
        }
    }
    EXPECT_EQ(made.flows.size(), kept->profile.flows.size());
}

}  // namespace
}  // namespace taffrail::gpu
