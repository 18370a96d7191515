// A profile seen through its index: what a page asks while somebody pans, searches and clicks.
// Every answer is bounded by what a screen can show, not by the length of the trace.
#pragma once

#include <taffrail/result.h>

#include "codec/json.h"
#include "io/file.h"
#include "profile/index/layout.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile {

struct IndexRow {
    std::uint64_t first = 0, count = 0;
};

struct IndexTrack {
    std::string title, process, kind;
    std::vector<IndexRow> rows;
};

/// The slices of one row that stand together in an answer.
struct RowPart {
    std::uint32_t track = 0, row = 0;
    std::size_t first = 0;  ///< in the columns of the answer
};

struct SliceQuestion {
    std::int64_t from_ns = 0, to_ns = 0;
    std::uint32_t width = 1000;  ///< pixels of the range
    std::vector<std::uint32_t> tracks;
    std::size_t most = 500'000;  ///< slices
};

/// Slices narrower than a pixel that stand together are one with a count.
struct SliceAnswer {
    std::vector<RowPart> rows;
    std::vector<double> begin_ns, duration_ns;
    std::vector<std::uint32_t> name, count,
        id;                   ///< of joined slices: a long one's name, the first's id
    std::vector<float> busy;  ///< share of the duration that slices cover
    bool is_cut = false;
};

struct SliceDetail {
    std::uint32_t id = 0, track = 0, row = 0;
    std::int64_t begin_ns = 0, duration_ns = 0, self_ns = 0;
    std::string_view name, category;
    std::uint64_t same_count = 0;  ///< slices of that name
    std::uint64_t same_ns = 0;
    std::int64_t same_longest_ns = 0;
};

struct IndexArrow {
    std::uint32_t from = 0, to = 0;  ///< slices
    std::uint32_t from_track = 0, from_row = 0, to_track = 0, to_row = 0;
    std::int64_t from_ns = 0, to_ns = 0;
    std::uint32_t name = 0;
};

struct FoundName {
    std::uint32_t name = 0;
    std::uint64_t count = 0, total_ns = 0;
};

struct SearchAnswer {
    std::vector<FoundName> names;  ///< the longest in sum first
    std::uint64_t count = 0, total_ns = 0;
    std::int64_t next = -1,
                 previous = -1;  ///< slices beginning after and before the time asked for
};

struct FlameQuestion {
    std::uint32_t root = 0;
    std::size_t value = 0;
    double least_share = 0;  ///< of the root; narrower ones are left out
    std::uint32_t depth = 256;
    std::size_t most = 50'000;
    std::string_view search = {};
};

struct FlameAnswer {
    std::vector<std::uint32_t> node, depth, title;  ///< outer before inner, the root first
    std::vector<double> begin, total, self;         ///< begin: sum of everything left of it
    std::uint64_t left_out = 0;
    double matched = 0;  ///< of the value, in frames that match the search
};

class TraceIndex {
  public:
    /// Fails for files that are no index of this version, or are cut off. `source` is the profile
    /// that it was made of, in which arguments may lie.
    static Result<std::shared_ptr<const TraceIndex>> open(const std::string& path,
                                                          const std::string& source = {});

    [[nodiscard]] std::string_view info() const noexcept { return text_section(Section::Info); }

    [[nodiscard]] std::string_view functions() const noexcept {
        return text_section(Section::Functions);
    }

    [[nodiscard]] const std::vector<IndexTrack>& tracks() const noexcept { return tracks_; }

    [[nodiscard]] std::int64_t duration_ns() const noexcept { return duration_ns_; }

    [[nodiscard]] std::size_t slices() const noexcept { return begin_.size(); }

    [[nodiscard]] std::size_t value_count() const noexcept { return values_; }

    [[nodiscard]] std::size_t main_value() const noexcept { return main_value_; }

    [[nodiscard]] std::size_t flame_nodes() const noexcept { return flame_parent_.size(); }

    [[nodiscard]] std::size_t texts() const noexcept { return text_ends_.size(); }

    /// Empty for numbers that are none.
    [[nodiscard]] std::string_view text(std::uint32_t id) const noexcept;

    [[nodiscard]] SliceAnswer ask(const SliceQuestion& question) const;
    /// How busy the first row of each track is, `width` values of 0 to 255 each.
    [[nodiscard]] std::vector<std::uint8_t> busy(std::uint32_t track, std::uint32_t width) const;
    [[nodiscard]] Result<SliceDetail> slice(std::uint32_t id) const;
    /// The arguments of a slice, as JSON; empty for none, and when the profile is not any more what
    /// it was when the index was opened.
    [[nodiscard]] std::string args(std::uint32_t id) const;
    /// Arrows that touch the slice.
    [[nodiscard]] std::vector<IndexArrow> arrows_of(std::uint32_t id, std::size_t most) const;
    /// Arrows that cross the range.
    [[nodiscard]] std::vector<IndexArrow> arrows(std::int64_t from_ns, std::int64_t to_ns,
                                                 std::size_t most) const;
    /// Names that contain `words`, whatever the case.
    [[nodiscard]] SearchAnswer search(std::string_view words, std::int64_t at_ns) const;
    [[nodiscard]] FlameAnswer ask(const FlameQuestion& question) const;
    /// The frames from the root to `node`, the node last.
    [[nodiscard]] std::vector<std::uint32_t> flame_path(std::uint32_t node) const;
    /// Lowest and highest value of a counter in `width` parts of the range; NaN where there is
    /// none.
    void counter(std::uint64_t first, std::uint64_t count, std::int64_t from_ns, std::int64_t to_ns,
                 std::uint32_t width, std::vector<double>& low, std::vector<double>& high) const;

  private:
    template <typename T>
    [[nodiscard]] std::span<const T> column(Section section) const noexcept;
    [[nodiscard]] std::string_view text_section(Section section) const noexcept;
    Result<void> take(const std::string& path);
    [[nodiscard]] std::string args_in_source(std::uint64_t place) const;
    void ask_row(const SliceQuestion& question, std::uint32_t track, std::uint32_t row,
                 SliceAnswer& answer) const;
    /// The first slice of the row that ends after `time_ns`.
    [[nodiscard]] std::uint64_t first_ending_after(const IndexRow& row,
                                                   std::int64_t time_ns) const noexcept;
    /// Of a track, the deepest slice around a time; kNone where there is none.
    [[nodiscard]] std::uint32_t slice_at(std::uint32_t track, std::int64_t time_ns,
                                         std::uint32_t& row) const noexcept;
    [[nodiscard]] bool arrow(std::size_t at, IndexArrow& arrow) const noexcept;
    [[nodiscard]] std::vector<bool> matching(std::string_view words) const;

    std::string source_;
    io::FileInfo source_info_;
    io::Mapping mapping_;
    IndexHead head_;
    std::vector<IndexTrack> tracks_;
    std::int64_t duration_ns_ = 0;
    std::size_t values_ = 0, main_value_ = 0;
    std::span<const std::uint64_t> text_ends_, busy_before_, args_;
    std::span<const std::int64_t> begin_, duration_, arrow_from_, arrow_to_, counter_time_;
    std::span<const std::uint32_t> name_, category_, arrow_from_track_, arrow_to_track_,
        arrow_name_;
    std::span<const std::uint32_t> flame_parent_, flame_end_, flame_title_;
    std::span<const double> flame_total_, flame_self_, counter_value_;
};

/// Whether `text` contains `words`, which are lower case already; letters of ASCII in any case.
bool contains_ignoring_case(std::string_view text, std::string_view words) noexcept;

}  // namespace taffrail::profile
