// A folder for one test, removed with everything in it when the test ends.
#pragma once

#include "io/files.h"

#include <cstdlib>
#include <string>

namespace taffrail::test {

class TemporaryFolder {
  public:
    TemporaryFolder() {
        const char* base = std::getenv("TMPDIR");
        path_ = std::string(base != nullptr ? base : "/tmp") + "/taffrail-test-XXXXXX";
        if (mkdtemp(path_.data()) == nullptr) {
            std::abort();
        }
    }

    ~TemporaryFolder() { (void)io::remove_tree(path_); }

    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

    [[nodiscard]] std::string file(std::string_view name) const { return io::join(path_, name); }

  private:
    std::string path_;
};

}  // namespace taffrail::test
