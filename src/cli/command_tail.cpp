#include "base/strings.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/damage.h"
#include "cli/targets.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"
#include "store/console_end.h"
#include "store/console_tail.h"
#include "terminal/text.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
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
        declare_targets(arguments, where_);
        arguments.count("-n,--lines", lines_, "N", "how many lines to begin with (10)");
        arguments.option("-k,--keys", pattern_, "GLOB", "only keys that match");
        arguments.flag("-c,--console", console_,
                       "captured output instead of points (its colours on a terminal only)");
        arguments.flag("-f,--follow", follow_, "go on until the run ends");
        arguments.option("--interval", interval_, "SECONDS", "how often to look (default 0.5)");
        declare_wide(arguments, wide_);
        arguments.flag("--json", json_, "for machines: one object a line");
    }

    ExitCode run(Session& session) override;

  private:
    void print_record(const Session& session, const Record& record) const;
    /// Prints what is new since the last call; the first call only the last `lines_`. `ended`:
    /// there will be no more.
    Result<void> print_console(const Session& session, const RecordedRun& run, bool ended);
    [[nodiscard]] Result<std::vector<ConsoleLine>> new_lines(const RecordedRun& run, bool ended);
    void print_line(const Session& session, const ConsoleLine& line) const;
    [[nodiscard]] TailRequest request() const;

    TargetOptions where_;
    std::string target_, pattern_;
    std::int64_t lines_ = 10;
    bool console_ = false, follow_ = false, wide_ = false, json_ = false, first_ = true;
    double interval_ = 0.5;
    std::size_t console_seen_ = 0;
    std::unique_ptr<store::ConsoleTail> followed_;
};

void Tail::print_line(const Session& session, const ConsoleLine& line) const {
    if (json_) {
        JsonWriter json;
        json.begin_object().member("time", line.time_ns).member("is_error", line.is_error);
        json.member("rank", line.rank).member("text", line.text).end_object();
        session.print(json.text() + "\n");
        return;
    }
    // Colours of the program are for a terminal; a file or a pipe gets the words.
    if (session.looks().color && !line.is_error) {
        session.print(terminal::with_colors_only(line.text) + "\n");
    } else {
        session.print(session.styled(line.is_error ? Style::Red : Style::Plain,
                                     terminal::without_escapes(line.text)) +
                      "\n");
    }
}

Result<std::vector<ConsoleLine>> Tail::new_lines(const RecordedRun& run, bool ended) {
    const auto count = static_cast<std::size_t>(lines_);
    std::optional<std::vector<ConsoleLine>> lines;
    if (followed_) {
        TAFFRAIL_ASSIGN(lines, followed_->next());
    } else if (first_ && run.info().source == "taffrail" && !follow_) {
        lines = store::last_console_lines(run.info().location, count);
    } else if (first_ && run.info().source == "taffrail") {
        followed_ = std::make_unique<store::ConsoleTail>(run.info().location);
        lines = followed_->begin(count);
        if (!lines) {
            followed_.reset();
        }
    }
    if (followed_ && ended) {
        std::ranges::move(followed_->open_lines(), std::back_inserter(*lines));
    }
    if (!lines) {
        lines = run.console(console_seen_, SIZE_MAX);
        console_seen_ += lines->size();
    }
    if (first_ && lines->size() > count) {
        lines->erase(lines->begin(), lines->end() - lines_);
    }
    return *std::move(lines);
}

Result<void> Tail::print_console(const Session& session, const RecordedRun& run, bool ended) {
    TAFFRAIL_ASSIGN(const std::vector<ConsoleLine> lines, new_lines(run, ended));
    for (const ConsoleLine& line : lines) {
        print_line(session, line);
    }
    return {};
}

void Tail::print_record(const Session& session, const Record& record) const {
    const bool is_scalar = record.kind == Kind::Scalar;
    if (json_) {
        JsonWriter json;
        json.begin_object()
            .member("key", record.key)
            .member("kind", to_string(record.kind))
            .member("step", record.step);
        json.member("time", record.time_ns)
            .member("rank", record.rank)
            .member("attempt", record.attempt)
            .key("value");
        is_scalar ? json.value(record.scalar) : json.null();
        session.print(json.end_object().text() + "\n");
        return;
    }
    const std::string key = terminal::without_controls(record.key);
    session.print(session.styled(Style::Dim, format_time_utc(record.time_ns).substr(11, 12)) +
                  "  step " + std::to_string(record.step) + "  " +
                  (wide_ ? key : terminal::cut_middle(key, kWidestCell)) + "  " +
                  session.styled(Style::Bold, is_scalar ? short_number(record.scalar)
                                                        : std::string(to_string(record.kind))) +
                  "\n");
}

TailRequest Tail::request() const {
    return {static_cast<std::size_t>(lines_), [this](std::string_view key) {
                return pattern_.empty() ? !key.starts_with("system/") : glob_match(pattern_, key);
            }};
}

ExitCode Tail::run(Session& session) {
    auto found = find_run(session, target_, where_);
    if (!found.ok()) {
        return session.fail(found.error());
    }
    RecordedRun& run = **found;
    const auto tail = run.tail(request());
    if (!tail.ok()) {
        return session.fail(tail.error());
    }
    bool is_known = console_;
    for (;;) {
        // Asked before the look: what is logged last must not be missed.
        const bool ended = run.info().state != RunState::Running;
        if (console_) {
            if (const auto shown = print_console(session, run, ended); !shown.ok()) {
                return session.fail(shown.error());
            }
        } else if (const auto shown = (*tail)->next([&](const Record& record) {
                       is_known = true;
                       print_record(session, record);
                   });
                   !shown.ok()) {
            return session.fail(shown.error());
        }
        session.flush();
        if (!is_known && (!follow_ || ended)) {
            if (const auto known = keys_fit(run.keys(), pattern_, "key"); !known.ok()) {
                return session.fail(known.error());
            }
        }
        first_ = false;
        if (!follow_ || ended) {
            return report_damage(session, run.info().name, run.damage_met());
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
