// The dashboard as one object: roots in, an address out.
#pragma once

#include <taffrail/result.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::server {

struct DashboardOptions {
    std::vector<std::string> roots;  ///< folders, or "name:folder"; several are shown side by side
    std::vector<std::string> profiles;  ///< files shown on the profile page; without roots, alone
    std::string host = "127.0.0.1";
    std::uint16_t port = 6160;  ///< busy: the next free one; 0 = any
    std::string base_path;
    bool read_only = false;
    bool ask_token = false;  ///< on loopback too; elsewhere visitors are always asked
    /// Told the next address whenever the last one was used; from a thread of the server.
    std::function<void(const std::string& address)> on_address;
    std::vector<std::string> allowed_hosts;
    std::string ui_folder;     ///< serve the page from disk instead
    std::string state_folder;  ///< settings, views, marks; "" = the user's state folder
    std::size_t workers = 0;
    std::size_t memory_bytes = 0;  ///< for open runs and caches; 0 = a quarter of the machine's
};

class Dashboard {
  public:
    virtual ~Dashboard() = default;
    static Result<std::unique_ptr<Dashboard>> start(DashboardOptions options);
    /// Where to point a browser; where visitors are asked, it lets one browser in, once.
    [[nodiscard]] virtual std::string address() const = 0;
    /// For programs (`Authorization: Bearer …`); empty where nobody is asked.
    [[nodiscard]] virtual std::string token() const = 0;
    [[nodiscard]] virtual std::uint16_t port() const noexcept = 0;
    [[nodiscard]] virtual std::size_t run_count() const = 0;
    virtual void stop() = 0;
};

}  // namespace taffrail::server
