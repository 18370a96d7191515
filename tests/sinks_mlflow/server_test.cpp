// The sink against a tracking server in this process, which keeps the limits of the real one and
// can refuse, break, stall, cut, replay and go away.
#include "../record_builder.h"
#include "../test_files.h"
#include "codec/json.h"
#include "codec/json_writer.h"
#include "sinks/mlflow/sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

using namespace taffrail;
using namespace std::chrono_literals;
using sinks::mlflow::MlflowSink;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

enum class Fault { None, TooMany, Busy, Broken, Cut, Stall, Absent, Replay };

/// What the server knows, and how it fails.
struct Stage {
    struct Transport final : io::HttpTransport {
        explicit Transport(Stage& of) : stage(of) {}

        Result<io::HttpResponse> send(const io::HttpRequest& request,
                                      const io::Patience&) override {
            return stage.handle(request);
        }

        Stage& stage;
    };

    using Point = std::tuple<std::int64_t, std::int64_t, double>;  // step, time, value

    std::map<std::string, std::set<Point>> metrics;
    std::map<std::string, std::string> tags, params, files;
    std::string status, refused_metric;
    int runs = 0, requests = 0, fail_at = -1, batches = 0, tag_batches = 0;
    std::size_t largest_batch = 0;
    std::vector<std::string> calls;
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
            case Fault::Busy:
                fail_at = requests;  // and the next one
                fault = Fault::Broken;
                return io::HttpResponse{.status = 503};
            case Fault::Broken:
                return io::HttpResponse{.status = 500, .body = "<html>sorry</html>"};
            case Fault::Stall:
                return Error{ErrorCode::Timeout, "no answer"};
            case Fault::Absent:
                return Error{ErrorCode::Unavailable, "refused"};
            default:
                break;
        }
        auto answer = serve(request);
        // Nobody on the way repeats what makes a run.
        if (here == Fault::Replay && !request.url.ends_with("runs/create")) {
            answer = serve(request);
        }
        return here == Fault::Cut ? Result<io::HttpResponse>(Error{ErrorCode::Io, "cut"}) : answer;
    }

    static Result<io::HttpResponse> refuse(const std::string& code, const std::string& why) {
        return io::HttpResponse{
            .status = code == "RESOURCE_DOES_NOT_EXIST" ? 404 : 400,
            .body = R"({"error_code":")" + code + R"(","message":")" + why + R"("})"};
    }

    static Result<io::HttpResponse> answer(const std::string& body = "{}") {
        return io::HttpResponse{.status = 200, .body = body};
    }

    [[nodiscard]] std::string run() const {
        return R"({"info":{"run_id":"r1","experiment_id":"7","artifact_uri":)"
               R"("mlflow-artifacts:/7/r1/artifacts"}})";
    }

    void set_tags(const Json& body) {
        if (const Json* given = body.find("tags")) {
            for (const Json& tag : *given->array()) {
                EXPECT_LE(tag.string_or("value", "").size(), 5000u);
                tags[tag.string_or("key", "")] = tag.string_or("value", "");
            }
        }
    }

    static double number_of(const Json& value) {
        if (const std::string* word = value.string()) {
            EXPECT_THAT(*word, testing::AnyOf("Infinity", "-Infinity"));
            return word->front() == '-' ? -HUGE_VAL : HUGE_VAL;
        }
        EXPECT_TRUE(value.is_number());
        return value.number().value_or(0);
    }

    Result<io::HttpResponse> log_batch(const Json& body) {
        std::map<std::string, std::set<Point>> new_metrics;
        std::map<std::string, std::string> new_params;
        std::size_t entities = 0;
        for (const char* kind : {"metrics", "params", "tags"}) {
            entities += body.find(kind) != nullptr ? body.find(kind)->array()->size() : 0;
        }
        if (entities > 1000) {
            return refuse("INVALID_PARAMETER_VALUE", "too many");
        }
        if (const Json* given = body.find("metrics")) {
            ++batches;
            largest_batch = std::max(largest_batch, given->array()->size());
            for (const Json& metric : *given->array()) {
                const std::string key = metric.string_or("key", "");
                if (key == refused_metric) {
                    return refuse("INVALID_PARAMETER_VALUE", "no such name");
                }
                // The real one takes a wrong type and loses what stands behind it.
                EXPECT_TRUE(metric.find("step")->integer()) << key;
                EXPECT_GE(metric.find("timestamp")->integer().value_or(-1), 0) << key;
                // An equal point is the one that is there.
                new_metrics[key].insert({metric.integer_or("step", 0),
                                         metric.integer_or("timestamp", 0),
                                         number_of(*metric.find("value"))});
            }
        }
        if (const Json* given = body.find("params")) {
            for (const Json& param : *given->array()) {
                const std::string key = param.string_or("key", "");
                const std::string value = param.string_or("value", "");
                EXPECT_LE(value.size(), 6000u);
                if (params.contains(key) && params[key] != value) {
                    return refuse("INVALID_PARAMETER_VALUE", "values are not changed");
                }
                new_params[key] = value;
            }
        }
        tag_batches += body.find("tags") != nullptr && !body.find("tags")->array()->empty() ? 1 : 0;
        for (const auto& [key, points] : new_metrics) {
            metrics[key].insert(points.begin(), points.end());
        }
        params.insert(new_params.begin(), new_params.end());
        set_tags(body);
        return answer();
    }

    Result<io::HttpResponse> serve(const io::HttpRequest& request) {
        const std::string url = request.url, body(as_text(request.body));
        const auto is = [&](std::string_view call) {
            return url.find("/api/2.0/" + std::string(call)) != std::string::npos;
        };
        calls.push_back(url.substr(url.rfind("/") + 1));
        if (request.method == "PUT") {
            constexpr std::string_view kPlace = "/artifacts/7/r1/artifacts/";
            files[url.substr(url.find(kPlace) + kPlace.size())] = body;
            return answer("");
        }
        const Json json = body.empty() ? Json() : parse_json(body).value();
        if (is("mlflow/experiments/get-by-name")) {
            return answer(R"({"experiment":{"experiment_id":"7","lifecycle_stage":"active"}})");
        }
        if (is("mlflow/runs/search")) {
            return answer(runs > 0 ? R"({"runs":[)" + run() + "]}" : "{}");
        }
        if (is("mlflow/runs/create")) {
            ++runs;
            set_tags(json);
            status = "RUNNING";
            return answer(R"({"run":)" + run() + "}");
        }
        if (is("mlflow/runs/get")) {
            return runs > 0 ? answer(R"({"run":)" + run() + "}")
                            : refuse("RESOURCE_DOES_NOT_EXIST", "no run");
        }
        if (is("mlflow/runs/update")) {
            status = json.string_or("status", "");
            return answer();
        }
        if (is("mlflow/runs/delete-tag")) {
            return tags.erase(json.string_or("key", "")) > 0
                       ? answer()
                       : refuse("RESOURCE_DOES_NOT_EXIST", "no tag");
        }
        EXPECT_TRUE(is("mlflow/runs/log-batch")) << url;
        return log_batch(json);
    }
};

class MlflowSinkTest : public testing::Test {
  protected:
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

    std::unique_ptr<MlflowSink> make() {
        sinks::mlflow::Options options;
        options.tracking_uri = "http://t:1";
        options.policy.jitter = 0;
        options.time.now = [this] { return stage_.now; };
        options.time.wait = [this](io::Patience::Time until, io::Patience& patience) {
            stage_.now = std::max(stage_.now, until);
            return until < patience.end();
        };
        return std::make_unique<MlflowSink>(options, std::make_shared<Stage::Transport>(stage_));
    }

    static Result<void> hand_over(Sink& sink, std::span<const Record> records,
                                  std::size_t& arrived) {
        std::size_t delivered = 0;
        Result<void> written = sink.write(records.subspan(arrived), delivered);
        arrived += delivered;
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

    void insist_on(Sink& sink, std::span<const Record> records) {
        std::size_t arrived = 0;
        insist([&] { return hand_over(sink, records, arrived); });
        EXPECT_EQ(arrived, records.size());
    }

    void expect_points(const std::string& name, int count) const {
        ASSERT_TRUE(stage_.metrics.contains(name));
        std::vector<Stage::Point> wanted;
        for (int i = 0; i < count; ++i) {
            wanted.emplace_back(i, 0, i * 0.5);
        }
        const auto& points = stage_.metrics.at(name);
        EXPECT_EQ(std::vector<Stage::Point>(points.begin(), points.end()), wanted);
    }

    static test::Records rows(int first, int end) {
        test::Records records;
        for (int i = first; i < end; ++i) {
            records.row(i, {{"loss", i * 0.5}, {"acc", i * 0.5}});
        }
        return records;
    }

    test::TestFolder folder_;
    Stage stage_;
};

TEST_F(MlflowSinkTest, BatchesAreFullAndNoLarger) {
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    const auto records = rows(0, 2000);
    insist_on(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    expect_points("loss", 2000);
    EXPECT_EQ(stage_.batches, 4);
    EXPECT_EQ(stage_.largest_batch, 1000u);
    EXPECT_EQ(stage_.status, "FINISHED");
    EXPECT_THAT(stage_.params, ElementsAre(testing::Pair("lr", "0.5")));
}

// Everything is there once, whatever happens to whichever request.
TEST_F(MlflowSinkTest, SurvivesEveryFaultAtEveryRequest) {
    test::Records records = rows(0, 20);
    records.value("table", 3, Table{.columns = {"a"}, .rows = {{std::int64_t{1}}}});
    records.value("weights", 3, Histogram::from_values(std::vector<double>{1, 2, 3}));
    records.value("weights", 3, Histogram::from_values(std::vector<double>{4, 5, 6}));
    records.value("hparams", 4,
                  Hparams{{"depth", std::int64_t{3}}, {"long", std::string(7000, 'x')}});
    records.value("hparams", 5, Hparams{{"depth", std::int64_t{4}}});
    records.row(40, {{"inf", HUGE_VAL}});
    std::set<std::string> whole;
    for (const Fault fault : {Fault::None, Fault::TooMany, Fault::Busy, Fault::Broken, Fault::Cut,
                              Fault::Stall, Fault::Absent, Fault::Replay}) {
        const int requests = fault == Fault::None ? 1 : 24;
        for (int at = 0; at < requests; ++at) {
            stage_ = Stage{};
            stage_.fault = fault;
            stage_.fail_at = at;
            std::filesystem::remove_all(folder_ / "native");
            auto sink = make();
            insist([&] { return sink->open(context()); });
            insist_on(*sink, records.all().first(10));
            insist_on(*sink, records.from(10));
            insist([&] { return sink->close(RunState::Failed); });
            SCOPED_TRACE(testing::Message() << "fault " << static_cast<int>(fault) << " at " << at);
            expect_points("loss", 20);
            expect_points("acc", 20);
            EXPECT_EQ(stage_.metrics.at("weights/_max").size(), 2u);
            EXPECT_EQ(stage_.runs, 1);
            EXPECT_EQ(stage_.status, "FAILED");
            EXPECT_EQ(stage_.params.at("depth"), "3");
            EXPECT_EQ(stage_.tags.at("taffrail.params.depth"), "4");
            EXPECT_EQ(stage_.params.at("long").size(), 6000u);
            EXPECT_EQ(stage_.tags.at("taffrail.infinite"), "inf");
            std::set<std::string> names;
            for (const auto& [name, bytes] : stage_.files) {
                names.insert(name);
            }
            whole = fault == Fault::None ? names : whole;
            EXPECT_EQ(names, whole) << "a file that was sent twice is one file";
        }
    }
    EXPECT_THAT(whole, testing::Contains("params/long.txt"));
    EXPECT_EQ(whole.size(), 4u);
}

TEST_F(MlflowSinkTest, OutlastsTenMinutesOfAbsence) {
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    const auto records = rows(0, 30);
    insist_on(*sink, records.all().first(10));
    const auto began = stage_.now;
    stage_.absent_until = stage_.now + 10min;
    std::size_t arrived = 0;
    EXPECT_FALSE(hand_over(*sink, records.from(10), arrived).ok());
    EXPECT_EQ(arrived, 0u);
    EXPECT_LT(stage_.now - began, 2min) << "a call must not wait for the server to come back";
    insist([&] { return hand_over(*sink, records.from(10), arrived); });
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    expect_points("loss", 30);
}

TEST_F(MlflowSinkTest, GoesOnAfterAKill) {
    const auto records = rows(0, 30);
    {
        auto killed = make();
        ASSERT_TRUE(killed->open(context()).ok());
        insist_on(*killed, records.all().first(20));
    }
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    // From a place before the last: what comes again is the same point there.
    insist_on(*sink, records.from(10));
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    expect_points("loss", 30);
    EXPECT_EQ(stage_.runs, 1);
}

TEST_F(MlflowSinkTest, InfiniteNamesAreToldWhenTheyJoin) {
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    test::Records records;
    for (int i = 0; i < 3000; ++i) {
        records.row(i, {{"loss", i == 0 ? HUGE_VAL : 1.0}});
    }
    records.row(3000, {{"other", -HUGE_VAL}});
    const int before = stage_.tag_batches;
    insist_on(*sink, records.all());
    EXPECT_EQ(stage_.batches, 4);
    EXPECT_EQ(stage_.tag_batches - before, 2) << "not behind every batch";
    EXPECT_EQ(stage_.tags.at("taffrail.infinite"), "loss\nother");
    // A later process knows those before it.
    sink = make();
    ASSERT_TRUE(sink->open(context(1)).ok());
    test::Records more(0xBEEF);
    more.row(0, {{"third", HUGE_VAL}});
    insist_on(*sink, more.all());
    EXPECT_EQ(stage_.tags.at("taffrail.infinite"), "loss\nother\nthird");
}

TEST_F(MlflowSinkTest, OneRefusedPointCostsItself) {
    stage_.refused_metric = "bad";
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    test::Records records;
    for (int i = 0; i < 30; ++i) {
        records.row(i, {{"loss", i * 0.5}});
        if (i == 17) {
            records.row(i, {{"bad", 1}});
        }
    }
    insist_on(*sink, records.all());
    ASSERT_TRUE(sink->close(RunState::Finished).ok());
    expect_points("loss", 30);
    EXPECT_FALSE(stage_.metrics.contains("bad"));
}

TEST_F(MlflowSinkTest, EndsWithTheRun) {
    auto sink = make();
    ASSERT_TRUE(sink->open(context()).ok());
    stage_.absent_until = stage_.now + 24h;
    sink->finish_by(stage_.now + 1s);
    const auto records = rows(0, 10);
    const auto began = stage_.now;
    std::size_t arrived = 0;
    EXPECT_FALSE(hand_over(*sink, records.all(), arrived).ok());
    EXPECT_LE(stage_.now - began, 2s);
}

}  // namespace
