// The taffrail command: one word, then what that word's command takes.
#include <taffrail/reader.h>

#include "cli/commands.h"
#include "cli/session.h"
#include "io/open_files.h"
#include "terminal/environment.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

namespace {

/// Ends the program: what it has to say cannot be written. A reader that went away is told nothing,
/// everything else (a full disk) is an error like any other.
[[noreturn]] void give_up(int error_number) {
    if (error_number != EPIPE) {
        std::fprintf(stderr,
                     "taffrail: cannot write to standard output: %s; free some space or write "
                     "elsewhere\n",
                     std::strerror(error_number));
    }
    _exit(1);  // what is left in the buffer would fail again
}

void write_to(std::FILE* file, std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size() && file == stdout) {
        give_up(errno);
    }
}

void flush_output() {
    if (std::fflush(stdout) != 0) {
        give_up(errno);
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
            flush_output();
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
                flush_output();
                write_to(stderr, text);
            },
            [](std::string_view path) { return taffrail::read(path); });
        session.flush_output = flush_output;
        const ExitCode code = parsed.command->run(session);
        flush_output();
        return static_cast<int>(code);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "taffrail: %s\n", error.what());
        return 1;
    }
}
