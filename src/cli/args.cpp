// The only file that knows CLI11.
#include "cli/args.h"

#include "base/strings.h"
#include "terminal/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace taffrail::cli {
namespace {

std::string title_of(const Argument& argument) {
    if (argument.is_positional) {
        return argument.names + (argument.is_repeated ? "…" : "");
    }
    std::string title;
    for (std::string_view name : split(argument.names, ',')) {
        title += title.empty() ? "" : ", ";
        title += name;
    }
    return argument.value_name.empty() ? title : title + " " + argument.value_name;
}

void append_rows(std::string& text, std::string_view title,
                 const std::vector<std::pair<std::string, std::string>>& rows) {
    if (rows.empty()) {
        return;
    }
    std::size_t width = 0;
    for (const auto& [left, right] : rows) {
        width = std::max(width, std::min<std::size_t>(terminal::display_width(left), 28));
    }
    text += "\n" + std::string(title) + ":\n";
    for (const auto& [left, right] : rows) {
        const std::size_t columns = terminal::display_width(left);
        text += "  " + left + std::string(columns < width ? width - columns + 2 : 2, ' ') + right +
                "\n";
    }
}

std::string help_with(Command& command, const Arguments& arguments) {
    std::string text =
        std::string(command.summary()) + "\n\nUsage: taffrail " + std::string(command.name());
    std::vector<std::pair<std::string, std::string>> positionals, options;
    for (const Argument& argument : arguments.all()) {
        std::string help = argument.help;
        if (!argument.choices.empty()) {
            help += " (";
            for (std::size_t i = 0; i < argument.choices.size(); ++i) {
                help += (i == 0 ? "" : ", ") + argument.choices[i];
            }
            help += ")";
        }
        (argument.is_positional ? positionals : options)
            .emplace_back(title_of(argument), std::move(help));
        if (argument.is_positional) {
            text +=
                argument.is_required ? " " + title_of(argument) : " [" + title_of(argument) + "]";
        }
    }
    options.emplace_back("-h, --help", "this page");
    text += " [options]\n";
    append_rows(text, "Arguments", positionals);
    append_rows(text, "Options", options);
    text += "\nExample:\n";
    for (std::string_view line : split(command.example(), '\n')) {
        text += "  " + std::string(line) + "\n";
    }
    return text;
}

std::string overview(const std::vector<std::unique_ptr<Command>>& commands) {
    std::string text =
        "Records training runs and shows them.\n\nUsage: taffrail COMMAND [options]\n";
    std::vector<std::pair<std::string, std::string>> rows;
    for (const auto& command : commands) {
        rows.emplace_back(command->name(), command->summary());
    }
    append_rows(text, "Commands", rows);
    return text +
           "\n`taffrail COMMAND --help` shows options and an example. Exit codes: 0 done, 1 "
           "failed, 2 wrong usage.\n";
}

Parsed wrong(std::string message) {
    return {nullptr, "taffrail: " + std::move(message) + "\n", ExitCode::Usage};
}

/// Every `--name` and `-n` of the command, for suggestions.
std::vector<std::string> option_names(const Arguments& arguments) {
    std::vector<std::string> names{"--help"};
    for (const Argument& argument : arguments.all()) {
        for (std::string_view name : split(argument.names, ',')) {
            if (!argument.is_positional) {
                names.emplace_back(name);
            }
        }
    }
    return names;
}

void add_to(CLI::App& app, const Argument& argument, std::string& problem) {
    const auto set = [&argument, &problem](const std::string& text) {
        if (auto done = argument.set(text); !done.ok() && problem.empty()) {
            problem = title_of(argument) + ": " + done.error().message;
        }
        return true;
    };
    if (argument.is_positional || !argument.value_name.empty()) {
        auto* option = app.add_option(argument.names, [set](const CLI::results_t& values) {
            return std::all_of(values.begin(), values.end(), set);
        });
        option->expected(argument.is_repeated ? (argument.is_positional ? -1 : 1) : 1);
        option->required(argument.is_required);
        option->multi_option_policy(argument.is_repeated ? CLI::MultiOptionPolicy::TakeAll
                                                         : CLI::MultiOptionPolicy::TakeLast);
        if (argument.is_repeated && !argument.is_positional) {
            option->allow_extra_args(false);
        }
    } else {
        app.add_flag_callback(argument.names, [set] { set(""); });
    }
}

}  // namespace

Parsed parse(const std::vector<std::string>& line, const std::vector<CommandFactory>& factories) {
    std::vector<std::unique_ptr<Command>> commands;
    std::vector<std::string> names;
    for (const CommandFactory& make : factories) {
        commands.push_back(make());
        names.emplace_back(commands.back()->name());
    }
    if (line.empty()) {
        return {nullptr, overview(commands), ExitCode::Usage};
    }
    if (line[0] == "--help" || line[0] == "-h" || (line[0] == "help" && line.size() == 1)) {
        return {nullptr, overview(commands), ExitCode::Ok};
    }
    const bool asks_help = line[0] == "help";
    const std::string& wanted = asks_help ? line[1] : line[0] == "--version" ? "version" : line[0];
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const auto& c) { return c->name() == wanted; });
    if (found == commands.end()) {
        return wrong("no command '" + wanted + "'" + did_you_mean(wanted, names) +
                     " (taffrail --help lists them)");
    }
    std::unique_ptr<Command> command = std::move(*found);
    Arguments arguments;
    command->declare(arguments);
    const std::vector<std::string> rest(line.begin() + 1, line.end());
    if (asks_help || std::find_if(rest.begin(), rest.end(), [](const auto& word) {
                         return word == "--help" || word == "-h";
                     }) != rest.end()) {
        return {nullptr, help_with(*command, arguments), ExitCode::Ok};
    }

    CLI::App app;
    app.set_help_flag();
    std::string problem;
    for (const Argument& argument : arguments.all()) {
        add_to(app, argument, problem);
    }
    const std::string hint = " (taffrail " + std::string(command->name()) + " --help)";
    try {
        app.parse(std::vector<std::string>(rest.rbegin(), rest.rend()));
    } catch (const CLI::ExtrasError&) {
        const std::vector<std::string> known = option_names(arguments);
        for (const std::string& word : app.remaining()) {
            const std::string name = word.substr(0, word.find('='));
            return wrong(std::string(command->name()) + ": '" + word + "' is not understood" +
                         did_you_mean(name, known) + hint);
        }
    } catch (const CLI::Error& error) {
        return wrong(std::string(command->name()) + ": " + error.what() + hint);
    }
    if (!problem.empty()) {
        return wrong(std::string(command->name()) + ": " + problem + hint);
    }
    return {std::move(command), "", ExitCode::Ok};
}

}  // namespace taffrail::cli
