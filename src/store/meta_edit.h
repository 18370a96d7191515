// What people set from outside a run: tags, notes, names, colours, archive marks, tombstones.
//
// Each edit is a small log of its own in the run's meta folder, so that nobody ever writes into a
// file of another process; the newest edit by time wins, also over what the run itself said.
#pragma once

#include <taffrail/result.h>

#include "store/meta_state.h"

#include <string>
#include <vector>

namespace taffrail::store {

struct MetaEdit {
    tlog::MetaType type = tlog::MetaType::Notes;
    Bytes payload;
};

/// Writes the edits as one step, durable when it returns.
Result<void> edit_meta(const std::string& run_folder, const std::vector<MetaEdit>& edits);

Result<void> add_tag(const std::string& run_folder, std::string_view tag);
Result<void> remove_tag(const std::string& run_folder, std::string_view tag);
Result<void> set_notes(const std::string& run_folder, std::string_view text);
/// Hidden at once; gc() removes the bytes, restore (false) brings it back until then.
Result<void> set_deleted(const std::string& run_folder, bool deleted);

/// All edits in force; empty when there are none.
MetaState read_edits(const std::string& run_folder);

}  // namespace taffrail::store
