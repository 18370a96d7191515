// Files that cannot grow beyond a size, as on a disk that is full: writes fail until this goes.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace taffrail::test {

class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit low = before_;
        low.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &low);
    }

    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit before_{};
    void (*handler_)(int);
};

}  // namespace taffrail::test
