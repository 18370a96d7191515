// du: what runs cost.
#include "cli/commands.h"
#include "cli/disk_usage.h"
#include "cli/native_runs.h"
#include "cli/run_json.h"
#include "cli/text_format.h"
#include "terminal/format.h"
#include "terminal/text.h"

#include <algorithm>

namespace taffrail::cli {
namespace {

class Du final : public Command {
  public:
    std::string_view name() const override { return "du"; }

    std::string_view summary() const override { return "Shows the space runs take, largest first"; }

    std::string_view example() const override { return "taffrail du"; }

    void declare(Arguments& arguments) override {
        arguments.positional("RUNS", targets_, "names, ids or folders (default: all)", false);
        declare_targets(arguments, where_);
        declare_wide(arguments, wide_);
        arguments.flag("--json", json_, "for machines: bytes");
    }

    ExitCode run(Session& session) override {
        if (targets_.empty()) {
            targets_.emplace_back();
        }
        where_.deleted = TargetOptions::Deleted::Also;
        const auto found = find_native_runs(session, targets_, where_, Folders::OfManyRuns);
        if (!found.ok()) {
            return session.fail(found.error());
        }
        std::vector<std::pair<Usage, const NativeRun*>> rows;
        for (const NativeRun& run : *found) {
            rows.emplace_back(usage_of(run.folder), &run);
        }
        std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
            return a.first.total() > b.first.total();
        });
        json_ ? print_json(session, rows) : print_table(session, rows);
        return ExitCode::Ok;
    }

  private:
    using Rows = std::vector<std::pair<Usage, const NativeRun*>>;

    static void print_json(const Session& session, const Rows& rows) {
        JsonWriter json(1);
        json.begin_array();
        for (const auto& [usage, run] : rows) {
            json.begin_object()
                .member("id", run->info.id)
                .member("name", run->info.name)
                .member("bytes", usage.total());
            json.member("live", usage.live)
                .member("sealed", usage.sealed)
                .member("media", usage.media);
            json.member("other", usage.other).member("deleted", run->info.deleted).end_object();
        }
        session.print(json.end_array().text() + "\n");
    }

    void print_table(const Session& session, const Rows& rows) const {
        TextTable table;
        for (const char* title : {"TOTAL", "LIVE", "SEALED", "MEDIA", "OTHER"}) {
            table.column(title, TextTable::Align::Right);
        }
        table.column("RUN");
        const auto size = [](std::uint64_t bytes) {
            return terminal::format_bytes(static_cast<double>(bytes));
        };
        std::uint64_t sum = 0;
        for (const auto& [usage, run] : rows) {
            table.row({{size(usage.total()), Style::Bold},
                       size(usage.live),
                       size(usage.sealed),
                       size(usage.media),
                       size(usage.other),
                       run->info.name + (run->info.deleted ? " (deleted)" : "")});
            sum += usage.total();
        }
        session.print(table.render(session, "", fit_of(wide_)) + size(sum) + " in " +
                      std::to_string(rows.size()) + " runs\n");
    }

    std::vector<std::string> targets_;
    TargetOptions where_;
    bool wide_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_du() {
    return std::make_unique<Du>();
}

}  // namespace taffrail::cli
