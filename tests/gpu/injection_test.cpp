// libtaffrail-cuda.so in programs that know nothing of it, whichever way they end.
#include "profile/formats.h"
#include "test_files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace taffrail::gpu {
namespace {

struct Ended {
    int status = 0;
    std::string output = {}, errors = {};
    std::vector<std::string> kernels = {};  ///< in the traces it left
    std::size_t traces = 0;
};

std::string read_all(int descriptor) {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::read(descriptor, part.data(), part.size())) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(got));
    }
    ::close(descriptor);
    return text;
}

void read_traces(const std::string& folder, Ended& ended) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        ++ended.traces;
        const auto read = profile::read_profile_file(file.path());
        ASSERT_TRUE(read.ok()) << read.error().message;
        for (const profile::Span& span : read->profile.spans) {
            if (read->profile.texts[span.category] == "kernel") {
                ended.kernels.emplace_back(read->profile.texts[span.name]);
            }
        }
    }
}

/// The signals are sent, one after the other, once the program has said that it is ready.
Ended run(const char* how, const std::vector<int>& signals = {}) {
    const test::TestFolder folder;
    int output[2], errors[2];
    EXPECT_EQ(::pipe(output), 0);
    EXPECT_EQ(::pipe(errors), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(output[1], 1);
        ::dup2(errors[1], 2);
        for (const int descriptor : {output[0], output[1], errors[0], errors[1]}) {
            ::close(descriptor);
        }
        ::setenv("TAFFRAIL_CUPTI_LIBRARY", TAFFRAIL_FAKE_CUPTI, 1);
        ::setenv("TAFFRAIL_CUDA_TRACE", folder.path().c_str(), 1);
        ::unsetenv("FAKE_CUPTI_FAILS");
        ::unsetenv("NVTX_INJECTION64_PATH");
        ::execl(TAFFRAIL_INJECTED_PROGRAM, TAFFRAIL_INJECTED_PROGRAM, TAFFRAIL_CUDA_LIBRARY,
                TAFFRAIL_FAKE_CUPTI, how, nullptr);
        ::_exit(127);
    }
    ::close(output[1]);
    ::close(errors[1]);
    Ended ended;
    if (!signals.empty()) {
        char letter = 0;
        while (::read(output[0], &letter, 1) == 1 && letter != '\n') {
        }
        for (const int signal : signals) {
            ::kill(child, signal);
        }
    }
    ended.errors = read_all(errors[0]);
    ended.output = read_all(output[0]);
    ::waitpid(child, &ended.status, 0);
    read_traces(folder.path(), ended);
    return ended;
}

const std::vector<std::string> kItsKernel = {"of_the_program"};

TEST(Injection, WhenMainReturns) {
    const Ended ended = run("return");
    EXPECT_TRUE(WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 0) << ended.errors;
    EXPECT_EQ(ended.kernels, kItsKernel);
    EXPECT_NE(ended.errors.find("GPU trace: "), std::string::npos);
}

TEST(Injection, ASignalNobodyHandlesWritesTheTraceAndEndsTheProgramAsItWould) {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        const Ended ended = run("wait", {signal});
        EXPECT_TRUE(WIFSIGNALED(ended.status)) << ended.status << ended.errors;
        EXPECT_EQ(WTERMSIG(ended.status), signal);
        EXPECT_EQ(ended.kernels, kItsKernel) << ended.errors;
    }
}

TEST(Injection, ASignalThatALauncherPassesOnIsOneRequest) {
    const Ended ended = run("wait", {SIGINT, SIGINT, SIGTERM, SIGTERM});
    EXPECT_TRUE(WIFSIGNALED(ended.status)) << ended.status << ended.errors;
    EXPECT_EQ(ended.kernels, kItsKernel) << ended.errors;
}

TEST(Injection, AProgramWithAHandlerOfItsOwnGoesOn) {
    for (const char* how : {"handle", "handle_late"}) {
        const Ended ended = run(how, {SIGTERM});
        EXPECT_TRUE(WIFEXITED(ended.status) && WEXITSTATUS(ended.status) == 3) << how;
        EXPECT_NE(ended.output.find("handled"), std::string::npos) << how;
        EXPECT_EQ(ended.kernels, kItsKernel) << how << ended.errors;
    }
}

TEST(Injection, WhatTheProgramIgnoresStaysIgnored) {
    const Ended ended = run("ignore", {SIGINT, SIGTERM});
    EXPECT_TRUE(WIFSIGNALED(ended.status)) << ended.status;
    EXPECT_EQ(WTERMSIG(ended.status), SIGTERM);
    EXPECT_EQ(ended.kernels, kItsKernel);
}

TEST(Injection, AForkedChildEndsAtOnceAndLeavesNoTrace) {
    const Ended ended = run("fork");
    EXPECT_TRUE(WIFEXITED(ended.status)) << ended.status;
    EXPECT_EQ(WEXITSTATUS(ended.status), SIGTERM) << "the child ended by it";
    EXPECT_EQ(ended.traces, 1u);
    EXPECT_EQ(ended.kernels, kItsKernel);
}

}  // namespace
}  // namespace taffrail::gpu
