// Records runs for the tests against trackers: tracker_write SINK SCENARIO ROOT LOG_DIR [RANK]. The
// tests compute what they expect from the same formulas, so nothing here prints but the console
// scenario.
#include <taffrail/run.h>

#include <sys/types.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace taffrail;

namespace {

std::string sink_name;

RunOptions options_for(const std::string& root) {
    RunOptions options;
    options.root = root;
    options.project = "demo";
    options.name = "nice";
    options.machine_load.reset();
    options.environment = false;
    return options;
}

void attach(Run& run, const std::string& log_dir) {
    if (const auto added = run.add_sink(sink_name, {{"log_dir", log_dir}}); !added.ok()) {
        std::fprintf(stderr, "%s\n", added.error().message.c_str());
        std::exit(1);
    }
}

/// Every kind once, odd names, odd steps, numbers that are none.
void write_all(const std::string& root, const std::string& log_dir) {
    RunOptions options = options_for(root);
    options.group = "g";
    options.job_type = "train";
    options.tags = {"a", "b"};
    options.notes = "hello";
    Run run = init(options);
    attach(run, log_dir);
    run.log_hparams({{"lr", 0.1},
                     {"opt/name", std::string("adam")},
                     {"opt/layers", std::int64_t{3}},
                     {"x.y", true}});
    run.define_metric("epoch", {});
    run.define_metric("val/*", {.step = "epoch", .summary = Summary::Min});
    run.define_metric("acc", {.summary = Summary::Max, .goal = Goal::Maximize});
    for (Step step = 0; step < 3; ++step) {
        const auto number = static_cast<double>(step);
        run.log({{"loss", 1.0 / (number + 1)}, {"acc", number * 0.1}, {"epoch", number}}, step);
        run.log({{"val/loss", 10 - number}, {"dot.key", number}, {"ünïcode ✓", number}}, step);
    }
    run.log("nan", std::nan(""), 3);
    run.log("inf", HUGE_VAL, 3);
    const std::vector<std::uint8_t> pixels(2 * 4 * 5 * 3, 7);
    ImageView image;
    image.pixels = TensorView(pixels.data(), DType::U8, {4, 5, 3});
    run.log_image("img", image, 4, {.caption = "one"});
    image.pixels = TensorView(pixels.data(), DType::U8, {2, 4, 5, 3});
    run.log_image("folder/imgs", image, 4);
    const std::vector<float> numbers{1, 2, 3, 4};
    run.log_histogram("hist", TensorView(numbers), 4);
    run.log_text("text", "hello", 4);
    run.log_table("tab",
                  {.columns = {"a", "b"}, .rows = {{std::int64_t{1}, std::string("x")}, {2.5, {}}}},
                  4);
    const std::vector<float> vertices{0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::vector<std::uint32_t> faces{0, 1, 2};
    MeshView mesh;
    mesh.vertices = vertices;
    run.log_mesh("points", mesh, 5);
    mesh.faces = faces;
    run.log_mesh("mesh", mesh, 5);
    AudioView audio;
    audio.samples = TensorView(std::span<const float>(numbers));
    audio.sample_rate = 8000;
    run.log_audio("sound", audio, 5);
    VideoView video;
    const std::vector<std::uint8_t> frames(2 * 16 * 16 * 3, 9);
    video.frames = TensorView(frames.data(), DType::U8, {2, 16, 16, 3});
    run.log_video("film", video, 5);
    run.log_figure("figure", R"({"data":[],"layout":{}})", 5);
    run.log_graph("graph",
                  {.nodes = {{.name = "in", .op = "Input"},
                             {.name = "out", .op = "Dense", .inputs = {"in"}}}},
                  5);
    run.log_tensor("tensor", TensorView(std::span<const float>(numbers)), 5);
    run.log_embedding("embedding", TensorView(numbers.data(), DType::F32, {2, 2}), 5);
    run.alert("T", "text", AlertLevel::Warning);
    run.summary("best", std::int64_t{42});
    run.tag("late");
    const std::string file = root + "/weights.bin";
    std::ofstream(file) << "content";
    run.log_artifact("my model", file);
    run.log("loss", 0.5, 7);
    run.log("loss", 0.25, 6);  // lower than the last one
    run.log("loss", 0.125, 6);
    run.log("loss", 0.1, 9);
    if (!run.finish().ok()) {
        std::exit(1);
    }
}

void write_rows(const std::string& root, const std::string& log_dir, RunState end) {
    Run run = init(options_for(root));
    attach(run, log_dir);
    for (Step step = 0; step < 20; ++step) {
        run.log("loss", static_cast<double>(step) * 0.5, step);
    }
    (void)run.finish(end);
}

/// More at once than sinks gather before they write.
void write_many(const std::string& root, const std::string& log_dir, bool waits) {
    Run run = init(options_for(root));
    attach(run, log_dir);
    std::vector<std::string> names;
    for (int i = 0; i < 10; ++i) {
        names.push_back("many/" + std::to_string(i));
    }
    const Row row = run.row(std::vector<std::string_view>(names.begin(), names.end()));
    std::vector<double> values(names.size());
    if (waits) {
        ::alarm(300);  // a test that fails must leave nobody behind
        std::puts("ready");
        std::fflush(stdout);
    }
    for (Step step = 0; step < 4000; ++step) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<double>(step) + static_cast<double>(i) * 0.125;
        }
        row.log(step, std::span<const double>(values));
    }
    while (waits) {
        pause();
    }
}

void write_console(const std::string& root, const std::string& log_dir) {
    RunOptions options = options_for(root);
    options.console = true;
    options.machine_load = std::chrono::milliseconds(100);
    Run run = init(options);
    attach(run, log_dir);
    std::puts("to stdout");
    std::fflush(stdout);
    std::fprintf(stderr, "to stderr\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    run.log("loss", 1, 0);
    (void)run.finish();
}

/// Two attempts of one run: the first is killed.
void write_attempt(const std::string& root, const std::string& log_dir, Step first, bool dies) {
    RunOptions options = options_for(root);
    options.id = "resumed1";
    options.resume = Resume::Allow;
    if (first > 0) {
        options.resume_step = first;
    }
    Run run = init(options);
    attach(run, log_dir);
    for (Step step = first; step < first + 10; ++step) {
        run.log("loss", static_cast<double>(step), step);
    }
    (void)run.flush();
    if (dies) {
        ::alarm(300);  // a test that fails must leave nobody behind
        std::puts("ready");
        std::fflush(stdout);
        for (Step step = first + 10;; ++step) {
            run.log("loss", static_cast<double>(step), step);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    (void)run.finish();
}

/// One of three ranks of a run that one tracker's run takes. With `dies` it is there until it is
/// killed.
void write_rank(const std::string& root, const std::string& target, std::int32_t rank, bool dies) {
    ::setenv("TAFFRAIL_RUN_ID", "ranks1", 1);  // how ranks meet
    RunOptions options = options_for(root);
    options.rank = rank;
    options.world_size = 3;
    options.console = true;
    options.machine_load = std::chrono::milliseconds(100);
    if (rank > 0) {
        options.machine_load.reset();
    }
    Run run = init(options);
    const bool is_server = sink_name == "mlflow";
    OptionMap options_of_sink = {{is_server ? "tracking_uri" : "log_dir", target}};
    if (sink_name != "csv") {  // no tracker: each rank has its own
        options_of_sink.emplace_back("ranks", "all");
    }
    if (const auto added = run.add_sink(sink_name, options_of_sink); !added.ok()) {
        std::fprintf(stderr, "%s\n", added.error().message.c_str());
        std::exit(1);
    }
    const std::string said = "said by rank " + std::to_string(rank);
    run.log_hparams({{"lr", 0.1}, {"device", "cuda:" + std::to_string(rank)}});
    run.define_metric("acc", {.summary = Summary::Max});
    std::puts(said.c_str());
    std::fflush(stdout);
    for (Step step = 0; step < 20; ++step) {
        const auto number = static_cast<double>(step) + 1000.0 * rank;
        run.log({{"loss", number}, {"acc", -number}}, step);
    }
    if (rank == 0) {
        run.log("loss/rank_1", 7, 0);  // what a program may call so itself
    }
    run.log_text("text", said, 3);
    run.summary("best", std::int64_t{rank});
    (void)run.flush();
    if (dies) {
        ::alarm(300);  // a test that fails must leave nobody behind
        while (true) {
            pause();
        }
    }
    (void)run.finish();
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 5) {
        return 2;
    }
    sink_name = arguments[1];
    const std::string scenario = arguments[2], root = arguments[3], log_dir = arguments[4];
    if (scenario == "all") {
        write_all(root, log_dir);
    } else if (scenario == "rows") {
        write_rows(root, log_dir, RunState::Finished);
    } else if (scenario == "failed") {
        write_rows(root, log_dir, RunState::Failed);
    } else if (scenario == "console") {
        write_console(root, log_dir);
    } else if (scenario == "killed") {
        write_attempt(root, log_dir, 0, true);
    } else if (scenario == "many") {
        write_many(root, log_dir, false);
    } else if (scenario == "many_killed") {
        write_many(root, log_dir, true);
    } else if (scenario == "resumed") {
        write_attempt(root, log_dir, 5, false);
    } else if ((scenario == "rank" || scenario == "rank_killed") && count == 6) {
        write_rank(root, log_dir, std::atoi(arguments[5]), scenario == "rank_killed");
    } else {
        return 2;
    }
    return 0;
}
