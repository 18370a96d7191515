#include "cli/commands.h"
#include "cli/demo_data.h"
#include "cli/session.h"

#include <unistd.h>

namespace taffrail::cli {
namespace {

/// Where this program lies.
std::string own_folder() {
    char path[4096];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    const std::string program(path, size > 0 ? static_cast<std::size_t>(size) : 0);
    return program.substr(0, program.rfind('/'));
}

class Demo final : public Command {
  public:
    std::string_view name() const override { return "demo"; }

    std::string_view summary() const override {
        return "Trains the small example, or generates made-up runs";
    }

    std::string_view example() const override {
        return "taffrail demo\ntaffrail demo generate --runs 50 --points 10000 --seed 7 --root "
               "/tmp/demo\ntaffrail demo generate --runs 1000 --tags 12 --points 1000 --root "
               "/tmp/sweep";
    }

    void declare(Arguments& arguments) override {
        arguments.choice("WHAT", what_, {"generate"},
                         "generate writes made-up runs; nothing trains the example");
        arguments.make_positional(false);
        declare_root(arguments, root_);
        arguments.option("--runs", options_.runs, "N", "how many runs (12)");
        arguments.option("--points", options_.points, "N", "points of each metric (2000)");
        arguments.option("--tags", tags_, "N",
                         "plain series of each run of a sweep, instead of training runs");
        arguments.choice("--scene", scene_, {"training", "sweep", "images", "meshes"},
                         "what to make up (training)");
        arguments.option("--seed", seed_, "N", "the same number gives the same runs (1)");
        arguments.option("--end", end_, "SECONDS", "Unix time the newest run ends at (now)");
        arguments.flag("--no-media", no_media_, "training runs without pictures and other values");
    }

    ExitCode run(Session& session) override {
        return what_ == "generate" ? generate(session) : train(session);
    }

  private:
    ExitCode generate(Session& session) {
        if (options_.runs < 1 || options_.points < 1) {
            return session.fail("--runs and --points must be at least 1");
        }
        if (tags_ < 0 || (tags_ > 0 && !scene_.empty() && scene_ != "sweep")) {
            return session.fail(
                "--tags says how many series the runs of a sweep have; give it a "
                "number of at least 1 and no other --scene");
        }
        options_.seed = static_cast<std::uint64_t>(seed_);
        options_.now_ns = end_ > 0 ? end_ * 1'000'000'000 : session.now_ns;
        options_.tags = tags_ > 0 ? tags_ : options_.tags;
        options_.scene = tags_ > 0 || scene_ == "sweep" ? DemoScene::Sweep
                         : scene_ == "images"           ? DemoScene::Pictures
                         : scene_ == "meshes"           ? DemoScene::Meshes
                                                        : DemoScene::Training;
        options_.media = !no_media_;
        const std::string root = default_root(root_);
        if (auto done = generate_demo_runs(root, options_); !done.ok()) {
            return session.fail(done.error());
        }
        const bool single = options_.runs == 1 || scene_ == "images" || scene_ == "meshes";
        session.print((single ? "1 run in " : std::to_string(options_.runs) + " runs in ") + root +
                      "; look at them with: taffrail ui " + root + "\n");
        return ExitCode::Ok;
    }

    /// The example takes the place of this process: its exit code, signals and terminal are its
    /// own.
    ExitCode train(Session& session) const {
        std::string tried;
        for (const char* relative : {"/vae_digits", "/../examples/vae_digits/vae_digits",
                                     "/../libexec/taffrail/vae_digits"}) {
            const std::string program = own_folder() + relative;
            if (access(program.c_str(), X_OK) == 0) {
                execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
            }
            tried += (tried.empty() ? "" : ", ") + program;
        }
        return session.fail(
            "the example vae_digits is not installed beside this program (looked for " + tried +
            ")");
    }

    std::string what_, root_, scene_;
    DemoOptions options_;
    std::int64_t seed_ = 1, tags_ = 0, end_ = 0;
    bool no_media_ = false;
};

}  // namespace

std::unique_ptr<Command> make_demo() {
    return std::make_unique<Demo>();
}

}  // namespace taffrail::cli
