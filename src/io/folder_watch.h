// Folders whose changes the kernel tells of, so that nobody has to look at thousands of them again
// and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::io {

/// Names that come, go or are renamed in folders of a local file system. Changes made on another
/// machine that shares the file system are not told: look at everything once in a while as well.
/// For one thread at a time.
class FolderWatch {
  public:
    /// Null where there is no such service, or no more of it for this user.
    static std::unique_ptr<FolderWatch> make();
    ~FolderWatch();
    FolderWatch(const FolderWatch&) = delete;
    FolderWatch& operator=(const FolderWatch&) = delete;

    /// Watches `folder` for `owner`, a number of the caller's. Fine when it is watched already.
    /// False when the folder is not there or the kernel gives no more watches.
    bool add(const std::string& folder, std::uint64_t owner);
    /// Ends all watches of an owner.
    void remove(std::uint64_t owner);

    struct Changes {
        std::vector<std::uint64_t> owners;  ///< each once
        bool lost = false;                  ///< there were too many to keep: look at everything
    };

    /// What changed since the last call. Never waits; one system call when nothing did.
    [[nodiscard]] Changes take();

    [[nodiscard]] std::size_t size() const noexcept { return owners_.size(); }

  private:
    explicit FolderWatch(int descriptor) : descriptor_(descriptor) {}

    const int descriptor_;
    std::map<int, std::uint64_t> owners_;  ///< by watch
    std::multimap<std::uint64_t, int> watches_;
};

}  // namespace taffrail::io
