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
               "/tmp/demo";
    }

    void declare(Arguments& arguments) override {
        arguments.choice("WHAT", what_, {"generate"},
                         "generate writes made-up runs; nothing trains the example");
        arguments.make_positional(false);
        declare_root(arguments, root_);
        arguments.option("--runs", options_.runs, "N", "how many runs (12)");
        arguments.option("--points", options_.points, "N", "points of each metric (2000)");
        arguments.option("--seed", seed_, "N", "the same number gives the same runs (1)");
        arguments.flag("--no-media", no_media_, "scalars only");
    }

    ExitCode run(Session& session) override {
        return what_ == "generate" ? generate(session) : train(session);
    }

  private:
    ExitCode generate(Session& session) {
        if (options_.runs < 1 || options_.points < 1) {
            return session.fail("--runs and --points must be at least 1");
        }
        options_.seed = static_cast<std::uint64_t>(seed_);
        options_.now_ns = session.now_ns;
        options_.media = !no_media_;
        const std::string root = default_root(root_);
        if (auto done = generate_demo_runs(root, options_); !done.ok()) {
            return session.fail(done.error());
        }
        session.print(std::to_string(options_.runs) + " runs in " + root +
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

    std::string what_, root_;
    DemoOptions options_;
    std::int64_t seed_ = 1;
    bool no_media_ = false;
};

}  // namespace

std::unique_ptr<Command> make_demo() {
    return std::make_unique<Demo>();
}

}  // namespace taffrail::cli
