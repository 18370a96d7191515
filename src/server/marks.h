// Marks people put on runs: tags, names, notes, colours, archive and trash. Native runs keep them
// in their own folder; runs of read-only or foreign sources keep them in the user's state folder,
// laid over what the source says.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include "server/state_store.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::server {

/// A change; absent members change nothing.
struct MarkChange {
    std::vector<std::string> add_tags, remove_tags;
    std::optional<std::string> name, notes, color;
    std::optional<bool> archived, deleted;

    [[nodiscard]] bool empty() const noexcept {
        return add_tags.empty() && remove_tags.empty() && !name && !notes && !color && !archived &&
               !deleted;
    }
};

/// What of `change` really changes `info`, and what undoes it.
MarkChange effective(const MarkChange& change, const RunInfo& info);
MarkChange inverse_of(const MarkChange& effective_change, const RunInfo& info);
void apply_to(RunInfo& info, const MarkChange& change);

class Marks {
  public:
    explicit Marks(std::shared_ptr<StateStore> state) : state_(std::move(state)) {}

    /// Writes the change where marks of this run live.
    Result<void> write(const std::string& id, const RunInfo& info, const MarkChange& change);
    /// Lays stored marks over `info`.
    void overlay(const std::string& id, RunInfo& info) const;

  private:
    std::shared_ptr<StateStore> state_;
};

}  // namespace taffrail::server
