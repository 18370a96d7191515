// taffrail-tb-data-server: lets an unmodified TensorBoard show event files and Taffrail runs
// through our reader.
//
// TensorBoard looks for the port file within seconds, so the socket opens before anything is read.
#include "io/files.h"
#include "tb_data_server/flags.h"
#include "tb_data_server/run_source.h"
#include "tb_data_server/service.h"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using namespace taffrail;
using namespace taffrail::tb_data_server;

namespace {

// The code TensorBoard's own data server ends with for a logdir it cannot serve.
constexpr int kBadLogdir = 8;

int fail(const Flags& flags, const std::string& message, int code) {
    std::fprintf(stderr, "taffrail-tb-data-server: %s\n", message.c_str());
    if (!flags.error_file.empty()) {
        static_cast<void>(
            io::write_file_atomically(flags.error_file, as_bytes(message + "\n"), false));
    }
    return code;
}

/// Returns when stdin ends: TensorBoard holds the other side and is gone then.
void wait_for_stdin() {
    std::array<char, 256> buffer{};
    while (::read(STDIN_FILENO, buffer.data(), buffer.size()) > 0) {
    }
}

}  // namespace

int main(int argc, char** argv) {
    const auto flags = parse_flags(argc, argv);
    if (!flags.ok()) {
        return fail({}, flags.error().message + "\n\n" + usage(), 2);
    }
    if (flags->help) {
        std::fputs(usage(), stdout);
        return 0;
    }
    if (const auto place = io::locate(flags->logdir); !place.ok()) {
        return fail(*flags, place.error().message, kBadLogdir);
    }
    auto source =
        std::make_shared<ReloadingSource>(flags->logdir, flags->reload_seconds, flags->verbose > 0);
    const auto server = serve(flags->port, flags->logdir, source);
    if (!server.ok()) {
        return fail(*flags, server.error().message, 1);
    }
    const std::string port = std::to_string((*server)->port()) + "\n";
    if (!flags->port_file.empty()) {
        if (const auto written = io::write_file_atomically(flags->port_file, as_bytes(port), false);
            !written.ok()) {
            return fail(*flags, written.error().message, 1);
        }
    } else {
        std::fprintf(stderr, "listening on 127.0.0.1:%s", port.c_str());
    }
    if (flags->die_after_stdin) {
        wait_for_stdin();
    } else {
        sigset_t signals;
        ::sigemptyset(&signals);
        ::sigaddset(&signals, SIGINT);
        ::sigaddset(&signals, SIGTERM);
        ::sigprocmask(SIG_BLOCK, &signals, nullptr);
        int received = 0;
        ::sigwait(&signals, &received);
    }
    // Requests in flight may hold threads for a while; nothing here needs an orderly end.
    std::fflush(nullptr);
    ::_exit(0);
}
