// Records runs for the tests against Weights & Biases: wandb_write SCENARIO ROOT LOG_DIR [ROWS].
// The tests compute what they expect from the same formulas, so nothing here prints but the console
// scenario.
#include <taffrail/run.h>

#include <poll.h>
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
    if (const auto added = run.add_sink("wandb", {{"log_dir", log_dir}}); !added.ok()) {
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

/// Many rows, a line of output for every tenth, and of the other kinds enough to be among them.
void write_large(const std::string& root, const std::string& log_dir, Step rows) {
    constexpr Step kMedia = 50;
    RunOptions options = options_for(root);
    options.console = true;
    options.finish_timeout = std::chrono::minutes(5);
    Run run = init(options);
    attach(run, log_dir);
    const Row row = run.row("loss", "acc");
    for (Step step = 0; step < rows; ++step) {
        const auto number = static_cast<double>(step);
        row.log(step, number * 0.5, 1 / (number + 1));
        if (step % 10 == 0) {
            std::printf("line %lld\n", static_cast<long long>(step / 10));
        }
        if (step % (rows / kMedia) == 0) {
            const std::vector<std::uint8_t> pixels(4 * 5 * 3, static_cast<std::uint8_t>(step));
            ImageView image;
            image.pixels = TensorView(pixels.data(), DType::U8, {4, 5, 3});
            run.log_image("img", image, step);
            const std::vector<float> numbers{1, 2, 3, 4};
            run.log_histogram("hist", TensorView(numbers), step);
        }
    }
    std::fflush(stdout);
    run.log_table("tab", {.columns = {"a"}, .rows = {{std::int64_t{1}}}}, rows);
    run.alert("T", "text", AlertLevel::Warning);
    const std::string file = root + "/weights.bin";
    std::ofstream(file) << "content";
    run.log_artifact("my model", file);
    if (!run.finish().ok()) {
        std::exit(1);
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

/// A row every 20 ms until somebody closes the standard input.
void write_until_told(const std::string& root, const std::string& log_dir) {
    RunOptions options = options_for(root);
    options.id = "away1";
    Run run = init(options);
    attach(run, log_dir);
    ::alarm(1800);  // a test that fails must leave nobody behind
    std::puts("ready");
    std::fflush(stdout);
    pollfd input{STDIN_FILENO, POLLIN, 0};
    for (Step step = 0; ::poll(&input, 1, 20) == 0; ++step) {
        run.log("loss", static_cast<double>(step), step);
    }
    (void)run.finish();
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) {
        return 2;
    }
    const std::string scenario = arguments[1], root = arguments[2], log_dir = arguments[3];
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
    } else if (scenario == "resumed") {
        write_attempt(root, log_dir, 5, false);
    } else if (scenario == "until_told") {
        write_until_told(root, log_dir);
    } else if (scenario == "large" && count == 5) {
        write_large(root, log_dir, std::atoll(arguments[4]));
    } else {
        return 2;
    }
    return 0;
}
