// The commands as the command line calls them, without its parser.
#include "base/strings.h"
#include "cli/args.h"
#include "cli/session.h"
#include "exercise.h"
#include "io/files.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace taffrail::cli {

// Each stands in the file of its command; the list of all is made for the command line, which this
// leaves out.
std::unique_ptr<Command> make_compare();
std::unique_ptr<Command> make_du();
std::unique_ptr<Command> make_export();
std::unique_ptr<Command> make_gc();
std::unique_ptr<Command> make_import();
std::unique_ptr<Command> make_ls();
std::unique_ptr<Command> make_note();
std::unique_ptr<Command> make_restore();
std::unique_ptr<Command> make_rm();
std::unique_ptr<Command> make_seal();
std::unique_ptr<Command> make_show();
std::unique_ptr<Command> make_tag();
std::unique_ptr<Command> make_tail();
std::unique_ptr<Command> make_verify();

}  // namespace taffrail::cli

namespace taffrail::fuzzing {
namespace {

// Runs of the seeds are years old then: what waits for a day of grace is due.
constexpr std::int64_t kNow = 2'000'000'000'000'000'000;

struct Setting {
    std::string_view name;
    std::string value = {};
};

bool is_called(const cli::Argument& argument, std::string_view name) {
    return std::ranges::any_of(split(argument.names, ','),
                               [&](std::string_view each) { return each == name; });
}

void call(const cli::CommandFactory& make, const std::vector<Setting>& settings) {
    const auto command = make();
    cli::Arguments arguments;
    command->declare(arguments);
    for (const Setting& setting : settings) {
        const auto found = std::ranges::find_if(
            arguments.all(), [&](const auto& each) { return is_called(each, setting.name); });
        // An option that was renamed must not go untried in silence.
        if (found == arguments.all().end() || !found->set(setting.value).ok()) {
            std::fprintf(stderr, "%s takes no %s\n", std::string(command->name()).c_str(),
                         std::string(setting.name).c_str());
            std::abort();
        }
    }
    cli::Session session(
        {.color = true, .utf8 = true, .width = 80}, [](std::string_view) {},
        [](std::string_view) {}, [](std::string_view path) { return read(path); });
    session.now_ns = kNow;
    (void)command->run(session);
}

}  // namespace

void call_looking_commands(const std::string& root) {
    call(cli::make_ls, {{"PATH", root},
                        {"--filter", "loss < 1 or lr > 0"},
                        {"--columns", "loss,lr"},
                        {"--sort", "loss"},
                        {"--all"}});
    call(cli::make_ls, {{"PATH", root}, {"--json"}, {"--all"}});
    call(cli::make_show, {{"--root", root}, {"--environment"}, {"--system"}});
    call(cli::make_show, {{"--root", root}, {"--json"}});
    call(cli::make_compare, {{"RUNS", root}, {"RUNS", root}, {"--all"}});
    call(cli::make_tail, {{"--root", root}, {"--lines", "20"}});
    call(cli::make_tail, {{"--root", root}, {"--console"}, {"--json"}});
    call(cli::make_verify, {{"RUNS", root}, {"--json"}});
    call(cli::make_du, {{"RUNS", root}});
}

void call_copying_commands(const std::string& root, const std::string& scratch) {
    call(cli::make_export, {{"RUNS", root}, {"--media", io::join(scratch, "media")}});
    call(cli::make_export, {{"RUNS", root}, {"--format", "csv"}, {"--attempts", "all"}});
    call(cli::make_export, {{"RUNS", root}, {"--format", "csv"}, {"--wide"}});
    call(cli::make_export, {{"RUNS", root}, {"--format", "parquet"}});
    call(cli::make_export,
         {{"RUNS", root}, {"--format", "tensorboard"}, {"--output", io::join(scratch, "logdir")}});
    call(cli::make_import, {{"PATHS", root}, {"--root", io::join(scratch, "imported")}});
    (void)io::remove_tree(scratch);
}

void call_changing_commands(const std::string& root) {
    call(cli::make_tag, {{"RUN", root}, {"TAGS", "seen"}, {"--all"}});
    call(cli::make_note, {{"RUN", root}, {"TEXT", "looked at"}, {"--all"}});
    call(cli::make_seal, {{"RUNS", root}, {"--all"}});
    call(cli::make_gc, {{"--root", root}, {"--yes"}});
    call(cli::make_show, {{"--root", root}, {"--json"}});
    call(cli::make_rm, {{"RUNS", root}, {"--all"}, {"--yes"}});
    call(cli::make_restore, {{"RUNS", root}, {"--all"}});
    call(cli::make_rm, {{"RUNS", root}, {"--all"}, {"--yes"}});
    call(cli::make_gc, {{"--root", root}, {"--yes"}, {"--json"}});
}

}  // namespace taffrail::fuzzing
