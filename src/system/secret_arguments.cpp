// Passwords in command lines, where no name stands in front of them: in a line of text, and in a
// list of arguments, where a flag and its value are two words.
#include "base/secret_names.h"
#include "base/strings.h"
#include "system/secret_rules.h"
#include "system/secrets.h"

#include <algorithm>
#include <array>

namespace taffrail::system {
namespace {

bool is_number(std::string_view text) {
    return parse_double(text).has_value();
}

/// "1000:1000" is a user and a group, as containers take them.
bool is_user_and_group(std::string_view account) {
    const std::size_t colon = account.find(':');
    return is_number(account.substr(0, colon)) && is_number(account.substr(colon + 1));
}

// No account is longer; a bound on how far one candidate is followed.
constexpr std::size_t kLongestAccount = 128;

// Which flag of which program takes a password as its next argument, or joined to it. The one that
// stands last in front of the flag decides: `sshpass -p … ssh -p 22` has a password and a port.
struct PasswordFlag {
    std::string_view program, flag;
    bool next, joined;
};

constexpr std::array<PasswordFlag, 15> kPasswordFlags = {{
    {"mysql", "-p", false, true},
    {"mysqldump", "-p", false, true},
    {"mysqladmin", "-p", false, true},
    {"mysqlimport", "-p", false, true},
    {"mariadb", "-p", false, true},
    {"mariadb-dump", "-p", false, true},
    {"sshpass", "-p", true, true},
    {"docker", "-p", false, false},  // a port, but for `login` below
    {"login", "-p", true, true},
    {"mongo", "-p", true, true},
    {"mongosh", "-p", true, true},
    {"mongodump", "-p", true, true},
    {"redis-cli", "-a", true, true},
    {"ldapsearch", "-w", true, true},
    {"unzip", "-P", true, true},
}};

bool is_program(std::string_view word) {
    return std::ranges::any_of(kPasswordFlags,
                               [&](const PasswordFlag& known) { return known.program == word; });
}

bool takes_port(std::string_view word) {
    constexpr std::array<std::string_view, 5> kOthers = {"ssh", "scp", "sftp", "rsync", "podman"};
    return std::ranges::find(kOthers, word) != kOthers.end();
}

const PasswordFlag* find_flag(std::string_view program, std::string_view argument) {
    const auto found = std::ranges::find_if(kPasswordFlags, [&](const PasswordFlag& known) {
        return known.program == program && argument.starts_with(known.flag);
    });
    return found == kPasswordFlags.end() ? nullptr : found;
}

bool is_account_flag(std::string_view argument) {
    constexpr std::array<std::string_view, 4> kFlags = {"-u", "--user", "-U", "--proxy-user"};
    return std::ranges::find(kFlags, argument) != kFlags.end();
}

/// "bob:hunter2" → "bob:[removed]".
std::string without_password(const std::string& account) {
    const std::size_t colon = account.find_first_of(":%");
    if (colon == std::string::npos || colon + 1 == account.size() || account[colon + 1] == '$' ||
        is_user_and_group(account)) {
        return scrub_text(account, SecretPlace::CommandLine);
    }
    return account.substr(0, colon + 1) + std::string(kRemoved);
}

/// `-phunter2` of a program nobody here knows: letters with digits or signs among them. `-parents`,
/// `-p8080` and `-print0` stay.
bool is_joined_password(std::string_view argument) {
    if (!argument.starts_with("-p") || argument.size() < 6 || argument == "-print0") {
        return false;
    }
    const std::string_view rest = argument.substr(2);
    const bool letters = std::ranges::any_of(
        rest, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
    const bool plain = std::ranges::all_of(rest, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    });
    // A path, a list, an assignment or a mapping of ports is no password.
    return letters && !plain && rest.find_first_of("/,=:") == std::string_view::npos &&
           !is_number(rest);
}

/// `--password=p;w&d`, `X-Api-Key: p;w`: an argument is one value to its end, whatever signs are in
/// it. Where its name ends, or npos.
std::size_t secret_value_start(std::string_view argument) {
    const std::size_t mark = argument.find_first_of("=:");
    if (mark == std::string_view::npos || mark == 0 ||
        !std::all_of(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(mark),
                     [](char c) { return kNameCharacters.holds(c); }) ||
        !is_secret_name(argument.substr(0, mark))) {
        return std::string_view::npos;
    }
    std::size_t start = argument.find_first_not_of(' ', mark + 1);
    for (const std::string_view scheme : {"Bearer ", "Basic ", "bearer ", "basic "}) {
        if (start != std::string_view::npos && argument.substr(start).starts_with(scheme)) {
            start += scheme.size();
        }
    }
    return start;
}

std::string scrub_argument(const std::string& argument) {
    if (const std::size_t start = secret_value_start(argument); start != std::string::npos) {
        const std::string_view value = std::string_view(argument).substr(start);
        const std::string_view name =
            std::string_view(argument).substr(0, argument.find_first_of("=:"));
        if (!is_harmless_value(name, value)) {
            return argument.substr(0, start) + std::string(kRemoved);
        }
        return argument;
    }
    if (is_joined_password(argument)) {
        return "-p" + std::string(kRemoved);
    }
    const std::size_t equals = argument.find('=');
    const std::size_t start = equals == std::string::npos ? 0 : equals + 1;
    if (looks_like_password(std::string_view(argument).substr(start))) {
        return argument.substr(0, start) + std::string(kRemoved);
    }
    return scrub_text(argument, SecretPlace::CommandLine);
}

}  // namespace

void remove_command_passwords(std::string& text) {
    constexpr std::array<std::string_view, 3> kUserFlags = {"-u ", "--user ", "--user="};
    constexpr std::array<std::string_view, 3> kClients = {"mysql", "mariadb", "sshpass"};
    constexpr CharacterSet kEnd{" \t\r\n\"'`;|&)"};
    // Only words that begin with one of these letters say anything.
    constexpr CharacterSet kBeginnings{"-ms\n"};
    const std::string_view all = text;
    Rewriter rewriter(all);
    bool is_client = false;  // one of kClients stands earlier in this line
    for (std::size_t i = kBeginnings.find_in(all); i < all.size();
         i = kBeginnings.find_in(all, i + 1)) {
        const std::string_view rest = all.substr(i, kLongestAccount);
        const auto starts = [&](std::string_view word) { return rest.starts_with(word); };
        if (rest.front() != '-') {
            is_client =
                rest.front() != '\n' && (is_client || std::ranges::any_of(kClients, starts));
            continue;
        }
        if (i > 0 && kNameCharacters.holds(all[i - 1])) {
            continue;
        }
        std::size_t secret = 0;  // where it begins behind i
        if (const auto flag = std::ranges::find_if(kUserFlags, starts); flag != kUserFlags.end()) {
            const std::string_view given = rest.substr(flag->size());
            const std::string_view account = given.substr(0, kEnd.find_in(given));
            const std::size_t colon = account.find(':');
            secret = colon == std::string_view::npos || is_user_and_group(account)
                         ? 0
                         : flag->size() + colon + 1;
        } else if (is_client && starts("-p") && rest.size() > 2) {
            secret = kEnd.holds(rest[2]) ? 0 : 2;
        }
        if (secret == 0) {
            continue;
        }
        const std::size_t end = kEnd.find_in(all, i + secret);
        if (end - i - secret < 4 || rest[secret] == '$') {
            continue;
        }
        rewriter.replace(i + secret, end, kRemoved);
        i = end - 1;
    }
    rewriter.finish(text);
}

std::vector<std::string> scrub_arguments(const std::vector<std::string>& arguments) {
    std::vector<std::string> out;
    std::string_view named;                  // the argument before, when its value is a secret
    std::string_view program;                // the last one whose flags are known
    bool account = false, password = false;  // what the argument before asks for
    for (const std::string& argument : arguments) {
        const std::string_view word = std::string_view(argument).substr(argument.rfind('/') + 1);
        const PasswordFlag* flag = find_flag(program, argument);
        const bool is_flag_alone = flag != nullptr && argument.size() == flag->flag.size();
        if ((!named.empty() && !argument.starts_with("--") &&
             !is_harmless_value(named, argument)) ||
            (password && !argument.starts_with("$"))) {
            out.emplace_back(kRemoved);
        } else if (account) {
            out.push_back(without_password(argument));
        } else if (flag != nullptr && flag->joined && !is_flag_alone &&
                   !argument.starts_with("--")) {
            out.push_back(std::string(flag->flag) + std::string(kRemoved));
        } else if (program == "curl" && argument.starts_with("-u") && argument.size() > 2) {
            out.push_back("-u" + without_password(argument.substr(2)));
        } else if (argument.starts_with("--user=") || argument.starts_with("--proxy-user=")) {
            const std::size_t value = argument.find('=') + 1;
            out.push_back(argument.substr(0, value) + without_password(argument.substr(value)));
        } else {
            out.push_back(scrub_argument(argument));
        }
        const bool is_named = argument.starts_with("-") &&
                              argument.find('=') == std::string::npos && is_secret_name(argument);
        named = is_named || argument == "Bearer" ? std::string_view(argument) : std::string_view();
        account = is_account_flag(argument);
        password = is_flag_alone && flag->next;
        if (is_program(word) || takes_port(word) || word == "curl") {
            program = word;
        }
    }
    return out;
}

}  // namespace taffrail::system
