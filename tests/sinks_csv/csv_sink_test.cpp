#include "io/files.h"
#include "record_builder.h"
#include "sinks/csv/sink.h"
#include "test_files.h"

#include <gmock/gmock.h>

namespace taffrail::sinks::csv {
namespace {

struct Fixture {
    test::TestFolder folder;
    std::unique_ptr<Sink> sink = open();

    std::unique_ptr<Sink> open(const OptionMap& more = {}) {
        OptionMap options = {{"log_dir", folder.path()}};
        options.insert(options.end(), more.begin(), more.end());
        auto made = make_csv_sink(options).value();
        SinkContext context;
        context.run_id = "run1";
        made->open(context).value();
        return made;
    }

    static void write(Sink& sink, std::span<const Record> records) {
        std::size_t delivered = 0;
        sink.write(records, delivered).value();
        EXPECT_EQ(delivered, records.size());
    }

    std::string table() const { return folder.read("metrics.csv"); }
};

TEST(CsvSink, OneLinePerCallColumnsSorted) {
    Fixture f;
    test::Records records;
    records.row(0, {{"loss", 0.5}, {"acc", 0.25}}).row(1, {{"loss", 0.125}});
    Fixture::write(*f.sink, records.all());
    f.sink->close(RunState::Finished).value();
    EXPECT_EQ(f.table(), "acc,loss,step\n0.25,0.5,0\n,0.125,1\n");
}

TEST(CsvSink, ValuesLoggedOneByOneShareTheLineOfTheirStep) {
    Fixture f;
    test::Records records;
    records.row(0, {{"a", 1}}).row(0, {{"b", 2}}).row(0, {{"a", 3}}).row(1, {{"b", 4}});
    Fixture::write(*f.sink, records.all());
    f.sink->flush().value();
    EXPECT_EQ(f.table(), "a,b,step\n1,2,0\n3,,0\n,4,1\n");
}

TEST(CsvSink, Case47SavesEveryNthStep) {
    Fixture f;
    auto sink = f.open({{"flush_logs_every_n_steps", "2"}});
    test::Records records;
    records.row(0, {{"a", 1}});
    Fixture::write(*sink, records.all());
    EXPECT_EQ(f.table(), "");
    records.row(1, {{"a", 2}});
    Fixture::write(*sink, records.from(1));
    EXPECT_EQ(f.table(), "a,step\n1,0\n2,1\n");
}

// A process died after saving but before its cursor was stored: the runner hands the rows over
// again.
TEST(CsvSink, RowsHandedOverAgainAreNotDoubled) {
    Fixture f;
    test::Records records;
    records.row(0, {{"a", 1}, {"b", 2}}).row(1, {{"a", 3}, {"b", 4}}).row(2, {{"a", 5}, {"b", 6}});
    Fixture::write(*f.sink, records.all().first(3));
    f.sink->flush().value();
    f.sink = f.open();
    Fixture::write(*f.sink, records.all());
    f.sink->close(RunState::Finished).value();
    EXPECT_EQ(f.table(), "a,b,step\n1,2,0\n3,,1\n,4,1\n5,6,2\n");
}

// A process died between rewriting the table under a new column and saving how far that was.
TEST(CsvSink, ATableRewrittenBeforeTheEndKeepsItsRows) {
    Fixture f;
    test::Records records;
    records.row(0, {{"b", 1}}).row(1, {{"b", 2}}).row(2, {{"a", 3}});
    Fixture::write(*f.sink, records.all().first(2));
    f.sink->flush().value();
    const std::string state = f.folder.read("metrics.csv.state");
    Fixture::write(*f.sink, records.from(2));
    f.sink->flush().value();
    f.folder.write("metrics.csv.state", state);
    f.sink = f.open();
    EXPECT_EQ(f.table(), "a,b,step\n,1,0\n,2,1\n");
    Fixture::write(*f.sink, records.all());
    f.sink->close(RunState::Finished).value();
    EXPECT_EQ(f.table(), "a,b,step\n,1,0\n,2,1\n3,,2\n");
}

TEST(CsvSink, ReplacesTheTableOfAnotherRunWithAWarning) {
    Fixture f;
    f.folder.write("metrics.csv", "old\n");
    f.folder.write("metrics.csv.state", "run other\nrows 1\n");
    f.sink = f.open();
    test::Records records;
    records.row(0, {{"a", 1}});
    Fixture::write(*f.sink, records.all());
    f.sink->close(RunState::Finished).value();
    EXPECT_EQ(f.table(), "a,step\n1,0\n");
}

TEST(CsvSink, WritesSpecialNumbersAsPandasReadsThem) {
    Fixture f;
    test::Records records;
    records.row(0, {{"a", std::nan("")}, {"b", HUGE_VAL}, {"c", -HUGE_VAL}, {"d", -0.0}});
    Fixture::write(*f.sink, records.all());
    f.sink->flush().value();
    EXPECT_EQ(f.table(), "a,b,c,d,step\nnan,inf,-inf,-0,0\n");
}

TEST(CsvSink, KeepsHyperparametersBesideTheTable) {
    Fixture f;
    test::Records records;
    records.value(
        "hparams", 0,
        Hparams{{"lr", 0.5}, {"model/depth", std::int64_t{4}}, {"name", std::string("a\"b")}});
    records.value("hparams", 0, Hparams{{"lr", 0.25}});
    Fixture::write(*f.sink, records.all());
    f.sink->close(RunState::Finished).value();
    EXPECT_EQ(f.folder.read("hparams.yaml"),
              "\"lr\": 0.25\n\"model/depth\": 4\n\"name\": \"a\\\"b\"\n");
}

TEST(CsvSink, LaysOutVersionsUnderItsName) {
    const test::TestFolder folder;
    SinkContext context;
    for (int i = 0; i < 2; ++i) {
        auto sink = make_csv_sink({{"save_dir", folder.path()}, {"name", "exp"}}).value();
        sink->open(context).value();
        test::Records records;
        records.row(0, {{"a", 1}});
        Fixture::write(*sink, records.all());
        sink->close(RunState::Finished).value();
        EXPECT_EQ(folder.read("exp/version_" + std::to_string(i) + "/metrics.csv"),
                  "a,step\n1,0\n");
    }
}

TEST(CsvSink, RefusesUnknownOptions) {
    EXPECT_THAT(make_csv_sink({{"logdir", "x"}}).error().message,
                testing::HasSubstr("did you mean 'log_dir'"));
    EXPECT_FALSE(make_csv_sink({{"flush_logs_every_n_steps", "0"}}).ok());
}

TEST(CsvSink, FindingT01_ABadEndAndItsReasonStandBesideTheTable) {
    Fixture f;
    test::Records records;
    records.row(0, {{"a", 1}});
    Fixture::write(*f.sink, records.all());
    f.sink->give_reason("fit stopped by an exception: no \"luck\"\nleft\x1b[31m");
    f.sink->close(RunState::Failed).value();
    EXPECT_EQ(f.folder.read("outcome.yaml"),
              "state: failed\n"
              "reason: \"fit stopped by an exception: no \\\"luck\\\"\\nleft\\x1b[31m\"\n");
    EXPECT_EQ(f.table(), "a,step\n1,0\n");
}

TEST(CsvSink, FindingT01_ARunThatGoesOnOrEndsWellHasNoOutcomeFile) {
    Fixture f;
    f.sink->give_reason("fit was stopped by SIGTERM");
    f.sink->close(RunState::Aborted).value();
    ASSERT_TRUE(io::exists(io::join(f.folder.path(), "outcome.yaml")));
    f.sink = f.open();
    EXPECT_FALSE(io::exists(io::join(f.folder.path(), "outcome.yaml")));
    f.sink->close(RunState::Finished).value();
    EXPECT_FALSE(io::exists(io::join(f.folder.path(), "outcome.yaml")));
}

}  // namespace
}  // namespace taffrail::sinks::csv
