#include "base/strings.h"
#include "cli/commands.h"
#include "cli/text_format.h"
#include "terminal/text.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

namespace taffrail::cli {
namespace {

class Tail final : public Command {
  public:
    std::string_view name() const override { return "tail"; }

    std::string_view summary() const override {
        return "Prints the newest points or console lines, and follows a live run";
    }

    std::string_view example() const override {
        return "taffrail tail vae-1 --follow --keys 'train/*'";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("RUN", target_, "name, id, run folder or logdir (default: the newest)",
                             false);
        declare_root(arguments, root_);
        arguments.count("-n,--lines", lines_, "N", "how many lines to begin with (10)");
        arguments.option("-k,--keys", pattern_, "GLOB", "only keys that match");
        arguments.flag("-c,--console", console_,
                       "captured output instead of points (its colours on a terminal only)");
        arguments.flag("-f,--follow", follow_, "go on until the run ends");
        arguments.option("--interval", interval_, "SECONDS", "how often to look (default 0.5)");
    }

    ExitCode run(Session& session) override;

  private:
    /// Prints what is new since the last call; the first call only the last `lines_`.
    void print_new(const Session& session, const RecordedRun& run);
    void print_console(const Session& session, const RecordedRun& run);

    std::string target_, root_, pattern_;
    std::int64_t lines_ = 10;
    bool console_ = false, follow_ = false, first_ = true;
    double interval_ = 0.5;
    using KeyName = std::pair<std::string, Kind>;  // a key may have several kinds
    std::map<KeyName, std::size_t> seen_;
    std::map<KeyName, std::pair<std::uint64_t, std::int64_t>> known_;
    std::size_t console_seen_ = 0;
};

void Tail::print_console(const Session& session, const RecordedRun& run) {
    auto lines = run.console(console_seen_, SIZE_MAX);
    console_seen_ += lines.size();
    const std::size_t skip = first_ && lines.size() > static_cast<std::size_t>(lines_)
                                 ? lines.size() - static_cast<std::size_t>(lines_)
                                 : 0;
    for (std::size_t i = skip; i < lines.size(); ++i) {
        // Colours of the program are for a terminal; a file or a pipe gets the words.
        const std::string text =
            session.looks().color ? lines[i].text : terminal::without_escapes(lines[i].text);
        session.print((lines[i].is_error ? session.styled(Style::Red, text) : text) + "\n");
    }
}

void Tail::print_new(const Session& session, const RecordedRun& run) {
    struct Line {
        std::int64_t time_ns;
        std::string text;
    };

    std::vector<Line> fresh;
    for (const KeyInfo& key : run.keys()) {
        const bool wanted =
            pattern_.empty() ? !key.key.starts_with("system/") : glob_match(pattern_, key.key);
        std::size_t& seen = seen_[{key.key, key.kind}];
        // Counts are of points that count: they may fall when a run is resumed.
        const std::pair now(key.count, key.scalar.last_time_ns);
        std::pair<std::uint64_t, std::int64_t>& known = known_[{key.key, key.kind}];
        if (!wanted || (known == now && seen > 0)) {
            continue;
        }
        known = now;
        const auto add = [&](std::int64_t time_ns, Step step, const std::string& value) {
            fresh.push_back(
                {time_ns, session.styled(Style::Dim, format_time_utc(time_ns).substr(11, 12)) +
                              "  step " + std::to_string(step) + "  " + key.key + "  " +
                              session.styled(Style::Bold, value) + "\n"});
        };
        if (key.kind == Kind::Scalar) {
            if (const auto points = run.points(key.key); points.ok()) {
                const std::vector<bool> superseded = run.superseded(*points);
                for (std::size_t i = std::min(seen, points->size()); i < points->size(); ++i) {
                    if (superseded.empty() || !superseded[i]) {
                        add((*points)[i].time_ns, (*points)[i].step,
                            short_number((*points)[i].value));
                    }
                }
                seen = points->size();
            }
        } else if (const auto entries = run.entries(key.key); entries.ok()) {
            for (std::size_t i = std::min(seen, entries->size()); i < entries->size(); ++i) {
                if (kind_of(*(*entries)[i].value) == key.kind) {
                    add((*entries)[i].time_ns, (*entries)[i].step,
                        std::string(to_string(key.kind)));
                }
            }
            seen = entries->size();
        }
    }
    std::stable_sort(fresh.begin(), fresh.end(),
                     [](const Line& a, const Line& b) { return a.time_ns < b.time_ns; });
    const std::size_t skip = first_ && fresh.size() > static_cast<std::size_t>(lines_)
                                 ? fresh.size() - static_cast<std::size_t>(lines_)
                                 : 0;
    for (std::size_t i = skip; i < fresh.size(); ++i) {
        session.print(fresh[i].text);
    }
}

ExitCode Tail::run(Session& session) {
    auto found = find_run(session, target_, root_);
    if (!found.ok()) {
        return session.fail(found.error());
    }
    RecordedRun& run = **found;
    for (;;) {
        const bool ended = run.info().state != RunState::Running;
        console_ ? print_console(session, run) : print_new(session, run);
        first_ = false;
        if (!follow_ || ended) {
            return ExitCode::Ok;
        }
        std::this_thread::sleep_for(
            std::chrono::duration<double>(std::clamp(interval_, 0.02, 60.0)));
        if (auto refreshed = run.refresh(); !refreshed.ok()) {
            return session.fail(refreshed.error());
        }
    }
}

}  // namespace

std::unique_ptr<Command> make_tail() {
    return std::make_unique<Tail>();
}

}  // namespace taffrail::cli
