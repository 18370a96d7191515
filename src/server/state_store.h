// What people set in the dashboard and what belongs to no run: settings, saved views, long view
// states, and marks on runs of read-only or foreign sources. One JSON file per matter in the user's
// state folder, replaced atomically.
#pragma once

#include <taffrail/result.h>

#include "codec/json.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace taffrail::server {

class StateStore {
  public:
    /// `folder` is created on the first write; "" keeps everything in memory.
    explicit StateStore(std::string folder) : folder_(std::move(folder)) {}

    /// The object stored under `name` ("settings", "views", "marks"), empty when there is none.
    [[nodiscard]] Json::Object load(const std::string& name) const;
    Result<void> save(const std::string& name, const Json::Object& object);

    /// Content-addressed view states.
    Result<std::string> save_state(std::string_view state);
    [[nodiscard]] std::optional<std::string> load_state(std::string_view hash) const;

    /// Serialises read-change-write of one object.
    template <typename Change>
    Result<void> update(const std::string& name, Change&& change) {
        const std::lock_guard lock(update_mutex_);
        Json::Object object = load(name);
        change(object);
        return save(name, object);
    }

  private:
    std::string folder_;
    mutable std::mutex mutex_, update_mutex_;
    mutable std::map<std::string, std::string> memory_;
};

/// Finds or adds a member of an object.
Json& member_of(Json::Object& object, std::string_view name);
void erase_member(Json::Object& object, std::string_view name);

}  // namespace taffrail::server
