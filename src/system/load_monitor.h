// The thread that reads the machine's load every few seconds and hands it out.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace taffrail::system {

struct LoadOptions {
    std::chrono::milliseconds interval = std::chrono::seconds(2);
    int slow_every = 5;        ///< slow GPU counters come with every n-th reading
    std::string folder = ".";  ///< whose file system is watched
    bool gpus = true;
};

/// One reading: all series share one time. Called on the monitor's thread.
using LoadCallback =
    std::function<void(const std::vector<std::pair<std::string, double>>& readings)>;

/// Runs from construction to destruction. Its thread takes no signals and never touches the
/// training path.
class LoadMonitor {
  public:
    LoadMonitor(LoadOptions options, LoadCallback callback);
    ~LoadMonitor();
    LoadMonitor(const LoadMonitor&) = delete;
    LoadMonitor& operator=(const LoadMonitor&) = delete;

  private:
    void run();

    LoadOptions options_;
    LoadCallback callback_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace taffrail::system
