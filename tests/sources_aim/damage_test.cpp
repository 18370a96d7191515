// Repositories of Aim whose files are cut, changed, empty or gone.
#include "../gathered_catalogue.h"
#include "../record_builder.h"
#include "../test_files.h"
#include "sinks/aim/sink.h"
#include "sources/aim/discovery.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace taffrail;

namespace {

class AimDamage : public testing::Test {
  protected:
    AimDamage() {
        write("hurt", std::string(24, 'a'));
        write("whole", std::string(24, 'b'));
    }

    void write(const std::string& name, const std::string& hash) {
        sinks::aim::AimSink sink({.log_dir = folder_ / "log", .name = name, .hash = hash});
        SinkContext about;
        about.run_id = name;
        about.run_name = name;
        about.start_time_ns = 1'700'000'000'000'000'000;
        about.config = {{"lr", 0.5}};
        test::Records records;
        for (int i = 0; i < 300; ++i) {
            records.row(i, {{"loss", i * 0.5}, {"acc", i * 0.25}});
        }
        records.value("text", 3, Text{.text = "hello"});
        std::size_t delivered = 0;
        ASSERT_TRUE(sink.open(about).ok());
        ASSERT_TRUE(sink.write(records.all(), delivered).ok());
        ASSERT_TRUE(sink.flush().ok());
        ASSERT_TRUE(sink.close(RunState::Finished).ok());
    }

    /// The files of the run that is hurt, below the repository, and that of all runs.
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> names;
        const std::filesystem::path root = folder_ / "log/.aim";
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
            const std::string name = entry.path().string().substr(folder_.path().size() + 1);
            const bool is_other = name.find(std::string(24, 'b')) != std::string::npos;
            if (entry.is_regular_file() && !is_other && !name.ends_with("/LOG")) {
                names.push_back(name);
            }
        }
        std::ranges::sort(names);
        return names;
    }

    /// The run beside the one that is hurt is whole; what is told of the other one is no more than
    /// there was.
    void expect_harmless(const std::string& what) const {
        SCOPED_TRACE(what);
        const auto catalogue =
            test::opened([this] { return sources::aim::find_runs(folder_ / "log"); });
        const auto found = test::ask_all(*catalogue);
        const bool is_of_all = what.find("chunks") == std::string::npos;
        for (const auto& [name, points] : found) {
            for (const auto& [key, count] : points) {
                EXPECT_LE(count, 300u) << name << " " << key;
            }
        }
        std::size_t whole = 0;
        for (const auto& [name, points] : found) {
            // Without the database of the repository runs are called by their hash.
            const bool is_whole = points.contains("loss") && points.at("loss") == 300 &&
                                  points.contains("acc") && points.at("acc") == 300;
            whole += is_whole && (name == "whole" || is_of_all) ? 1 : 0;
        }
        EXPECT_GE(whole, 1u);
    }

    test::TestFolder folder_;
};

TEST_F(AimDamage, EveryFileCutAnywhereHurtsItsRunAlone) {
    ASSERT_GE(files().size(), 8u);
    for (const std::string& name : files()) {
        const std::string text = folder_.read(name);
        for (const std::size_t part : {0, 1, 3, 7, 9, 10}) {
            folder_.write(name, text.substr(0, text.size() * part / 10));
            expect_harmless(name + " cut at tenth " + std::to_string(part));
        }
        if (!name.ends_with("VERSION")) {  // what makes a folder a repository
            std::filesystem::remove(folder_ / name);
            expect_harmless(name + " gone");
        }
        folder_.write(name, text);
    }
    expect_harmless("everything as it was");
}

TEST_F(AimDamage, EveryFileChangedAnywhereHurtsItsRunAlone) {
    for (const std::string& name : files()) {
        const std::string text = folder_.read(name);
        for (std::size_t at = 0; at < text.size(); at += text.size() / 12 + 1) {
            std::string broken = text;
            broken[at] = static_cast<char>(broken[at] ^ 0x41);
            folder_.write(name, broken);
            expect_harmless(name + " changed at " + std::to_string(at));
        }
        folder_.write(name, "something else altogether\n");
        expect_harmless(name + " foreign");
        folder_.write(name, text);
    }
}

}  // namespace
