// What a stretch of an event file said: columns of scalars, and the places of everything else.
//
// Parts are read independently (by threads, by refreshes) and joined in file order; a run is its
// first part with all later ones joined.
#pragma once

#include <taffrail/record.h>

#include "codec/formats/tensorboard/event.h"
#include "sources/tensorboard/column.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::sources::tensorboard {

using namespace formats::tensorboard;

/// Where a value that is no scalar stands: its Summary.Value message (or, for graphs, the GraphDef)
/// inside a file.
struct Place {
    std::int64_t step = 0;
    double wall_time = 0;
    std::uint64_t offset = 0, length = 0;
    std::uint32_t file = 0, attempt = 0;
};

struct PlaceList {
    Kind kind = Kind::Tensor;
    std::vector<Place> places;
};

/// One tag. Most are scalars; what only the others need stands apart.
struct TagData {
    struct Details {
        Metadata metadata;  ///< the first one: later ones do not count
        bool has_metadata = false;
        std::vector<PlaceList> places;  ///< one list per kind: a tag may have been used for several
        /// Points taken from tensors before this part saw the tag's metadata. An earlier part may
        /// know that they are no scalars.
        std::vector<Place> unsure;
    };

    std::string name;
    std::uint32_t hash = 0;
    std::uint32_t next_guess = 0;  ///< the tag that followed this one last time
    ScalarColumn scalars;
    std::unique_ptr<Details> details;

    Details& make_details() {
        if (!details) {
            details = std::make_unique<Details>();
        }
        return *details;
    }

    [[nodiscard]] std::string_view plugin() const noexcept {
        return details ? std::string_view(details->metadata.plugin) : std::string_view();
    }

    PlaceList& places_of(Kind kind);
    /// Values that came before their metadata were filed by their looks; files them by their
    /// plugin.
    void refile();
};

/// A restart inside a run: the attempt it began and the step from which older points are
/// superseded.
struct Restart {
    std::uint32_t attempt = 0;
    std::optional<std::int64_t>
        from_step;           ///< absent: each tag from its own first step in that attempt
    std::uint32_t file = 0;  ///< where it began
    std::uint64_t offset = 0;
};

class RunPart {
  public:
    /// Takes in one record's payload; `offset` is the payload's place in file number `file`.
    /// Returns false when the bytes are no event.
    bool take(ByteSpan payload, std::uint64_t offset, std::uint32_t file);

    /// Joins a later part. `new_file`: the part begins a file, so steps that go back there mean a
    /// restart.
    void join(RunPart&& later, bool new_file);

    /// True when `later` took a tag for another plugin's than the first mention here says.
    [[nodiscard]] bool contradicts(const RunPart& later) const noexcept;
    /// Takes over what `earlier` knows of tags, before anything is taken in.
    void declare(const RunPart& earlier);

    [[nodiscard]] const std::vector<TagData>& tags() const noexcept { return tags_; }

    [[nodiscard]] std::vector<TagData>& tags() noexcept { return tags_; }

    [[nodiscard]] const TagData* find(std::string_view tag) const noexcept;

    [[nodiscard]] const std::vector<Place>& graphs() const noexcept { return graphs_; }

    [[nodiscard]] const std::vector<Restart>& restarts() const noexcept { return restarts_; }

    [[nodiscard]] std::uint32_t attempts() const noexcept { return attempt_ + 1; }

    [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

    /// The extremes of the events' wall times; NaN when there was no event.
    [[nodiscard]] double min_wall_time() const noexcept { return min_wall_; }

    [[nodiscard]] double max_wall_time() const noexcept { return max_wall_; }

    [[nodiscard]] std::size_t memory() const noexcept;
    /// Frees the points and keeps the summaries.
    void drop_points();

    [[nodiscard]] bool dropped() const noexcept { return dropped_; }

  private:
    [[nodiscard]] std::uint32_t tag_index(std::string_view tag);
    bool take_scalars_fast(ByteSpan payload, std::uint32_t file);
    bool take_summary(ByteSpan summary, const EventView& event, const std::byte* base,
                      std::uint64_t offset, std::uint32_t file);
    void take_value(const ValueView& value, ByteSpan message, const EventView& event,
                    std::uint64_t offset, std::uint32_t file);
    void note_time(double wall_time) noexcept;

    void note_data() noexcept { has_data_ = data_since_start_ = true; }

    void note_restart(std::int64_t step, std::uint32_t file, std::uint64_t offset);

    std::vector<TagData> tags_;
    std::vector<std::uint32_t> table_;  ///< open addressing: tag index + 1, 0 = free
    std::uint32_t guess_ = 0;           ///< index of the tag expected next
    std::uint32_t last_ = UINT32_MAX;
    std::vector<Place> graphs_;
    std::vector<Restart> restarts_;
    std::uint32_t attempt_ = 0;
    bool has_data_ = false;
    bool data_since_start_ = false;
    std::uint32_t first_file_ = 0;
    std::optional<std::int64_t> leading_start_;  ///< a session start before any data
    std::uint64_t events_ = 0;
    double min_wall_ = std::numeric_limits<double>::quiet_NaN(), max_wall_ = min_wall_;
    bool dropped_ = false;
};

}  // namespace taffrail::sources::tensorboard
