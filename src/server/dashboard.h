// The dashboard as one object: roots in, an address out.
#pragma once

#include <taffrail/result.h>

#include <memory>
#include <string>
#include <vector>

namespace taffrail::server {

struct DashboardOptions {
    std::vector<std::string> roots;  ///< folders, or "name:folder"; several are shown side by side
    std::string host = "127.0.0.1";
    std::uint16_t port = 6160;  ///< busy: the next free one; 0 = any
    std::string base_path;
    bool read_only = false;
    std::vector<std::string> allowed_hosts;
    std::string ui_folder;     ///< serve the page from disk instead
    std::string state_folder;  ///< settings, views, marks; "" = the user's state folder
    std::size_t workers = 0;
};

class Dashboard {
  public:
    virtual ~Dashboard() = default;
    static Result<std::unique_ptr<Dashboard>> start(DashboardOptions options);
    /// Where to point a browser; holds the one-time token when one is needed.
    [[nodiscard]] virtual std::string address() const = 0;
    [[nodiscard]] virtual std::uint16_t port() const noexcept = 0;
    [[nodiscard]] virtual std::size_t run_count() const = 0;
    virtual void stop() = 0;
};

}  // namespace taffrail::server
