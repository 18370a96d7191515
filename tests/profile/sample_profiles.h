// Profiles out of chance, and profiles as bytes of a format.
#pragma once

#include "profile/formats.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace taffrail::profile::testing {

inline Bytes written(Profile& profile, const Format& format, const WriteOptions& options = {}) {
    Bytes bytes;
    Output out([&](ByteSpan piece) -> Result<void> {
        append(bytes, piece);
        return {};
    });
    const Result<void> done = format.write(profile, out, options);
    EXPECT_TRUE(done.ok()) << format.name << ": " << (done.ok() ? "" : done.error().message);
    return bytes;
}

inline std::string written_text(Profile& profile, std::string_view format,
                                const WriteOptions& options = {}) {
    const Bytes bytes = written(profile, *find_format(format), options);
    return std::string(as_text(bytes));
}

/// Through the front door: the format is found by content.
inline Profile read_back(ByteSpan bytes, std::string_view expected_format) {
    Result<ReadProfile> read = read_profile(bytes, "test");
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    if (!read.ok()) {
        return {};
    }
    EXPECT_EQ(read->format->name, expected_format);
    return std::move(read->profile);
}

inline Profile read_text(std::string_view text, std::string_view expected_format) {
    return read_back(as_bytes(text), expected_format);
}

enum class Sort { Times, Counts, Timeline };

class ProfileMaker {
  public:
    /// `odd_names`: characters that formats of lines and separators cannot hold.
    ProfileMaker(std::uint32_t seed, bool odd_names) : chance_(seed), odd_names_(odd_names) {}

    Profile make(Sort sort) {
        Profile profile;
        threads_.clear();
        const std::size_t count = 1 + below(3);
        for (std::size_t index = 0; index < count; ++index) {
            const ThreadId thread =
                profile.thread(profile.process(7), static_cast<std::int64_t>(index) + 11);
            profile.threads[thread].name = profile.text("worker-" + std::to_string(index));
            threads_.push_back(thread);
        }
        sort == Sort::Timeline ? add_timeline(profile) : add_stacks(profile, sort);
        return profile;
    }

  private:
    std::size_t below(std::size_t limit) { return chance_() % limit; }

    std::string name() {
        static const std::vector<std::string> kPlain = {
            "main",     "train step", "forward",        "aten::mm",  "operator<<",
            "λ::größe", "emoji 🚀",   "nn.Module: X_0", "a\\b\"c\"", "<built-in method sum>"};
        static const std::vector<std::string> kOdd = {"semi;colon", "line\nbreak", "tab\tbed",
                                                      std::string("nu\0l", 4), "ends 12"};
        const std::size_t index = below(kPlain.size() + (odd_names_ ? kOdd.size() : 0));
        return index < kPlain.size() ? kPlain[index] : kOdd[index - kPlain.size()];
    }

    void add_stacks(Profile& profile, Sort sort) {
        std::vector<FrameId> frames;
        for (int index = 0; index < 8; ++index) {
            // A function stands at one line of its file.
            const std::string function = name();
            const std::size_t file = below(4);
            const bool has_file = file > 0;
            frames.push_back(profile.frame(
                function, has_file ? "dir/file" + std::to_string(file) + ".py" : "",
                has_file ? static_cast<std::uint32_t>(1 + function.size() * file) : 0));
        }
        if (sort == Sort::Times) {
            profile.value_type("calls", "count");
            profile.value_type("time", "nanoseconds");
        } else {
            profile.value_type("samples", "count");
        }
        const std::size_t samples = 1 + below(40);
        for (std::size_t index = 0; index < samples; ++index) {
            NodeId node = kRoot;
            const std::size_t depth = 1 + below(6);
            for (std::size_t level = 0; level < depth; ++level) {
                node = profile.tree.child(node, frames[below(frames.size())]);
            }
            const auto weight = static_cast<double>(1 + below(1'000'000));
            const double both[] = {static_cast<double>(1 + below(9)), weight};
            profile.add_sample({.node = node, .thread = threads_[below(threads_.size())]},
                               sort == Sort::Times ? std::span<const double>(both)
                                                   : std::span<const double>(both).subspan(1));
        }
    }

    void add_timeline(Profile& profile) {
        for (const ThreadId thread : threads_) {
            std::int64_t now_ns = static_cast<std::int64_t>(below(1000));
            add_spans(profile, thread, now_ns, 3);
        }
        for (std::size_t index = 0; index < below(6); ++index) {
            profile.instants.push_back({.time_ns = static_cast<std::int64_t>(below(100'000)),
                                        .name = profile.text(name()),
                                        .category = profile.text("mark"),
                                        .thread = threads_[0],
                                        .args = args(profile)});
            profile.counters.push_back({.time_ns = static_cast<std::int64_t>(below(100'000)),
                                        .value = static_cast<double>(below(1000)) / 8,
                                        .name = profile.text("memory"),
                                        .series = profile.text("allocated"),
                                        .thread = threads_[0]});
        }
        for (std::size_t index = 0; index < below(4); ++index) {
            const TextId id = profile.text(std::to_string(index + 1));
            for (const FlowPhase phase : {FlowPhase::Start, FlowPhase::End}) {
                profile.flows.push_back({.time_ns = static_cast<std::int64_t>(below(100'000)),
                                         .id = id,
                                         .name = profile.text("flow"),
                                         .category = profile.text("ac2g"),
                                         .thread = threads_[below(threads_.size())],
                                         .phase = phase});
            }
        }
    }

    ArgsId args(Profile& profile) {
        switch (below(3)) {
            case 0:
                return profile.args("{\"External id\":" + std::to_string(below(99)) + "}");
            case 1:
                return profile.args("{\"shape\":[[2,3],[]],\"why\":\"\\u00e4\",\"x\":1.5}");
            default:
                return 0;
        }
    }

    void add_spans(Profile& profile, ThreadId thread, std::int64_t& now_ns, int levels) {
        const std::size_t count = 1 + below(4);
        for (std::size_t index = 0; index < count; ++index) {
            const std::size_t place = profile.spans.size();
            profile.spans.push_back({.begin_ns = now_ns,
                                     .name = profile.text(name()),
                                     .category = profile.text("cpu_op"),
                                     .thread = thread,
                                     .args = args(profile)});
            now_ns += static_cast<std::int64_t>(below(5'000'000));
            if (levels > 0 && below(2) == 0) {
                add_spans(profile, thread, now_ns, levels - 1);
            }
            now_ns += static_cast<std::int64_t>(1 + below(5'000'000));
            profile.spans[place].duration_ns = now_ns - profile.spans[place].begin_ns;
            now_ns += static_cast<std::int64_t>(below(3));
        }
    }

    std::mt19937 chance_;
    bool odd_names_;
    std::vector<ThreadId> threads_;
};

}  // namespace taffrail::profile::testing
