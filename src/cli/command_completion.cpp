// Shell completion scripts, made from the same declarations as --help.
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/session.h"

#include <algorithm>

namespace taffrail::cli {
namespace {

struct Described {
    std::string name, summary;
    std::vector<Argument> arguments;
};

std::vector<Described> describe_all() {
    std::vector<Described> all;
    for (const CommandFactory& make : all_commands()) {
        const auto command = make();
        Arguments arguments;
        command->declare(arguments);
        all.push_back(
            {std::string(command->name()), std::string(command->summary()), arguments.all()});
    }
    return all;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

std::vector<std::string> options_of(const Described& command) {
    std::vector<std::string> names{"--help"};
    for (const Argument& argument : command.arguments) {
        for (std::string_view name : split(argument.names, ',')) {
            if (!argument.is_positional) {
                names.emplace_back(name);
            }
        }
    }
    return names;
}

std::string bash_script() {
    std::string names, cases;
    for (const Described& command : describe_all()) {
        names += (names.empty() ? "" : " ") + command.name;
        std::string values;
        for (const Argument& argument : command.arguments) {
            if (!argument.choices.empty() && !argument.is_positional) {
                std::string patterns = argument.names;
                std::replace(patterns.begin(), patterns.end(), ',', '|');
                values += "            " + patterns + ") COMPREPLY=($(compgen -W \"" +
                          joined(argument.choices) + "\" -- \"$current\")); return ;;\n";
            }
        }
        std::string words = joined(options_of(command));
        for (const Argument& argument : command.arguments) {
            if (argument.is_positional && !argument.choices.empty()) {
                words += " " + joined(argument.choices);
            }
        }
        cases += "    " + command.name + ")\n";
        if (!values.empty()) {
            cases += "        case \"$previous\" in\n" + values + "        esac\n";
        }
        cases += "        words=\"" + words + "\" ;;\n";
    }
    return "# bash completion for taffrail; load it with: source <(taffrail completion bash)\n"
           "_taffrail() {\n"
           "    local current=\"${COMP_WORDS[COMP_CWORD]}\" "
           "previous=\"${COMP_WORDS[COMP_CWORD-1]}\" words=\"\"\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"" +
           names +
           "\" -- \"$current\"))\n        return\n    fi\n"
           "    case \"${COMP_WORDS[1]}\" in\n" +
           cases +
           "    esac\n"
           "    case \"$current\" in\n"
           "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
           "    *) COMPREPLY=($(compgen -W \"${words//--[a-z-]*/}\" -- \"$current\") $(compgen -f "
           "-- \"$current\")) ;;\n"
           "    esac\n"
           "}\n"
           "complete -o filenames -F _taffrail taffrail\n";
}

/// Text inside single quotes of a shell, without what zsh and fish treat specially.
std::string plain(std::string text) {
    for (char& c : text) {
        c = c == '\'' || c == '[' || c == ']' || c == ':' ? ' ' : c;
    }
    return text;
}

std::string zsh_script() {
    std::string names, cases;
    for (const Described& command : describe_all()) {
        names += "        '" + command.name + ":" + plain(command.summary) + "'\n";
        cases += "    " + command.name + ")\n        _arguments '--help[this page]'";
        for (const Argument& argument : command.arguments) {
            if (argument.is_positional) {
                cases += argument.choices.empty()
                             ? " '*:" + argument.names + ":_files'"
                             : " '1:" + argument.names + ":(" + joined(argument.choices) + ")'";
                continue;
            }
            for (std::string_view name : split(argument.names, ',')) {
                cases += " '" + std::string(name) + "[" + plain(argument.help) + "]";
                if (!argument.value_name.empty()) {
                    cases += ":" + argument.value_name + ":";
                    cases += argument.choices.empty() ? (argument.takes_path ? "_files" : " ")
                                                      : "(" + joined(argument.choices) + ")";
                }
                cases += "'";
            }
        }
        cases += " ;;\n";
    }
    return "#compdef taffrail\n# zsh completion for taffrail; load it with: source <(taffrail "
           "completion zsh)\n"
           "_taffrail() {\n    local -a commands\n    commands=(\n" +
           names +
           "    )\n    if (( CURRENT == 2 )); then\n        _describe 'command' commands\n        "
           "return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command "
           "in\n" +
           cases + "    esac\n}\ncompdef _taffrail taffrail\n";
}

std::string fish_script() {
    std::string text =
        "# fish completion for taffrail; load it with: taffrail completion fish | source\n";
    for (const Described& command : describe_all()) {
        text += "complete -c taffrail -n __fish_use_subcommand -f -a " + command.name + " -d '" +
                plain(command.summary) + "'\n";
        for (const Argument& argument : command.arguments) {
            std::string line =
                "complete -c taffrail -n '__fish_seen_subcommand_from " + command.name + "'";
            if (argument.is_positional) {
                if (!argument.choices.empty()) {
                    text += line + " -f -a '" + joined(argument.choices) + "'\n";
                }
                continue;
            }
            for (std::string_view name : split(argument.names, ',')) {
                line += name.starts_with("--") ? " -l " + std::string(name.substr(2))
                                               : " -s " + std::string(name.substr(1));
            }
            if (!argument.value_name.empty()) {
                line += argument.choices.empty() ? (argument.takes_path ? " -r" : " -x")
                                                 : " -x -a '" + joined(argument.choices) + "'";
            }
            text += line + " -d '" + plain(argument.help) + "'\n";
        }
    }
    return text;
}

class Completion final : public Command {
  public:
    std::string_view name() const override { return "completion"; }

    std::string_view summary() const override { return "Prints a completion script for a shell"; }

    std::string_view example() const override { return "source <(taffrail completion bash)"; }

    void declare(Arguments& arguments) override {
        arguments.choice("SHELL", shell_, {"bash", "zsh", "fish"}, "which shell");
        arguments.make_positional(true);
    }

    ExitCode run(Session& session) override {
        session.print(shell_ == "bash"  ? bash_script()
                      : shell_ == "zsh" ? zsh_script()
                                        : fish_script());
        return ExitCode::Ok;
    }

  private:
    std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion() {
    return std::make_unique<Completion>();
}

}  // namespace taffrail::cli
