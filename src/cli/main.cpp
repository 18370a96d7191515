// The taffrail command: one word, then what that word's command takes.
#include <taffrail/reader.h>

#include "cli/commands.h"
#include "cli/session.h"
#include "io/open_files.h"
#include "terminal/environment.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

namespace {

void write_to(std::FILE* file, std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size() && file == stdout) {
        _exit(1);  // the reader is gone (a closed pipe): nothing left to say it to
    }
}

}  // namespace

int main(int count, char** values) {
    using namespace taffrail::cli;
    std::signal(SIGPIPE, SIG_IGN);
    taffrail::io::raise_open_file_limit();
    try {
        Parsed parsed = parse(std::vector<std::string>(values + 1, values + count), all_commands());
        if (!parsed.command) {
            write_to(parsed.code == ExitCode::Ok ? stdout : stderr, parsed.text);
            return static_cast<int>(parsed.code);
        }
        Looks looks;
        looks.color = taffrail::terminal::wants_color(STDOUT_FILENO);
        looks.utf8 = taffrail::terminal::is_utf8() || isatty(STDOUT_FILENO) == 0;
        // Output for a file or a pipe is never cut.
        looks.width = isatty(STDOUT_FILENO) == 1
                          ? taffrail::terminal::size_of_terminal(STDOUT_FILENO).columns
                          : 10000;
        Session session(
            looks, [](std::string_view text) { write_to(stdout, text); },
            [](std::string_view text) {
                std::fflush(stdout);
                write_to(stderr, text);
            },
            [](std::string_view path) { return taffrail::read(path); });
        const ExitCode code = parsed.command->run(session);
        return std::fflush(stdout) == 0 ? static_cast<int>(code) : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "taffrail: %s\n", error.what());
        return 1;
    }
}
