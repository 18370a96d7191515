#include <taffrail/run.h>

#include "base/diagnostics.h"
#include "io/fault.h"
#include "io/temporary_folder.h"
#include "record/fake_sink.h"
#include "record/orphan.h"
#include "run/read_back.h"
#include "store/run_reader.h"
#include "store/sealing.h"
#include "transfer/adopt.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

namespace taffrail {
namespace {

using namespace std::chrono_literals;
using test::read_back;

class Runs : public testing::Test {
  protected:
    using Run = taffrail::Run;  // testing::Test has a Run of its own

    RunOptions options() {
        RunOptions made;
        made.root = folder_.file("store");
        made.environment = false;
        made.machine_load.reset();
        return made;
    }

    static void set(const char* name, const char* value) { setenv(name, value, 1); }

    ~Runs() override {
        for (const char* name :
             {"TAFFRAIL_MODE", "TAFFRAIL_STRICT", "TAFFRAIL_RUN_ID", "TAFFRAIL_DIR", "RANK",
              "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"}) {
            unsetenv(name);
        }
        reset_diagnostics();
    }

    // Until the run itself has logged that much, however busy the machine is.
    static void await_points(Run& run, const char* key, std::size_t count) {
        for (int tries = 0; tries < 600; ++tries) {
            ASSERT_TRUE(run.flush().ok());
            const auto points = store::RunReader::open(run.folder()).value()->points(key);
            if (points.ok() && points->size() >= count) {
                return;
            }
            std::this_thread::sleep_for(50ms);
        }
        FAIL() << key << " has no " << count << " points";
    }

    test::TemporaryFolder folder_;
};

TEST_F(Runs, RecordWhatTheyAreTold) {
    std::string folder;
    {
        Run run = Run::open(options()).value();
        folder = run.folder();
        EXPECT_TRUE(run.active());
        EXPECT_FALSE(run.name().empty());
        Scalar loss = run.scalar("loss");
        Row row = run.row("a", "b");
        EXPECT_EQ(row.size(), 2u);
        for (Step step = 0; step < 1000; ++step) {
            loss.log(1.0 / static_cast<double>(step + 1), step);
            row.log(step, 1, 2.5f);
        }
        run.set_epoch(3);
        run.set_phase(Phase::Validate);
        run.log({{"a", 7.0}, {"c", 8.0}}, 5000);
        run.log("lone", 1);
        ASSERT_TRUE(run.finish().ok());
        EXPECT_EQ(run.stats().records, 3003u);
        EXPECT_EQ(run.stats().written, 3003u);
        EXPECT_EQ(run.stats().errors, 0u);
        EXPECT_GT(run.stats().bytes_written, 0u);
    }
    const auto all = read_back(folder);
    ASSERT_EQ(all.at("loss").size(), 1000u);
    EXPECT_EQ(all.at("loss")[9].scalar, 0.1);
    EXPECT_EQ(all.at("a").size(), 1001u);
    EXPECT_EQ(all.at("c").at(0).epoch, 3);
    EXPECT_EQ(all.at("c").at(0).phase, Phase::Validate);
    EXPECT_EQ(all.at("lone").at(0).step, 0);
    EXPECT_FALSE(io::exists(io::join(folder, "ring"))) << "nothing is left to adopt";
}

// A log has its name a moment before it says whose it is: what is empty is nobody's, rank 0 least
// of all.
TEST_F(Runs, RanksThatStartBesideAnEmptyLogAreNotTakenForRestarted) {
    set("TAFFRAIL_RUN_ID", "ranks");
    const auto with_rank = [this](std::int32_t rank) {
        RunOptions made = options();
        made.rank = rank;
        made.world_size = 2;
        return made;
    };
    std::string folder;
    {
        Run run = Run::open(with_rank(1)).value();
        folder = run.folder();
        run.log("loss", 1, 0);
        ASSERT_TRUE(run.finish().ok());
    }
    ASSERT_TRUE(io::open(io::join(folder, "live/00000000000000aa-00000.tlog"),
                         io::OpenMode::CreateExclusive)
                    .ok());
    {
        Run run = Run::open(with_rank(0)).value();
        run.log("loss", 2, 0);
        ASSERT_TRUE(run.finish().ok());
    }
    ASSERT_TRUE(io::remove(io::join(folder, "live/00000000000000aa-00000.tlog")).ok());
    const auto run = store::RunReader::open(folder).value();
    EXPECT_EQ(run->info().attempts, 1u);
    EXPECT_EQ(run->points("loss")->size(), 2u);
}

TEST_F(Runs, KeepAudioFilesAsTheyAre) {
    const std::string wav(
        "RIFF\x28\0\0\0WAVEfmt "
        "\x10\0\0\0\1\0\1\0\x40\x1F\0\0\x80\x3E\0\0\2\0\x10\0data\4\0\0\0abcd",
        48);
    ASSERT_TRUE(io::write_file_atomically(folder_.file("a.wav"), as_bytes(wav), false).ok());
    Run run = Run::open(options()).value();
    run.log_audio_file("sound", folder_.file("a.wav"), 3, {.caption = "two samples"});
    run.log_audio_file("sound", folder_.file("absent.wav"), 4);
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(run.stats().errors, 1u) << "the absent file is told";
    const auto reader = store::RunReader::open(run.folder()).value();
    const auto entries = reader->entries("sound").value();
    ASSERT_EQ(entries.size(), 1u);
    const auto& audio = std::get<Audio>(*entries[0].value);
    EXPECT_EQ(audio.format, "wav");
    EXPECT_EQ(audio.sample_rate, 8000u);
    EXPECT_EQ(audio.frames, 2u);
    EXPECT_EQ(audio.caption, "two samples");
    EXPECT_EQ(as_text(**reader->load(audio.data.ref)), wav);
}

TEST_F(Runs, KeepEveryKindOfValue) {
    const std::string file = folder_.file("weights.bin");
    ASSERT_TRUE(io::write_file_atomically(file, as_bytes("bytes"), false).ok());
    Run run = Run::open(options()).value();
    const std::vector<std::uint8_t> pixels(16 * 16 * 3, 200);
    const std::vector<float> numbers{1, 2, 3, NAN};
    run.log_image("image", {TensorView(pixels.data(), DType::U8, {16, 16, 3}), Layout::Hwc}, 1,
                  {.caption = "grey"});
    run.log_histogram("histogram", TensorView(numbers), 1);
    run.log_text("text", "# hello", 1);
    run.log_text("long", std::string(100'000, 'x'), 1);
    run.log_table("table", {{"a", "b"}, {{std::int64_t{1}, std::string("x")}}}, 1);
    run.log_hparams({{"lr", 3e-4}, {"model/depth", std::int64_t{4}}});
    run.log_tensor("tensor", TensorView(numbers), 1);
    run.log_artifact("weights", file);
    run.log_artifact("weights", file);
    run.alert("loss is high", "very", AlertLevel::Warning);
    run.tag("good");
    run.note("first try");
    run.summary("best", 0.5);
    run.define_metric("val/*", {.step = "epoch", .summary = Summary::Min});
    run.log("val/loss", 0.5, 1);
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(run.stats().errors, 0u);
    const auto all = read_back(run.folder());
    const auto& image = std::get<Image>(*all.at("image").at(0).value);
    EXPECT_EQ(image.format, "png");
    EXPECT_EQ(image.width, 16);
    ASSERT_EQ(image.images.size(), 1u);
    EXPECT_GT(image.images[0].bytes->size(), 8u);
    EXPECT_EQ(std::get<Histogram>(*all.at("histogram").at(0).value).nan_count, 1u);
    EXPECT_EQ(std::get<Text>(*all.at("text").at(0).value).text, "# hello");
    EXPECT_EQ(std::get<Text>(*all.at("long").at(0).value).text.size(), 100'000u);
    EXPECT_EQ(std::get<Hparams>(*all.at("hparams").at(0).value).size(), 2u);
    EXPECT_EQ(std::get<Tensor>(*all.at("tensor").at(0).value).data.bytes->size(), 16u);
    ASSERT_EQ(all.at("weights").size(), 2u);
    EXPECT_EQ(std::get<Artifact>(*all.at("weights")[1].value).version, "v1");
    EXPECT_EQ(as_text(*std::get<Artifact>(*all.at("weights")[0].value).files.at(0).data.bytes),
              "bytes");
    EXPECT_EQ(std::get<Alert>(*all.at("alerts").at(0).value).title, "loss is high");
    const auto reader = store::RunReader::open(run.folder()).value();
    const std::vector<KeyInfo> keys = reader->keys();
    const auto loss = std::ranges::find(keys, "val/loss", &KeyInfo::key);
    ASSERT_NE(loss, keys.end());
    ASSERT_TRUE(loss->definition);
    EXPECT_EQ(loss->definition->summary, Summary::Min);
    EXPECT_EQ(loss->definition->step, "epoch");
    const RunInfo info = reader->info();
    EXPECT_EQ(info.tags, std::vector<std::string>{"good"});
    EXPECT_EQ(info.notes, "first try");
    EXPECT_EQ(std::get<double>(info.summary.at("best")), 0.5);
}

TEST_F(Runs, CountWrongInputAndGoOn) {
    Run run = Run::open(options()).value();
    std::vector<std::string> said;
    auto before = set_diagnostic_handler(
        [&](DiagnosticLevel, std::string_view line) { said.emplace_back(line); });
    Row row = run.row("a", "b");
    row.log(0, 1.0);
    row.log(1, 1.0, 2.0, 3.0);
    const std::vector<float> numbers(10);
    run.log_image("picture", {TensorView(numbers.data(), DType::F32, {10}), Layout::Hwc}, 0);
    run.log_artifact("missing", folder_.file("nothing"));
    run.log("key", 1.0, 0);
    set_diagnostic_handler(before);
    EXPECT_EQ(run.stats().errors, 4u);
    EXPECT_EQ(said.size(), 3u) << "each cause once";
    EXPECT_TRUE(run.check().ok()) << "only strict runs fail by them";
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(read_back(run.folder()).at("key").size(), 1u);
    EXPECT_NE(said[1].find("picture"), std::string::npos) << said[1];
}

TEST_F(Runs, StrictOnesReportTheFirstWrongCall) {
    set("TAFFRAIL_STRICT", "1");
    Run run = Run::open(options()).value();
    EXPECT_TRUE(run.check().ok());
    run.row("a", "b").log(0, 1.0);
    const auto checked = run.check();
    ASSERT_FALSE(checked.ok());
    EXPECT_NE(checked.error().message.find("wrong number of values"), std::string::npos);
    EXPECT_FALSE(run.finish().ok());
}

TEST_F(Runs, SwitchedOffDoNothing) {
    set("TAFFRAIL_MODE", "off");
    Run run = init(options());
    EXPECT_FALSE(run.active());
    run.log("x", 1);
    run.scalar("x").log(1);
    run.row("x").log(0, 1);
    run.log_text("t", "x");
    EXPECT_TRUE(run.finish().ok());
    EXPECT_FALSE(io::exists(folder_.file("store")));
    set("TAFFRAIL_MODE", "maybe");
    EXPECT_EQ(Run::open(options()).error().code, ErrorCode::InvalidArgument);
}

TEST_F(Runs, InitSaysWhyAndStaysInert) {
    ASSERT_TRUE(io::write_file_atomically(folder_.file("store"), as_bytes("a file"), false).ok());
    std::vector<std::string> said;
    auto before = set_diagnostic_handler(
        [&](DiagnosticLevel, std::string_view line) { said.emplace_back(line); });
    Run run = init(options());
    set_diagnostic_handler(before);
    EXPECT_FALSE(run.active());
    ASSERT_EQ(said.size(), 1u);
    EXPECT_NE(said[0].find(folder_.file("store")), std::string::npos) << said[0];
}

TEST_F(Runs, OfTheSameNameAreTwoRuns) {
    RunOptions named = options();
    named.name = "vae 1";
    Run first = Run::open(named).value();
    Run second = Run::open(named).value();
    EXPECT_NE(first.id(), second.id());
    EXPECT_NE(first.folder(), second.folder());
    EXPECT_EQ(first.name(), "vae 1");
}

TEST_F(Runs, ResumeContinuesAsANewAttempt) {
    RunOptions named = options();
    named.id = "run7";
    named.resume = Resume::Must;
    EXPECT_EQ(Run::open(named).error().code, ErrorCode::NotFound);
    named.resume = Resume::Never;
    std::string folder;
    {
        Run run = Run::open(named).value();
        folder = run.folder();
        run.log("x", 1.0, 41);
        ASSERT_TRUE(run.finish().ok());
    }
    EXPECT_EQ(Run::open(named).error().code, ErrorCode::AlreadyExists);
    named.resume = Resume::Must;
    Run again = Run::open(named).value();
    EXPECT_EQ(again.folder(), folder);
    again.log("x", 2.0);
    ASSERT_TRUE(again.finish().ok());
    const auto x = read_back(folder).at("x");
    ASSERT_EQ(x.size(), 2u);
    const auto& newer = x[0].attempt > x[1].attempt ? x[0] : x[1];
    EXPECT_EQ(newer.attempt, 1u);
    EXPECT_EQ(newer.step, 42) << "goes on where the last attempt stood";
    named.id = "../up";
    EXPECT_EQ(Run::open(named).error().code, ErrorCode::InvalidArgument);
}

// Also when the logs were sealed and dropped in between: the library's own series, texts, versions.
TEST_F(Runs, ResumeContinuesEveryCountAfterTheLogsAreGone) {
    const std::string file = folder_.file("weights.bin");
    ASSERT_TRUE(io::write_file_atomically(file, as_bytes("bytes"), false).ok());
    RunOptions watched = options();
    watched.id = "run8";
    watched.resume_step = 1;
    watched.machine_load = 100ms;
    std::string folder;
    Step loads = 0;
    for (const bool again : {false, true}) {
        watched.resume = again ? Resume::Must : Resume::Never;
        auto content = std::make_shared<test::SinkContent>();
        Run run = Run::open(watched).value();
        folder = run.folder();
        ASSERT_TRUE(run.add_sink(std::make_unique<test::FakeSink>(content), "fake").ok());
        run.log_text("text", "one");
        run.log_text("text", "two");
        run.log_artifact("weights", file);
        run.log("x", 1.0);
        await_points(run, "system/memory/percent", static_cast<std::size_t>(loads) + 2);
        ASSERT_TRUE(run.finish().ok());
        EXPECT_EQ(content->context.resume_step, again ? std::optional<Step>(1) : std::nullopt);
        const auto back = store::RunReader::open(folder).value();
        const auto memory = back->points("system/memory/percent").value();
        ASSERT_GE(memory.size(), 2u);
        for (std::size_t i = 0; i < memory.size(); ++i) {
            EXPECT_EQ(memory[i].step, static_cast<Step>(i)) << "goes on, attempt after attempt";
        }
        EXPECT_GT(static_cast<Step>(memory.size()), loads);
        loads = static_cast<Step>(memory.size());
        const Step rounds = again ? 2 : 1;
        EXPECT_EQ(back->entries("text").value().back().step, rounds * 2 - 1);
        EXPECT_EQ(back->points("x").value().back().step, rounds - 1);
        EXPECT_EQ(std::get<Artifact>(*back->entries("weights").value().back().value).version,
                  again ? "v1" : "v0");
        ASSERT_TRUE(io::remove_tree(io::join(folder, "cursors")).ok());
        ASSERT_GT(store::drop_sealed_logs(folder, 0ns).value(), 0u);
    }
}

// Ranks set by hand all look like the first on their machine: the machine's load is still there
// once, under the machine's name.
TEST_F(Runs, RanksOfOneMachineRecordItsLoadOnceUnderItsName) {
    RunOptions watched = options();
    watched.world_size = 2;
    watched.machine_load = 100ms;
    set("TAFFRAIL_RUN_ID", "ranks");
    watched.rank = 0;
    Run first = Run::open(watched).value();
    watched.rank = 1;
    Run second = Run::open(watched).value();
    ASSERT_EQ(first.folder(), second.folder());
    const std::string folder = first.folder();
    char host[256] = {};
    ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
    const std::string prefix = std::string("system/") + host + "/";
    const std::string memory = prefix + "memory/percent";
    await_points(first, memory.c_str(), 3);
    ASSERT_TRUE(second.finish().ok());
    ASSERT_TRUE(first.finish().ok());
    const auto back = store::RunReader::open(folder).value();
    for (const Point& point : back->points(memory).value()) {
        EXPECT_EQ(point.rank, 0) << "one of the ranks watches the machine";
    }
    for (const auto& key : back->keys()) {
        EXPECT_TRUE(!key.key.starts_with("system/") || key.key.starts_with(prefix)) << key.key;
    }
}

TEST_F(Runs, ThatCannotOpenLeaveNoFolderBehind) {
    auto calls = io::FaultCalls::instance();
    calls->add({.operation = io::Operation::Open, .error_number = ENOSPC, .path_part = ".tlog"});
    RunOptions broken = options();
    broken.root = "fault://" + folder_.file("store");
    EXPECT_FALSE(Run::open(broken).ok());
    calls->clear();
    EXPECT_TRUE(io::list(folder_.file("store/runs")).value().empty());
}

TEST_F(Runs, RanksOfOneLaunchMeetInOneFolder) {
    set("WORLD_SIZE", "3");
    set("MASTER_ADDR", "127.0.0.1");
    set("MASTER_PORT", "29511");
    std::vector<pid_t> children;
    for (const char* rank : {"0", "1", "2"}) {
        const pid_t child = fork();
        if (child == 0) {
            set("RANK", rank);
            Run run = init(options());
            run.log("loss", std::atof(rank), 0);
            _exit(run.finish().ok() ? 0 : 1);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    const auto runs = io::list(folder_.file("store/runs")).value();
    ASSERT_EQ(runs.size(), 1u);
    const auto loss = read_back(folder_.file("store/runs/" + runs[0].name)).at("loss");
    ASSERT_EQ(loss.size(), 3u);
    for (const auto& record : loss) {
        EXPECT_EQ(record.scalar, record.rank);
        EXPECT_EQ(record.attempt, 0u);
    }
}

TEST_F(Runs, ForkedChildrenWriteBesideTheirParent) {
    Run run = Run::open(options()).value();
    Scalar x = run.scalar("x");
    x.log(1, 0);
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; ++i) {
            x.log(100 + i, i);
        }
        run.log_text("from_child", std::string(10'000, 'c'));
        _exit(run.finish().ok() ? 0 : 1);
    }
    for (int i = 1; i < 1000; ++i) {
        x.log(1, i);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ASSERT_TRUE(run.finish().ok());
    const auto all = read_back(run.folder());
    EXPECT_EQ(all.at("x").size(), 2000u);
    EXPECT_EQ(all.at("from_child").size(), 1u);
    std::set<std::uint64_t> writers;
    for (const auto& record : all.at("x")) {
        writers.insert(record.writer);
    }
    EXPECT_EQ(writers.size(), 2u);
}

TEST_F(Runs, SinksGetLaterRecordsOfTheirRouteOnce) {
    auto content = std::make_shared<test::SinkContent>();
    auto other = std::make_shared<test::SinkContent>();
    Run run = Run::open(options()).value();
    run.log("before", 0.0, 0);
    const RouteMask first = run.add_sink(std::make_unique<test::FakeSink>(content), "fake").value();
    const RouteMask second = run.add_sink(std::make_unique<test::FakeSink>(other), "fake").value();
    EXPECT_NE(first, second);
    const std::pair<std::string_view, double> row[] = {{"routed", 5.0}, {"pair", 6.0}};
    for (int i = 0; i < 100; ++i) {
        run.log("x", i, i);
        run.log_routed(row, i, {.route = second});
        run.log_routed(row, i, {.route = kStoreOnly, .visible = false});
    }
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(content->values.size(), 100u);
    EXPECT_EQ(other->values.size(), 300u);
    EXPECT_EQ(content->closes, 1u);
}

TEST_F(Runs, UnknownSinksAreRefusedByName) {
    Run run = Run::open(options()).value();
    const auto refused = run.add_sink("tensorbord");
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("known are"), std::string::npos)
        << refused.error().message;
}

TEST_F(Runs, UnfinishedOnesFinishAtExit) {
    const pid_t child = fork();
    if (child == 0) {
        static Run run = init(options());
        run.log("x", 1.0, 0);
        exit(0);
    }
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    const auto runs = io::list(folder_.file("store/runs")).value();
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(read_back(folder_.file("store/runs/" + runs[0].name)).at("x").size(), 1u);
    EXPECT_FALSE(io::exists(folder_.file("store/runs/" + runs[0].name + "/ring")));
}

// The collector had no time to move them: they stand in the rings of a dead process.
TEST_F(Runs, ReadersOfAKilledRunSeeWhatItsRingsHold) {
    const pid_t child = fork();
    if (child == 0) {
        RunOptions slow = options();
        slow.flush_interval = 10min;
        Run run = Run::open(slow).value();
        for (Step step = 0; step < 500; ++step) {
            run.log("x", 1.0, step);
        }
        kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
    const auto folders = io::list(folder_.file("store/runs")).value();
    ASSERT_EQ(folders.size(), 1u);
    const auto run = store::RunReader::open(folder_.file("store/runs/" + folders[0].name)).value();
    EXPECT_EQ(run->points("x").value().size(), 500u);
    int visited = 0;
    ASSERT_TRUE(run->for_each([&](const Record& record) {
                       visited += record.key == "x" ? 1 : 0;
                       return true;
                   })
                    .ok());
    EXPECT_EQ(visited, 500);
}

TEST_F(Runs, WithoutAStoreOnlySinksGetRecords) {
    auto content = std::make_shared<test::SinkContent>();
    RunOptions unstored = options();
    unstored.store = Store::Off;
    Run run = Run::open(unstored).value();
    ASSERT_TRUE(run.add_sink(std::make_unique<test::FakeSink>(content), "fake").ok());
    run.log("x", 1.0, 0);
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(content->values.size(), 1u);
    EXPECT_FALSE(io::exists(run.folder()));
    EXPECT_FALSE(io::exists(folder_.file("store")));
}

// The place was below the temporary folder under a name that anybody could make first.
TEST_F(Runs, FindingS06_WithoutAStoreNobodyElseKnowsThePlace) {
    const char* before = std::getenv("TMPDIR");
    const std::string kept = before != nullptr ? before : "";
    const std::string temporary = folder_.file("tmp"), precious = folder_.file("precious");
    ASSERT_TRUE(io::make_directories(temporary).ok());
    ASSERT_TRUE(io::make_directories(precious).ok());
    ASSERT_TRUE(io::write_file_atomically(precious + "/mine", as_bytes("x"), false).ok());
    const std::string guessed = temporary + "/taffrail-unstored-" + std::to_string(getuid());
    ASSERT_EQ(symlink(precious.c_str(), guessed.c_str()), 0);
    setenv("TMPDIR", temporary.c_str(), 1);
    RunOptions unstored = options();
    unstored.store = Store::Off;
    {
        Run first = Run::open(unstored).value();
        Run second = Run::open(unstored).value();
        const auto root_of = [](const Run& run) { return io::parent(io::parent(run.folder())); };
        EXPECT_NE(root_of(first), root_of(second));
        for (const std::string& root : {root_of(first), root_of(second)}) {
            struct stat known{};
            ASSERT_EQ(::lstat(root.c_str(), &known), 0);
            EXPECT_TRUE(S_ISDIR(known.st_mode));
            EXPECT_EQ(known.st_mode & 0777, 0700u);
            EXPECT_EQ(io::parent(root), temporary);
        }
        first.log("x", 1.0, 0);
        ASSERT_TRUE(first.finish().ok());
        ASSERT_TRUE(second.finish().ok());
    }
    if (kept.empty()) {
        unsetenv("TMPDIR");
    } else {
        setenv("TMPDIR", kept.c_str(), 1);
    }
    EXPECT_EQ(io::list(temporary).value().size(), 1u) << "only the link is left";
    EXPECT_EQ(io::read_text(precious + "/mine").value(), "x");
}

TEST_F(Runs, FindingR19_WithoutAStoreNothingIsLeftBehind) {
    RunOptions unstored = options();
    unstored.store = Store::Off;
    Run run = Run::open(unstored).value();
    run.log("x", 1.0, 0);
    const std::string root = io::parent(io::parent(run.folder()));
    EXPECT_TRUE(io::exists(root));
    ASSERT_TRUE(run.finish().ok());
    EXPECT_FALSE(io::exists(root));
}

// Rings of runs on network file systems lie in the user's runtime folder.
TEST_F(Runs, FindingS06_AFolderThatSomebodyElseMadeForUsIsNotUsed) {
    const std::string runtime = folder_.file("runtime"), planted = folder_.file("planted");
    ASSERT_TRUE(io::make_directories(runtime).ok());
    ASSERT_TRUE(io::make_directories(planted).ok());
    const char* before = std::getenv("XDG_RUNTIME_DIR");
    const std::string kept = before != nullptr ? before : "";
    setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
    const auto names_it = [&] {
        const auto folders = record::ring_folders(folder_.file("run"), "id");
        return std::ranges::find(folders, runtime + "/taffrail/id") != folders.end();
    };
    EXPECT_TRUE(names_it()) << "nothing is there yet";
    ASSERT_TRUE(record::make_ring_folder(runtime + "/taffrail/id").ok());
    EXPECT_TRUE(names_it());
    struct stat known{};
    ASSERT_EQ(::stat((runtime + "/taffrail").c_str(), &known), 0);
    EXPECT_EQ(known.st_mode & 0777, 0700u);
    ASSERT_EQ(chmod((runtime + "/taffrail").c_str(), 0777), 0);
    EXPECT_FALSE(names_it()) << "others can write to it";
    EXPECT_FALSE(record::make_ring_folder(runtime + "/taffrail/id").ok());
    ASSERT_EQ(chmod((runtime + "/taffrail").c_str(), 0700), 0);
    if (geteuid() == 0) {  // only root can give a folder away
        ASSERT_EQ(chown((runtime + "/taffrail").c_str(), 65534, 65534), 0);
        EXPECT_FALSE(names_it()) << "it is somebody else's";
        EXPECT_FALSE(record::make_ring_folder(runtime + "/taffrail/id").ok());
    } else {
        EXPECT_TRUE(names_it()) << "ours alone again";
    }
    ASSERT_TRUE(io::remove_tree(runtime + "/taffrail").ok());
    ASSERT_EQ(symlink(planted.c_str(), (runtime + "/taffrail").c_str()), 0);
    EXPECT_FALSE(names_it()) << "a link";
    EXPECT_FALSE(record::make_ring_folder(runtime + "/taffrail/id").ok());
    EXPECT_TRUE(io::list(planted).value().empty());
    if (kept.empty()) {
        unsetenv("XDG_RUNTIME_DIR");
    } else {
        setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
    }
}

TEST_F(Runs, WatchTheMachineWhenAsked) {
    RunOptions watching = options();
    watching.machine_load = 100ms;
    watching.environment = true;
    Run run = Run::open(watching).value();
    std::this_thread::sleep_for(250ms);
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(run.stats().errors, 0u);
    EXPECT_GT(run.stats().records, 10u) << "readings of the machine";
}

TEST_F(Runs, TakeManyKeys) {
    Run run = Run::open(options()).value();
    for (int i = 0; i < 20'000; ++i) {
        run.log("key/" + std::to_string(i), i, 0);
    }
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(read_back(run.folder()).size(), 20'000u);
}

// Sinks that know what is secret say so once; nothing of it reaches the run's folder.
TEST_F(Runs, SecretOptionsOfASinkAreNotStored) {
    struct Options {
        std::string place, pass;
    };

    static const auto schema = OptionSchema<Options>("vault")
                                   .add("place", &Options::place, "where")
                                   .add("pass", &Options::pass, "what opens it", {.secret = true});
    static const auto content = std::make_shared<test::SinkContent>();
    static std::string given;
    register_sink({.name = "vault",
                   .make = [](const OptionMap& options) -> Result<std::unique_ptr<Sink>> {
                       given = schema.parse(options).value().pass;
                       return std::unique_ptr<Sink>(std::make_unique<test::FakeSink>(content));
                   },
                   .options = schema.infos()});
    auto run = Run::open(options()).value();
    ASSERT_TRUE(run.add_sink("vault", {{"place", "here"}, {"pass", "swordfish"}}).ok());
    run.log("loss", 1, 0);
    const std::string folder = run.folder();
    ASSERT_TRUE(run.finish().ok());
    EXPECT_EQ(given, "swordfish");
    const auto noted = transfer::noted_sinks(folder);
    ASSERT_EQ(noted.size(), 1u);
    EXPECT_EQ(noted[0].options, (OptionMap{{"place", "here"}}));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
        if (entry.is_regular_file()) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(file), {}};
            EXPECT_EQ(bytes.find("swordfish"), std::string::npos) << entry.path();
        }
    }
}

}  // namespace
}  // namespace taffrail
