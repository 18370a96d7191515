// The sink online, against a server in this process that can refuse, stall, cut and replay.
#include "../record_builder.h"
#include "../test_files.h"
#include "codec/json.h"
#include "sinks/wandb/sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

using namespace taffrail;
using namespace std::chrono_literals;
using sinks::wandb::WandbSink;
using testing::HasSubstr;

namespace {

enum class Fault { None, TooMany, Broken, Cut, Stall, Absent, Replay };

/// What the server of the tracker knows, and how it fails.
struct Stage {
    struct Transport final : io::HttpTransport {
        explicit Transport(Stage& of) : stage(of) {}

        Result<io::HttpResponse> send(const io::HttpRequest& request,
                                      const io::Patience&) override {
            return stage.handle(request);
        }

        Stage& stage;
    };

    std::map<std::int64_t, std::string> history, console, events;
    std::map<std::string, std::string> files;
    std::string summary, config;
    std::optional<std::int64_t> exit_code;
    std::vector<std::string> operations;
    int requests = 0, fail_at = -1;
    Fault fault = Fault::None;
    io::Patience::Time now = io::Patience::Time{} + 1000h;
    io::Patience::Time absent_until{};

    Result<io::HttpResponse> handle(const io::HttpRequest& request) {
        if (now < absent_until) {
            return Error{ErrorCode::Unavailable, "nobody there"};
        }
        const Fault here = requests++ == fail_at ? fault : Fault::None;
        switch (here) {
            case Fault::TooMany:
                return io::HttpResponse{.status = 429, .headers = {{"retry-after", "2"}}};
            case Fault::Broken:
                return io::HttpResponse{.status = 500};
            case Fault::Stall:
                return Error{ErrorCode::Timeout, "no answer"};
            case Fault::Absent:
                return Error{ErrorCode::Unavailable, "refused"};
            default:
                break;
        }
        auto answer = serve(request);
        if (here == Fault::Replay) {
            answer = serve(request);
        }
        return here == Fault::Cut ? Result<io::HttpResponse>(Error{ErrorCode::Io, "cut"}) : answer;
    }

    Result<io::HttpResponse> serve(const io::HttpRequest& request) {
        const std::string body(as_text(request.body));
        if (request.method == "PUT") {
            files[request.url.substr(request.url.rfind('/') + 1)] = body;
            return io::HttpResponse{.status = 200};
        }
        const Json json = parse_json(body).value();
        if (request.url.ends_with("/file_stream")) {
            EXPECT_EQ(request.url, "http://t:1/files/me/demo/run1/file_stream");
            const Json* parts = json.find("files");
            for (const auto& [name, part] : *parts->object()) {
                std::int64_t line = part.integer_or("offset", -1);
                for (const Json& text : *part.find("content")->array()) {
                    if (name == "wandb-summary.json") {
                        summary = *text.string();
                    } else {
                        (name == "wandb-history.jsonl" ? history
                         : name == "output.log"        ? console
                                                       : events)[line++] = *text.string();
                    }
                }
            }
            if (json.truth_or("complete", false)) {
                exit_code = json.integer_or("exitcode", -1);
            }
            return io::HttpResponse{.status = 200, .body = "{}"};
        }
        const std::string operation = json.string_or("operationName", "");
        operations.push_back(operation);
        const Json* variables = json.find("variables");
        std::string data = "null";
        if (operation == "UpsertBucket") {
            config = variables->string_or("config", "");
            data = R"({"upsertBucket":{"bucket":{"id":"b","name":"run1","project":{"name":"demo",)"
                   R"("entity":{"name":"me"}}},"inserted":true}})";
        } else if (operation == "CreateRunFiles") {
            const std::string name = *variables->find("files")->array()->front().string();
            data = R"({"createRunFiles":{"files":[{"name":"x","uploadUrl":"http://t:1/put/)" +
                   name.substr(name.rfind('/') + 1) + R"("}]}})";
        } else if (operation == "RunResumeStatus") {
            data = R"({"model":{"bucket":{"historyLineCount":)" + std::to_string(history.size()) +
                   R"(,"eventsLineCount":0,"logLineCount":0}}})";
        }
        return io::HttpResponse{.status = 200, .body = "{\"data\":" + data + "}"};
    }
};

class WandbOnline : public testing::Test {
  protected:
    WandbOnline() {
        setenv("WANDB_BASE_URL", "http://t:1", 1);
        setenv("WANDB_API_KEY", "verysecretkey", 1);
        unsetenv("WANDB_MODE");
    }

    ~WandbOnline() override {
        unsetenv("WANDB_BASE_URL");
        unsetenv("WANDB_API_KEY");
    }

    [[nodiscard]] SinkContext context(std::uint32_t attempt = 0) const {
        SinkContext about;
        about.run_id = "run1";
        about.run_name = "nice";
        about.project = "demo";
        about.run_folder = folder_ / "native";
        about.start_time_ns = 1'700'000'000'000'000'000;
        about.config = {{"lr", 0.5}};
        about.attempt = attempt;
        return about;
    }

    std::unique_ptr<WandbSink> make() {
        sinks::wandb::Options options;
        options.log_dir = folder_ / "logs";
        options.transport = std::make_shared<Stage::Transport>(stage_);
        options.policy.jitter = 0;
        options.time.now = [this] { return stage_.now; };
        options.time.wait = [this](io::Patience::Time until, io::Patience& patience) {
            stage_.now = std::max(stage_.now, until);
            return until < patience.end();
        };
        return std::make_unique<WandbSink>(options);
    }

    static Result<void> hand_over(Sink& sink, std::span<const Record> records) {
        std::size_t delivered = 0;
        Result<void> written = sink.write(records, delivered);
        return written.ok() ? sink.flush() : written;
    }

    /// Until it works, as the runner does.
    template <typename Call>
    void insist(Call call) {
        for (int i = 0; i < 50; ++i) {
            if (call().ok()) {
                return;
            }
            stage_.now += 30s;
        }
        FAIL() << "it never worked";
    }

    void expect_rows(int count) const {
        ASSERT_EQ(stage_.history.size(), static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
            const Json row = parse_json(stage_.history.at(i)).value();
            EXPECT_EQ(row.integer_or("_step", -1), i);
            EXPECT_EQ(row.number_or("loss", -1), i * 0.5);
        }
    }

    static test::Records rows(int first, int end) {
        test::Records records;
        for (int i = first; i < end; ++i) {
            records.row(i, {{"loss", i * 0.5}});
        }
        return records;
    }

    test::TestFolder folder_;
    Stage stage_;
};

TEST_F(WandbOnline, SendsARun) {
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    EXPECT_THAT(sink->folder(), HasSubstr("/wandb/run-"));
    const auto records = rows(0, 10);
    ASSERT_TRUE(hand_over(*sink, records.all()).ok());
    EXPECT_EQ(stage_.history.size(), 9u) << "the newest row may still grow";
    EXPECT_FALSE(stage_.exit_code);
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    expect_rows(10);
    EXPECT_EQ(stage_.exit_code, 0);
    EXPECT_THAT(stage_.config, HasSubstr(R"("lr":{"value":0.5})"));
    EXPECT_EQ(parse_json(stage_.summary)->number_or("loss", 0), 4.5);
    EXPECT_TRUE(stage_.files.contains("wandb-summary.json"));
}

TEST_F(WandbOnline, SurvivesEveryFaultAtEveryRequest) {
    for (const Fault fault :
         {Fault::TooMany, Fault::Broken, Fault::Cut, Fault::Stall, Fault::Absent, Fault::Replay}) {
        for (int at = 0; at < 8; ++at) {
            stage_ = Stage{};
            stage_.fault = fault;
            stage_.fail_at = at;
            std::filesystem::remove_all(folder_ / "logs");
            std::filesystem::remove_all(folder_ / "native");
            auto sink = make();
            insist([&] { return sink->open(context()); });
            const auto records = rows(0, 30);
            insist([&] { return hand_over(*sink, records.all().first(10)); });
            insist([&] { return hand_over(*sink, records.from(10)); });
            insist([&] { return sink->close(RunState::Failed); });
            expect_rows(30);
            EXPECT_EQ(stage_.exit_code, 1);
        }
    }
}

TEST_F(WandbOnline, OutlastsTenMinutesOfAbsence) {
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    const auto records = rows(0, 30);
    ASSERT_TRUE(hand_over(*sink, records.all().first(10)).ok());
    const auto began = stage_.now;
    stage_.absent_until = stage_.now + 10min;
    EXPECT_FALSE(hand_over(*sink, records.from(10)).ok());
    EXPECT_LT(stage_.now - began, 2min) << "a call must not wait for the server to come back";
    insist([&] { return sink->flush(); });
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    expect_rows(30);
}

TEST_F(WandbOnline, GoesOnAfterAKill) {
    const auto records = rows(0, 30);
    {
        auto killed = make();
        ASSERT_TRUE(killed->open(context()).ok());
        ASSERT_TRUE(hand_over(*killed, records.all().first(10)).ok());
        stage_.absent_until = stage_.now + 24h;
        EXPECT_FALSE(hand_over(*killed, records.all().subspan(10, 10)).ok());
    }
    stage_.absent_until = {};
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    // From the last noted place on: what was written before is known.
    ASSERT_TRUE(hand_over(*sink, records.from(10)).ok());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    expect_rows(30);
    EXPECT_EQ(stage_.exit_code, 0);
}

TEST_F(WandbOnline, ALaterAttemptContinuesTheLines) {
    {
        auto first = make();
        ASSERT_TRUE(first->open(context()).ok());
        const auto records = rows(0, 10);
        ASSERT_TRUE(hand_over(*first, records.all()).ok());
        ASSERT_TRUE(first->close(RunState::Failed).ok());
    }
    auto second = make();
    ASSERT_TRUE(second->open(context(1)).ok());
    test::Records more(0xBEEF);
    for (int i = 10; i < 20; ++i) {
        more.row(i, {{"loss", i * 0.5}});
    }
    ASSERT_TRUE(hand_over(*second, more.all()).ok());
    ASSERT_TRUE(second->close(RunState::Finished).ok());
    EXPECT_THAT(stage_.operations, testing::Contains("RunResumeStatus"));
    expect_rows(20);
    EXPECT_EQ(stage_.exit_code, 0);
}

TEST_F(WandbOnline, EndsWithTheRunAndHoldsNoSecret) {
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    stage_.absent_until = stage_.now + 24h;
    sink->finish_by(stage_.now + 1s);
    const auto records = rows(0, 10);
    const auto began = stage_.now;
    const auto failed = hand_over(*sink, records.all());
    ASSERT_FALSE(failed.ok());
    EXPECT_LE(stage_.now - began, 2s);
    EXPECT_EQ(failed.error().message.find("verysecretkey"), std::string::npos);
}

TEST_F(WandbOnline, NeedsAKey) {
    unsetenv("WANDB_API_KEY");
    setenv("HOME", folder_.path().c_str(), 1);
    sinks::wandb::Options options;
    options.mode = "online";
    options.log_dir = folder_ / "logs";
    EXPECT_THAT(WandbSink(options).open(context()).error().message, HasSubstr("WANDB_API_KEY"));
    // The file of the official program.
    folder_.write(".netrc", "machine t:1\n  login user\n  password fromfile\n");
    options.transport = std::make_shared<Stage::Transport>(stage_);
    EXPECT_TRUE(WandbSink(options).open(context()).ok());
}

}  // namespace
