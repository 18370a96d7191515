// taffrail ui: the dashboard on any log folder, until Ctrl-C.
#include <taffrail/reader.h>

#include "base/grouped.h"
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "codec/json_writer.h"
#include "io/files.h"
#include "profile/formats.h"
#include "server/dashboard.h"
#include "server/url.h"

#include <malloc.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <vector>

extern char** environ;

namespace taffrail::cli {
namespace {

// Opens the page only where a person would see it: a desktop, not an ssh session, not a pipe.
void open_browser(const std::string& address) {
    if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) {
        return;
    }
    std::string program = "xdg-open", argument = address;
    char* arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    posix_spawnp(&child, "xdg-open", nullptr, nullptr, arguments, environ);
}

std::string forward_line(std::uint16_t port) {
    const char* connection = std::getenv("SSH_CONNECTION");
    if (connection == nullptr) {
        return {};
    }
    char host[256] = "HOST";
    gethostname(host, sizeof host - 1);
    const std::string number = std::to_string(port);
    return "From your own machine:  ssh -L " + number + ":localhost:" + number + " " + host;
}

/// "512M", "1.5G", "800000000"; nothing when it is no size.
std::optional<std::size_t> parse_bytes(std::string_view text) {
    static constexpr std::string_view kUnits = "KMGT";
    double factor = 1;
    if (!text.empty() && (text.back() == 'B' || text.back() == 'b')) {
        text.remove_suffix(1);
    }
    if (!text.empty() && (text.back() == 'i')) {
        text.remove_suffix(1);
    }
    if (!text.empty()) {
        const auto unit = kUnits.find(static_cast<char>(std::toupper(text.back())));
        if (unit != std::string_view::npos) {
            factor = std::pow(1024.0, static_cast<double>(unit + 1));
            text.remove_suffix(1);
        }
    }
    const auto number = parse_double(text);
    const double bytes = number ? *number * factor : -1;
    return bytes >= 1 && bytes < 1e18 ? std::optional(static_cast<std::size_t>(bytes))
                                      : std::nullopt;
}

bool holds_runs(const std::string& path) {
    const std::vector<SourceInfo> sources = registered_sources();
    return std::any_of(sources.begin(), sources.end(), [&](const SourceInfo& source) {
        return source.recognise && source.recognise(path) > 0;
    });
}

/// A file that is a profile by its name or by what is in it (`callgrind.out.4711`); folders and
/// files of runs are roots.
bool is_profile(const std::string& path) {
    const auto info = io::stat(path);
    if (!info.ok() || info->type != io::EntryType::File) {
        return false;
    }
    const profile::Format* named = profile::format_of_path(path);
    return (named != nullptr && named->read != nullptr) ||
           (!holds_runs(path) && profile::format_of_file(path) != nullptr);
}

/// "2 runs in taffrail, profile trace.json".
std::string what_is_shown(std::size_t runs, const server::DashboardOptions& options) {
    const auto list = [](const std::vector<std::string>& paths) {
        std::string text;
        for (const std::string& path : paths) {
            text += (text.empty() ? "" : ", ") + path;
        }
        return text;
    };
    std::string text;
    if (!options.roots.empty()) {
        text = grouped(runs) + (runs == 1 ? " run" : " runs") + " in " + list(options.roots);
    }
    if (!options.profiles.empty()) {
        text += (text.empty() ? "" : ", ") +
                std::string(options.profiles.size() == 1 ? "profile " : "profiles ") +
                list(options.profiles);
    }
    return text;
}

class Ui final : public Command {
  public:
    std::string_view name() const override { return "ui"; }

    std::string_view summary() const override { return "Shows runs in a browser"; }

    std::string_view example() const override {
        return "taffrail ui\ntaffrail ui runs/ --port 8000\ntaffrail ui "
               "mine:./taffrail,theirs:/data/logs\ntaffrail ui trace.pt.trace.json.gz";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("DIR", roots_,
                             "folders with runs or TensorBoard logs, also name:folder (default: "
                             "$TAFFRAIL_DIR, else ./taffrail), or profiles of any format",
                             false);
        arguments.option("--logdir", logdir_, "DIR", "the same, as TensorBoard spells it");
        arguments.option("-p,--port", port_, "N", "port; a busy one is stepped over, 0 takes any");
        arguments.option(
            "--host", host_, "ADDRESS",
            "listen there instead of on this machine only; asks visitors as --token does");
        arguments.option("--allow-host", allowed_, "NAME",
                         "also answer under this host name (behind a proxy)");
        arguments.option("--base-path", base_path_, "PATH",
                         "serve below this path (behind a proxy)");
        arguments.option("--project", project_, "NAME", "open at the charts of this project");
        arguments.flag("--token", token_,
                       "ask visitors who they are, also on this machine: the printed address lets "
                       "one browser in, once (for machines with other users)");
        arguments.flag("--read-only", read_only_, "refuse every change");
        arguments.option("--memory", memory_, "SIZE",
                         "what open runs and caches may take, such as 512M or 4G (default: a "
                         "quarter of the machine's)");
        arguments.flag("--no-open", no_open_, "do not open a browser");
        arguments.path_option("--state-dir", state_, "DIR",
                              "where settings and saved views are kept");
        arguments.path_option("--ui-dir", ui_folder_, "DIR",
                              "serve the page from this folder (for people who work on it)");
        arguments.flag("--json", json_,
                       "print {\"address\", \"port\", \"runs\", \"token\"} and nothing else");
    }

    ExitCode run(Session& session) override {
        if (port_ < 0 || port_ > 65535) {
            session.warn("--port takes a number from 0 to 65535");
            return ExitCode::Usage;
        }
        const auto memory = memory_.empty() ? std::size_t{0} : parse_bytes(memory_).value_or(0);
        if (!memory_.empty() && memory == 0) {
            session.warn("--memory takes a size such as 512M or 4G, not '" + memory_ + "'");
            return ExitCode::Usage;
        }
        server::DashboardOptions options;
        options.memory_bytes = memory;
        for (const std::string& path : roots_) {
            (is_profile(path) ? options.profiles : options.roots).push_back(path);
        }
        if (!logdir_.empty()) {
            options.roots.push_back(logdir_);
        }
        if (options.roots.empty() && options.profiles.empty()) {
            options.roots.push_back(default_root(""));
        }
        only_profiles_ = options.roots.empty();
        options.host = host_;
        options.port = static_cast<std::uint16_t>(port_);
        options.base_path = base_path_;
        options.allowed_hosts = allowed_;
        options.read_only = read_only_;
        options.ask_token = token_;
        options.on_address = [this, &session](const std::string& address) {
            announce_next(session, address);
        };
        options.state_folder = state_;
        options.ui_folder = ui_folder_;

        // Before any thread starts, so that only the wait below takes these signals.
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGHUP);
        pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        // Queries run on short-lived threads; an arena for each of them would multiply what they
        // leave behind.
        mallopt(M_ARENA_MAX, 2);

        auto dashboard = server::Dashboard::start(options);
        if (!dashboard) {
            return session.fail(dashboard.error());
        }
        announce(session, **dashboard, options);
        int received = 0;
        sigwait(&signals, &received);
        (*dashboard)->stop();
        return ExitCode::Ok;
    }

  private:
    /// Where a person should begin.
    std::string first_page(const server::Dashboard& dashboard) const {
        return !project_.empty()
                   ? dashboard.address() + "#/charts?project=" + server::percent_encode(project_)
               : only_profiles_ ? dashboard.address() + "#/profile"
                                : dashboard.address();
    }

    void announce(Session& session, const server::Dashboard& dashboard,
                  const server::DashboardOptions& options) const {
        if (json_) {
            JsonWriter json;
            json.begin_object()
                .member("address", first_page(dashboard))
                .member("port", dashboard.port())
                .member("runs", dashboard.run_count());
            if (const std::string token = dashboard.token(); !token.empty()) {
                json.member("token", token);
            }
            json.end_object();
            session.print(json.text() + "\n");
        } else {
            session.print(session.styled(Style::Bold, first_page(dashboard)) + "\n");
            session.print(session.styled(Style::Dim, what_is_shown(dashboard.run_count(), options) +
                                                         ". Ctrl-C ends.") +
                          "\n");
            if (const std::string line = forward_line(dashboard.port()); !line.empty()) {
                session.print(line + "\n");
            }
        }
        std::fflush(stdout);
        if (!no_open_ && !json_ && isatty(STDOUT_FILENO) == 1) {
            open_browser(first_page(dashboard));
        }
    }

    // An address is worth nothing once used; the next browser needs another one.
    void announce_next(Session& session, const std::string& address) const {
        if (json_) {
            session.print(
                JsonWriter().begin_object().member("address", address).end_object().text() + "\n");
        } else {
            session.print("A browser was let in. For the next one:  " + address + "\n");
        }
        std::fflush(stdout);
    }

    std::vector<std::string> roots_, allowed_;
    std::string logdir_, host_ = "127.0.0.1", base_path_, project_, memory_, state_, ui_folder_;
    std::int64_t port_ = 6160;
    bool token_ = false, read_only_ = false, no_open_ = false, json_ = false;
    bool only_profiles_ = false;
};

}  // namespace

std::unique_ptr<Command> make_ui() {
    return std::make_unique<Ui>();
}

}  // namespace taffrail::cli
