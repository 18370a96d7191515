// A store with three made-up runs in a folder of its own, and commands run on it.
#pragma once

#include "cli/demo_data.h"
#include "cli/fake_catalogue.h"
#include "codec/json.h"
#include "io/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace taffrail::cli {

class StoreCommands : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "taffrail-cli-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        root_ = io::join(folder_, "root");
        ASSERT_TRUE(generate_demo_runs(
                        root_, {.runs = 3, .points = 60, .seed = 5, .now_ns = kNow, .seal = false})
                        .ok());
    }

    void TearDown() override { (void)io::remove_tree(folder_); }

    Outcome run(std::vector<std::string> line) const {
        Outcome outcome;
        Parsed parsed = parse(line, all_commands());
        if (!parsed.command) {
            return {"", parsed.text, static_cast<int>(parsed.code)};
        }
        Session session(
            {}, [&](std::string_view text) { outcome.out += text; },
            [&](std::string_view text) { outcome.errors += text; },
            [](std::string_view path) { return read(path); });
        session.now_ns = kNow;
        outcome.code = static_cast<int>(parsed.command->run(session));
        return outcome;
    }

    /// Runs as `ls --json` lists them, by name.
    std::map<std::string, Json> listed(const std::string& root) const {
        std::map<std::string, Json> all;
        const Json json = parse_json(run({"ls", root, "--json"}).out).value();
        for (const Json& item : *json.array()) {
            all.emplace(item.string_or("name", ""), item);
        }
        return all;
    }

    std::vector<std::string> names() const {
        std::vector<std::string> all;
        const Json json = parse_json(run({"ls", root_, "--json"}).out).value();
        for (const Json& item : *json.array()) {
            all.push_back(item.string_or("name", ""));
        }
        return all;
    }

    static constexpr std::int64_t kNow = 1'800'000'000'000'000'000;
    std::string folder_, root_;
};

}  // namespace taffrail::cli
