// Who is asked what. While fuzzing, an input gets a share of the questions, chosen by its bytes, so
// that several times as many are tried; kept seeds and finds, given as files, get all of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taffrail::fuzzing {

enum class Share { Routes, LookingCommands, Copies, Changes };
inline constexpr std::size_t kShares = 4;

class Turn {
  public:
    Turn(const std::uint8_t* data, std::size_t size);

    [[nodiscard]] bool takes(Share share) const noexcept { return takes_all_ || share == share_; }

  private:
    Share share_;
    bool takes_all_;
};

}  // namespace taffrail::fuzzing
