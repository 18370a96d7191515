// Nothing is formatted inside a signal handler: it wakes a thread that waits for that alone, since
// the interrupted code may hold any lock. Handlers are set only where the program left the default,
// and the signal ends the process afterwards as it would have.
#include "zones/exit_report.h"

#include "base/diagnostics.h"
#include "base/quiet_thread.h"
#include "base/signal_watch.h"

#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace taffrail::zones {

namespace {

std::atomic<ZoneReport> wanted{ZoneReport::Table};
std::atomic<bool> asked{false};  // by the program or from outside: then others do not change it
std::atomic<bool> printed{false};
std::atomic<int> arrived{0};
std::atomic<pid_t> armed_in{0};
sem_t wake;

void print_report() noexcept {
    const ZoneReport report = wanted.load();
    if (report == ZoneReport::None || armed_in.load() != ::getpid() || printed.exchange(true)) {
        return;
    }
    try {
        std::string text;
        if (report != ZoneReport::Tree) {
            text += zone_table_text();
        }
        if (report != ZoneReport::Table) {
            text += (text.empty() ? "" : "\n") + zone_tree_text();
        }
        std::fwrite(text.data(), 1, text.size(), stderr);
        std::fflush(stderr);
    } catch (...) {
        diagnose(DiagnosticLevel::Error, "the table of zones could not be printed: no memory");
    }
}

void wait_for_signals() {
    for (;;) {
        while (::sem_wait(&wake) != 0) {
        }
        print_report();
        const int signal = arrived.load();
        if (signal != 0 && signal != SIGABRT) {
            ::signal(signal, SIG_DFL);
            ::kill(::getpid(), signal);
        }
    }
}

void on_signal(int signal, siginfo_t*, void*) {
    if (armed_in.load() != ::getpid() || wanted.load() == ZoneReport::None) {
        ::signal(signal, SIG_DFL);
        ::raise(signal);
        return;
    }
    arrived.store(signal);
    ::sem_post(&wake);
    if (signal == SIGABRT) {  // abort() ends the process as soon as this returns
        const timespec moment{0, 10'000'000};
        for (int left = 200; left > 0 && !printed.load(); --left) {
            ::nanosleep(&moment, nullptr);
        }
        ::nanosleep(&moment, nullptr);
    }
}

void read_environment() noexcept {
    const char* text = std::getenv("TAFFRAIL_ZONES");
    if (text == nullptr || *text == '\0') {
        return;
    }
    const std::string_view value(text);
    if (value == "off") {
        enable_zones(false);
    } else if (value == "none") {
        wanted.store(ZoneReport::None);
    } else if (value == "table") {
        wanted.store(ZoneReport::Table);
    } else if (value == "tree") {
        wanted.store(ZoneReport::Tree);
    } else if (value == "both") {
        wanted.store(ZoneReport::Both);
    } else {
        diagnose(DiagnosticLevel::Warning,
                 "TAFFRAIL_ZONES = '" + std::string(value.substr(0, 40)) +
                     "' is not understood; use off, none, table, tree or both. Zones go on as "
                     "without it");
        return;
    }
    asked.store(true);
}

const bool environment_read = (read_environment(), true);

void set_up() {
    ::sem_init(&wake, 0, 0);
    armed_in.store(::getpid());
    std::atexit(print_report);
    // The thread takes no signals: the handler must not wait for itself.
    start_quiet_thread("taffrail-ends", wait_for_signals).detach();
    for (const int signal : kEndingSignals) {
        watch_signal(signal, on_signal);
    }
    watch_signal(SIGABRT, on_signal);
}

void arm() noexcept {
    static const bool armed = [] {
        try {
            set_up();
        } catch (...) {
            diagnose(DiagnosticLevel::Warning,
                     "no thread for the table of zones: it is printed when the program ends by "
                     "itself, not after a signal");
        }
        return true;
    }();
    static_cast<void>(armed);
}

}  // namespace

void arm_exit_report() noexcept {
    static_cast<void>(environment_read);
    if (wanted.load() != ZoneReport::None) {
        arm();
    }
}

void leave_report_to_others() noexcept {
    if (!asked.load()) {
        wanted.store(ZoneReport::None);
    }
}

}  // namespace taffrail::zones

namespace taffrail {

void print_zones_at_exit(ZoneReport report) noexcept {
    if (std::getenv("TAFFRAIL_ZONES") == nullptr) {
        zones::asked.store(true);
        zones::wanted.store(report);
    }
    zones::arm_exit_report();
}

}  // namespace taffrail
