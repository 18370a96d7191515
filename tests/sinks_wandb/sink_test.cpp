#include "sinks/wandb/sink.h"

#include "../file_size_limit.h"
#include "../record_builder.h"
#include "../test_files.h"
#include "codec/formats/wandb/decode.h"
#include "codec/formats/wandb/framing.h"
#include "io/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

using namespace taffrail;
using namespace taffrail::formats::wandb;
using sinks::wandb::WandbSink;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

SinkContext context_of(const test::TestFolder& folder) {
    SinkContext context;
    context.run_id = "run1";
    context.run_name = "nice";
    context.project = "demo";
    context.run_folder = folder / "native";
    context.start_time_ns = 1'700'000'000'000'000'000;
    return context;
}

std::unique_ptr<Sink> make(const test::TestFolder& folder, OptionMap options = {}) {
    options.emplace_back("log_dir", folder / "logs");
    return sinks::wandb::make(options).value();
}

Result<void> hand_over(Sink& sink, std::span<const Record> records) {
    std::size_t delivered = 0;
    Result<void> written = sink.write(records, delivered);
    return written.ok() ? sink.flush() : written;
}

std::vector<std::string> run_files(const test::TestFolder& folder) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "logs")) {
        if (entry.path().extension() == ".wandb") {
            files.push_back(entry.path().string());
        }
    }
    std::ranges::sort(files);
    return files;
}

using Row = std::map<std::string, std::string>;

/// The rows of a file, and how many records of each type.
struct Content {
    std::vector<Row> rows;
    std::map<RecordType, int> types;
    Row summary, config;
    std::string text;
};

Content read(const std::string& path) {
    const Bytes file = io::read_file(path).value();
    Content content;
    RecordScanner scanner;
    ItemView item;
    scanner.take(ByteSpan(file).subspan(7), [&](ByteSpan bytes, std::uint64_t) {
        const auto record = parse_record(bytes);
        ASSERT_TRUE(record);
        ++content.types[record->type];
        content.text += as_text(bytes);
        const auto into = [&](Row& row) {
            for_each_item(record->body, 1, item, [&](const ItemView& one) {
                std::string name;
                for (const std::string_view part : one.path) {
                    name += (name.empty() ? "" : ".") + std::string(part);
                }
                row[name] = one.json;
            });
        };
        if (record->type == RecordType::History) {
            into(content.rows.emplace_back());
        } else if (record->type == RecordType::Summary) {
            into(content.summary);
        } else if (record->type == RecordType::Config) {
            into(content.config);
        }
    });
    EXPECT_TRUE(scanner.damage().empty());
    EXPECT_EQ(scanner.position(), file.size());
    return content;
}

std::vector<std::string> column(const Content& content, const std::string& name) {
    std::vector<std::string> values;
    for (const Row& row : content.rows) {
        values.push_back(row.contains(name) ? row.at(name) : "-");
    }
    return values;
}

}  // namespace

TEST(WandbSink, RowsOfOneStepAreOneRow) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    records.row(0, {{"a", 1}}).row(0, {{"b", 2}}).row(1, {{"a", 0.5}}).row(1, {{"a", 0.25}});
    ASSERT_TRUE(hand_over(*sink, records.all()).ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Content content = read(run_files(folder).at(0));
    EXPECT_THAT(column(content, "a"), ElementsAre("1", "0.5", "0.25"));
    EXPECT_THAT(column(content, "b"), ElementsAre("2", "-", "-"));
    EXPECT_THAT(column(content, "_step"), ElementsAre("0", "1", "2"));
    EXPECT_THAT(column(content, "step"), ElementsAre("-", "-", "1"));
    EXPECT_EQ(content.summary.at("a"), "0.25");
    EXPECT_EQ(content.types.at(RecordType::Exit), 1);
}

TEST(WandbSink, ValuesOfAStepMayComeBetweenTwoFlushes) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    records.row(5, {{"loss", 1}}).row(5, {{"val", 2}}).row(6, {{"loss", 3}});
    ASSERT_TRUE(hand_over(*sink, records.all().first(1)).ok());
    EXPECT_TRUE(read(run_files(folder).at(0)).rows.empty());  // the step is not over
    ASSERT_TRUE(hand_over(*sink, records.from(1)).ok());
    const Content content = read(run_files(folder).at(0));
    ASSERT_EQ(content.rows.size(), 1u);
    EXPECT_EQ(content.rows[0].at("loss"), "1");
    EXPECT_EQ(content.rows[0].at("val"), "2");
}

// Chunks gather before they are flushed: what does not fit in memory is written in the middle of
// one.
TEST(WandbSink, AFullDiskInTheMiddleOfABatchDoublesNothing) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    const std::string key = "loss/" + std::string(200, 'x');
    test::Records records;
    std::vector<std::string> expected;
    for (Step step = 0; step < 25'000; ++step) {
        records.row(step, {{key, static_cast<double>(step)}});
        expected.push_back(std::to_string(step));
    }
    std::size_t arrived = 0;
    {
        const test::FileSizeLimit full(1 << 20);
        for (int attempt = 0; attempt < 4; ++attempt) {
            std::size_t delivered = 0;
            ASSERT_FALSE(sink->write(records.from(arrived), delivered).ok());
            arrived += delivered;
        }
        EXPECT_FALSE(sink->flush().ok());
    }
    EXPECT_LT(arrived, records.all().size());
    std::size_t delivered = 0;
    ASSERT_TRUE(sink->write(records.from(arrived), delivered).ok());
    ASSERT_TRUE(sink->flush().ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Content content = read(run_files(folder).at(0));
    EXPECT_EQ(column(content, key), expected);
    EXPECT_EQ(column(content, "_step"), expected);
}

// A process dies at any moment: the next one takes what is handed over again only once.
TEST(WandbSink, RecordsHandedOverAgainAreTakenOnce) {
    test::Records records;
    for (Step step = 0; step < 6; ++step) {
        records.row(step, {{"a", static_cast<double>(step)}, {"b", 1}});
    }
    for (std::size_t noted = 0; noted <= records.all().size(); ++noted) {
        const test::TestFolder folder;
        {
            auto sink = make(folder);
            ASSERT_TRUE(sink->open(context_of(folder)).ok());
            if (noted > 0) {
                ASSERT_TRUE(hand_over(*sink, records.all().first(noted)).ok());
            }
            std::size_t delivered = 0;
            ASSERT_TRUE(sink->write(records.from(noted), delivered).ok());
        }
        // Bytes of a write that was not noted.
        std::ofstream(run_files(folder).at(0), std::ios::app) << "rubbish";
        auto sink = make(folder);
        ASSERT_TRUE(sink->open(context_of(folder)).ok());
        ASSERT_TRUE(hand_over(*sink, records.all()).ok());
        ASSERT_TRUE(sink->close(RunState::Finished).ok());
        ASSERT_EQ(run_files(folder).size(), 1u);
        const Content content = read(run_files(folder).at(0));
        EXPECT_THAT(column(content, "a"), ElementsAre("0", "1", "2", "3", "4", "5")) << noted;
        EXPECT_THAT(column(content, "b"), ElementsAre("1", "1", "1", "1", "1", "1")) << noted;
        EXPECT_EQ(content.types.at(RecordType::Exit), 1);
        EXPECT_EQ(column(content, "step").at(0), "-");
    }
}

TEST(WandbSink, ResumedRunGetsAFolderOfTheSameId) {
    const test::TestFolder folder;
    SinkContext context = context_of(folder);
    test::Records first, second(7);
    first.row(0, {{"a", 0}}).row(9, {{"a", 9}});
    second.row(5, {{"a", 50}});
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context).ok());
    ASSERT_TRUE(hand_over(*sink, first.all()).ok());
    ASSERT_TRUE(sink->close(RunState::Failed).ok());
    context.attempt = 1;
    auto again = make(folder);
    ASSERT_TRUE(again->open(context).ok());
    ASSERT_TRUE(hand_over(*again, second.all()).ok());
    ASSERT_TRUE(again->close(RunState::Finished).ok());
    ASSERT_EQ(run_files(folder).size(), 2u);
    const std::string later = dynamic_cast<WandbSink&>(*again).folder() + "/run-run1.wandb";
    const Content content = read(later);
    EXPECT_THAT(column(content, "_step"), ElementsAre("10"));
    EXPECT_THAT(column(content, "step"), ElementsAre("5"));
}

TEST(WandbSink, UploadedFilesAreLeftAlone) {
    const test::TestFolder folder;
    test::Records records;
    records.row(0, {{"a", 0}}).row(1, {{"a", 1}}).row(2, {{"a", 2}});
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    ASSERT_TRUE(hand_over(*sink, records.all().first(2)).ok());
    ASSERT_TRUE(sink->close(RunState::Crashed).ok());
    const std::string file = run_files(folder).at(0);
    const Bytes before = io::read_file(file).value();
    std::ofstream(file + ".synced") << "";
    auto again = make(folder);
    ASSERT_TRUE(again->open(context_of(folder)).ok());
    ASSERT_TRUE(hand_over(*again, records.from(2)).ok());
    ASSERT_TRUE(again->close(RunState::Finished).ok());
    EXPECT_EQ(io::read_file(file).value(), before);
    EXPECT_EQ(run_files(folder).size(), 2u);
}

TEST(WandbSink, MediaThatComeLateJoinTheNewestRow) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    Histogram histogram;
    histogram.edges = {0, 1}, histogram.counts = {3};
    records.row(4, {{"a", 4}}).row(5, {{"a", 5}}).value("h", 4, histogram).row(6, {{"a", 6}});
    ASSERT_TRUE(hand_over(*sink, records.all()).ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Content content = read(run_files(folder).at(0));
    EXPECT_THAT(column(content, "_step"), ElementsAre("4", "5", "6"));
    EXPECT_THAT(column(content, "h").at(1), HasSubstr("\"step\":4,"));
}

TEST(WandbSink, HistogramsKeepToTheLimitOfBins) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    Histogram histogram;
    for (int i = 0; i <= 1000; ++i) {
        histogram.edges.push_back(i);
    }
    histogram.counts.assign(1000, 2);
    test::Records records;
    records.value("h", 0, histogram);
    ASSERT_TRUE(hand_over(*sink, records.all()).ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const std::string json = read(run_files(folder).at(0)).rows.at(0).at("h");
    EXPECT_EQ(std::ranges::count(json, ','), 1 + 499 + 1 + 500);
    EXPECT_THAT(json, HasSubstr("\"values\":[4,4,"));
    EXPECT_THAT(json, HasSubstr(",998,1000]}"));
}

TEST(WandbSink, NamesOfTheTrackerItselfAreEscaped) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    records.row(0, {{"_step", 1}, {"step", 2}, {"", 3}, {"_mine", 4}});
    ASSERT_TRUE(hand_over(*sink, records.all()).ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    const Row row = read(run_files(folder).at(0)).rows.at(0);
    EXPECT_EQ(row.at("_step"), "0");
    EXPECT_EQ(row.at("%5Fstep"), "1");
    EXPECT_EQ(row.at("%73tep"), "2");
    EXPECT_EQ(row.at("%-"), "3");
    EXPECT_EQ(row.at("_mine"), "4");
}

TEST(WandbSink, SettingsAreNestedUnlessANameIsBoth) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    test::Records records;
    records.value("hparams", 0, Hparams{{"a/b", 1.5}, {"a", std::int64_t{2}}, {"_wandb", true}});
    records.value("hparams", 0, Hparams{{"c", true}, {"c/d", std::string("x")}});
    ASSERT_TRUE(hand_over(*sink, records.all()).ok());
    const Row config = read(run_files(folder).at(0)).config;
    EXPECT_EQ(
        config,
        (Row{{"a.b", "1.5"}, {"a", "2"}, {"%5Fwandb", "true"}, {"c", "true"}, {"c/d", "\"x\""}}));
}

TEST(WandbSink, OtherRanksAndDisabledOnesWriteNothing) {
    const test::TestFolder folder;
    SinkContext context = context_of(folder);
    context.rank = 1;
    auto sink = make(folder);
    test::Records records;
    records.row(0, {{"a", 1}});
    ASSERT_TRUE(sink->open(context).ok());
    ASSERT_TRUE(hand_over(*sink, records.all()).ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    auto disabled = make(folder, {{"mode", "disabled"}});
    ASSERT_TRUE(disabled->open(context_of(folder)).ok());
    ASSERT_TRUE(hand_over(*disabled, records.all()).ok());
    ASSERT_TRUE(disabled->close(RunState::Finished).ok());
    EXPECT_FALSE(std::filesystem::exists(folder / "logs"));
}

TEST(WandbSink, RefusesWhatItCannotDo) {
    const test::TestFolder folder;
    EXPECT_THAT(sinks::wandb::make({{"mode", "shared"}}).error().message, HasSubstr("offline"));
    EXPECT_THAT(sinks::wandb::make({{"logdir", "x"}}).error().message, HasSubstr("log_dir"));
    auto sink = make(folder, {{"id", "../x"}});
    EXPECT_THAT(sink->open(context_of(folder)).error().message, HasSubstr("../x"));
}

// `taffrail sync` of a stranger's run reads a state that the stranger wrote.
TEST(WandbSink, AStateNamesNoFileOfOthers) {
    for (const bool is_link : {false, true}) {
        const test::TestFolder folder;
        const std::string precious(1000, 'x');
        folder.write("precious.txt", precious);
        auto sink = make(folder);
        ASSERT_TRUE(sink->open(context_of(folder)).ok());
        ASSERT_TRUE(sink->close(RunState::Running).ok());
        sink.reset();
        if (is_link) {
            const std::string file = run_files(folder).at(0);
            std::filesystem::remove(file);
            std::filesystem::create_symlink(folder / "precious.txt", file);
        } else {
            for (const auto& entry :
                 std::filesystem::directory_iterator(folder / "native/cursors")) {
                std::ofstream(entry.path()) << "run run1\nfile " << (folder / "precious.txt")
                                            << "\nlength 7 0\nattempt 0\n";
            }
        }
        test::Records records;
        records.row(0, {{"a", 1}});
        auto again = make(folder);
        ASSERT_TRUE(again->open(context_of(folder)).ok());
        ASSERT_TRUE(hand_over(*again, records.all()).ok());
        ASSERT_TRUE(again->close(RunState::Finished).ok());
        EXPECT_EQ(folder.read("precious.txt"), precious);
        EXPECT_EQ(read(dynamic_cast<WandbSink&>(*again).folder() + "/run-run1.wandb").rows.size(),
                  1u);
    }
}

TEST(WandbSink, FindingS02_ArtifactsOfAnyNameAndVersionStayInsideTheirFolder) {
    const test::TestFolder folder;
    auto sink = make(folder);
    ASSERT_TRUE(sink->open(context_of(folder)).ok());
    Blob blob;
    blob.bytes = std::make_shared<const Bytes>(Bytes(3));
    test::Records records;
    for (const auto& [name, version] :
         {std::pair("../../evil", "v0"), {"evil", "../../../out"}, {"..", ".."}}) {
        Artifact artifact{.name = name, .type = "t", .version = version};
        artifact.files = {{"../../../outside.txt", blob}};
        records.value("evil", 0, artifact);
    }
    ASSERT_TRUE(hand_over(*sink, records.all()).ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    int found = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
        if (entry.path().filename() == "outside.txt") {
            EXPECT_THAT(entry.path().string(), HasSubstr("/artifacts/"));
            ++found;
        }
    }
    EXPECT_EQ(found, 3);
    EXPECT_EQ(read(run_files(folder).at(0)).types.at(RecordType::Artifact), 3);
}
