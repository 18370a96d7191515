// Traces made event by event, in microseconds, as PyTorch writes them.
#pragma once

#include "profile/analysis/analysis.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace taffrail::profile::analysis::testing {

class Trace {
  public:
    Trace& event(std::string_view category, std::string_view name, double begin_us,
                 double length_us, std::string_view args = "{}", std::int64_t thread = 1,
                 std::int64_t process = 100) {
        profile_.spans.push_back({.begin_ns = static_cast<std::int64_t>(begin_us * 1000),
                                  .duration_ns = static_cast<std::int64_t>(length_us * 1000),
                                  .name = profile_.text(name),
                                  .category = profile_.text(category),
                                  .thread = profile_.thread(profile_.process(process), thread),
                                  .args = profile_.args(args)});
        return *this;
    }

    Trace& step(int number, double begin_us, double length_us) {
        return event("user_annotation", "ProfilerStep#" + std::to_string(number), begin_us,
                     length_us);
    }

    Trace& op(std::string_view name, double begin_us, double length_us,
              std::string_view args = "{}") {
        return event("cpu_op", name, begin_us, length_us, args);
    }

    /// A call and the kernel it launches, with a correlation of their own.
    Trace& kernel(std::string_view name, double call_us, double call_length_us, double begin_us,
                  double length_us, int device = 0, std::string_view more = "") {
        const std::string id = std::to_string(++correlation_);
        event("cuda_runtime", "cudaLaunchKernel", call_us, call_length_us,
              R"({"correlation":)" + id + "}");
        return event("kernel", name, begin_us, length_us,
                     R"({"correlation":)" + id + R"(,"device":)" + std::to_string(device) +
                         R"(,"stream":7)" + std::string(more) + "}",
                     7, device);
    }

    Trace& copy(std::string_view name, double begin_us, double length_us, std::int64_t bytes) {
        return event("gpu_memcpy", name, begin_us, length_us,
                     R"({"device":0,"stream":7,"bytes":)" + std::to_string(bytes) + "}", 7, 0);
    }

    Trace& memory(double time_us, std::int64_t bytes, std::int64_t total, int device_type = 1) {
        profile_.instants.push_back(
            {.time_ns = static_cast<std::int64_t>(time_us * 1000),
             .name = profile_.text("[memory]"),
             .thread = profile_.thread(profile_.process(100), 1),
             .args = profile_.args(
                 R"({"Device Type":)" + std::to_string(device_type) + R"(,"Device Id":)" +
                 std::to_string(device_type - 1) + R"(,"Addr":)" + std::to_string(++address_) +
                 R"(,"Bytes":)" + std::to_string(bytes) + R"(,"Total Allocated":)" +
                 std::to_string(total) + R"(,"Total Reserved":)" + std::to_string(total) + "}")});
        return *this;
    }

    Trace& metadata(std::string name, std::string json) {
        profile_.metadata.emplace_back(std::move(name), std::move(json));
        return *this;
    }

    Trace& device(int major, int minor, std::int64_t memory = 1000) {
        return metadata(
            "deviceProperties",
            R"([{"id":0,"name":"GPU","totalGlobalMem":)" + std::to_string(memory) +
                R"(,"computeMajor":)" + std::to_string(major) + R"(,"computeMinor":)" +
                std::to_string(minor) +
                R"(,"numSms":132,"maxThreadsPerMultiprocessor":2048,"warpSize":32,)"
                R"("regsPerMultiprocessor":65536,"sharedMemPerMultiprocessor":233472}])");
    }

    Profile& profile() { return profile_; }

    [[nodiscard]] Analysis analysis() const { return analyze(profile_, {"worker"}); }

  private:
    Profile profile_;
    int correlation_ = 0;
    std::int64_t address_ = 0;
};

inline const Advice* find_advice(const Analysis& analysis, std::string_view rule) {
    for (const Advice& advice : analysis.advice) {
        if (advice.rule == rule) {
            return &advice;
        }
    }
    return nullptr;
}

}  // namespace taffrail::profile::analysis::testing
