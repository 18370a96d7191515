// Records runs for the tests against MLflow: mlflow_write SCENARIO ROOT TRACKING_URI. The tests
// compute what they expect from the same formulas.
#include <taffrail/run.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using namespace taffrail;

namespace {

RunOptions options_for(const std::string& root, const std::string& id) {
    RunOptions options;
    options.root = root;
    options.project = "demo";
    options.name = "nice";
    options.id = id;
    options.resume = Resume::Allow;
    options.machine_load.reset();
    options.environment = false;
    return options;
}

void attach(Run& run, const std::string& uri) {
    if (const auto added = run.add_sink("mlflow", {{"tracking_uri", uri}}); !added.ok()) {
        std::fprintf(stderr, "%s\n", added.error().message.c_str());
        std::exit(1);
    }
}

/// Every kind once, odd names, odd steps, numbers that are none.
void write_all(const std::string& root, const std::string& uri) {
    RunOptions options = options_for(root, "all1");
    options.group = "g";
    options.job_type = "train";
    options.tags = {"a", "color=red"};
    options.notes = "hello";
    options.console = true;
    options.machine_load = std::chrono::milliseconds(100);
    Run run = init(options);
    attach(run, uri);
    run.log_hparams({{"lr", 0.1},
                     {"opt/name", std::string("adam")},
                     {"layers", std::int64_t{3}},
                     {"flag", true},
                     {"long", std::string(7000, 'x')},
                     {"odd#name", std::string("v")}});
    run.define_metric("acc", {.summary = Summary::Max, .goal = Goal::Maximize});
    for (Step step = 0; step < 3; ++step) {
        const auto number = static_cast<double>(step);
        run.log({{"loss", 1.0 / (number + 1)}, {"acc", number * 0.1}}, step);
        run.log({{"odd#key", number}, {"ünï ✓", number}, {"a//b", number}, {"../x", number}}, step);
    }
    run.log(std::string(300, 'k'), 1, 0);
    run.log("nan", std::nan(""), 3);
    run.log("inf", HUGE_VAL, 3);
    run.log("step", 1, -5);
    run.log("step", 2, (std::int64_t{1} << 53) + 1);
    run.log("step", 3, 2);
    run.log("step", 4, 2);
    std::vector<std::uint8_t> pixels(40 * 60 * 3);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        pixels[i] = static_cast<std::uint8_t>(i / 28);
    }
    ImageView image;
    image.pixels = TensorView(pixels.data(), DType::U8, {40, 60, 3});
    for (Step step = 0; step < 3; ++step) {
        run.log_image("samples/digit", image, step);
    }
    image.pixels = TensorView(pixels.data(), DType::U8, {2, 20, 60, 3});
    run.log_image("pair", image, 4);
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
    mesh.faces = faces;
    run.log_mesh("mesh", mesh, 5);
    AudioView audio;
    audio.samples = TensorView(std::span<const float>(numbers));
    audio.sample_rate = 8000;
    run.log_audio("sound", audio, 5);
    run.log_figure("figure", R"({"data":[],"layout":{}})", 5);
    run.log_tensor("tensor", TensorView(std::span<const float>(numbers)), 5);
    run.alert("T", "text", AlertLevel::Warning);
    run.summary("best", std::int64_t{42});
    run.tag("late");
    const std::string file = root + "/weights.bin";
    std::ofstream(file) << "content";
    run.log_artifact("my model", file);
    std::puts("to stdout");
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    if (const auto done = run.finish(); !done.ok()) {
        std::fprintf(stderr, "%s\n", done.error().message.c_str());
        std::exit(1);
    }
}

/// `count` rows, one every 5 ms, so that the server can go and come back in between.
void write_slowly(const std::string& root, const std::string& uri, Step count) {
    RunOptions options = options_for(root, "slow1");
    options.finish_timeout = std::chrono::seconds(60);
    Run run = init(options);
    attach(run, uri);
    for (Step step = 0; step < count; ++step) {
        run.log({{"loss", static_cast<double>(step) * 0.5}, {"acc", static_cast<double>(-step)}},
                step);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (step == count / 4) {
            std::puts("ready");
            std::fflush(stdout);
        }
    }
    if (const auto done = run.finish(); !done.ok()) {
        std::fprintf(stderr, "%s\n", done.error().message.c_str());
    }
}

void write_attempt(const std::string& root, const std::string& uri, const std::string& id,
                   Step first, RunState end) {
    RunOptions options = options_for(root, id);
    if (first > 0) {
        options.resume_step = first;
    }
    options.finish_timeout = std::chrono::seconds(3);
    Run run = init(options);
    attach(run, uri);
    run.log_hparams({{"lr", first > 0 ? 0.2 : 0.1}});
    for (Step step = first; step < first + 10; ++step) {
        run.log("loss", static_cast<double>(step), step);
    }
    if (const auto done = run.finish(end); !done.ok()) {
        std::fprintf(stderr, "%s\n", done.error().message.c_str());
    }
}

/// Without a sink: for `taffrail sync --sink mlflow`.
void write_native(const std::string& root) {
    Run run = init(options_for(root, "native1"));
    run.log_hparams({{"lr", 0.1}});
    for (Step step = 0; step < 20; ++step) {
        run.log("loss", static_cast<double>(step), step);
    }
    (void)run.finish();
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) {
        return 2;
    }
    const std::string scenario = arguments[1], root = arguments[2], uri = arguments[3];
    if (scenario == "all") {
        write_all(root, uri);
    } else if (scenario == "slow") {
        write_slowly(root, uri, 2000);
    } else if (scenario == "first") {
        write_attempt(root, uri, "again1", 0, RunState::Failed);
    } else if (scenario == "second") {
        write_attempt(root, uri, "again1", 5, RunState::Finished);
    } else if (scenario == "native") {
        write_native(root);
    } else {
        return 2;
    }
    return 0;
}
