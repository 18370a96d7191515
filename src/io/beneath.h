// Names below a folder, found by descriptors: what a link does to a path between two system calls
// cannot change which file is meant.
#pragma once

#include <taffrail/result.h>

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <utility>

namespace taffrail::io {

enum class Links : std::uint8_t {
    Inside,  ///< followed while they stay in the folder; the folder itself may be one
    None,    ///< refused, the folder itself too: what writes
    Last,    ///< refused on the way; the name itself may be one: what deletes it
};

/// The folder that holds a name, open for as long as this lives. Movable.
class Beneath {
  public:
    Beneath(int folder, std::string name, struct stat known) noexcept
        : folder_(folder), name_(std::move(name)), known_(known) {}

    Beneath(Beneath&& other) noexcept
        : folder_(std::exchange(other.folder_, -1)),
          name_(std::move(other.name_)),
          known_(other.known_) {}

    Beneath(const Beneath&) = delete;
    Beneath& operator=(const Beneath&) = delete;
    Beneath& operator=(Beneath&&) = delete;
    ~Beneath();

    [[nodiscard]] int folder() const noexcept { return folder_; }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

    /// False when nothing has this name yet. What has one is not a link, unless Links::Last.
    [[nodiscard]] bool exists() const noexcept { return known_.st_mode != 0; }

    [[nodiscard]] const struct stat& known() const noexcept { return known_; }

  private:
    int folder_;
    std::string name_;
    struct stat known_;
};

/// Finds `path` below `folder`. Fails with PermissionDenied when a link leads out of the folder (or
/// any link is in the way, see Links), and with NotFound when a folder on the way is missing.
Result<Beneath> find_beneath(const std::string& folder, const std::string& path, Links links);

/// True for a link, whatever it leads to; false where nothing is.
bool is_link(const std::string& path) noexcept;

}  // namespace taffrail::io
