// Projects of Trackio as SQLite files: as its versions wrote them, cut, changed, and files that are
// none of its.
#include "sqlite/database.h"

#include "../gathered_catalogue.h"
#include "../test_files.h"
#include "sources/trackio/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

using namespace taffrail;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr const char* kTables =
    "CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, timestamp "
    "TEXT NOT NULL, run_name TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL);"
    "CREATE TABLE configs (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL, run_name "
    "TEXT NOT NULL, config TEXT NOT NULL, created_at TEXT NOT NULL);";
// Versions before 0.24 know runs by their names.
constexpr const char* kTablesOfOld =
    "CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, timestamp TEXT NOT NULL, run_name "
    "TEXT NOT NULL, step INTEGER NOT NULL, metrics TEXT NOT NULL);";

std::string row(const std::string& run, int second, int step, const std::string& metrics) {
    const std::string time = "2026-03-01T12:00:" + std::string(second < 10 ? "0" : "") +
                             std::to_string(second) + ".500000+00:00";
    return "INSERT INTO metrics(run_id, run_name, timestamp, step, metrics) VALUES ('id-" + run +
           "', '" + run + "', '" + time + "', " + std::to_string(step) + ", CAST('" + metrics +
           "' AS BLOB));";
}

class TrackioFiles : public testing::Test {
  protected:
    void make(const std::string& statements, const std::string& name = "demo.db") const {
        auto database = sqlite::Database::open(folder_ / name, sqlite::Mode::Create);
        ASSERT_TRUE(database.ok()) << database.error().message;
        const auto done = database->run(statements);
        ASSERT_TRUE(done.ok()) << done.error().message;
    }

    [[nodiscard]] std::unique_ptr<model::GatheredCatalogue> open() const {
        return test::opened([this] {
            std::vector<model::FoundRun> all;
            for (const std::string& path : sources::trackio::databases_in(folder_.path())) {
                for (model::FoundRun& run : sources::trackio::runs_of_database(path)) {
                    all.push_back(std::move(run));
                }
            }
            return all;
        });
    }

    static std::vector<double> values(const RecordedRun& run, std::string_view key) {
        std::vector<double> all;
        for (const Point& point : run.points(key).value()) {
            all.push_back(point.value);
        }
        return all;
    }

    test::TestFolder folder_;
};

TEST_F(TrackioFiles, AreProjectsOfRuns) {
    make(kTables + row("a", 1, 0, R"({"loss": 1, "acc": 0.5, "ok": true})") +
         row("b", 2, 7, R"({"loss": "NaN"})") +
         row("a", 3, 5, R"({"loss": "Infinity", "nested": {"one": 2}, "said": "hello"})") +
         row("a", 4, -3, R"({"loss": "-Infinity", "nothing": null})") +
         R"(INSERT INTO configs(run_id, run_name, config, created_at) VALUES ('id-a', 'a',
            '{"lr": 0.1, "opt": {"name": "adam"}, "_Username": "me", "_Group": "g", "_Created": "2026-03-01T12:00:00+00:00"}', '2026');)");
    EXPECT_EQ(sources::trackio::recognise(folder_.path()), 89);
    EXPECT_EQ(sources::trackio::recognise(folder_ / "demo.db"), 89);
    const auto catalogue = open();
    ASSERT_EQ(catalogue->runs().size(), 2u);
    const auto run = catalogue->run("id-a").value();
    const RunInfo info = run->info();
    EXPECT_EQ(info.name, "a");
    EXPECT_EQ(info.project, "demo");
    EXPECT_EQ(info.group, "g");
    EXPECT_EQ(info.source, "trackio");
    EXPECT_EQ(info.state, RunState::Idle);  // nobody writes that a run has ended
    EXPECT_EQ(info.start_time_ns, 1772366400'000000000);
    EXPECT_EQ(info.end_time_ns, 1772366404'500000000);
    EXPECT_EQ(info.config, (Hparams{{"lr", 0.1}, {"opt/name", "adam"}}));
    EXPECT_EQ(run->environment(), (Hparams{{"user", "me"}}));
    const auto points = run->points("loss").value();
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[0].step, 0);
    EXPECT_EQ(points[2].step, -3);
    EXPECT_EQ(points[1].value, HUGE_VAL);
    EXPECT_EQ(points[2].value, -HUGE_VAL);
    EXPECT_EQ(points[1].time_ns, 1772366403'500000000);
    EXPECT_THAT(values(*run, "nested/one"), ElementsAre(2.0));
    EXPECT_THAT(values(*run, "ok"), ElementsAre(1.0));
    const auto said = run->entries("said").value();
    ASSERT_EQ(said.size(), 1u);
    EXPECT_EQ(std::get<Text>(*said[0].value).text, "hello");
    EXPECT_TRUE(std::isnan(values(*catalogue->run("b").value(), "loss")[0]));
    EXPECT_TRUE(run->damage().empty());
}

TEST_F(TrackioFiles, OfOldVersionsKnowRunsByTheirNames) {
    make(std::string(kTablesOfOld) +
         "INSERT INTO metrics(run_name, timestamp, step, metrics) VALUES "
         "('one two', '2025-08-01T10:00:00', 0, '{\"loss\": 1.5}'), "
         "('one two', '2025-08-01T10:00:01', 1, '{\"loss\": 0.5}'), "
         "('other', '2025-08-01 10:00:02', 0, '{\"loss\": 2.5}');");
    make(std::string(kTablesOfOld) +
             "INSERT INTO metrics(run_name, timestamp, step, metrics) VALUES ('other', '2025', 0, "
             "'{\"loss\": 3.5}');",
         "second.db");
    const auto catalogue = open();
    EXPECT_EQ(catalogue->runs().size(), 3u);
    EXPECT_THAT(values(*catalogue->run("one two").value(), "loss"), ElementsAre(1.5, 0.5));
    EXPECT_THAT(values(*catalogue->run("other-2").value(), "loss"), ElementsAre(3.5));
}

TEST_F(TrackioFiles, HaveReadingsOfTheMachineAlertsAndArtifacts) {
    const std::string digest(64, 'a');
    make(kTables + row("a", 1, 0, R"({"loss": 1})") +
         "CREATE TABLE system_metrics (id INTEGER PRIMARY KEY, run_id, timestamp, run_name, "
         "metrics);"
         "INSERT INTO system_metrics VALUES (1, 'id-a', '2026-03-01T12:00:05+00:00', 'a', "
         "'{\"gpu/0/utilization\": 50}'), (2, 'id-a', '2026-03-01T12:00:06+00:00', 'a', "
         "'{\"gpu/0/utilization\": 60}');"
         "CREATE TABLE alerts (id INTEGER PRIMARY KEY, run_id, timestamp, run_name, title, text, "
         "level, step);"
         "INSERT INTO alerts VALUES (1, 'id-a', '2026-03-01T12:00:07+00:00', 'a', 'hot', 'very', "
         "'error', 4);"
         "CREATE TABLE artifacts (id INTEGER PRIMARY KEY, name, type);"
         "CREATE TABLE artifact_versions (id INTEGER PRIMARY KEY, artifact_id, version, manifest, "
         "metadata, producer_run_id, created_at);"
         "INSERT INTO artifacts VALUES (1, 'model', 'weights');"
         "INSERT INTO artifact_versions VALUES (1, 1, 3, '[{\"path\": \"dir/w.bin\", \"digest\": "
         "\"" +
         digest +
         "\", \"size\": 99}, {\"path\": \"far\", \"ref\": \"s3://b/k\"}]', '{\"epochs\": 2}', "
         "'id-a', '2026-03-01T12:00:08+00:00');");
    folder_.write("artifacts/demo/blobs/sha256/aa/" + digest, "weights");
    const auto catalogue = open();
    const auto run = catalogue->run("a").value();
    EXPECT_THAT(values(*run, "system/gpu/0/utilization"), ElementsAre(50.0, 60.0));
    const Alert alert = std::get<Alert>(*run->entries("alerts").value()[0].value);
    EXPECT_EQ(alert.level, AlertLevel::Error);
    EXPECT_EQ(alert.title + alert.text, "hotvery");
    const Artifact model = std::get<Artifact>(*run->entries("model").value()[0].value);
    EXPECT_EQ(model.version, "v3");
    EXPECT_EQ(model.metadata,
              (Hparams{{"epochs", std::int64_t{2}}, {"reference/far", "s3://b/k"}}));
    ASSERT_EQ(model.files.size(), 1u);
    EXPECT_EQ(model.files[0].path, "dir/w.bin");
    EXPECT_EQ(run->load(model.files[0].data.ref).value()->size(), 7u);
}

TEST_F(TrackioFiles, WithRowsThatAreNoneLoseThoseAndNameThem) {
    make(kTables + row("a", 1, 0, R"({"loss": 1})") + row("a", 2, 1, R"({"loss": )") +
         row("a", 3, 2, "[1, 2]") + row("a", 4, 3, R"({"loss": 4})") +
         "INSERT INTO configs(run_id, run_name, config, created_at) VALUES ('id-a', 'a', '7', '');"
         "INSERT INTO metrics(run_id, run_name, timestamp, step, metrics) VALUES "
         "('id-a', x'ff00', 'yesterday', 'a step', '{\"loss\": 5}');");
    const auto catalogue = open();
    const auto run = catalogue->run("id-a").value();
    EXPECT_EQ(values(*run, "loss").size(), 3u);
    ASSERT_EQ(run->damage().size(), 3u);
    EXPECT_THAT(run->damage()[0].reason, HasSubstr("row 2 of metrics of run id-a"));
}

TEST_F(TrackioFiles, CutAnywhereOrChangedHoldUpNobody) {
    std::string rows = kTables;
    for (int i = 0; i < 40; ++i) {
        rows += row(i % 2 == 0 ? "a" : "b", i, i, R"({"loss": )" + std::to_string(i) + "}");
    }
    make(rows);
    const std::string whole = folder_.read("demo.db");
    for (std::size_t length = 0; length < whole.size(); length += 509) {
        folder_.write("demo.db", whole.substr(0, length));
        if (length >= 512 && length < whole.size() / 2) {
            EXPECT_EQ(sources::trackio::recognise(folder_.path()), 10);
            const auto unreadable = open()->unreadable();
            ASSERT_EQ(unreadable.size(), 1u);
            EXPECT_THAT(unreadable[0].reason, HasSubstr("malformed"));
        }
        for (const auto& [name, points] : test::ask_all(*open())) {
            EXPECT_LE(points.contains("loss") ? points.at("loss") : 0u, 20u);
        }
    }
    for (std::size_t at = 0; at < whole.size(); at += 211) {
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x55);
        folder_.write("demo.db", broken);
        static_cast<void>(test::ask_all(*open()));
    }
}

TEST_F(TrackioFiles, OfOthersAreNotTaken) {
    make("CREATE TABLE metrics(key, value, timestamp, step, is_nan, run_uuid)", "mlflow.db");
    make(
        "CREATE VIEW metrics AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        "SELECT x AS timestamp, x AS run_name, x AS step, x AS metrics FROM c",
        "view.db");
    folder_.write("text.db", std::string(5000, 'x'));
    folder_.write("empty.db", "");
    std::filesystem::create_directory(folder_ / "folder.db");
    std::filesystem::create_symlink("/dev/zero", folder_ / "zero.db");
    EXPECT_EQ(sources::trackio::recognise(folder_.path()), 0);
    EXPECT_EQ(sources::trackio::recognise(folder_ / "text.db"), 0);
    EXPECT_EQ(sources::trackio::recognise(folder_ / "none"), 0);
}

TEST_F(TrackioFiles, GrowWhileTheyAreRead) {
    make(kTables + row("a", 1, 0, R"({"loss": 1})"));
    const auto catalogue = open();
    const auto run = catalogue->run("a").value();
    const std::uint64_t before = run->revision();
    make(row("a", 2, 1, R"({"loss": 0.5})") + row("late", 3, 0, R"({"loss": 2})"));
    EXPECT_EQ(catalogue->refresh().value(), (std::vector<std::string>{"id-a", "id-late"}));
    EXPECT_GT(run->revision(), before);
    EXPECT_THAT(values(*run, "loss"), ElementsAre(1.0, 0.5));
}

}  // namespace
