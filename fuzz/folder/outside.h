// Files beside a run that no command on the run may touch.
#pragma once

#include "io/files.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace taffrail::fuzzing {

class Outside {
  public:
    explicit Outside(const std::string& root)
        : paths_{root + "/outside", root + "/key.txt", root + "/runs/outside"} {
        (void)io::make_directories(root + "/runs");
        for (const std::string& path : paths_) {
            (void)io::write_file_atomically(path, as_bytes("mine"), false);
        }
    }

    void must_be_untouched() const {
        for (const std::string& path : paths_) {
            if (const auto text = io::read_text(path); !text.ok() || *text != "mine") {
                std::abort();
            }
        }
    }

  private:
    std::vector<std::string> paths_;
};

}  // namespace taffrail::fuzzing
