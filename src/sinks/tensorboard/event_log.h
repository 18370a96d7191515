// One event file being written: first events, tags and their metadata, whole-record appends.
//
// TensorBoard's two loaders agree only on files that keep some rules; they are kept here, once, for
// the sink and for SummaryWriter: version event first, session marks, metadata with a data class on
// a tag's first value, one kind per tag.
#pragma once

#include <taffrail/key.h>
#include <taffrail/result.h>
#include <taffrail/value.h>

#include "codec/formats/tensorboard/encode.h"
#include "io/file.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace taffrail::sinks::tensorboard {

using namespace formats::tensorboard;

struct EventLogOptions {
    std::string folder;
    std::string filename_suffix;
    /// The first step of a resumed run: older points at and after it are superseded. Absent: a new
    /// run.
    std::optional<Step> resume_step;
    /// A resumed run whose first step is not known: no session mark, since the mark would hide
    /// older points.
    bool resumed = false;
    /// What the page says of a scalar's chart, asked for with the tag's first value; empty:
    /// nothing.
    std::function<std::string(std::string_view tag)> describe_scalar = {};
};

/// Used by one thread.
class EventLog {
  public:
    /// Makes the folder and a new file in it; its name is unlike any other's, also between
    /// processes.
    static Result<std::unique_ptr<EventLog>> create(const EventLogOptions& options,
                                                    double wall_time);

    void scalar(std::string_view tag, Step step, double wall_time, double value);
    /// Title and description of a scalar tag; counts only before the tag's first value.
    void describe(std::string_view tag, std::string display_name, std::string description);
    /// One event with these values. A tag already used for another kind gets another name, and that
    /// is said once.
    void values(std::span<EncodedValue> values, Step step, double wall_time);

    void value(EncodedValue one, Step step, double wall_time) {
        values({&one, 1}, step, wall_time);
    }

    void graph(const Graph& graph, Step step, double wall_time);

    /// Events not written to the file yet.
    [[nodiscard]] std::size_t pending_events() const noexcept { return pending_events_; }

    [[nodiscard]] std::size_t pending_bytes() const noexcept { return pending_.size(); }

    /// Appends the pending records in one write. After a failure they are still pending.
    Result<void> write_out();

    /// Gives the pending records up; returns how many events that were. Tags say again what they
    /// are with their next value.
    std::size_t drop_pending();

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// Bytes in the file.
    [[nodiscard]] std::uint64_t length() const noexcept { return file_->end(); }

    [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

  private:
    struct Tag {
        std::string name;     ///< as given by the caller
        std::string written;  ///< as it stands in the file
        std::string plugin;
        std::uint32_t hash = 0;
        bool described = false;  ///< its metadata is in the file
    };

    EventLog(std::unique_ptr<io::File> file, std::string folder, std::string path)
        : file_(std::move(file)), folder_(std::move(folder)), path_(std::move(path)) {}

    Tag& tag_of(std::string_view name, std::string_view plugin);
    std::string free_name(std::string_view name, std::string_view plugin) const;

    std::unique_ptr<io::File> file_;
    std::string folder_, path_;
    Bytes pending_;
    std::size_t pending_events_ = 0;
    std::vector<Tag> tags_;
    std::vector<std::uint32_t> table_;  ///< open addressing over tags_, number + 1
    std::unordered_map<std::string, std::string> owner_;  ///< written name → plugin
    Bytes scalar_metadata_;
    std::function<std::string(std::string_view)> describe_scalar_;
    std::unordered_map<std::string, Bytes> described_;  ///< tag → metadata of its own
};

}  // namespace taffrail::sinks::tensorboard
