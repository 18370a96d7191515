// The table of a program that only has zones, whichever way it ends.
#include "places.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Ended {
    int status = 0;
    std::string output = {}, errors = {};
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

// `signal` is sent once the program said that it is ready.
Ended run(const char* how, int signal = 0, const char* setting = nullptr) {
    const std::string program = taffrail::tests::build_folder() + "/tests/zones/zones_program";
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
        setting != nullptr ? ::setenv("TAFFRAIL_ZONES", setting, 1) : ::unsetenv("TAFFRAIL_ZONES");
        ::execl(program.c_str(), program.c_str(), how, nullptr);
        ::_exit(127);
    }
    ::close(output[1]);
    ::close(errors[1]);
    Ended ended;
    if (signal != 0) {
        char letter = 0;
        while (::read(output[0], &letter, 1) == 1 && letter != '\n') {
        }
        ::kill(child, signal);
    }
    ended.errors = read_all(errors[0]);
    ended.output = read_all(output[0]);
    ::waitpid(child, &ended.status, 0);
    return ended;
}

// name → (calls, mean in milliseconds) of the flat table, in its order.
std::vector<std::pair<std::string, std::pair<long, double>>> rows_of(const std::string& text) {
    std::vector<std::pair<std::string, std::pair<long, double>>> rows;
    std::istringstream lines(text);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("----")) {
            inside = true;
            continue;
        }
        std::istringstream words(line);
        std::string name, next, unit;
        if (!inside || !(words >> name >> next)) {
            continue;
        }
        if (next == "(open)") {
            words >> next;
        }
        double mean = 0;
        words >> mean >> unit;
        rows.push_back({name,
                        {std::strtol(next.c_str(), nullptr, 10), unit == "ms"   ? mean
                                                                 : unit == "us" ? mean / 1000
                                                                                : -1}});
    }
    return rows;
}

void expect_table(const Ended& ended) {
    const auto rows = rows_of(ended.errors);
    std::vector<std::string> order;
    std::map<std::string, std::pair<long, double>> found;
    for (const auto& [name, row] : rows) {
        order.push_back(name);
        found[name] = row;
    }
    ASSERT_GE(rows.size(), 3u) << ended.errors;
    for (const char* name : {"outer", "middle", "inner"}) {
        ASSERT_TRUE(found.contains(name)) << ended.errors;
        EXPECT_EQ(found[name].first, 1000) << name;
        EXPECT_GE(found[name].second, 0.3) << name;
    }
    EXPECT_LE(found["inner"].second, found["middle"].second);
    EXPECT_LE(found["middle"].second, found["outer"].second);
    EXPECT_EQ(std::vector<std::string>(order.end() - 3, order.end()),
              (std::vector<std::string>{"outer", "middle", "inner"}))
        << ended.errors;
}

TEST(ZoneTableAtExit, WhenMainReturns) {
    const Ended ended = run("return");
    EXPECT_EQ(ended.status, 0);
    EXPECT_EQ(ended.output, "");
    expect_table(ended);
}

TEST(ZoneTableAtExit, OnExit) {
    const Ended ended = run("exit");
    EXPECT_EQ(WEXITSTATUS(ended.status), 3);
    expect_table(ended);
}

TEST(ZoneTableAtExit, OnAnUncaughtException) {
    const Ended ended = run("throw");
    EXPECT_TRUE(WIFSIGNALED(ended.status));
    EXPECT_EQ(WTERMSIG(ended.status), SIGABRT);
    EXPECT_NE(ended.errors.find("on purpose"), std::string::npos);
    EXPECT_NE(ended.errors.find("throwing"), std::string::npos);
    EXPECT_EQ(ended.errors.find("self %"), ended.errors.rfind("self %")) << "printed once";
}

TEST(ZoneTableAtExit, OnSignalsWhichStillEndTheProgram) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const Ended ended = run("wait", signal);
        EXPECT_TRUE(WIFSIGNALED(ended.status));
        EXPECT_EQ(WTERMSIG(ended.status), signal);
        EXPECT_NE(ended.errors.find("waiting (open)"), std::string::npos) << ended.errors;
        EXPECT_EQ(rows_of(ended.errors).size(), 4u) << ended.errors;
    }
}

TEST(ZoneTableAtExit, AsTheEnvironmentSays) {
    EXPECT_EQ(run("return", 0, "off").errors, "");
    EXPECT_EQ(run("return", 0, "none").errors, "");
    EXPECT_EQ(run("wait", SIGTERM, "none").errors, "");
    const std::string tree = run("return", 0, "tree").errors;
    EXPECT_NE(tree.find("\n  middle "), std::string::npos) << tree;
    EXPECT_NE(tree.find("\n    inner "), std::string::npos) << tree;
    const std::string both = run("return", 0, "both").errors;
    EXPECT_NE(both.find("\nmiddle "), std::string::npos) << both;
    EXPECT_NE(both.find("\n  middle "), std::string::npos) << both;
    const std::string odd = run("return", 0, "sometimes").errors;
    EXPECT_NE(odd.find("TAFFRAIL_ZONES = 'sometimes' is not understood"), std::string::npos) << odd;
}

}  // namespace
