#include "server/dashboard.h"

#include "base/names.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "io/files.h"
#include "server/api/api.h"
#include "server/assets.h"
#include "server/http.h"
#include "server/visitors.h"

#include <cstdlib>

namespace taffrail::server {
namespace {

std::string default_state_folder() {
    if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0') {
        return io::join(state, "taffrail");
    }
    const char* home = std::getenv("HOME");
    return home != nullptr && *home != '\0' ? io::join(home, ".local/state/taffrail")
                                            : std::string();
}

// "name:folder" names a root; a plain folder is named after its last part when there are several.
std::vector<RootSpec> parse_roots(const std::vector<std::string>& arguments) {
    std::vector<RootSpec> roots;
    for (const std::string& argument : arguments) {
        for (std::string_view part : split(argument, ',')) {
            const auto colon = part.find(':');
            const bool named = colon != std::string_view::npos && colon > 0 &&
                               part.substr(colon, 3) != "://" && !io::exists(std::string(part));
            RootSpec spec;
            spec.path = named ? part.substr(colon + 1) : part;
            spec.name = named ? std::string(part.substr(0, colon)) : std::string();
            roots.push_back(std::move(spec));
        }
    }
    if (roots.size() > 1) {
        for (RootSpec& root : roots) {
            if (root.name.empty()) {
                root.name = root.path.substr(root.path.find_last_of('/') + 1);
            }
        }
    }
    return roots;
}

bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

class RunningDashboard final : public Dashboard {
  public:
    explicit RunningDashboard(DashboardOptions options) : options_(std::move(options)) {}

    ~RunningDashboard() override { stop(); }

    Result<void> begin() {
        context_.state = std::make_shared<StateStore>(
            options_.state_folder.empty() ? default_state_folder() : options_.state_folder);
        auto workspace =
            Workspace::open(parse_roots(options_.roots), context_.state, options_.memory_bytes);
        if (!workspace) {
            return std::move(workspace).error();
        }
        context_.workspace = *workspace;
        context_.profiles = std::make_shared<Profiles>(*workspace, options_.profiles);
        context_.read_only = options_.read_only;
        context_.assets_version = assets_version();
        if (const auto page = io::read_file(io::join(options_.ui_folder, "index.html"));
            !options_.ui_folder.empty() && page.ok()) {
            // The page of a folder names its parts by their content, so it stands for all of them.
            const Sha256 print = sha256(*page);
            context_.assets_version = to_hex(std::span(print).first(8));
        }
        router_ = make_router(context_);
        router_.get("openapi.json", [](const Request&) { return Response::json(openapi_json()); });

        HttpOptions http;
        http.host = options_.host;
        http.port = options_.port;
        http.base_path = options_.base_path;
        http.allowed_hosts = options_.allowed_hosts;
        http.workers = options_.workers;
        const bool is_local = is_loopback(options_.host);
        if (options_.ask_token || !is_local) {
            visitors_ = std::make_shared<Visitors>();
            http.visitors = visitors_;
        }
        if (!is_local) {
            // Reached from elsewhere under a name this machine cannot know; the sessions are the
            // protection there.
            http.allowed_hosts.emplace_back("*");
        }
        auto server = HttpServer::start(http, [this](const Request& request) {
            return request.path.starts_with("api/") ? router_.answer(request, options_.read_only)
                                                    : page(request);
        });
        if (!server) {
            return std::move(server).error();
        }
        server_ = *std::move(server);
        if (visitors_ && options_.on_address) {
            visitors_->on_used(
                [this](const std::string& next) { options_.on_address(address_with(next)); });
        }
        context_.workspace->start_watching();
        return {};
    }

    [[nodiscard]] std::string address() const override {
        return address_with(visitors_ ? visitors_->code() : "");
    }

    [[nodiscard]] std::string token() const override { return visitors_ ? visitors_->token() : ""; }

    [[nodiscard]] std::uint16_t port() const noexcept override {
        return server_ ? server_->port() : 0;
    }

    [[nodiscard]] std::size_t run_count() const override {
        return context_.workspace->runs()->size();
    }

    void stop() override {
        if (context_.workspace) {
            context_.workspace->stop_watching();
        }
        if (server_) {
            server_->stop();
        }
        if (context_.profiles) {
            context_.profiles->stop();
        }
    }

  private:
    [[nodiscard]] std::string address_with(const std::string& code) const {
        std::string host =
            options_.host == "0.0.0.0" || options_.host == "::" ? "localhost" : options_.host;
        if (host.find(':') != std::string::npos) {
            host = '[' + host + ']';
        }
        return "http://" + host + ':' + std::to_string(port()) + options_.base_path + '/' +
               (code.empty() ? "" : "?token=" + code);
    }

    Response page(const Request& request) const {
        if (request.method == "POST") {
            Response refused = Response::error(request, 405, "invalid", "this address answers GET");
            refused.headers.emplace_back("Allow", "GET, HEAD");
            return refused;
        }
        return serve_asset(request, options_.ui_folder);
    }

    DashboardOptions options_;
    std::shared_ptr<Visitors> visitors_;  ///< null where nobody is asked who they are
    ApiContext context_;
    Router router_;
    std::unique_ptr<HttpServer> server_;
};

}  // namespace

Result<std::unique_ptr<Dashboard>> Dashboard::start(DashboardOptions options) {
    if (!options.base_path.empty() && options.base_path.front() != '/') {
        options.base_path.insert(0, "/");
    }
    while (options.base_path.ends_with('/')) {
        options.base_path.pop_back();
    }
    auto dashboard = std::make_unique<RunningDashboard>(std::move(options));
    if (auto started = dashboard->begin(); !started) {
        return std::move(started).error();
    }
    return std::unique_ptr<Dashboard>(std::move(dashboard));
}

}  // namespace taffrail::server
