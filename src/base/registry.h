// Things that are found by name. What comes with the library is put in first; a later one of the
// same name takes the place of the earlier.
#pragma once

#include <taffrail/result.h>

#include "base/strings.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail {

/// `Name` is the member that names an entry. Thread-safe.
template <typename Info, auto Name = &Info::name>
class Registry {
  public:
    void add(Info info) {
        const std::lock_guard guard(mutex_);
        const auto same = std::ranges::find(entries_, info.*Name, Name);
        if (same != entries_.end()) {
            *same = std::move(info);
        } else {
            entries_.push_back(std::move(info));
        }
    }

    [[nodiscard]] std::vector<Info> all() const {
        const std::lock_guard guard(mutex_);
        return entries_;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<Info> entries_;
};

/// "no sink is called 'tensorbord'; did you mean 'tensorboard'?; known are: csv, …"
inline Error unknown_part(std::string_view what, std::string_view name,
                          const std::vector<std::string>& known) {
    std::string list;
    for (const std::string& entry : known) {
        list += (list.empty() ? "" : ", ") + entry;
    }
    return {ErrorCode::NotFound, "no " + std::string(what) + " is called '" + std::string(name) +
                                     "'" + did_you_mean(name, known) +
                                     "; known are: " + (list.empty() ? "none" : list)};
}

}  // namespace taffrail
