// The local file system.
#pragma once

#include "io/file.h"
#include "io/posix_calls.h"

#include <memory>

namespace taffrail::io {

/// Where names can be links. What io/inside.h asks for; paths without their scheme.
class LinkedFileSystem : public FileSystem {
  public:
    virtual Result<std::unique_ptr<File>> open_inside(const std::string& folder,
                                                      const std::string& path, OpenMode mode) = 0;
    virtual Result<FileInfo> stat_inside(const std::string& folder, const std::string& path) = 0;
    virtual Result<std::vector<DirectoryEntry>> list_inside(const std::string& folder,
                                                            const std::string& path) = 0;
    virtual Result<void> remove_inside(const std::string& folder, const std::string& path) = 0;
    virtual Result<void> remove_tree(const std::string& path) = 0;
    virtual Result<void> make_private_directories(const std::string& path) = 0;
    virtual bool is_link(const std::string& path) = 0;
};

/// Files of this machine, through `calls`.
std::shared_ptr<LinkedFileSystem> make_local_file_system(std::shared_ptr<PosixCalls> calls);

}  // namespace taffrail::io
