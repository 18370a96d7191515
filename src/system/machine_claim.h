// Of several processes of one run on one machine, one records the machine's load.
#pragma once

#include <string_view>

namespace taffrail::system {

/// Held by at most one process of a machine at a time for each name; given up with the object, and
/// by the kernel when the process dies. Nothing is written to disk.
class MachineClaim {
  public:
    /// Takes the claim if nobody has it. Where the machine has no means to tell, it is held.
    explicit MachineClaim(std::string_view name);
    ~MachineClaim();
    MachineClaim(const MachineClaim&) = delete;
    MachineClaim& operator=(const MachineClaim&) = delete;

    [[nodiscard]] bool held() const { return held_; }

  private:
    int socket_ = -1;
    bool held_ = true;
};

}  // namespace taffrail::system
