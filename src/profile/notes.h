// What was wrong with a profile, beside everything that was right with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile {

/// Problems of one kind are counted; the first place of each is kept. Bounded: a file in which
/// everything is wrong gives a short list with large counts.
class Notes {
  public:
    struct Note {
        std::string what;
        std::uint64_t count = 0;
        std::uint64_t first_offset = 0;  ///< byte in the (unpacked) file
    };

    /// `what` is a whole sentence without a full stop and without anything from the file.
    void add(std::string_view what, std::uint64_t offset = 0, std::uint64_t count = 1);

    [[nodiscard]] const std::vector<Note>& all() const noexcept { return notes_; }

    [[nodiscard]] bool empty() const noexcept { return notes_.empty(); }

    /// One line each: "an end without a beginning (3 times, first at byte 1042)".
    [[nodiscard]] std::vector<std::string> lines() const;

  private:
    std::vector<Note> notes_;
};

}  // namespace taffrail::profile
