// A sink written against the public headers alone, as a tracker's would be: what it knows of its
// run when it opens, and what reaches it later, in which order, whoever died in between.
#include <taffrail/run.h>
#include <taffrail/sink.h>

#include "faults/bare_options.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "store/run_reader.h"
#include "store/sealing.h"
#include "transfer/adopt.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

namespace taffrail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

std::string text_of(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return *text;
    }
    std::ostringstream out;
    if (const auto* number = std::get_if<double>(&cell)) {
        out << *number;
    } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        out << *whole;
    }
    return out.str();
}

std::string text_of(const Hparams& cells) {
    std::string text;
    for (const auto& [name, cell] : cells) {
        text += (text.empty() ? "" : ",") + name + "=" + text_of(cell);
    }
    return text;
}

std::string text_of(const MetricDefinition& metric) {
    const MetricOptions& options = metric.options;
    return metric.pattern +
           (options.goal == Goal::Minimize   ? " min"
            : options.goal == Goal::Maximize ? " max"
                                             : "") +
           (options.summary == Summary::Last
                ? ""
                : " summary " + std::to_string(static_cast<int>(options.summary))) +
           (options.step.empty() ? "" : " over " + options.step) +
           (options.hidden ? " hidden" : "");
}

/// Lines in a file, which outlives the process. It is down while `PATH.down` exists.
class Journal final : public Sink {
  public:
    explicit Journal(std::string path) : path_(std::move(path)) {}

    Result<void> open(const SinkContext& context) override {
        std::string tags, metrics;
        for (const std::string& tag : context.tags) {
            tags += tag + ";";
        }
        for (const MetricDefinition& metric : context.metrics) {
            metrics += text_of(metric) + ";";
        }
        return say("open " + context.project + "/" + context.run_name + " id " + context.run_id +
                   " group " + context.group + " job " + context.job_type + " rank " +
                   std::to_string(context.rank) + "/" + std::to_string(context.world_size) +
                   " attempt " + std::to_string(context.attempt) + " from " +
                   (context.resume_step ? std::to_string(*context.resume_step) : "-") + " tags " +
                   tags + " notes " + context.notes + " config " + text_of(context.config) +
                   " summary " + text_of(context.summary) + " metrics " + metrics);
    }

    Result<void> write(std::span<const Record> records, std::size_t& delivered) override {
        for (const Record& record : records) {
            if (io::exists(path_ + ".down")) {
                return Error{ErrorCode::Unavailable, "the tracker is down"};
            }
            const Value* value = record.value;
            switch (record.kind) {
                case Kind::Scalar:
                    (void)say(std::string(record.key) + " " + text_of(record.scalar));
                    break;
                case Kind::MetricDefinition:
                    (void)say("metric " + text_of(std::get<MetricDefinition>(*value)));
                    break;
                case Kind::Summary:
                    (void)say("summary " + text_of(std::get<SummaryValues>(*value).values));
                    break;
                case Kind::Hparams:
                    (void)say("config " + text_of(std::get<Hparams>(*value)));
                    break;
                case Kind::Tag:
                    (void)say((std::get<Tag>(*value).removed ? "untag " : "tag ") +
                              std::get<Tag>(*value).tag);
                    break;
                case Kind::Note:
                    (void)say("note " + std::get<Note>(*value).text);
                    break;
                default:
                    break;
            }
            ++delivered;
        }
        return {};
    }

    Result<void> flush() override { return {}; }

    Result<void> close(RunState state) override {
        return say("close " + std::string(to_string(state)));
    }

    [[nodiscard]] bool accepts(Kind kind) const noexcept override {
        return kind == Kind::Scalar || kind == Kind::MetricDefinition || kind == Kind::Summary ||
               kind == Kind::Hparams || kind == Kind::Tag || kind == Kind::Note;
    }

    [[nodiscard]] std::chrono::milliseconds flush_interval() const noexcept override { return 1ms; }

  private:
    Result<void> say(const std::string& line) {
        std::ofstream(path_, std::ios::app) << line << '\n';
        return {};
    }

    std::string path_;
};

class SinkWords : public testing::Test {
  protected:
    using Run = taffrail::Run;

    SinkWords() {
        register_sink({.name = "journal",
                       .class_name = "Journal",
                       .summary = "lines in a file",
                       .make = [](const OptionMap& options) -> Result<std::unique_ptr<Sink>> {
                           return std::unique_ptr<Sink>(
                               std::make_unique<Journal>(options.at(0).second));
                       }});
    }

    RunOptions options(Resume resume = Resume::Allow) const {
        RunOptions options = test::bare_options(folder_.file("store"), "words");
        options.project = "vision";
        options.name = "first";
        options.resume = resume;
        return options;
    }

    Result<RouteMask> add_journal(Run& run) const {
        return run.add_sink("journal", {{"path", path()}});
    }

    [[nodiscard]] std::string path() const { return folder_.file("journal"); }

    void take_down() const { std::ofstream(path() + ".down") << "x"; }

    void bring_up() const { ASSERT_TRUE(io::remove(path() + ".down").ok()); }

    /// What the tracker heard since it was last asked.
    std::vector<std::string> heard() {
        std::vector<std::string> lines;
        std::ifstream file(path());
        std::string line;
        for (std::size_t i = 0; std::getline(file, line); ++i) {
            if (i >= read_) {
                lines.push_back(line);
            }
        }
        read_ += lines.size();
        return lines;
    }

    [[nodiscard]] std::string run_folder() const {
        const auto runs = io::list(folder_.file("store/runs")).value();
        return folder_.file("store/runs/" + runs.at(0).name);
    }

    /// What `taffrail sync` does.
    std::uint64_t sync() {
        EXPECT_TRUE(transfer::adopt_orphans(run_folder(), "words").ok());
        std::uint64_t delivered = 0;
        for (const transfer::NotedSink& noted : transfer::noted_sinks(run_folder())) {
            const auto done = transfer::deliver_backlog(
                run_folder(), "words", noted, [&] { return make_sink(noted.type, noted.options); },
                {RunState::Crashed, ""});
            EXPECT_TRUE(done.ok()) << done.error().message;
            delivered += done.ok() ? *done : 0;
        }
        return delivered;
    }

    /// Runs `work` on a run of a process of its own, which is killed right behind it: what was said
    /// last is in its rings, and nobody ends the run.
    void in_killed_process(const RunOptions& how, const std::function<void(Run&)>& work) {
        const pid_t child = fork();
        if (child == 0) {
            Run run = Run::open(how).value();
            work(run);
            kill(getpid(), SIGKILL);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status)) << status;
    }

    test::TemporaryFolder folder_;
    std::size_t read_ = 0;
};

TEST_F(SinkWords, FindingR04_OpenWithAllThatIsKnown) {
    RunOptions known = options();
    known.group = "sweep";
    known.job_type = "train";
    known.tags = {"a"};
    known.notes = "begun";
    Run run = Run::open(known).value();
    run.define_metric("loss", {.summary = Summary::Min, .goal = Goal::Minimize});
    run.define_metric("debug/*", {.step = "epoch", .hidden = true});
    run.log_hparams({{"lr", 0.5}});
    run.log_hparams({{"depth", std::int64_t{4}}, {"lr", 0.25}});
    run.summary("best", 2.5);
    run.tag("b");
    ASSERT_TRUE(add_journal(run).ok());
    run.log("loss", 1, 0);
    ASSERT_TRUE(run.finish().ok());
    EXPECT_THAT(heard(),
                ElementsAre("open vision/first id words group sweep job train rank 0/1 attempt 0 "
                            "from - tags a;b; notes begun config lr=0.25,depth=4 summary best=2.5 "
                            "metrics loss min summary 1;debug/* over epoch hidden;",
                            "loss 1", "close finished"));
}

TEST_F(SinkWords, FindingR04_LaterOnesComeAsRecordsInOrderWithTheData) {
    Run run = Run::open(options()).value();
    ASSERT_TRUE(add_journal(run).ok());
    run.log("loss", 1, 0);
    run.define_metric("loss", {.goal = Goal::Minimize});
    run.log("loss", 2, 1);
    run.tag("late");
    run.untag("late");
    run.note("seen");
    run.log_hparams({{"lr", 0.5}});
    run.summary("best", 1.5);
    run.log("loss", 3, 2);
    run.define_metric("loss", {.goal = Goal::Maximize});
    ASSERT_TRUE(run.finish().ok());
    EXPECT_THAT(heard(),
                ElementsAre("open vision/first id words group  job  rank 0/1 attempt 0 from - tags "
                            " notes  config  summary  metrics ",
                            "loss 1", "metric loss min", "loss 2", "tag late", "untag late",
                            "note seen", "config lr=0.5", "summary best=1.5", "loss 3",
                            "metric loss max", "close finished"));
}

TEST_F(SinkWords, FindingR04_ReachATrackerThatWasDownWhenTheProcessWasKilled) {
    in_killed_process(options(), [&](Run& run) {
        run.define_metric("loss", {.goal = Goal::Minimize});
        (void)add_journal(run);
        take_down();
        run.log("loss", 1, 0);
        run.define_metric("acc", {.goal = Goal::Maximize});
        run.log("acc", 2, 0);
        run.summary("best", 2.0);
    });
    (void)heard();
    bring_up();
    EXPECT_EQ(sync(), 4u);
    EXPECT_THAT(
        heard(),
        ElementsAre("open vision/first id words group  job  rank 0/1 attempt 0 from - tags "
                    " notes  config  summary best=2 metrics loss min;acc max;",
                    "loss 1", "metric acc max", "acc 2", "summary best=2", "close crashed"));
    EXPECT_EQ(sync(), 0u);
    EXPECT_THAT(heard(), IsEmpty()) << "once";
}

TEST_F(SinkWords, FindingR04_OfEarlierAttemptsAreKnownToTheNext) {
    in_killed_process(options(), [&](Run& run) {
        (void)add_journal(run);
        take_down();
        run.define_metric("loss", {.goal = Goal::Minimize});
        run.log("loss", 1, 0);
        run.log_hparams({{"lr", 0.5}});
    });
    (void)heard();
    bring_up();
    RunOptions next = options(Resume::Must);
    next.name.clear();
    next.resume_step = 1;
    Run run = Run::open(next).value();
    run.define_metric("loss", {.goal = Goal::Maximize});
    ASSERT_TRUE(add_journal(run).ok());
    run.log("loss", 2, 1);
    run.define_metric("acc", {.hidden = true});
    ASSERT_TRUE(run.finish().ok());
    EXPECT_THAT(heard(),
                ElementsAre("open vision/first id words group  job  rank 0/1 attempt 1 from 1 tags "
                            " notes  config lr=0.5 summary  metrics loss max;",
                            "metric loss min", "loss 1", "config lr=0.5", "loss 2",
                            "metric acc hidden", "close finished"));
}

// Each rank has a sink of its own while it lives, so it has one when it is caught up with.
TEST_F(SinkWords, FindingR04_OfEachRankReachASinkThatIsOpenedForIt) {
    for (std::int32_t rank = 0; rank < 2; ++rank) {
        RunOptions mine = options(Resume::Never);
        mine.id.clear();
        mine.rank = rank;
        mine.world_size = 2;
        setenv("TAFFRAIL_RUN_ID", "words", 1);  // how ranks meet
        in_killed_process(mine, [&](Run& run) {
            (void)add_journal(run);
            take_down();
            run.log("rank", rank, 0);
            run.define_metric("rank", {.hidden = rank == 1});
        });
        unsetenv("TAFFRAIL_RUN_ID");
    }
    (void)heard();
    bring_up();
    EXPECT_EQ(sync(), 4u);
    EXPECT_THAT(heard(),
                ElementsAre("open vision/first id words group  job  rank 0/2 attempt 0 from - tags "
                            " notes  config  summary  metrics rank hidden;",
                            "rank 0", "metric rank", "close crashed",
                            "open vision/first id words group  job  rank 1/2 attempt 0 from - tags "
                            " notes  config  summary  metrics rank hidden;",
                            "rank 1", "metric rank hidden", "close crashed"));
}

// An earlier attempt that is caught up with did not end the run.
TEST_F(SinkWords, FindingR04_OfTwoKilledAttemptsComeOneAfterTheOther) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        RunOptions mine = options();
        mine.resume_step = attempt;
        in_killed_process(mine, [&](Run& run) {
            take_down();
            (void)add_journal(run);
            run.log("loss", attempt, attempt);
            run.define_metric("loss", {.goal = attempt == 0 ? Goal::Minimize : Goal::Maximize});
        });
    }
    (void)heard();
    bring_up();
    EXPECT_EQ(sync(), 4u);
    EXPECT_THAT(heard(),
                ElementsAre("open vision/first id words group  job  rank 0/1 attempt 0 from - tags "
                            " notes  config  summary  metrics loss max;",
                            "loss 0", "metric loss min", "close running",
                            "open vision/first id words group  job  rank 0/1 attempt 1 from 1 tags "
                            " notes  config  summary  metrics loss max;",
                            "loss 1", "metric loss max", "close crashed"));
}

TEST_F(SinkWords, FindingR04_AreNoRecordsToReadersOfTheStore) {
    const auto names = [&] {
        std::vector<std::string> found;
        for (const KeyInfo& key : store::RunReader::open(run_folder()).value()->keys()) {
            found.push_back(key.key);
        }
        return found;
    };
    {
        RunOptions plain = options();
        plain.seal_on_finish = false;
        Run run = Run::open(plain).value();
        run.define_metric("loss", {.goal = Goal::Minimize});
        run.summary("best", 1.0);
        run.log("loss", 1, 0);
        ASSERT_TRUE(run.finish().ok());
    }
    EXPECT_THAT(names(), ElementsAre("loss"));
    ASSERT_TRUE(store::seal_finished(run_folder()).ok());
    EXPECT_THAT(names(), ElementsAre("loss"));
    const auto run = store::RunReader::open(run_folder()).value();
    EXPECT_EQ(run->keys().at(0).definition->goal, Goal::Minimize);
    EXPECT_EQ(run->info().summary.at("best"), Cell{1.0});
}

}  // namespace
}  // namespace taffrail
