#include "base/strings.h"
#include "cli/commands.h"
#include "cli/demo/train_example.h"
#include "cli/demo_data.h"
#include "cli/session.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace taffrail::cli {
namespace {

bool has_dashboard() {
    return std::ranges::any_of(all_commands(),
                               [](const CommandFactory& make) { return make()->name() == "ui"; });
}

class Demo final : public Command {
  public:
    std::string_view name() const override { return "demo"; }

    std::string_view summary() const override {
        return "Trains the small example, or generates made-up runs";
    }

    std::string_view example() const override {
        return "taffrail demo\ntaffrail demo --root /tmp/demo -- trainer.max_epochs=1\ntaffrail "
               "demo generate --runs 50 --points 10000 --seed 7 --root "
               "/tmp/demo\ntaffrail demo generate --runs 1000 --tags 12 --points 1000 --root "
               "/tmp/sweep";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("WHAT", words_,
                             "generate writes made-up runs; nothing, or settings of the example "
                             "(key=value), trains it and opens the dashboard",
                             false);
        declare_root(arguments, root_);
        arguments.flag("--exit", exit_, "end after the training, without the dashboard");
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
        if (!words_.empty() && words_[0] == "generate") {
            return words_.size() == 1
                       ? generate(session)
                       : session.wrong_usage("demo generate takes no '" + words_[1] + "'");
        }
        return train(session);
    }

  private:
    ExitCode generate(Session& session) {
        if (options_.runs < 1 || options_.points < 1) {
            return session.wrong_usage("--runs and --points must be at least 1");
        }
        if (tags_ < 0 || (tags_ > 0 && !scene_.empty() && scene_ != "sweep")) {
            return session.wrong_usage(
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

    /// Options of `generate` would go unheard when the example is trained.
    [[nodiscard]] bool has_generate_options() const {
        const DemoOptions defaults;
        return options_.runs != defaults.runs || options_.points != defaults.points || tags_ != 0 ||
               end_ != 0 || seed_ != 1 || no_media_ || !scene_.empty();
    }

    ExitCode train(Session& session) const {
        for (const std::string& word : words_) {
            const bool is_setting =
                word.find('=') != std::string::npos || word.find_first_of("-+~") == 0;
            if (!is_setting) {
                const std::vector<std::string> known{"generate"};
                return session.wrong_usage(
                    "demo: '" + word + "' is neither generate nor a setting " +
                    "of the example (key=value)" + did_you_mean(word, known));
            }
        }
        if (has_generate_options()) {
            return session.wrong_usage(
                "demo: these options make up runs; say: taffrail demo generate …");
        }
        const std::string root = default_root(root_);
        const auto code = train_example(root, words_);
        if (!code.ok()) {
            return session.fail(code.error());
        }
        if (*code != 0) {
            return *code == static_cast<int>(ExitCode::Usage) ? ExitCode::Usage : ExitCode::Failed;
        }
        session.print("Look at it with: taffrail ui " + root + "\n");
        std::fflush(stdout);
        if (!exit_ && has_dashboard() && isatty(STDOUT_FILENO) == 1) {
            execl("/proc/self/exe", "taffrail", "ui", root.c_str(), static_cast<char*>(nullptr));
            return session.fail("the dashboard cannot be started");
        }
        return ExitCode::Ok;
    }

    std::vector<std::string> words_;
    std::string root_, scene_;
    DemoOptions options_;
    std::int64_t seed_ = 1, tags_ = 0, end_ = 0;
    bool no_media_ = false, exit_ = false;
};

}  // namespace

std::unique_ptr<Command> make_demo() {
    return std::make_unique<Demo>();
}

}  // namespace taffrail::cli
