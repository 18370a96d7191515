#include "base/strings.h"
#include "cli/args.h"

namespace taffrail::cli {
namespace {

Argument make(std::string names, std::string value_name, std::string help) {
    Argument argument;
    argument.names = std::move(names);
    argument.value_name = std::move(value_name);
    argument.help = std::move(help);
    return argument;
}

Error not_a_number(const std::string& text) {
    return Error{ErrorCode::InvalidArgument, "'" + text + "' is not a number"};
}

}  // namespace

void Arguments::flag(std::string names, bool& target, std::string help) {
    Argument argument = make(std::move(names), "", std::move(help));
    argument.set = [&target](const std::string&) -> Result<void> {
        target = true;
        return {};
    };
    all_.push_back(std::move(argument));
}

void Arguments::option(std::string names, std::string& target, std::string value_name,
                       std::string help) {
    Argument argument = make(std::move(names), std::move(value_name), std::move(help));
    argument.set = [&target](const std::string& text) -> Result<void> {
        target = text;
        return {};
    };
    all_.push_back(std::move(argument));
}

void Arguments::option(std::string names, std::int64_t& target, std::string value_name,
                       std::string help) {
    Argument argument = make(std::move(names), std::move(value_name), std::move(help));
    argument.set = [&target](const std::string& text) -> Result<void> {
        const auto number = parse_int(text);
        if (!number) {
            return not_a_number(text);
        }
        target = *number;
        return {};
    };
    all_.push_back(std::move(argument));
}

void Arguments::count(std::string names, std::int64_t& target, std::string value_name,
                      std::string help) {
    option(std::move(names), target, std::move(value_name), std::move(help));
    all_.back().set = [&target, take = std::move(all_.back().set)](const std::string& text) {
        auto taken = take(text);
        if (taken.ok() && target < 0) {
            return Result<void>(
                Error{ErrorCode::InvalidArgument, "must be 0 or more, not " + text});
        }
        return taken;
    };
}

void Arguments::option(std::string names, double& target, std::string value_name,
                       std::string help) {
    Argument argument = make(std::move(names), std::move(value_name), std::move(help));
    argument.set = [&target](const std::string& text) -> Result<void> {
        const auto number = parse_double(text);
        if (!number) {
            return not_a_number(text);
        }
        target = *number;
        return {};
    };
    all_.push_back(std::move(argument));
}

void Arguments::option(std::string names, std::vector<std::string>& target, std::string value_name,
                       std::string help) {
    Argument argument = make(std::move(names), std::move(value_name), std::move(help));
    argument.is_repeated = true;
    argument.set = [&target](const std::string& text) -> Result<void> {
        target.push_back(text);
        return {};
    };
    all_.push_back(std::move(argument));
}

void Arguments::path_option(std::string names, std::string& target, std::string value_name,
                            std::string help) {
    option(std::move(names), target, std::move(value_name), std::move(help));
    all_.back().takes_path = true;
}

void Arguments::choice(std::string names, std::string& target, std::vector<std::string> choices,
                       std::string help) {
    option(std::move(names), target, "NAME", std::move(help));
    Argument& argument = all_.back();
    argument.choices = std::move(choices);
    argument.set = [&target, known = argument.choices](const std::string& text) -> Result<void> {
        for (const std::string& choice : known) {
            if (choice == text) {
                target = text;
                return {};
            }
        }
        std::string list;
        for (const std::string& choice : known) {
            list += (list.empty() ? "" : ", ") + choice;
        }
        return Error{ErrorCode::InvalidArgument,
                     "'" + text + "' is none of " + list + did_you_mean(text, known)};
    };
}

void Arguments::positional(std::string name, std::string& target, std::string help, bool required) {
    option(std::move(name), target, "", std::move(help));
    make_positional(required);
    all_.back().takes_path = true;
}

void Arguments::positional(std::string name, std::optional<std::string>& target, std::string help) {
    Argument argument = make(std::move(name), "", std::move(help));
    argument.set = [&target](const std::string& text) -> Result<void> {
        target = text;
        return {};
    };
    all_.push_back(std::move(argument));
    make_positional(false);
}

void Arguments::positional(std::string name, std::vector<std::string>& target, std::string help,
                           bool required) {
    option(std::move(name), target, "", std::move(help));
    make_positional(required);
    all_.back().takes_path = true;
}

void Arguments::make_positional(bool required) {
    all_.back().value_name.clear();
    all_.back().is_positional = true;
    all_.back().is_required = required;
}

}  // namespace taffrail::cli
