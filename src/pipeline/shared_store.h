// What the loggers of one run put into its store. Two of them that track one name are given the
// same data: each sends it to its own interface, but the store keeps it once.
#pragma once

#include <taffrail/run.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace taffrail::pipeline {

class SharedStore {
  public:
    /// What tells two points or values of a key and step apart.
    using Content = std::array<std::uint64_t, 2>;

    static Content content_of(double value) noexcept;
    static Content content_of(const Value& value);

    /// A logger's place among those of its run.
    class Member {
      public:
        explicit Member(const Run& run);
        ~Member();
        Member(const Member&) = delete;
        Member& operator=(const Member&) = delete;

        /// Nobody to share with: nothing has to be compared.
        [[nodiscard]] bool alone() const noexcept { return store_->members_ == 1; }

        /// False when another logger put the same there, at the same key and step, last. What one
        /// logger says twice was said twice.
        bool puts(std::string_view key, Step step, const Content& content);

      private:
        std::shared_ptr<SharedStore> store_;
    };

  private:
    struct Last {
        Step step = 0;
        Content content{};
        const Member* from = nullptr;
    };

    static std::shared_ptr<SharedStore> of(const Run& run);

    std::atomic<int> members_ = 0;
    std::mutex mutex_;
    std::map<std::string, Last, std::less<>> last_;
};

}  // namespace taffrail::pipeline
